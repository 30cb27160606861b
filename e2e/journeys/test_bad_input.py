"""What people get wrong: told in words, with what they typed still there, and nothing done."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from app.cli.folder import ROOT
from e2e.pages.posts import Editor, Posts
from e2e.pages.readers import Import
from e2e.pages.sign_in import SignIn
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

EMAIL, SLUG = "ole@example.org", "mishaps"
REFUSED = {409, 422, 429}


@pytest.fixture(scope="module")
def account(godwit: Godwit) -> str:
    """The publication of this module."""
    godwit.account(SLUG, EMAIL, "Mishaps")
    return SLUG


@pytest.fixture
def guest(godwit: Godwit, account: str, visit: Callable[..., Visitor]) -> Visitor:
    """Somebody who is not signed in."""
    come = visit(godwit)
    come.watch.expected |= REFUSED
    return come


@pytest.fixture
def studio(guest: Visitor, account: str) -> Studio:
    """The studio, signed in."""
    guest.sign_in(EMAIL)
    return Studio(guest, account)


def test_a_code_is_dead_after_five_wrong_ones(guest: Visitor) -> None:
    """The tries left are told; after the fifth the right code does not work either."""
    signing = SignIn(guest)
    signing.open()
    signing.ask(EMAIL)
    right = guest.godwit.mails(to=EMAIL, kind="code", wait=10)[0].code
    wrong = str((int(right) + 1) % 1_000_000).zfill(6)
    for _ in range(4):
        signing.enter(wrong)
        expect(guest.box("The six digits")).to_have_attribute("aria-invalid", "true")
        expect(guest.box("The six digits")).to_have_value(wrong)
        expect(guest.alert()).to_be_visible()
    signing.enter(wrong)
    expect(guest.heading()).to_have_text("Ask for a new code")
    signing.enter(right)
    expect(guest.heading()).to_have_text("Ask for a new code")
    guest.press("Send a new code")
    guest.ready()
    expect(guest.heading()).to_have_text("Look in your mail")


def test_an_address_that_is_not_one_stays_in_its_field(guest: Visitor) -> None:
    """At the sign-in, past what the browser itself would refuse."""
    signing = SignIn(guest)
    signing.open()
    signing.ask("ole.@example.org")
    expect(guest.alert()).to_be_visible()
    expect(guest.box("Your email address")).to_have_value("ole.@example.org")


def test_a_reader_without_an_address_is_not_added_and_the_form_is_kept(studio: Studio) -> None:
    """Every field comes back as typed, the wrong one with a sentence."""
    visitor = studio.visitor
    studio.open("readers/new")
    visitor.fill("Address", "anna at example")
    visitor.fill("Name", "Anna Berg")
    visitor.press("Add this reader")
    visitor.ready()
    expect(visitor.alert().first).to_contain_text("could not be added")
    expect(visitor.box("Address")).to_have_value("anna at example")
    expect(visitor.box("Address")).to_have_attribute("aria-invalid", "true")
    expect(visitor.box("Name")).to_have_value("Anna Berg")


def test_a_post_without_a_title_is_kept_and_not_published(studio: Studio) -> None:
    """The text is saved; the page of the press says what is missing and cannot be pressed."""
    editor = Posts(studio).write()
    editor.text.fill("Words without a name.")
    editor.saved()
    publish = editor.publish()
    expect(publish.page.get_by_role("main")).to_contain_text("is not ready yet")
    expect(publish.page.get_by_role("heading", name="Stops you")).to_be_visible()
    expect(publish.button().first).to_be_disabled()
    publish.visitor.follow("Back to writing")
    expect(Editor(studio).text).to_have_value(re.compile("Words without a name"))


@pytest.mark.parametrize(
    ("name", "octets"),
    [
        ("picture.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(400)),
        ("letter.csv", b"Dear all,\nthis is no table.\n"),
        ("empty.csv", b""),
    ],
)
def test_a_file_that_is_no_members_export_is_refused_in_words(
    studio: Studio, name: str, octets: bytes
) -> None:
    """At once or after the first look at it; nobody comes in."""
    bringing = Import(studio)
    bringing.open()
    bringing.choose({"name": name, "mimeType": "text/csv", "buffer": octets})
    expect(studio.visitor.alert().first).to_contain_text(re.compile("cannot be imported|The import failed"))
    studio.open("readers")
    expect(studio.visitor.page.get_by_role("heading", name="No readers yet")).to_be_visible()


def test_an_address_that_leads_nowhere_says_so(studio: Studio) -> None:
    """In the studio and on the site, with a way back."""
    visitor = studio.visitor
    visitor.watch.expected.add(404)
    studio.open("nowhere")
    expect(visitor.page.get_by_role("main")).to_contain_text("Answer 404")
    visitor.go(visitor.godwit.site(SLUG) + "/nowhere")
    expect(visitor.page.get_by_role("link", name="Mishaps").first).to_be_visible()


def test_a_file_of_readers_brought_twice_changes_nothing(studio: Studio) -> None:
    """Rows that are known already are counted as such."""
    head, *rows = (ROOT / "tests" / "data" / "ghost-members.csv").read_text().splitlines()[:21]
    file = {"name": "members.csv", "mimeType": "text/csv", "buffer": "\n".join([head, *rows]).encode()}
    bringing = Import(studio)
    bringing.open()
    bringing.choose(file)
    created = bringing.finished()["created"]
    assert created > 0
    bringing.open()
    bringing.choose(file)
    again = bringing.finished()
    assert again["created"] == 0
    assert again["unchanged"] == created
