"""What webhooks are told of an email: it began, it is finished, it needs somebody (W1)."""

import pytest

from app.broadcasts.announcing import tell_changed, tell_started
from app.ledger import pause_for
from app.mail import Accepted, Refused
from tests.announced import listen, rolled_back, told
from tests.broadcasts.makers import Studio, handed, mailing_of
from tests.messages.makers import a_loop, run

pytestmark = pytest.mark.anyio


async def work(studio: Studio, queue: str) -> None:
    """Whatever is due there, each kind by its handler."""
    loop = a_loop(studio.worker, queue)
    for _ in range(2):
        await run(loop)


async def shown(studio: Studio, broadcast_id: object) -> dict[str, object]:
    """As the API tells it."""
    return (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()


async def test_an_email_is_told_when_its_audience_is_read_and_when_it_is_out(studio: Studio) -> None:
    """Pressing alone tells nothing: it can still be undone. Figures are those of the moment."""
    account = studio.desk.account_id
    await listen(studio.web, account)
    broadcast_id = await studio.press()
    mail = ("broadcast.started", "broadcast.finished", "broadcast.needs_attention")
    assert await told(studio.web, account, *mail) == []
    await work(studio, "build")
    started = await shown(studio, broadcast_id)
    assert (started["state"], started["to_go"]) == ("sending", 12)
    assert await told(studio.web, account, *mail) == [("broadcast.started", {"broadcast": started})]
    await handed(studio, broadcast_id, 2, Refused("no such user"))
    await handed(studio, broadcast_id, 10, Accepted())
    await work(studio, "messages")
    finished = await shown(studio, broadcast_id)
    assert (finished["state"], finished["sent"], finished["failed"]) == ("finished", 10, 2)
    assert (await told(studio.web, account, *mail))[1:] == [("broadcast.finished", {"broadcast": finished})]


async def test_an_email_that_needs_somebody_is_told_with_the_reason_once(studio: Studio) -> None:
    """Its job is done at least once: the same change again is no news, the next one is."""
    account = studio.desk.account_id
    await listen(studio.web, account)
    broadcast_id = await studio.press()
    await work(studio, "build")
    mailing = await mailing_of(studio, broadcast_id)
    async with studio.worker.transaction(account) as tx:
        await pause_for(tx, mailing, "the mail provider refuses us: 401.")
    await work(studio, "messages")
    paused = await shown(studio, broadcast_id)
    needs = {"broadcast": paused, "reason": "the mail provider refuses us: 401."}
    assert paused["state"] == "paused"
    news = await told(studio.web, account, "broadcast.needs_attention")
    assert news == [("broadcast.needs_attention", needs)]
    for once in ("7", "7", "8"):
        async with studio.worker.transaction(account) as tx:
            await tell_changed(tx, mailing, "needs_person", "again", once=once)
    assert len(await told(studio.web, account, "broadcast.needs_attention")) == 3


async def test_an_email_that_is_undone_never_began(studio: Studio) -> None:
    account = studio.desk.account_id
    await listen(studio.web, account)
    broadcast_id = await studio.press()
    assert (await studio.api.post(f"/broadcasts/{broadcast_id}/cancel")).json()["undone"] is True
    await work(studio, "build")
    assert await told(studio.web, account, "broadcast.started") == []


async def test_what_is_rolled_back_was_told_to_nobody(studio: Studio) -> None:
    """W1: and a second reading of the first chunk is the first, once."""
    account = studio.desk.account_id
    await listen(studio.web, account)
    broadcast_id = await studio.press()
    async with rolled_back(studio.worker, account) as tx:
        await tell_started(tx, broadcast_id)
    assert await told(studio.web, account, "broadcast.started") == []
    await work(studio, "build")
    assert len(await told(studio.web, account, "broadcast.started")) == 1
