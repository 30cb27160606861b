"""Operators' view: so far whether this process is alive, and ready to be sent requests.

Owns `/healthz` and `/readyz`, for load balancers, process supervisors and `godwit up`, which
waits for the second. Both are for anyone: they say nothing about accounts.

Words: *alive* (the process answers; starting it anew would not help) and *ready* (what it
needs to serve a request answers too).

Promises
1. `/healthz` asks nobody else, so that a database that is away restarts no process.
2. `/readyz` asks the database within a request's patience, and says 503 when it is away.

Tables, jobs: none. Later: the operators' console, the switches' pages, metrics.
"""

from app.ops.health import HANDLERS

__all__ = ["HANDLERS"]
