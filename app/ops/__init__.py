"""Operators' view, and what stops mail: health, metrics, the console, the switches' pages and API.

Owns `/healthz` and `/readyz`, for load balancers, process supervisors, who is on call, and `godwit up`, which
waits for the second (for anyone: they say nothing about accounts); `/metrics`; `/console/…`, for creators who
are operators; the switch of an account in the studio and the API, because what it holds lies in
two books (ledger, messages) that do not know each other.

Words: *alive* (the process answers; starting it anew would not help) and *ready* (its database answers,
and what must be done is done). *Finding*: one thing that is not well, with its fix. *Seen*: a worker process
that said it lives. *Gone*: one that said nothing for half a minute. *Late*: due work that nobody is at.
*Held*: what waits until a switch's mail is let go.

Promises
1. `/healthz` asks nobody else, so that a database that is away restarts no process.
2. `/readyz` asks the database within a request's patience, and says 503 with a sentence for each finding.
3. Console and metrics read as godwit_operator: counts, states, ages, never content.
4. A worker says that it lives beside its queues, by the database's real clock (E11).
5. However many look, the figures are read once in some seconds, by indexes, whatever is over.
6. No label of a metric names an account or a path.

Tables: worker. Jobs: prune_limits.
"""

from app.ops.findings import find_trouble
from app.ops.health import HANDLERS
from app.ops.held import Set, set_by_operator
from app.ops.jobs import PruneLimits
from app.ops.letting import LetGo, let_go_by_operator, sizes
from app.ops.places import API, CONSOLE, METRICS, STUDIO
from app.ops.presence import BEAT, UNSEEN, Presence
from app.ops.traffic import answered, now, part_of

__all__ = [
    "API",
    "BEAT",
    "CONSOLE",
    "HANDLERS",
    "METRICS",
    "STUDIO",
    "UNSEEN",
    "LetGo",
    "Presence",
    "PruneLimits",
    "Set",
    "answered",
    "find_trouble",
    "let_go_by_operator",
    "now",
    "part_of",
    "set_by_operator",
    "sizes",
]
