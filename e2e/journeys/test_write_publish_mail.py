"""The whole main job: from an empty house to 1,846 readers, each mailed exactly once."""

import html
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Request, expect

from app.cli.folder import ROOT
from e2e.looking import look_at
from e2e.pages.email import Email
from e2e.pages.posts import Editor, Posts, Publish
from e2e.pages.readers import Import, Readers
from e2e.pages.sign_in import FirstRun, SignIn
from e2e.pages.site import Site, Unsubscribe
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit, Mailed

DATA = ROOT / "tests" / "data"
EMAIL, SLUG, NAME = "mara@example.org", "field-notes", "Field Notes"
TITLE = "The bird that does not land: eleven days over the Pacific"
SUBSCRIBED, LEFT = 1846, 154


def test_from_an_empty_house_to_every_reader_exactly_once(
    empty_godwit: Godwit, visit: Callable[..., Visitor]
) -> None:
    """Issue 2, "It must show" 2: write, publish, mail; unsubscribe; mail those who are left."""
    _finds_the_door(visit(empty_godwit, bypass_csp=True))
    studio = _comes_in(visit(empty_godwit))
    _brings_readers(studio, DATA / "ghost-members.csv")
    _writes(studio)
    first = _publishes(studio)
    mails = _arrived(empty_godwit, SUBSCRIBED)
    _holds_what_was_written(mails)
    reader = visit(empty_godwit)
    _stands_on_the_site(reader)
    gone = _two_unsubscribe(reader, mails)
    _a_second_post_leaves_them_out(studio, gone)
    assert studio.visitor.page.url != first


def _finds_the_door(passer: Visitor) -> None:
    """Somebody without the address that `up` prints is told where to find it; with it there is a form."""
    passer.go("/")
    expect(passer.heading()).to_contain_text("nobody lives here yet")
    wrong = look_at(passer.page, "nobody-yet")
    FirstRun(passer).open()
    wrong += look_at(passer.page, "first-run")
    assert not wrong


def _comes_in(creator: Visitor) -> Studio:
    """First run, out again, and in with the code from the mailbox."""
    first = FirstRun(creator)
    first.open()
    first.begin(name=NAME, slug=SLUG, creator="Mara Lind", email=EMAIL, address="Strandvägen 1, Visby")
    studio = Studio(creator, SLUG)
    expect(studio.sentence()).to_have_text("Nothing is going out.")
    studio.sign_out()
    SignIn(creator).with_mailed_code(EMAIL)
    expect(studio.sentence()).to_have_text("Nothing is going out.")
    return studio


def _brings_readers(studio: Studio, file: Path) -> None:
    bringing = Import(studio)
    bringing.open()
    bringing.choose(file)
    figures = bringing.finished()
    rows = figures.pop("rows")
    assert rows == sum(figures.values())
    assert figures["created"] == SUBSCRIBED + LEFT
    readers = Readers(studio)
    readers.open()
    assert readers.counts() == {"all": SUBSCRIBED + LEFT, "active": SUBSCRIBED, "unsubscribed": LEFT}


def _writes(studio: Studio) -> None:
    """Paste, look at the preview, let it save itself; the page loaded again has all of it."""
    editor = Posts(studio).write()
    source = (DATA / "post-long.md").read_text()
    editor.paste(source)
    expect(editor.preview().get_by_role("heading", name="What has to be true")).to_be_visible()
    expect(editor.preview()).to_contain_text("a literal %recipient.name% and a literal {{ name }}")
    version = editor.saved()
    expect(editor.title).to_have_value(TITLE)
    editor.text.press("ControlOrMeta+End")
    editor.page.keyboard.insert_text("\n\nUntil next week.\n")
    expect(editor.preview()).to_contain_text("Until next week.")
    expect(editor.page.get_by_role("status").filter(has_text="Saved at")).not_to_have_attribute(
        "data-version", str(version)
    )
    editor.saved()
    editor.see_as("Mail")
    mail = editor.page.frame_locator("iframe[title='The email as readers get it']")
    expect(mail.get_by_text("thank you for reading to the end")).to_be_visible()
    studio.visitor.page.reload()
    studio.visitor.ready()
    again = Editor(studio)
    expect(again.title).to_have_value(TITLE)
    expect(again.text).to_have_value(re.compile(r"Until next week\.\s*$"))


def _publishes(studio: Studio) -> str:
    """To the site and by email; the press again, from the page gone back to, is the same email."""
    studio.visitor.godwit.slow(0.15)  # so that there is something to see between nothing and all
    publish = Editor(studio).publish()
    publish.choose("To the site and by email")
    assert publish.audience() == (SUBSCRIBED, LEFT)
    expect(publish.button()).to_have_text("Publish and send to 1,846 readers")
    with studio.visitor.page.expect_request("**/publish") as pressed:
        publish.button().dblclick()
    studio.visitor.page.wait_for_url("**/broadcasts/*")
    where = studio.visitor.page.url
    email = Email(studio)
    email.observe()
    _counted_up(email)
    _the_same_press_again(studio, pressed.value, where)
    _a_new_press_is_refused(studio, where)
    _only_one(studio)
    return where


def _the_same_press_again(studio: Studio, pressed: Request, where: str) -> None:
    """What a browser sends when its form is sent again: the first answer."""
    headers = {"Content-Type": pressed.headers["content-type"], "Origin": studio.visitor.godwit.studio}
    answer = studio.visitor.page.request.post(
        pressed.url, data=pressed.post_data_buffer, headers=headers, max_redirects=0
    )
    assert answer.status == 303
    assert where.endswith(answer.headers["location"])


