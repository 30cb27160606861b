"""What was told of a reader, the whole way: sent as the API says it, gone when they are erased (R4)."""

import asyncio
import json
from uuid import UUID

import pytest

from app import egress
from app.base.database import Database
from app.fakes.receiver import Call, FakeReceiver, Reply
from app.readers import Consent, NewReader, add_reader, default_newsletter, erase_reader, unsubscribe
from app.webhooks import redeliver
from tests.jobs.makers import working
from tests.posts.makers import make_desk
from tests.readers.test_erasure import remains
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_endpoint

ANNA = "anna.quill@example.org"


async def states(web: Database, account: int, endpoint: UUID) -> list[tuple[str, str, str | None]]:
    """The endpoint's deliveries, oldest first: what of, how each stands, and why."""
    async with web.transaction(account) as tx:
        found = await tx.rows(
            "select type, state, reason from delivery_state where endpoint_id = :id order by sequence",
            id=endpoint,
        )
    return [(row.type, row.state, row.reason) for row in found]


@pytest.mark.parametrize("answers", [(200, 200), (200, 503)])
async def test_an_erased_reader_is_in_no_event_delivery_or_answer(
    web: Database, worker: Database, owner: Database, receiver: Receiver, answers: tuple[int, int]
) -> None:
    """A receiver that says again what it was told, and one that was not reached by then."""
    desk = await make_desk(web)
    account = desk.account_id
    made, _ = await an_endpoint(
        web, "reader.subscribed", "reader.unsubscribed", url=receiver.url, account=account
    )
    receiver.script.replies += [Reply(one, body=b"What of Anna Quill, " + ANNA.encode()) for one in answers]
    async with web.transaction(account) as tx:
        home = (await default_newsletter(tx)).id
        added = await add_reader(tx, NewReader(ANNA, (home,), Consent("a form"), "api", name="Anna Quill"))

    async def tried() -> bool:
        async with owner.transaction() as tx:
            return await tx.value("select count(*) from attempt where detail ? 'answer'") == 2

    async with working(worker, "webhooks"):
        async with web.transaction(account) as tx:
            await unsubscribe(tx, added.reader_id, None, "a test")
        await until(tried)
    sent = [json.loads(call.body) for call in receiver.script.calls]
    assert {one["data"]["reader"]["email"] for one in sent} == {ANNA}
    assert "public.attempt.detail" in await remains_by_table(owner)
    async with web.transaction(account) as tx:
        assert await erase_reader(tx, added.reader_id)
    assert await remains(owner, ANNA, "Quill") == set()
    kept = await states(web, account, made.id)
    if answers[1] == 503:
        assert kept[1] == ("reader.unsubscribed", "failed", "the reader was erased")
    else:
        assert [state for _, state, _ in kept] == ["delivered", "delivered"]


@pytest.mark.parametrize("when", ["is over", "has begun"])
async def test_an_answer_that_comes_once_its_reader_is_being_erased_names_nobody(
    web: Database, worker: Database, owner: Database, when: str
) -> None:
    """R4: it was on its way by then, and the receiver says again what it was told."""
    account = (await make_desk(web)).account_id
    called, answering = asyncio.Event(), asyncio.Event()

    async def meet(call: Call) -> Reply:
        called.set()
        await answering.wait()
        return Reply(200, body=b"Welcome, Anna Quill")

    async def waits_or_is_recorded() -> bool:
        async with owner.transaction() as tx:
            return await tx.value(
                "select exists (select from pg_locks where not granted)"
                " or exists (select from attempt where detail ? 'status')"
            )

    async def delivered() -> bool:
        return [state for _, state, _ in await states(web, account, made.id)] == ["delivered"]

    server = FakeReceiver(meet)
    await server.start()
    made, _ = await an_endpoint(web, "reader.subscribed", url=server.url, account=account)
    async with web.transaction(account) as tx:
        home = (await default_newsletter(tx)).id
        added = await add_reader(tx, NewReader(ANNA, (home,), Consent("a form"), "api", name="Anna Quill"))
    async with working(worker, "webhooks"):
        await called.wait()
        async with web.transaction(account) as tx:
            assert await erase_reader(tx, added.reader_id)
            if when == "has begun":
                answering.set()
                await until(waits_or_is_recorded)
        answering.set()
        await until(delivered)
    await server.stop()
    await egress.client().close()
    assert await remains(owner, ANNA, "Quill") == set()
    async with owner.transaction() as tx:
        assert await tx.value("select detail ->> 'answer' from attempt where detail ? 'status'") == ""


async def remains_by_table(owner: Database) -> set[str]:
    """The same as `remains`; attempts are named by their table and not by the month."""
    found = await remains(owner, ANNA, "Quill")
    return {"public.attempt.detail" if place.startswith("public.attempt_2") else place for place in found}


async def test_a_repeat_of_what_was_told_of_an_erased_reader_tells_the_id(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    """The same webhook-id, by which the receiver knows it; of the bytes what is left."""
    desk = await make_desk(web)
    account = desk.account_id
    await an_endpoint(web, "reader.subscribed", url=receiver.url, account=account)
    async with web.transaction(account) as tx:
        home = (await default_newsletter(tx)).id
        added = await add_reader(tx, NewReader(ANNA, (home,), Consent("a form"), "api", name="Anna Quill"))

    async def heard(times: int) -> bool:
        return len(receiver.script.calls) == times

    async with working(worker, "webhooks"):
        await until(lambda: heard(1))
        async with web.transaction(account) as tx:
            await erase_reader(tx, added.reader_id)
            delivery_id = await tx.value("select id from delivery")
        async with web.transaction(account) as tx:
            await redeliver(tx, [delivery_id])
        await until(lambda: heard(2))
    first, again = receiver.script.calls
    assert first.header("webhook-id") == again.header("webhook-id")
    assert json.loads(again.body) | {"data": None} == json.loads(first.body) | {"data": None}
    assert json.loads(again.body)["data"] == {"reader": {"id": str(added.reader_id)}}
