"""A message between claim and settle: blocked, refused for our key, put off, stopped."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from app import mail
from app.base.database import Database
from app.jobs.runner import QueueLoop
from app.messages import probe_refusing
from app.suppressions import suppress, suppression_of
from app.switches import let_go, start, stop
from tests.broadcasts.makers import Studio
from tests.line import COMMIT, Line
from tests.messages.makers import Provider, a_loop, due_now, message, run, told
from tests.waiting import until
from workers import catalog
from workers.process import WorkerProcess
from workers.schedule import timers_for


async def let_in(worker: Database) -> bool:
    """Whether the provider was asked, and let us in."""
    return bool(await probe_refusing(worker))


async def probe_due(owner: Database) -> None:
    """Its wait is over."""
    async with owner.transaction() as tx:
        await tx.execute("update provider_refusal set probe_at = godwit_now()")


async def until_probe(web: Database) -> float:
    """Seconds until the provider that refuses us is asked by itself."""
    async with web.transaction() as tx:
        refusal = await mail.standing_refusal(tx)
    assert refusal is not None
    return refusal.seconds


async def test_a_blocked_address_is_mailed_nothing_and_says_why(
    studio: Studio, web: Database, messages: QueueLoop, provider: Provider
) -> None:
    """L5; field case J: bounces count for every mail, and outlive the reader."""
    message_id = await message(studio)
    async with web.transaction(studio.desk.account_id) as tx:
        await suppress(tx, "bo@example.org", "bounce")
    await run(messages)
    dead = await told(studio, message_id)
    assert (dead["state"], dead["reason"]) == ("dead", "The address is blocked: mail to it came back.")
    assert provider.handed == []


async def test_an_address_that_is_refused_for_good_is_blocked_for_every_mail(
    studio: Studio, web: Database, worker: Database, messages: QueueLoop, provider: Provider
) -> None:
    """Field case J: an immediate 550 5.1.1 counts as a hard bounce; a full mailbox does not."""
    full, gone = mail.Refused("552 5.2.2 mailbox full"), mail.Refused("550 5.1.1 no such user", bounced=True)
    provider.answers = [full, gone]
    await message(studio, to="cy@example.org")
    await run(messages)
    await message(studio)
    await run(messages)
    await run(a_loop(worker, "housekeeping"))
    async with web.transaction(studio.desk.account_id) as tx:
        blocked = await suppression_of(tx, "bo@example.org")
        assert blocked is not None
        assert (blocked.reason, blocked.detail) == ("bounce", "550 5.1.1 no such user")
        assert await suppression_of(tx, "cy@example.org") is None
    again = await message(studio)
    await run(messages)
    assert (await told(studio, again))["reason"].startswith("The address is blocked")
    assert len(provider.handed) == 2


async def test_a_no_for_good_is_kept_although_the_database_went_away(
    studio: Studio, worker: Database, provider: Provider
) -> None:
    """Said again within the lease: it is not handed over once more to hear the same; blocked once."""
    provider.answers = [mail.Refused("550 5.1.1 no such user", bounced=True)]
    made = await message(studio)
    async with Line(worker.url).open() as line:
        far = Database(line.url, "godwit_worker", 1)

        async def cut(mails: Any, **call: Any) -> mail.Outcome:
            line.cut_at = COMMIT
            return await Provider.deliver(provider, mails, **call)

        provider.deliver = cut
        await run(a_loop(far))
        assert line.cut_at is None
        await far.close()
    dead = await told(studio, made)
    assert (dead["state"], dead["reason"]) == ("dead", "550 5.1.1 no such user")
    assert len(provider.handed) == 1
    async with worker.transaction(studio.desk.account_id) as tx:
        assert await tx.value("select count(*) from job where kind = 'address_bounced'") == 1


async def test_a_wrong_key_of_ours_makes_no_message_give_up(
    studio: Studio, messages: QueueLoop, provider: Provider, web: Database, worker: Database, owner: Database
) -> None:
    """E6: one is refused, uncounted; from then on a probe asks, further apart, and no other mail is shown."""
    first, second = await message(studio), await message(studio, to="cy@example.org")
    provider.answers = [mail.Misconfigured("the key is wrong")]
    waits = []
    for _ in range(7):
        await due_now(owner)
        await run(messages)
        async with web.transaction() as tx:
            refusal = await mail.standing_refusal(tx)
            assert refusal is not None
            waits.append(round(refusal.seconds))
        await probe_due(owner)
        assert await mail.probe_refusing(worker) == set()
    assert len(provider.handed) <= 2, "both may have been in hand at once; none after the refusal was known"
    for one in (first, second):
        waiting = await told(studio, one)
        assert (waiting["state"], waiting["attempts"]) == ("retrying", 0)
        assert waiting["reason"] == "The provider refuses us: the key is wrong"
    assert waits == pytest.approx([30, 60, 120, 240, 480, 600, 600], abs=2)
    provider.answers = [mail.Accepted()]
    async with web.transaction() as tx:
        assert await mail.probe_soon(tx)
    assert (await told(studio, first))["state"] == "retrying"
    assert await probe_refusing(worker) == {"sends", "messages"}
    await run(messages)
    assert {(await told(studio, one))["state"] for one in (first, second)} == {"sent"}


async def wait_of(owner: Database) -> int:
    """Seconds until the one message is tried again."""
    async with owner.transaction() as tx:
        wait = "select extract(epoch from run_at - godwit_now()) from job where kind = 'send_message'"
        return round(float(await tx.value(wait)))


async def put_off(owner: Database, messages: QueueLoop) -> int:
    """Tried now, and told "not now": the seconds until it is tried again."""
    await due_now(owner)
    await run(messages)
    return await wait_of(owner)


async def test_what_a_server_puts_off_is_tried_less_and_less_often_and_not_for_ever(
    studio: Studio, messages: QueueLoop, provider: Provider, owner: Database
) -> None:
    """E6: no try is spent; after two days of nothing but "not now" it gives up, and may be tried again."""
    greylisted = "the mail server answered RCPT with 451 4.7.1 greylisted"
    message_id = await message(studio)
    provider.answers = [mail.Throttled(greylisted)]
    waits = [await put_off(owner, messages) for _ in range(10)]
    assert waits == pytest.approx([5, 10, 20, 40, 80, 160, 320, 640, 900, 900], abs=1)
    provider.answers = [mail.Throttled(greylisted, after=86_400)]
    assert [await put_off(owner, messages) for _ in range(2)] == pytest.approx([86_400] * 2, abs=1)
    waiting = await told(studio, message_id)
    assert (waiting["state"], waiting["attempts"]) == ("retrying", 0)
    await put_off(owner, messages)
    dead = await told(studio, message_id)
    assert (dead["state"], dead["reason"]) == ("dead", f"put off for 2 days: {greylisted}")
    provider.answers = [mail.Throttled(greylisted), mail.Accepted()]
    assert (await studio.api.post(f"/messages/{message_id}/retry")).status_code == 200
    assert await put_off(owner, messages) == pytest.approx(5, abs=1)
    await put_off(owner, messages)
    assert (await told(studio, message_id))["state"] == "sent"


@pytest.mark.parametrize("between", ["a refusal of our key", "no connection"])
async def test_another_answer_in_between_begins_the_count_of_not_now_anew(
    studio: Studio, messages: QueueLoop, provider: Provider, owner: Database, between: str
) -> None:
    """Decision 28: what waits for our key to be let in waits on, however long it was put off before."""
    message_id = await message(studio)
    provider.answers = [mail.Throttled("450 later", after=172_800)]
    await put_off(owner, messages)
    refused = mail.Misconfigured("535 the key is wrong")
    provider.answers = [refused if between == "a refusal of our key" else mail.NotReached("no answer")]
    await put_off(owner, messages)
    async with owner.transaction() as tx:
        await tx.execute("update provider_refusal set let_in_at = godwit_now()")
    provider.answers = [mail.Throttled("450 later")]
    assert await put_off(owner, messages) == pytest.approx(5, abs=1)
    assert (await told(studio, message_id))["state"] == "retrying"


async def test_a_probe_that_a_person_asks_for_makes_no_wait_longer(
    provider: Provider, web: Database, worker: Database, owner: Database
) -> None:
    """Decision 28: however often one asks, the next by itself comes as soon as after any other probe."""
    provider.answers = [mail.Misconfigured("the key is wrong")]
    async with worker.transaction() as tx:
        await mail.remember_refusal(tx, "the key is wrong")
    await probe_due(owner)
    await mail.probe_refusing(worker)
    for _ in range(4):
        async with web.transaction() as tx:
            assert await mail.probe_soon(tx)
        await mail.probe_refusing(worker)
        assert await until_probe(web) == pytest.approx(60, abs=2)
    assert provider.probes == 5
    await probe_due(owner)
    await mail.probe_refusing(worker)
    assert await until_probe(web) == pytest.approx(120, abs=2)


async def test_a_worker_that_starts_asks_a_provider_that_refuses_us_once(
    provider: Provider, web: Database, worker: Database
) -> None:
    """Decision 28: its settings may be mended, and nobody waits ten minutes to learn it."""
    catalog.load()
    provider.answers = [mail.Misconfigured("the key is still wrong")]
    async with worker.transaction() as tx:
        await mail.remember_refusal(tx, "the key is wrong")
    [timer] = [one for one in timers_for(["messages"]) if one.first]
    rounds = 0

    async def counted(database: Database) -> set[str]:
        nonlocal rounds
        queues = await timer.run(database)
        rounds += 1
        return queues

    async def many() -> bool:
        return rounds >= 5

    often = replace(timer, run=counted, every=lambda: 0.01)
    repeating = asyncio.create_task(WorkerProcess(["messages"])._repeat(often, worker))
    await until(many)
    repeating.cancel()
    assert provider.probes == 1
    async with web.transaction() as tx:
        refusal = await mail.standing_refusal(tx)
    assert refusal is not None
    assert refusal.reason == "the key is still wrong"
    assert refusal.seconds == pytest.approx(30, abs=2)


async def test_a_provider_that_refuses_us_is_told_with_what_waits_and_can_be_asked(
    studio: Studio, messages: QueueLoop, provider: Provider, worker: Database, owner: Database
) -> None:
    """E6: by the list and by the message itself; nothing else waits behind the press."""
    message_id = await message(studio)
    provider.answers = [mail.Misconfigured("the key is wrong"), mail.Accepted()]
    await run(messages)
    url = studio.at("/messages")
    for page, waits in ((url, "1 mail waits, and"), (f"{url}/{message_id}", "It waits, and")):
        shown = (await studio.page.get(page)).text
        assert "The mailbox refuses us.</strong> Since" in shown
        assert "the key is wrong. " + waits in shown
        assert f'action="{url}/probe"' in shown
    press = asyncio.create_task(studio.page.post(f"{url}/probe", data={"message": message_id}))
    await until(lambda: let_in(worker))
    pressed = await press
    assert pressed.headers["location"] == f"{url}/{message_id}"
    assert "The provider lets us in" in (await studio.page.get(f"{url}/{message_id}")).text
    await run(messages)
    assert (await told(studio, message_id))["state"] == "sent"
    assert "refuses us" not in (await studio.page.get(url)).text


async def test_while_mail_is_stopped_messages_wait_and_go_once_let_go(
    studio: Studio, web: Database, messages: QueueLoop, provider: Provider
) -> None:
    """L5, L10: held also after the start, until somebody lets it go; a blocked address is read again."""
    account = studio.desk.account_id
    kept, blocked = await message(studio), await message(studio, to="cy@example.org")
    async with web.transaction(account) as tx:
        await stop(tx, scope="all", reason="Wrong prices", by="Ana")
    later = await message(studio)
    await run(messages)
    assert provider.handed == []
    assert {(await told(studio, one))["state"] for one in (kept, blocked, later)} == {"held"}
    refused = await studio.api.post(f"/messages/{kept}/retry")
    assert refused.status_code == 409
    assert "mail is stopped; it goes when mail is started again and let go" in refused.json()["detail"]
    async with web.transaction(account) as tx:
        await start(tx, reason="", by="Ana")
        await suppress(tx, "cy@example.org", "complaint")
    await run(messages)
    assert provider.handed == []
    async with web.transaction(account) as tx:
        await let_go(tx, by="Ana")
    await run(messages)
    states = [(await told(studio, one))["state"] for one in (kept, blocked, later)]
    assert states == ["sent", "dead", "sent"]
    assert len(provider.handed) == 2


async def test_stopping_only_what_goes_to_readers_lets_messages_go(
    studio: Studio, web: Database, messages: QueueLoop, provider: Provider
) -> None:
    async with web.transaction(studio.desk.account_id) as tx:
        await stop(tx, scope="bulk", reason="Wrong prices", by="Ana")
    message_id = await message(studio)
    await run(messages)
    assert (await told(studio, message_id))["state"] == "sent"
