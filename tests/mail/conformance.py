"""What every provider must keep, whoever it is: one suite over each of them (app.mail, 1 to 3)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from app.base.database import Database
from app.mail import Accepted, Misconfigured, NotReached, Refused, Split, to_bytes
from app.mail.provider import Provider
from tests.mail.makers import DATE, make_mail


@dataclass
class Bench:
    """A provider, what came of what it was handed, and two that cannot work: nobody there, wrong log-in."""

    provider: Provider
    kept: Callable[[], Awaitable[list[bytes]]]
    nobody: Provider
    stranger: Provider
    database: Database

    async def until(self, seconds: float) -> datetime:
        """That many seconds from now by the database's clock."""
        async with self.database.transaction() as tx:
            return await tx.value("select clock_timestamp()") + timedelta(seconds=seconds)


async def a_mail_arrives_as_it_was_written(bench: Bench) -> None:
    mails = [
        make_mail(text="one\n.\n..two\n.three\n" + "x" * 3000, html=None),
        make_mail(subject="🐦" * 60, html="<p>.</p>\n.\r\n<p>é سلام</p>", headers=(("List-Id", "<a.b>"),)),
        make_mail(text="", html=None, to='"anna smith"@example.com', sender="post@example.org"),
    ]
    for mail in mails:
        said = await bench.provider.deliver([mail], batch_id=uuid4(), call_until=await bench.until(30))
        assert isinstance(said, Accepted), said
    assert await bench.kept() == [to_bytes(mail, DATE) for mail in mails]


async def a_mail_handed_over_twice_is_there_twice_the_same(bench: Bench) -> None:
    mail = make_mail()
    for _ in range(2):
        await bench.provider.deliver([mail], batch_id=uuid4(), call_until=await bench.until(30))
    assert await bench.kept() == [to_bytes(mail, DATE)] * 2


async def nothing_is_handed_over_once_its_time_is_over(bench: Bench) -> None:
    late = asyncio.get_running_loop().time() - 0.01
    said = await bench.provider.deliver(
        [make_mail()], batch_id=uuid4(), call_until=await bench.until(-0.01), deadline=late
    )
    assert isinstance(said, NotReached)
    assert await bench.kept() == []


async def a_mail_that_cannot_be_written_is_refused_and_nothing_leaves(bench: Bench) -> None:
    for bad in (make_mail(to="zoë@example.com"), make_mail(subject="a\r\nBcc: b@example.com")):
        said = await bench.provider.deliver([bad], batch_id=uuid4(), call_until=await bench.until(30))
        assert isinstance(said, Refused)
    assert await bench.kept() == []


async def a_call_takes_no_more_than_its_limit_and_no_less_than_one(bench: Bench) -> None:
    many = [make_mail()] * (bench.provider.batch_limit + 1)
    for mails in (many, []):
        said = await bench.provider.deliver(mails, batch_id=uuid4(), call_until=await bench.until(30))
        assert isinstance(said, Refused | Split)
    assert await bench.kept() == []


async def a_record_is_whole_only_where_there_is_one(bench: Bench) -> None:
    batch, mail, until = uuid4(), make_mail(), await bench.until(30)
    await bench.provider.deliver([mail], batch_id=batch, call_until=until)
    past = await bench.provider.look_up(batch, [mail.delivery_id], call_until=await bench.until(-1))
    assert past.whole is bench.provider.has_record
    assert past.sent == (frozenset([mail.delivery_id]) if bench.provider.has_record else frozenset())
    early = await bench.provider.look_up(batch, [mail.delivery_id], call_until=until)
    assert early.whole is False


async def where_nobody_answers_nothing_was_reached(bench: Bench) -> None:
    until = await bench.until(30)
    assert isinstance(
        await bench.nobody.deliver([make_mail()], batch_id=uuid4(), call_until=until), NotReached
    )
    assert isinstance(await bench.nobody.probe(), NotReached)
    assert not (await bench.nobody.look_up(uuid4(), [uuid4()], call_until=until)).whole


async def a_wrong_log_in_is_ours_to_repair(bench: Bench) -> None:
    until = await bench.until(30)
    said = await bench.stranger.deliver([make_mail()], batch_id=uuid4(), call_until=until)
    assert isinstance(said, Misconfigured)
    assert isinstance(await bench.stranger.probe(), Misconfigured)
    assert "wr0ng" not in said.reason
    assert await bench.kept() == []


async def a_probe_hands_nothing_over(bench: Bench) -> None:
    assert isinstance(await bench.provider.probe(), Accepted)
    assert await bench.kept() == []


async def a_provider_that_gave_back_its_connections_can_do_so_again(bench: Bench) -> None:
    await bench.provider.deliver([make_mail()], batch_id=uuid4(), call_until=await bench.until(30))
    await bench.provider.aclose()
    await bench.provider.aclose()
    assert len(await bench.kept()) == 1


SUITE = (
    a_mail_arrives_as_it_was_written,
    a_mail_handed_over_twice_is_there_twice_the_same,
    nothing_is_handed_over_once_its_time_is_over,
    a_mail_that_cannot_be_written_is_refused_and_nothing_leaves,
    a_call_takes_no_more_than_its_limit_and_no_less_than_one,
    a_record_is_whole_only_where_there_is_one,
    where_nobody_answers_nothing_was_reached,
    a_wrong_log_in_is_ours_to_repair,
    a_probe_hands_nothing_over,
    a_provider_that_gave_back_its_connections_can_do_so_again,
)
