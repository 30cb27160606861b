"""The same house for a browser that runs no scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from app.cli.folder import ROOT
from e2e.pages.email import Email
from e2e.pages.posts import Editor, Posts
from e2e.pages.readers import Import
from e2e.pages.settings import Settings
from e2e.pages.sign_in import SignIn
from e2e.pages.site import Site, Unsubscribe
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

EMAIL, SLUG = "tove@example.org", "plain-letters"


@pytest.fixture
def studio(godwit: Godwit, visit: Callable[..., Visitor]) -> Studio:
    """Signed in, with a few readers."""
    godwit.account(SLUG, EMAIL, "Plain Letters")
    visitor = visit(godwit, scripted=False)
    SignIn(visitor).with_mailed_code(EMAIL)
    return Studio(visitor, SLUG)


def test_the_main_job_needs_no_script(studio: Studio) -> None:
    """Bring readers, write, save, publish, see the figures; and leave."""
    visitor, godwit = studio.visitor, studio.visitor.godwit
    _times(studio)
    few = "\n".join((ROOT / "tests" / "data" / "ghost-members.csv").read_text().splitlines()[:13])
    bringing = Import(studio)
    bringing.open()
    bringing.choose({"name": "members.csv", "mimeType": "text/csv", "buffer": few.encode()})
    assert bringing.finished()["failed"] == 0
    editor = Posts(studio).write()
    editor.title.fill("Set by hand")
    editor.text.fill("No script ran for this.\n\n## Nor for that")
    editor.save()
    expect(Editor(studio).title).to_have_value("Set by hand")
    expect(Editor(studio).preview().get_by_role("heading", name="Nor for that")).to_be_visible()
    publish = Editor(studio).publish()
    publish.choose("To the site and by email")
    will, _ = publish.audience()
    assert will > 0
    publish.button().click()
    expect(visitor.heading()).to_have_text("Set by hand")
    expect(visitor.page.get_by_text("It starts in 5 minutes.").first).to_be_visible()
    godwit.drain(ahead=360)  # past the time to undo it
    visitor.page.reload()
    ended = Email(studio).figures()
    assert ended.adds_up
    assert ended.values["sent"] == ended.values["audience"] == will
    _someone_leaves(visitor, will)


def _times(studio: Studio) -> None:
    settings = Settings(studio)
    settings.open()
    settings.zone().fill("Stockholm")
    settings.undo_time().select_option("5 minutes")
    settings.save()
    expect(settings.zone()).to_have_value("Europe/Stockholm")
    expect(settings.undo_time()).to_have_value("300")


def _someone_leaves(visitor: Visitor, will: int) -> None:
    mails = visitor.godwit.mails(kind="broadcast", account=SLUG, limit=100)
    assert len({mail.to for mail in mails}) == len(mails) == will
    site = Site(visitor, SLUG)
    site.open()
    visitor.follow("Set by hand")
    expect(visitor.heading()).to_have_text("Set by hand")
    leaving = Unsubscribe(visitor)
    leaving.open(next(link for link in mails[0].links if "/unsubscribe/" in link))
    leaving.press()
    expect(visitor.heading()).to_have_text("You are unsubscribed")
