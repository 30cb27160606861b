"""The mailbox provider against a real database: all or nothing, never late, and a record to be believed."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import asyncpg
import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.mail import (
    Accepted,
    Mail,
    Misconfigured,
    NotReached,
    Outcome,
    Refused,
    Split,
    Throttled,
    Unknown,
    to_bytes,
)
from app.mail.directory import provider_for
from app.mail.mailbox import Mailbox
from tests import waiting
from tests.mail.makers import DATE, make_mail

pytestmark = pytest.mark.anyio


@pytest.fixture
async def mailbox(settings_env: Settings, owner: Database) -> AsyncIterator[Mailbox]:
    async with owner.transaction() as tx:
        await tx.execute("delete from mailbox.fault")
        await tx.execute("delete from mailbox.mail")
    made = Mailbox(settings_env.database.worker_url)
    yield made
    await made.aclose()


async def in_seconds(database: Database, seconds: float) -> datetime:
    async with database.transaction() as tx:
        return await tx.value("select clock_timestamp()") + timedelta(seconds=seconds)


async def held(database: Database) -> list[Any]:
    async with database.transaction() as tx:
        return await tx.rows("select * from mailbox.mail order by id")


async def order_fault(database: Database, **fault: Any) -> None:
    columns = {"kind": "slow", "match_to": None, "after": 0, "times": None, "delay": 0.0} | fault
    async with database.transaction() as tx:
        await tx.execute(
            "insert into mailbox.fault (kind, match_to, after, times, delay)"
            " values (:kind, :match_to, :after, :times, :delay)",
            **columns,
        )


async def fired(database: Database) -> list[int]:
    async with database.transaction() as tx:
        return [row.fired for row in await tx.rows("select fired from mailbox.fault order by id")]


@asynccontextmanager
async def cut_at(word: bytes, url: str) -> AsyncIterator[str]:
    """The database behind a wire that is cut when a client says this; its address."""
    told = urlsplit(url)

    async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while (read := await source.read(65536)) and word not in read:
                sink.write(read)
        sink.close()

    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, thither = await asyncio.open_connection(told.hostname, told.port)
        await asyncio.wait(
            [asyncio.create_task(carry(reader, thither)), asyncio.create_task(carry(there, writer))],
            return_when=asyncio.FIRST_COMPLETED,
        )
        thither.close()
        writer.close()

    async with await asyncio.start_server(wire, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield told._replace(netloc=f"{told.username}:{told.password}@127.0.0.1:{port}").geturl()


async def test_a_batch_is_kept_as_it_was_handed_over(mailbox: Mailbox, web: Database) -> None:
    mails = [make_mail(to="anna@example.com"), make_mail(to="zoe@example.com", html=None, kind="code")]
    batch = uuid4()
    assert await mailbox.deliver(mails, batch_id=batch, call_until=await in_seconds(web, 30)) == Accepted()
    rows = await held(web)
    assert ["From", "The Godwit <post@example.org>"] in rows[0].headers
    assert [row.to_address for row in rows] == ["anna@example.com", "zoe@example.com"]
    assert [row.raw for row in rows] == [to_bytes(mail, DATE) for mail in mails]
    assert [(row.batch_id, row.kind, row.account_id) for row in rows] == [
        (batch, "broadcast", 1),
        (batch, "code", 1),
    ]


async def test_a_mail_handed_over_twice_is_there_twice(mailbox: Mailbox, web: Database) -> None:
    mail = make_mail()
    for _ in range(2):
        await mailbox.deliver([mail], batch_id=uuid4(), call_until=await in_seconds(web, 30))
    assert [row.delivery_id for row in await held(web)] == [mail.delivery_id] * 2


async def test_nothing_is_written_after_call_until(mailbox: Mailbox, web: Database) -> None:
    """Promise 3 of app.mail."""
    batch, mail = uuid4(), make_mail()
    late = await in_seconds(web, -0.01)
    assert isinstance(await mailbox.deliver([mail], batch_id=batch, call_until=late), NotReached)
    await order_fault(web, delay=0.4)
    soon = await in_seconds(web, 0.1)
    assert isinstance(await mailbox.deliver([mail], batch_id=batch, call_until=soon), NotReached)
    assert await held(web) == []
    record = await mailbox.look_up(batch, [mail.delivery_id], call_until=soon)
    assert (record.whole, record.sent) == (True, frozenset())


async def test_one_bad_mail_among_many_splits_the_batch_and_writes_nothing(
    mailbox: Mailbox, web: Database
) -> None:
    bad = make_mail(to="zoë@example.com")
    until = await in_seconds(web, 30)
    assert isinstance(await mailbox.deliver([make_mail(), bad], batch_id=uuid4(), call_until=until), Split)
    assert isinstance(await mailbox.deliver([bad], batch_id=uuid4(), call_until=until), Refused)
    assert await held(web) == []


async def test_the_record_knows_what_of_the_batch_came(mailbox: Mailbox, web: Database) -> None:
    batch, mails, other = uuid4(), [make_mail(), make_mail()], uuid4()
    until = await in_seconds(web, 30)
    await mailbox.deliver(mails, batch_id=batch, call_until=until)
    ids = [mail.delivery_id for mail in mails]
    early = await mailbox.look_up(batch, [*ids, uuid4()], call_until=until)
    assert (early.whole, early.sent) == (False, frozenset(ids))
    past = await mailbox.look_up(batch, ids[:1], call_until=await in_seconds(web, -1))
    assert (past.whole, past.sent) == (True, frozenset(ids[:1]))
    assert (await mailbox.look_up(other, ids, call_until=until)).sent == frozenset()


async def test_slow_waits_half_before_the_write_and_half_after_it(mailbox: Mailbox, web: Database) -> None:
    await order_fault(web, delay=1.2)
    until = await in_seconds(web, 30)
    before = asyncio.create_task(mailbox.deliver([make_mail()], batch_id=uuid4(), call_until=until))

    async def has_fired() -> bool:
        return await fired(web) == [1]

    async def is_there() -> bool:
        return bool(await held(web))

    await waiting.until(has_fired)
    assert await held(web) == []
    await waiting.until(is_there)
    assert not before.done()
    assert await before == Accepted()


async def test_a_fault_fires_after_times_and_for_whom_it_is_meant(mailbox: Mailbox, web: Database) -> None:
    await order_fault(web, match_to="anna@example.com", after=1, times=2)
    await order_fault(web, match_to="nobody@example.com")
    until = await in_seconds(web, 30)
    for _ in range(5):
        await mailbox.deliver([make_mail()], batch_id=uuid4(), call_until=until)
    assert await fired(web) == [2, 0]


async def test_a_killed_call_leaves_all_or_nothing(mailbox: Mailbox, web: Database) -> None:
    """What is cancelled in mid-call is either whole in the record or not there at all."""
    mails = [make_mail() for _ in range(200)]
    ids = [mail.delivery_id for mail in mails]
    cut: list[tuple[UUID, datetime]] = []
    await mailbox.probe()  # its connections are there: the calls are what is cut
    for moment in (0.0, 0.002, 0.01, 0.02, 0.05):
        cut.append((uuid4(), await in_seconds(web, 0.5)))
        batch, until = cut[-1]
        call = asyncio.create_task(mailbox.deliver(mails, batch_id=batch, call_until=until))
        await asyncio.sleep(moment)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    for batch, until in cut:

        async def is_whole(batch: UUID = batch, until: datetime = until) -> bool:
            return (await mailbox.look_up(batch, ids, call_until=until)).whole

        await waiting.until(is_whole)
        assert len((await mailbox.look_up(batch, ids, call_until=until)).sent) in (0, 200)


async def test_a_connection_cut_in_the_call_is_unknown_and_the_record_settles_it(
    mailbox: Mailbox, web: Database, database_url: str
) -> None:
    await order_fault(web, delay=1.0, times=1)
    batch, mail, until = uuid4(), make_mail(), await in_seconds(web, 2)
    call = asyncio.create_task(mailbox.deliver([mail], batch_id=batch, call_until=until))

    async def has_fired() -> bool:
        return await fired(web) == [1]

    async def is_whole() -> bool:
        return (await mailbox.look_up(batch, [mail.delivery_id], call_until=until)).whole

    await waiting.until(has_fired)
    superuser = await asyncpg.connect(database_url)
    await superuser.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where application_name = 'godwit mailbox' and datname = current_database()"
    )
    await superuser.close()
    assert isinstance(await call, Unknown)
    await waiting.until(is_whole)
    assert (await mailbox.look_up(batch, [mail.delivery_id], call_until=until)).sent == frozenset()


async def test_a_connection_cut_once_the_mail_is_kept_takes_nothing_back(
    settings_env: Settings, mailbox: Mailbox, web: Database
) -> None:
    """L4: what goes wrong after the write, as the connection is put away, is no reason to write again."""
    async with cut_at(b"RESET ALL", settings_env.database.worker_url) as url:
        made, until = Mailbox(url), await in_seconds(web, 30)
        assert await made.deliver([make_mail()], batch_id=uuid4(), call_until=until) == Accepted()
        await made.aclose()
    assert len(await held(web)) == 1


async def test_where_nobody_answers_nothing_was_reached(web: Database) -> None:
    nowhere = Mailbox("postgresql://godwit_worker:x@127.0.0.1:1/godwit")
    until = await in_seconds(web, 30)
    assert isinstance(await nowhere.deliver([make_mail()], batch_id=uuid4(), call_until=until), NotReached)
    assert not (await nowhere.look_up(uuid4(), [uuid4()], call_until=until)).whole


async def test_a_wrong_log_in_is_ours_to_repair(settings_env: Settings, web: Database) -> None:
    wrong = Mailbox(settings_env.database.worker_url.replace("godwit_worker:", "godwit_worker:wrong"))
    until = await in_seconds(web, 30)
    assert isinstance(await wrong.deliver([make_mail()], batch_id=uuid4(), call_until=until), Misconfigured)


async def test_production_refuses_the_mailbox(settings_env: Settings) -> None:
    assert provider_for(settings_env).name == "mailbox"
    with pytest.raises(ValueError, match="production"):
        provider_for(replace(settings_env, mode="production"))
    with pytest.raises(ValueError, match="no provider"):
        provider_for(replace(settings_env, mail=replace(settings_env.mail, provider="pigeon")))


async def told_by(mailbox: Mailbox, web: Database, *mails: Mail, within: float = 20) -> tuple[Outcome, int]:
    """What a call with these mails came to, and how many the mailbox holds now."""
    until = await in_seconds(web, 30)
    try:
        async with asyncio.timeout(within):
            outcome = await mailbox.deliver(mails or (make_mail(),), batch_id=uuid4(), call_until=until)
    except TimeoutError:
        outcome = Unknown("cancelled")
    return outcome, len(await held(web))


@pytest.mark.parametrize(
    ("kind", "meaning", "kept"),
    [
        ("accept_then_drop", Unknown, 1),
        ("accept_then_500", Unknown, 1),
        ("rate_limited", Throttled, 0),
        ("refuse", Refused, 0),
        ("hang", Unknown, 0),
        ("down", NotReached, 0),
    ],
)
async def test_each_fault_is_told_as_its_kind_and_keeps_what_it_says(
    mailbox: Mailbox, web: Database, kind: str, meaning: type[Outcome], kept: int
) -> None:
    """The table of app.mail.faults, once; the next call goes well."""
    await order_fault(web, kind=kind, times=1, delay=2.0 if kind == "rate_limited" else 0.0)
    outcome, there = await told_by(mailbox, web, within=1 if kind == "hang" else 20)
    assert (type(outcome), there, await fired(web)) == (meaning, kept, [1])
    if isinstance(outcome, Throttled):
        assert outcome.after == 2.0
    assert await told_by(mailbox, web) == (Accepted(), kept + 1)


async def test_one_address_refused_among_many_splits_until_it_stands_alone(
    mailbox: Mailbox, web: Database
) -> None:
    await order_fault(web, kind="refuse", match_to="anna@example.com", times=1)
    anna, zoe = make_mail(to="anna@example.com"), make_mail(to="zoe@example.com")
    outcome, there = await told_by(mailbox, web, anna, zoe)
    assert (type(outcome), there, await fired(web)) == (Split, 0, [0])
    assert await told_by(mailbox, web, zoe) == (Accepted(), 1)
    outcome, there = await told_by(mailbox, web, anna)
    assert (type(outcome), there, await fired(web)) == (Refused, 1, [1])


async def test_of_two_faults_the_first_fires_alone(mailbox: Mailbox, web: Database) -> None:
    await order_fault(web, kind="refuse", times=1)
    await order_fault(web, kind="accept_then_drop", times=1)
    assert isinstance((await told_by(mailbox, web))[0], Refused)
    assert await fired(web) == [1, 0]
    assert isinstance((await told_by(mailbox, web))[0], Unknown)


async def test_while_it_is_down_its_record_cannot_be_read(mailbox: Mailbox, web: Database) -> None:
    await order_fault(web, kind="down")
    past = await in_seconds(web, -1)
    assert not (await mailbox.look_up(uuid4(), [uuid4()], call_until=past)).whole
    assert isinstance(await mailbox.probe(), NotReached)


async def test_calls_that_hang_keep_no_connection_from_others(mailbox: Mailbox, web: Database) -> None:
    await order_fault(web, kind="hang", match_to="anna@example.com")
    hanging = [asyncio.create_task(told_by(mailbox, web, within=20)) for _ in range(6)]

    async def all_hang() -> bool:
        return await fired(web) == [6]

    await waiting.until(all_hang)
    assert await told_by(mailbox, web, make_mail(to="zoe@example.com"), within=5) == (Accepted(), 1)
    for call in hanging:
        call.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)


async def test_a_call_cut_while_it_connects_leaves_nothing_behind(
    mailbox: Mailbox, settings_env: Settings, web: Database
) -> None:
    """Wherever it is cut: no error that nobody reads, and the next call goes through."""
    unread: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda loop, context: unread.append(context))
    until = await in_seconds(web, 60)
    try:
        for steps in range(12):
            made = Mailbox(settings_env.database.worker_url)
            call = asyncio.create_task(made.deliver([make_mail()], batch_id=uuid4(), call_until=until))
            for _ in range(steps):
                await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await made.deliver([make_mail()], batch_id=uuid4(), call_until=until) == Accepted()
            await made.aclose()
            gc.collect()
    finally:
        loop.set_exception_handler(before)
    assert unread == []