def _a_new_press_is_refused(studio: Studio, where: str) -> None:
    """Back, where the page says that everyone has it, and press all the same: nobody is mailed twice."""
    studio.visitor.page.go_back()
    studio.visitor.ready()
    again = Publish(studio)
    again.choose("By email only")
    expect(again.page.get_by_role("main")).to_contain_text("has it already")
    studio.visitor.watch.expected.add(409)
    again.button().click()
    expect(studio.visitor.alert().first).to_contain_text("Nothing was published")
    mailed = again.page.get_by_role("link", name=re.compile("Mara Lind mailed it on"))
    expect(mailed).to_have_attribute("href", re.compile(re.escape(urlsplit(where).path) + "$"))


def _counted_up(email: Email) -> None:
    ended = email.finished()
    assert ended.values == {
        "audience": SUBSCRIBED, "sent": SUBSCRIBED, "skipped": 0, "failed": 0, "unknown": 0, "waiting": 0,
    }  # fmt: skip
    seen = email.observed()
    assert all(moment.adds_up for moment in seen), [moment for moment in seen if not moment.adds_up]
    between = {moment.values["sent"] for moment in seen} - {0, SUBSCRIBED}
    assert len(between) >= 3, "the page did not count up live"
    counts = [moment.values["sent"] for moment in seen]
    assert counts == sorted(counts)


def _only_one(studio: Studio) -> None:
    studio.to("Emails")
    expect(studio.visitor.page.locator("[data-id]")).to_have_count(1)
    studio.to("Published")
    expect(studio.visitor.page.locator("[data-id]")).to_have_count(1)


def _arrived(godwit: Godwit, many: int) -> list[Mailed]:
    """Exactly one mail for each."""
    mails = godwit.mails(kind="broadcast", limit=10_000)
    assert len(mails) == many
    assert max(Counter(mail.to for mail in mails).values()) == 1
    return mails


def _holds_what_was_written(mails: list[Mailed]) -> None:
    """Literal placeholders stay, our own field is filled or falls back, RFC 8058's one click is offered."""
    named = friends = 0
    for mail in mails:
        shown = html.unescape(mail.html)
        for words in ("a literal %recipient.name%", "a literal {{ name }}"):
            assert words in " ".join(mail.text.split())
            assert words in " ".join(shown.split())
        greeted = re.search(r"Hello (.+?), thank you for reading", " ".join(mail.text.split()))
        assert greeted
        assert f"Hello {greeted[1]}, thank you" in " ".join(shown.split())
        friends, named = friends + (greeted[1] == "friend"), named + (greeted[1] != "friend")
        (line,) = mail.header("List-Unsubscribe")
        assert re.fullmatch(rb"List-Unsubscribe: <https?://\S+/unsubscribe/[^\s>]+>", line)
        assert mail.header("List-Unsubscribe-Post") == [b"List-Unsubscribe-Post: List-Unsubscribe=One-Click"]
    assert named > 0
    assert friends > 0
    arjun = next(mail for mail in mails if mail.to == "reader0@xn--mller-kva.example")
    nameless = next(mail for mail in mails if mail.to == "reader1@xn--mller-kva.example")
    assert "Hello Arjun, thank you" in arjun.text
    assert "Hello friend, thank you" in nameless.text


def _stands_on_the_site(reader: Visitor) -> None:
    site = Site(reader, SLUG)
    site.open()
    reader.follow(TITLE)
    expect(reader.heading()).to_have_text(TITLE)
    expect(reader.page.get_by_role("article")).to_contain_text("a literal %recipient.name%")
    expect(reader.page.get_by_role("article")).to_contain_text("Hello friend, thank you")
    assert site.feed() == [TITLE]


def _two_unsubscribe(reader: Visitor, mails: list[Mailed]) -> set[str]:
    """One by the page's button, one by a machine's single POST without a cookie."""
    by_button, by_machine = mails[0], mails[-1]
    page = Unsubscribe(reader)
    link = next(link for link in by_button.links if "/unsubscribe/" in link)
    page.open(link)
    expect(reader.heading()).to_have_text("Stop these letters?")
    page.press()
    expect(reader.heading()).to_have_text("You are unsubscribed")
    target = by_machine.header("List-Unsubscribe")[0].split(b"<")[1].rstrip(b">").decode()
    reader.godwit.ask(target, b"List-Unsubscribe=One-Click")
    return {by_button.to, by_machine.to}


def _a_second_post_leaves_them_out(studio: Studio, gone: set[str]) -> None:
    godwit = studio.visitor.godwit
    editor = Posts(studio).write()
    editor.title.fill("What the tide leaves")
    editor.text.fill("A short one, for those who stayed.")
    editor.saved()
    publish = editor.publish()
    publish.choose("To the site and by email")
    assert publish.audience() == (SUBSCRIBED - 2, LEFT + 2)
    expect(publish.page.get_by_role("main")).to_contain_text("156 will not")
    publish.button().click()
    studio.visitor.page.wait_for_url("**/broadcasts/*")
    ended = Email(studio).finished()
    assert ended.values["audience"] == ended.values["sent"] == SUBSCRIBED - 2
    second = [mail for mail in godwit.mails(kind="broadcast", limit=10_000) if mail.subject != TITLE]
    assert len(second) == len({mail.to for mail in second}) == SUBSCRIBED - 2
    assert not gone & {mail.to for mail in second}
