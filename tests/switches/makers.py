"""What tests of the switches do and look at."""

from collections.abc import Awaitable, Callable

from tests.broadcasts.makers import Studio
from tests.messages.makers import GIVEN

Command = Callable[..., Awaitable[str]]


async def put(studio: Studio, given: dict) -> dict:
    """Set the account's switch by the API; how it stands then."""
    answered = await studio.api.put("/switch", json=given)
    assert answered.status_code == 200, answered.text
    return answered.json()


async def queue(studio: Studio, n: int = 1) -> None:
    """So many automatic emails by the API."""
    for _ in range(n):
        assert (await studio.api.post("/messages", json=GIVEN)).status_code == 202


async def claimable(studio: Studio) -> tuple[bool, bool]:
    """Whether a worker may claim copies, and automatic emails, of the account."""
    async with studio.worker.transaction() as tx:
        row = await tx.row(
            "select not mail_stopped(:account, true), not mail_stopped(:account, false)",
            account=studio.desk.account_id,
        )
    assert row is not None
    return (row[0], row[1])
