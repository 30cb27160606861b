"""Testing mode: what a tester may ask of and do to a running Godwit (GODWIT_MODE=testing only).

A mailbox to read and wait on, work to wait for, faults to order. JSON, at /testing on the
studio's host; no sign-in from this machine, elsewhere GODWIT_TESTING_TOKEN as a bearer.

Words: to *drain* is to wait until nothing is due or in hand; a *fault* is something ordered
to go wrong, at matching calls, so many times.

Promises
1. Outside testing mode none of this is mounted.
2. What is asked for and not built is told by name (404, 422), never passed over in silence.
3. A wait answers at the first match, or says after its time that there was none.
4. What the mailbox shows is what was handed over, doubles included.

Owns no table (mailbox.mail and mailbox.fault are the provider's). Jobs: none.
"""
