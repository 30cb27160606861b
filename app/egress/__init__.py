"""Egress: the way out to addresses that other people chose. Nothing private is ever dialled (W3).

Owns no table and runs no job. The only slice that imports httpcore and asks name servers.

Words: a *target* is an address on the web, taken apart; a *policy* says what may be called; an address is
*vetted* when it was looked up and every answer is permitted; a call ends in an *answer*, or is *not allowed*,
*not reached* (nothing was sent) or *lost* (bytes may have left).

Promises
1. Only https to public addresses, but for what somebody allowed one by one; there is no switch that turns the
   rules off, and none can be allowed in production.
2. A name is looked up once a connection, every answer is checked, and the checked address is dialled; a
   connection stays bound to it and is checked again, against the policy of the day, before it is used again.
3. The request goes to the host that was named: SNI, certificate and Host are its name's.
4. Nothing of a redirect, a proxy, a cookie or a compressed body is followed, heeded, kept or unpacked.
5. A call is over by its deadline, whatever the other side does; 64 kB of an answer are read, and 64 kB of its
   headers.
6. NotReached means that not one byte was written; Lost, that nobody can know. Once the head of an answer is
   there its status stands, whatever becomes of the body.
7. Reasons are for people, and tell nothing of what is inside.
8. Nobody calls while a transaction is open.

- `addresses`: which are public, a table. `targets`: how an address is read. `policies`: what is permitted.
- `resolving`: where names lead. `connections`: dialled and kept; `wires`: their octets.
- `calls`: one request and its answer; `client` is the process's for webhooks, `looker` the one for links and
  pictures in texts.
"""

from app.egress.calls import Answer, Client, client, looker, vetted
from app.egress.policies import Policy
from app.egress.refusals import Lost, NoSuchName, NotAllowed, NotReached
from app.egress.resolving import Resolver
from app.egress.targets import INSIDE_NAMES, Target, target_of

__all__ = [
    "INSIDE_NAMES",
    "Answer",
    "Client",
    "Lost",
    "NoSuchName",
    "NotAllowed",
    "NotReached",
    "Policy",
    "Resolver",
    "Target",
    "client",
    "looker",
    "target_of",
    "vetted",
]
