"""Messages on their way (messages, M1 and M2), with the real provider of development."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest

from app import mail
from app.base.database import Database
from app.jobs.runner import QueueLoop, worker_name
from app.mail.directory import _kept
from app.messages import SignInCode, finish, queue_message, render_message
from tests.jobs.makers import in_state, until
from workers import catalog


class Provider:
    """Answers as it was told, and remembers what it was handed."""

    patience = 0.0

    def __init__(self, *answers: mail.Outcome) -> None:
        self.answers = list(answers)
        self.handed: list[tuple[mail.Mail, Any]] = []

    async def deliver(self, mails: Any, *, batch_id: Any, **limits: Any) -> mail.Outcome:
        self.handed.append((mails[0], batch_id))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
async def loop(worker: Database) -> AsyncIterator[QueueLoop]:
    """The queue of codes, claimed by hand, and a provider of this test's own loop."""
    catalog.load()
    _kept.cache_clear()
    stopped = False
    made = QueueLoop(worker, "codes_creators", worker_name(), lambda: stopped)
    yield made
    stopped = True
    _kept.cache_clear()


async def code(web: Database, **changed: Any) -> tuple[int | None, SignInCode]:
    async with web.transaction() as tx:
        at = await tx.value("select godwit_now() + interval '10 minutes'")
        made = replace(SignInCode("ana@example.com", "123456", 10, "http://localhost:8000/x", at), **changed)
        return await queue_message(tx, made), made


async def run(loop: QueueLoop) -> None:
    """One claim, and what it brings."""
    await loop._claim_and_start()

    async def idle() -> bool:
        return not loop.busy

    await until(idle)


async def test_a_code_is_handed_over_and_then_forgotten(
    web: Database, loop: QueueLoop, owner: Database
) -> None:
    job_id, _ = await code(web)
    await run(loop)
    done = await in_state(owner, job_id, "done")
    assert not {"subject", "text", "html"} & set(done.args)
    async with owner.transaction() as tx:
        raw = await tx.value("select raw from mailbox.mail where to_address = 'ana@example.com'")
    read = message_from_bytes(raw, policy=policy.default)
    assert read["Subject"] == "123456 is your code for Godwit"
    assert "123456" in read.get_body(("plain",)).get_content()
    assert 'href="http://localhost:8000/x"' in read.get_body(("html",)).get_content()


@pytest.mark.parametrize(
    ("answer", "state", "counted"),
    [
        (mail.Accepted(), "done", 1),
        (mail.Refused("no such mailbox"), "dead", 1),
        (mail.Throttled("slow down", 0.01), "ready", 0),
        (mail.NotReached("nobody answers"), "ready", 1),
        (mail.Misconfigured("the key is wrong"), "ready", 0),
        (mail.Unknown("no answer"), "ready", 1),
    ],
)
async def test_each_answer_of_a_provider_has_its_meaning(
    web: Database,
    loop: QueueLoop,
    owner: Database,
    monkeypatch: pytest.MonkeyPatch,
    answer: mail.Outcome,
    state: str,
    counted: int,
) -> None:
    monkeypatch.setattr(mail, "current_provider", lambda: Provider(answer))
    job_id, _ = await code(web)
    await run(loop)
    settled = await in_state(owner, job_id, state)
    assert settled.attempts == counted


async def test_an_unsure_code_is_tried_twice_more_with_the_same_bytes(
    web: Database, loop: QueueLoop, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = Provider(mail.Unknown("no answer"))
    monkeypatch.setattr(mail, "current_provider", lambda: provider)
    job_id, _ = await code(web)
    for _ in range(3):
        await run(loop)
    dead = await in_state(owner, job_id, "dead")
    assert "ask for a new code" in dead.reason
    letters = [mail.to_bytes(letter, letter.date) for letter, _ in provider.handed]
    assert len(letters) == 3
    assert len(set(letters)) == 1


async def test_a_code_past_its_time_is_not_mailed(
    web: Database, loop: QueueLoop, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M2."""
    provider = Provider(mail.Accepted())
    monkeypatch.setattr(mail, "current_provider", lambda: provider)
    _, made = await code(web)
    late, _ = await code(web, expires_at=made.expires_at - timedelta(minutes=11))
    await run(loop)
    await in_state(owner, late, "discarded")
    assert len(provider.handed) == 1


async def test_one_key_one_message(web: Database) -> None:
    """M1."""
    _, made = await code(web)
    async with web.transaction() as tx:
        assert await queue_message(tx, made, key="once") is not None
        assert await queue_message(tx, made, key="once") is None


def test_the_mail_says_what_it_must(settings_env: object) -> None:
    words = render_message("sign_in_code", code="004217", minutes=10, link="http://localhost:8000/?a=1&b=2")
    assert words.subject == "004217 is your code for Godwit"
    assert "http://localhost:8000/?a=1&b=2" in words.text
    assert "a=1&amp;b=2" in words.html
    assert "prefers-color-scheme" in words.html
    assert 'style="' in words.html


async def test_two_messages_have_two_ids(web: Database) -> None:
    _, made = await code(web)
    first, second = finish(made), finish(made)
    assert first.message_id != second.message_id
    assert first.message_id.startswith(f"<{first.delivery_id.hex}@")
