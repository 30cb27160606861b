"""Chaos: a Godwit of its own is used and harmed by a seed, and every promise is looked at (`godwit chaos`).

Two hands act at once. People and programs publish, mail, sign up, leave, pause and bring readers over HTTP;
the other hand kills, freezes, deploys, cuts, crashes, flushes and orders what is to go wrong. After every
minute faults stop, all comes to rest, and the books are compared with what the provider and the receiver
have written down.

Words: the *house* is the Godwit of its own, and only what it started is ever touched; a *step* is one act of
one hand at its time; the *schedule* is all steps, made from the seed before anything begins; a *round* is a
minute of it; the *diary* is what people did and were told; a *finding* is a promise that did not hold.

Promises
1. The same seed and length give the same schedule; what differs between two runs is the machine.
2. A check takes rows and answers findings: it can be shown to fail, and scenarios elsewhere use it.
3. Who comes to no rest within bounded time is found, not waited for.

Tables and jobs: none.
"""

from app.proof.chaos.books import Books, Logs
from app.proof.chaos.checks import CHECKS, check
from app.proof.chaos.findings import Finding
from app.proof.chaos.house import House
from app.proof.chaos.lies import plant_call, plant_mail
from app.proof.chaos.plan import Step, schedule, steps_json
from app.proof.chaos.running import Report, report_json, report_words, run

__all__ = [
    "CHECKS",
    "Books",
    "Finding",
    "House",
    "Logs",
    "Report",
    "Step",
    "check",
    "plant_call",
    "plant_mail",
    "report_json",
    "report_words",
    "run",
    "schedule",
    "steps_json",
]
