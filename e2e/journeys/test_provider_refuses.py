"""The mail provider does not take our log-in: the pages say so, a press asks it, and nothing is lost."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.looking import look_at
from e2e.mail_server import MailServer, a_mail_server
from e2e.pages.email import Email
from e2e.pages.messages import Messages
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Account, Godwit

READERS = 3


@pytest.fixture
def server() -> Iterator[MailServer]:
    """It refuses everybody for now."""
    with a_mail_server() as made:
        yield made


@pytest.fixture
def house(tmp_path: Path, server: MailServer) -> Iterator[Godwit]:
    """A Godwit whose provider is that server."""
    started = Godwit(tmp_path, {"GODWIT_MAIL_PROVIDER": "smtp", "GODWIT_SMTP_URL": server.url})
    yield started
    started.stop()


def test_mail_waits_for_a_provider_that_refuses_us_and_leaves_once(
    house: Godwit, server: MailServer, visit: Callable[..., Visitor]
) -> None:
    account = house.an_account(seed=7, readers=READERS, posts=1)
    visitor = visit(house, storage_state=account.storage_state, bypass_csp=True)
    studio = Studio(visitor, account.slug)
    account.api.post("/messages", {"to": "bo@example.org", "subject": "Your order", "text": "It flies."})
    house.drain()
    messages = Messages(studio)
    messages.open()
    expect(messages.refusal()).to_contain_text("535 5.7.8 Authentication credentials invalid")
    expect(messages.refusal()).to_contain_text("1 mail waits")
    wrong = look_at(visitor.page, "messages-refused")
    visitor.follow("Your order")
    expect(messages.refusal()).to_contain_text("It waits")
    wrong += look_at(visitor.page, "message-refused")

    email = _pressed(account, studio)
    expect(email.sentence()).to_contain_text("It waits at 0 of 3, because the mail server refuses us:")
    wrong += look_at(visitor.page, "email-refused")
    asked = server.asked
    email.ask_the_provider().press("Enter")
    expect(email.said()).to_contain_text("The provider was asked, and still refuses us")
    assert server.asked > asked
    assert server.kept == []
    wrong += look_at(visitor.page, "email-refused-asked")

    server.let_in()
    email.ask_the_provider().press("Enter")
    expect(email.said()).to_contain_text("The provider lets us in: what waited goes now.")
    ended = email.finished()
    assert ended.adds_up
    assert ended.values["sent"] == ended.values["audience"] == READERS
    expect(email.ask_the_provider()).to_have_count(0)
    house.drain()
    messages.open()
    expect(messages.refusal()).to_have_count(0)
    letters = Counter(mail.recipient for mail in server.kept)
    notes = letters.pop(account.email)
    assert notes == 1, "the team is told that the email is out"
    assert letters.pop("bo@example.org") == 1
    assert letters == Counter(dict.fromkeys(letters, 1))
    assert len(letters) == READERS
    assert not wrong


def _pressed(account: Account, studio: Studio) -> Email:
    post = account.api.get("/posts")["items"][0]["id"]
    broadcast = account.api.post(f"/posts/{post}/publish", {"site": False, "email": {}})["broadcast"]
    studio.open(f"broadcasts/{broadcast}")
    return Email(studio)
