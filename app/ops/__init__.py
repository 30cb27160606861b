"""Operators' view: so far whether this process is alive, and ready to be sent requests.

`/healthz` says that the process answers. `/readyz` says that its database answers; load
balancers and `godwit up` wait for it.

Tables, jobs: none.
"""

from app.ops.health import HANDLERS

__all__ = ["HANDLERS"]
