"""A whole worker in this process, beside the web process that a tester talks to."""

from contextlib import AbstractAsyncContextManager

from app.base.database import Database
from app.jobs import QUEUES
from tests.ledger import makers


def working(worker: Database) -> AbstractAsyncContextManager[None]:
    """Every queue's loop: a drain waits for all of them."""
    return makers.working(worker, tuple(QUEUES))
