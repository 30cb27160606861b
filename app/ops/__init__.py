"""Operators' view, and what stops mail: health, the console, the switches' pages and API.

Owns `/healthz` and `/readyz`, for load balancers, process supervisors and `godwit up`, which
waits for the second (for anyone: they say nothing about accounts); `/console/…`, for creators who
are operators; the switch of an account in the studio and the API, because what it holds lies in
two books (ledger, messages) that do not know each other.

Words: *alive* (the process answers; starting it anew would not help) and *ready* (what it
needs to serve a request answers too). *Held*: what waits until a switch's mail is let go.

Promises
1. `/healthz` asks nobody else, so that a database that is away restarts no process.
2. `/readyz` asks the database within a request's patience, and says 503 when it is away.
3. The console reads as godwit_operator: counts, states, ages, never content.

Tables: none. Jobs: prune_limits.
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
