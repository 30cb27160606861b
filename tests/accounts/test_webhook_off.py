"""A team is mailed when its webhook is switched off: once, with why and where to look."""

from uuid import UUID

import pytest

from app.base.database import Database
from app.jobs import enqueue
from app.webhooks import EndpointSwitchedOff, NewEndpoint, add_endpoint, delete_endpoint
from app.webhooks.switching import switch_off
from tests.messages.makers import a_loop, run
from tests.posts.makers import Desk, make_desk
from workers import catalog

URL = "https://hooks.example.org/services/T0/SECRET"
REASON = "Nothing was delivered for 3 days. The last answer: 503"


@pytest.fixture
async def desk(web: Database) -> Desk:
    catalog.load()
    return await make_desk(web)


async def a_webhook(web: Database, desk: Desk) -> UUID:
    async with web.transaction(desk.account_id) as tx:
        made, _ = await add_endpoint(tx, NewEndpoint(URL, ("*",), ""))
    return made.id


async def mails(worker: Database, desk: Desk) -> list[dict[str, str]]:
    """Whatever is due is done; the mails that wait to be handed over."""
    loop = a_loop(worker, "housekeeping")
    for _ in range(2):
        await run(loop)
    async with worker.transaction(desk.account_id) as tx:
        rows = await tx.rows("select args from job where kind = 'send_message' order by id")
    return [row.args for row in rows]


async def test_the_team_is_mailed_once_with_the_reason_and_a_link(
    web: Database, worker: Database, desk: Desk
) -> None:
    """M1: switched off twice is one mail. It names the host, and not the address's secret part."""
    webhook = await a_webhook(web, desk)
    for _ in range(2):
        async with worker.transaction(desk.account_id) as tx:
            await switch_off(tx, webhook, 0, REASON)
    [mail] = await mails(worker, desk)
    assert mail["to"] == "tidelines@example.org"
    assert mail["subject"].endswith(": the webhook to hooks.example.org was switched off")
    assert f"{REASON}." in mail["text"]
    assert f"/studio/tidelines/endpoints/{webhook}" in mail["text"]
    assert "SECRET" not in str(mail)


async def test_nobody_is_mailed_of_a_webhook_that_is_on_again_or_gone(
    web: Database, worker: Database, desk: Desk
) -> None:
    """Somebody was faster than the mail."""
    on, gone = await a_webhook(web, desk), await a_webhook(web, desk)
    async with web.transaction(desk.account_id) as tx:
        await switch_off(tx, gone, 0, REASON)
        await delete_endpoint(tx, gone)
        await enqueue(tx, EndpointSwitchedOff(on, URL, REASON))
    assert await mails(worker, desk) == []
