"""Proof: what this machine reaches, measured beside what Godwit promises (`godwit bench NAME`).

A bench is a handful of parts. Each part wants a fresh house: servers of its own, real worker
processes as they ship, the mailbox as provider; the command line makes it, this slice fills it
through the doors that people use and reads the clock.

Words: a *figure* is what was measured, several times, with its *target*, the most that was
promised, and what went on *meanwhile*. A *scale* is how much of everything: its defaults are
what the promises speak of, tests take less.

Promises
1. A figure tells its median and its worst, and the machine it was measured on.
2. A bad figure is told like a good one; only what could not be measured is an error.
3. A part changes no setting but those it names: the rest is as shipped.

Benches: shares (E10, L9: who has little does not wait behind who has much), site (how fast a public page is
answered, beside the bare framework), studio (lists, search and sizes of a large publication), egress
(calls to addresses that other people chose, beside httpcore unguarded), publish (writing by the API at full
speed and at a pace, beside transactions that do nothing), webhooks (deliveries, alone and beside
publications), jobs (the engine by itself, beside other queues and bare statements), isolation (E10: codes and
pages beside much mail and webhooks that fail, and beside the same load of the processor), testing (accounts
emptied and filled for testers). Tables: none. Jobs:
do_nothing, in a queue that only its bench and worker know.
"""

from app.proof.figures import Figure, Memory, Part, Rate, Scale, machine
from app.proof.isolation import ISOLATION
from app.proof.jobs import JOBS
from app.proof.publish import PUBLISH_BENCH
from app.proof.resets import TESTING
from app.proof.shares import SHARES
from app.proof.site import SITE
from app.proof.studio import STUDIO
from app.proof.way_out import EGRESS
from app.proof.webhooks import WEBHOOKS

__all__ = [
    "EGRESS",
    "ISOLATION",
    "JOBS",
    "PUBLISH_BENCH",
    "SHARES",
    "SITE",
    "STUDIO",
    "TESTING",
    "WEBHOOKS",
    "Figure",
    "Memory",
    "Part",
    "Rate",
    "Scale",
    "machine",
]
