"""A message of which nobody knows whether it left: held, asked about, or repeated where that does no harm."""

import asyncio

import pytest

from app import mail
from app.base.database import Database
from app.jobs.leases import expire_leases
from app.jobs.runner import QueueLoop
from app.messages import TeamNotice, queue_message
from tests.broadcasts.makers import Studio, an_empty_mailbox
from tests.crash.scenario import slow_provider
from tests.messages.makers import Provider, a_loop, due_now, message, run, told

NOTICE = TeamNotice(
    "ana@example.org", "The bird is out", ("It reached 12.",), "http://x/", "Open", "Tidelines"
)
#: For people: the driver's word, no SQL, no link (in_words).
AWAY = 'nothing was handed over: UndefinedTableError: relation "suppression" does not exist'

_DIED = """
update job set state = 'leased', lease = nextval('job_lease'), leased_by = 'dead', attempts = 1,
    leased_at = clock_timestamp(), leased_until = clock_timestamp() - interval '1 second'
"""


async def test_an_unsure_message_is_held_for_a_person(
    studio: Studio, messages: QueueLoop, provider: Provider, owner: Database
) -> None:
    """L4; field case A: the server had taken it, and the answer was lost."""
    message_id = await message(studio)
    provider.answers = [mail.Unknown("the connection was lost after the final dot"), mail.Accepted()]
    await run(messages)
    await due_now(owner)
    await run(messages)
    held = await told(studio, message_id)
    assert held["state"] == "held"
    assert held["reason"].startswith("The connection was lost after the final dot. It may have arrived")
    assert len(provider.handed) == 1
    assert (await studio.api.post(f"/messages/{message_id}/retry")).status_code == 200
    await run(messages)
    assert (await told(studio, message_id))["state"] == "sent"
    assert len(set(provider.bytes_of())) == 1


async def test_a_provider_that_fails_after_it_took_the_mail_is_unsure_and_not_called_again(
    studio: Studio,
    messages: QueueLoop,
    provider: Provider,
    owner: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L4: whatever escapes a call, bytes may have left."""
    message_id = await message(studio)
    deliver = provider.deliver

    async def fails(*mails: object, **how: object) -> mail.Outcome:
        await deliver(*mails, **how)
        raise KeyError("the connection could not be put away")

    monkeypatch.setattr(provider, "deliver", fails)
    await run(messages)
    await due_now(owner)
    await run(messages)
    held = await told(studio, message_id)
    assert (held["state"], len(provider.handed)) == ("held", 1)
    assert "may have arrived" in held["reason"]


async def test_a_message_whose_worker_died_in_the_call_is_held_too(
    studio: Studio, messages: QueueLoop, provider: Provider, owner: Database
) -> None:
    """L4, E2: nobody can tell what a killed worker had written."""
    message_id = await message(studio)
    async with owner.transaction() as tx:
        await tx.execute(_DIED)
    async with messages.database.transaction() as tx:
        await expire_leases(tx)
    await run(messages)
    assert provider.handed == []
    held = await told(studio, message_id)
    assert held["state"] == "held"
    assert "may have arrived" in held["reason"]


@pytest.mark.parametrize("between", ["the provider refuses us", "the database is away"])
async def test_what_comes_between_does_not_answer_a_try_that_had_no_answer(
    studio: Studio, messages: QueueLoop, provider: Provider, owner: Database, between: str
) -> None:
    """L4: after a try that may have arrived, neither a wait nor an error before any call lets it go again."""
    message_id = await message(studio)
    async with owner.transaction() as tx:
        await tx.execute(_DIED)
    async with messages.database.transaction() as tx:
        await expire_leases(tx)
    if between == "the database is away":
        async with owner.transaction() as tx:
            await tx.execute("alter table suppression rename to suppression_away")
        try:
            await run(messages)
        finally:
            async with owner.transaction() as tx:
                await tx.execute("alter table suppression_away rename to suppression")
        assert (await told(studio, message_id))["reason"] == AWAY
    else:
        async with messages.database.transaction() as tx:
            await mail.remember_refusal(tx, "the key is wrong")
        await run(messages)
        async with owner.transaction() as tx:
            await tx.execute("update provider_refusal set let_in_at = godwit_now()")
    await due_now(owner)
    await run(messages)
    assert provider.handed == []
    assert (await told(studio, message_id))["state"] == "held"


async def test_a_provider_that_can_be_asked_is_asked_before_anything_goes_again(
    studio: Studio, messages: QueueLoop, provider: Provider, owner: Database
) -> None:
    """L4: found in the record it is sent; surely absent it goes again; not yet known it waits."""
    provider.asked_at_once = True
    provider.answers = [mail.Unknown("no answer"), mail.Unknown("no answer"), mail.Accepted()]
    there, absent = await message(studio), await message(studio)
    await run(messages)
    first = provider.handed[0].delivery_id
    provider.record = mail.Record(whole=False, sent=frozenset({first}))
    await due_now(owner)
    await run(messages)
    states = {(await told(studio, one))["state"] for one in (there, absent)}
    assert states == {"sent", "retrying"}
    assert len(provider.handed) == 2
    provider.record = mail.Record(whole=True, sent=frozenset({first}))
    await due_now(owner)
    await run(messages)
    assert (await told(studio, absent))["state"] == (await told(studio, there))["state"] == "sent"
    assert len(provider.handed) == 3
    assert len(set(provider.bytes_of())) == 2


async def test_a_note_to_the_team_is_repeated_when_nobody_can_tell(
    studio: Studio, web: Database, messages: QueueLoop, provider: Provider
) -> None:
    provider.answers = [mail.Unknown("no answer"), mail.Accepted()]
    async with web.transaction(studio.desk.account_id) as tx:
        assert await queue_message(tx, NOTICE, key="finished:1") is not None
        assert await queue_message(tx, NOTICE, key="finished:1") is None
    await run(messages)
    await run(messages)
    assert len(provider.handed) == 2
    assert len(set(provider.bytes_of())) == 1


async def test_two_workers_and_a_slow_provider_send_each_once(
    studio: Studio, web: Database, worker: Database, owner: Database
) -> None:
    """E3; field case A: two processes read the same spool while the provider is slow."""
    async with an_empty_mailbox(owner):
        await slow_provider(web, 0.2)
        for n in range(12):
            await message(studio, subject=f"Mail {n}")
        loops = [a_loop(worker), a_loop(worker)]
        for _ in range(4):
            await asyncio.gather(*(run(loop) for loop in loops))
        async with web.transaction() as tx:
            kept = await tx.rows("select subject from mailbox.mail")
            slowed = await tx.value("select fired from mailbox.fault")
    assert sorted(row.subject for row in kept) == sorted(f"Mail {n}" for n in range(12))
    assert slowed == 12
