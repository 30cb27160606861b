"""SMTP against a server that goes wrong at every step: what was lost before the final dot, what after it."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP as IndependentServer

from app.base.database import Database
from app.fakes import FakeSmtp, Fault
from app.mail import (
    Accepted,
    Misconfigured,
    NotReached,
    Outcome,
    Refused,
    Throttled,
    Unknown,
    to_bytes,
)
from tests import waiting
from tests.mail.makers import DATE, make_mail
from tests.smtp.makers import a_server, hand_over, sending_to

pytestmark = pytest.mark.anyio
BEFORE_THE_DOT = ("greeting", "EHLO", "MAIL", "RCPT", "DATA", "body")


@pytest.fixture
async def fake() -> AsyncIterator[FakeSmtp]:
    async with a_server() as made:
        yield made


def reason(said: Outcome) -> str:
    return str(getattr(said, "reason", ""))


@pytest.mark.parametrize("step", BEFORE_THE_DOT)
async def test_dropped_before_the_final_dot_nobody_was_reached(fake: FakeSmtp, step: str) -> None:
    """Promise 5 of app.mail: nothing has left, so the mail may go again."""
    fake.order(Fault(step, "drop"))
    async with sending_to(fake) as smtp:
        said = await hand_over(smtp, make_mail())
        assert isinstance(said, NotReached), said
        assert fake.kept == []
        assert isinstance(await hand_over(smtp, make_mail()), Accepted)


@pytest.mark.parametrize("kept", [False, True])
async def test_dropped_after_the_final_dot_nobody_can_tell(fake: FakeSmtp, kept: bool) -> None:
    """L4, promise 5: both look the same from here, so neither is sent again."""
    fake.order(Fault("end", "drop", kept=kept))
    async with sending_to(fake) as smtp:
        said = await hand_over(smtp, make_mail())
    assert isinstance(said, Unknown), said
    assert "whole mail" in said.reason
    assert len(fake.kept) == int(kept)
    assert fake.connections == 1


async def test_a_server_that_stalls_is_left_at_the_deadline(subtests: pytest.Subtests) -> None:
    """C (field cases): it fails within its time, and says where. A server a step, all at once."""

    async def stalled(step: str) -> tuple[Outcome, float, int]:
        async with a_server() as server, sending_to(server) as smtp:
            server.order(Fault(step, "stall"))
            began = time.monotonic()
            said = await hand_over(smtp, make_mail(), within=2.0)
            return said, time.monotonic() - began, len(server.kept)

    steps = BEFORE_THE_DOT[:-1]
    for step, (said, took, kept) in zip(
        steps, await asyncio.gather(*(stalled(one) for one in steps)), strict=True
    ):
        with subtests.test(step):
            assert isinstance(said, NotReached), said
            assert f"did not answer in time ({step})" in said.reason
            assert took < 5
            assert kept == 0


@pytest.mark.parametrize("kept", [False, True])
async def test_silence_after_the_dot_is_unknown_once_the_dot_timeout_is_over(
    fake: FakeSmtp, kept: bool
) -> None:
    """A (field cases): the server took it and answered too late; it must not go again by itself."""
    fake.order(Fault("end", "stall", kept=kept))
    async with sending_to(fake, dot_timeout=0.3) as smtp:
        said = await hand_over(smtp, make_mail())
    assert isinstance(said, Unknown)
    assert "did not answer in time" in said.reason
    assert len(fake.kept) == int(kept)


async def test_the_answer_to_the_dot_may_come_after_the_calls_own_time(fake: FakeSmtp) -> None:
    fake.order(Fault("end", "slow", delay=1.2))
    async with sending_to(fake, dot_timeout=20) as smtp:
        assert isinstance(await hand_over(smtp, make_mail(), within=2.0), Accepted)


async def test_no_dot_is_written_once_the_deadline_is_over(fake: FakeSmtp) -> None:
    """Promise 3 of app.mail: a call has no effect after call_until, also when the process was frozen."""
    fake.order(Fault("DATA", "slow", delay=0.5))
    async with sending_to(fake) as smtp:
        assert isinstance(await hand_over(smtp, make_mail(), within=0.6), NotReached)
        frozen = asyncio.create_task(hand_over(smtp, make_mail(), within=0.8))
        asyncio.get_running_loop().call_later(0.03, time.sleep, 1.0)
        assert isinstance(await frozen, NotReached)
    assert fake.kept == []


async def test_cancelled_before_the_dot_nothing_was_handed_over(fake: FakeSmtp) -> None:
    fake.order(Fault("DATA", "slow", delay=0.3))
    async with sending_to(fake) as smtp:
        call = asyncio.create_task(hand_over(smtp, make_mail()))
        await until_fired(fake)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await waiting.until(lambda: as_true(fake.open == 0))
    assert fake.kept == []


async def test_cancelled_after_the_dot_the_call_is_over_and_its_connection_gone(fake: FakeSmtp) -> None:
    """Its caller reads that as Unknown (Provider.deliver)."""
    fake.order(Fault("end", "stall", kept=True))
    async with sending_to(fake) as smtp:
        call = asyncio.create_task(hand_over(smtp, make_mail()))
        await until_fired(fake)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await waiting.until(lambda: as_true(fake.open == 0))
    assert len(fake.kept) == 1


async def test_a_process_that_is_to_end_waits_no_longer_for_the_dots_answer(fake: FakeSmtp) -> None:
    """E9: what is still after the dot is settled as unknown by the process itself, within the grace."""
    fake.order(Fault("end", "stall", times=None))
    async with sending_to(fake, dot_timeout=600) as smtp:
        call = asyncio.create_task(hand_over(smtp, make_mail()))
        await until_fired(fake)
        smtp.hurry(0.1)
        assert isinstance(await asyncio.wait_for(call, 5), Unknown)
        assert isinstance(await asyncio.wait_for(hand_over(smtp, make_mail()), 5), Unknown)


@pytest.mark.parametrize(
    ("step", "says", "outcome"),
    [
        ("greeting", "421 4.3.2 Not now", NotReached),
        ("greeting", "421 4.7.0 Too many connections from your address", Throttled),
        ("greeting", "554 5.7.1 Your address is not welcome", Misconfigured),
        ("EHLO", "501 5.5.4 Who?", Misconfigured),
        ("MAIL", "421 4.3.2 Closing", Throttled),
        ("MAIL", "452 4.3.1 No room", Throttled),
        ("MAIL", "530 5.7.0 Log in first", Misconfigured),
        ("MAIL", "nonsense", NotReached),
        ("RCPT", "550 5.1.1 No such user", Refused),
        ("RCPT", "451 4.7.1 Greylisted", Throttled),
        ("RCPT", "454 Throttling failure: Maximum sending rate exceeded", Throttled),
        ("RCPT", "554 5.7.1 Relay access denied", Misconfigured),
        ("DATA", "451 4.3.0 Later", Throttled),
        ("DATA", "554 5.5.1 No valid recipients", Refused),
        ("DATA", "250 2.0.0 Ok?", NotReached),
        ("end", "250 2.0.0 Taken", Accepted),
        ("end", "251 hm", Accepted),
        ("end", "421 4.3.0 Closing", Throttled),
        ("end", "452 4.3.1 No room", Throttled),
        ("end", "552 5.3.4 Too big", Refused),
        ("end", "554 5.6.0 We do not like it", Refused),
        ("end", "354 Go on?", Unknown),
        ("end", "nonsense", Unknown),
        ("end", "999 What", Unknown),
    ],
)
async def test_what_the_server_says_is_read_by_its_step(
    fake: FakeSmtp, step: str, says: str, outcome: type[Outcome]
) -> None:
    """The table of smtp_replies, on the wire; whatever it was, the next mail goes."""
    fake.order(Fault(step, "say", text=says))
    async with sending_to(fake) as smtp:
        said = await hand_over(smtp, make_mail())
        assert isinstance(said, outcome), said
        if not isinstance(said, Accepted):
            assert says.split()[-1] in reason(said)
        assert fake.kept == []
        assert isinstance(await hand_over(smtp, make_mail()), Accepted)
    assert len(fake.kept) == 1


async def test_an_address_refused_for_good_is_a_bounce(fake: FakeSmtp) -> None:
    """F (field cases): an immediate 550 5.1.1 counts as hard; its connection is kept for the next mail."""
    fake.order(Fault("RCPT", "say", text="550 5.1.1 No such user here", to="gone@example.com"))
    async with sending_to(fake) as smtp:
        said = await hand_over(smtp, make_mail(to="gone@example.com"))
        assert said == Refused("the mail server answered RCPT with 550 5.1.1 No such user here", bounced=True)
        assert isinstance(await hand_over(smtp, make_mail()), Accepted)
    assert fake.connections == 1


async def test_a_connection_is_kept_and_as_many_are_opened_as_calls_are_made_at_once(fake: FakeSmtp) -> None:
    async with sending_to(fake) as smtp:
        for _ in range(5):
            assert isinstance(await hand_over(smtp, make_mail()), Accepted)
        assert fake.connections == 1
        said = await asyncio.gather(*(hand_over(smtp, make_mail()) for _ in range(6)))
        assert [type(one) for one in said] == [Accepted] * 6
        assert (fake.connections, fake.most_at_once) == (6, 6)
        await asyncio.gather(*(hand_over(smtp, make_mail()) for _ in range(6)))
        assert fake.connections == 6
    assert len(fake.kept) == 17
    await waiting.until(lambda: as_true(fake.open == 0))


async def test_a_server_that_hangs_up_every_few_mails_loses_and_doubles_none() -> None:
    async with a_server(close_after=3) as fake, sending_to(fake) as smtp:
        mails = [make_mail() for _ in range(20)]
        for mail in mails:
            assert isinstance(await hand_over(smtp, mail), Accepted)
        assert [kept.raw for kept in fake.kept] == [to_bytes(mail, DATE) for mail in mails]
        assert fake.connections == 7


@pytest.mark.parametrize(
    "fault", [Fault("MAIL", "drop", after=1), Fault("MAIL", "say", text="421 Idle", after=1)]
)
async def test_a_kept_connection_that_has_gone_is_no_failure(fake: FakeSmtp, fault: Fault) -> None:
    """Its first command finds out, and a fresh one takes the mail, in the same call."""
    fake.order(fault)
    async with sending_to(fake) as smtp:
        for _ in range(2):
            assert isinstance(await hand_over(smtp, make_mail()), Accepted)
    assert (fake.connections, len(fake.kept), fault.fired) == (2, 2, 1)


async def test_a_connection_takes_so_many_mails_and_gets_so_old(
    fake: FakeSmtp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.mail.smtp.MAILS", 2)
    async with sending_to(fake) as smtp:
        for _ in range(4):
            await hand_over(smtp, make_mail())
        assert fake.connections == 2
        monkeypatch.setattr("app.mail.smtp.AGE", 0.0)
        await hand_over(smtp, make_mail())
        await hand_over(smtp, make_mail())
    assert (fake.connections, len(fake.kept)) == (4, 6)


async def test_a_host_that_is_not_there_fails_fast_and_says_so(fake: FakeSmtp) -> None:
    """B (field cases): a wrong mail server used to hang a campaign without a word."""
    began = time.monotonic()
    async with sending_to(fake, host="smtp.nowhere.invalid") as smtp:
        said = await hand_over(smtp, make_mail())
        assert isinstance(said, NotReached)
        assert "smtp.nowhere.invalid" in said.reason
    async with sending_to(fake, port=1) as smtp:
        said = await hand_over(smtp, make_mail())
        assert said == NotReached("nobody listens at the mail server 127.0.0.1:1")
    assert time.monotonic() - began < 15


async def test_a_server_that_never_greets_is_not_reached_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        async with sending_to(FakeSmtp(port=deaf.getsockname()[1])) as smtp:
            assert isinstance(await hand_over(smtp, make_mail(), within=0.6), NotReached)


async def test_a_mail_too_big_for_the_server_is_refused_before_it_is_sent() -> None:
    async with a_server(size=2000) as fake, sending_to(fake) as smtp:
        said = await hand_over(smtp, make_mail(text="x" * 3000))
        assert isinstance(said, Refused)
        assert "at most 2000" in said.reason
        assert isinstance(await hand_over(smtp, make_mail(text="small")), Accepted)
        assert len(fake.kept) == 1


async def test_no_reason_repeats_a_password() -> None:
    """Also when the server does."""
    async with a_server(users={"ana": "s3cret-word"}) as fake:
        fake.order(
            Fault(
                "AUTH",
                "say",
                text="535 5.7.8 'ana' with 's3cret-word' (AGFuYQBzM2NyZXQtd29yZA==)",
                times=None,
            )
        )
        async with sending_to(fake, user="ana", password="s3cret-word") as smtp:  # noqa: S106
            for said in (await hand_over(smtp, make_mail()), await smtp.probe()):
                assert isinstance(said, Misconfigured)
                assert "535" in said.reason
                assert "s3cret" not in said.reason
                assert "AGFuYQBzM2" not in said.reason
            assert "s3cret" not in repr(smtp._server)


@pytest.mark.parametrize("step", ["MAIL", "RCPT", "end"])
async def test_throttled_at_the_log_in_or_later_it_is_a_throttle(fake: FakeSmtp, step: str) -> None:
    """E6: not an attempt."""
    fake.order(Fault(step, "say", text="454 Throttling failure: Daily message quota exceeded."))
    async with sending_to(fake) as smtp:
        assert isinstance(await hand_over(smtp, make_mail()), Throttled)


async def test_no_mail_leaves_while_a_transaction_is_open(fake: FakeSmtp, web: Database) -> None:
    async with sending_to(fake) as smtp, web.transaction():
        with pytest.raises(RuntimeError, match="transaction"):
            await hand_over(smtp, make_mail())
        with pytest.raises(RuntimeError, match="transaction"):
            await smtp.probe()
    assert fake.connections == 0


async def test_another_server_reads_the_same_octets() -> None:
    """An independent one: the fake is ours, and so could share a mistake."""
    taken: list[tuple[str, list[str], bytes]] = []

    class Keeper:
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
            taken.append((envelope.mail_from, envelope.rcpt_tos, envelope.original_content))
            return "250 OK"

    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: IndependentServer(Keeper(), loop=loop), "127.0.0.1", 0)
    mails = [
        make_mail(
            text=".\n..\n.x\n" + "y" * 5000 + "\n.", html="<p>.</p>\n" * 4000, sender="post@example.org"
        ),
        make_mail(to='"anna smith"@example.com', html=None),
    ]
    async with sending_to(FakeSmtp(port=server.sockets[0].getsockname()[1])) as smtp:
        for mail in mails:
            assert isinstance(await hand_over(smtp, mail), Accepted)
    server.close()
    assert [raw for _, _, raw in taken] == [to_bytes(mail, DATE) for mail in mails]
    assert taken[0][:2] == ("post@example.org", ["anna@example.com"])


async def until_fired(fake: FakeSmtp) -> None:
    await waiting.until(lambda: as_true(any(fault.fired for fault in fake.faults)))


async def as_true(told: bool) -> bool:
    return told
