"""Two people write one post; pasting keeps its form; pictures come by a drop; nothing is ever lost."""

import asyncio
import re
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest
from playwright.sync_api import Page, expect

from app.cli.folder import ROOT
from e2e.pages.posts import Editor, Posts
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

SLUG, ANA, BEN = "two-desks", "ana@example.org", "ben@example.org"
PIXEL = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89"
    b"\0\0\0\rIDATx\x9cc``\xf8\xff\x1f\0\x03\x02\x01\xff\x9a\x9c\x18z\0\0\0\0IEND\xaeB`\x82"
)
_JOIN = """
with ben as (insert into creator (id, email, name) values (gen_random_uuid(), $2, 'Ben Okri') returning id)
insert into membership (account_id, creator_id, role)
select a.id, ben.id, 'editor' from account a, ben where a.slug = $1
"""


def join(godwit: Godwit) -> None:
    """A second creator in the team: there is no page for it yet."""

    async def run() -> None:
        connection = await asyncpg.connect(godwit.addresses["database_url"])
        await connection.execute(_JOIN, SLUG, BEN)
        await connection.close()

    with ThreadPoolExecutor(1) as thread:  # the browser's driver has the loop of this one
        thread.submit(asyncio.run, run()).result()


@pytest.fixture(scope="module")
def house(godwit: Godwit) -> Godwit:
    """A publication with two at work in it."""
    godwit.account(SLUG, ANA, "Two Desks")
    join(godwit)
    return godwit


def at_desk(house: Godwit, visit: Callable[..., Visitor], email: str, **how: bool) -> Studio:
    visitor = visit(house, **how)
    visitor.sign_in(email)
    return Studio(visitor, SLUG)


def begun(studio: Studio, title: str, text: str) -> tuple[Editor, str]:
    """A post with these words, saved; its editor and its address."""
    editor = Posts(studio).write()
    editor.title.fill(title)
    editor.text.fill(text)
    editor.stored()
    return Editor(studio), studio.visitor.page.url


def put_in(page: Page, block: str) -> None:
    page.get_by_text("More", exact=True).last.click()
    page.get_by_role("button", name=block, exact=True).click()


@pytest.mark.parametrize("scripted", [True, False], ids=["scripted", "plain"])
def test_two_people_lose_nothing_to_each_other(
    house: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    """The second to save sees both texts, and chooses: here their own, put over the other's."""
    ana = at_desk(house, visit, ANA, scripted=scripted)
    editor = _parted(ana, at_desk(house, visit, BEN, scripted=scripted))
    ana.visitor.press("Save mine over theirs")
    ana.visitor.ready()
    editor = Editor(ana)
    expect(editor.text).to_have_value("The tide comes in at six.")
    expect(editor.title).to_have_value("High tide")
    ana.visitor.follow(re.compile("earlier version"))
    ana.visitor.follow("Version 2")
    difference = ana.visitor.page.get_by_role("region", name="Text")
    expect(difference.locator("del")).to_contain_text("five")
    expect(difference.locator("ins")).to_contain_text("six")
    ana.visitor.press("Put version 2 back on the desk")
    ana.visitor.ready()
    expect(Editor(ana).text).to_have_value("The tide comes in at five.")
    expect(ana.visitor.page.get_by_role("link", name="3 earlier versions")).to_be_visible()


@pytest.mark.parametrize(
    ("scripted", "press"),
    [(True, ""), (False, "Save"), (False, "Keep this version")],
    ids=["scripted", "plain", "plain-keep"],
)
def test_who_came_second_can_take_what_the_other_wrote(
    house: Godwit, visit: Callable[..., Visitor], scripted: bool, press: str
) -> None:
    """The other choice, whichever button met the other's save."""
    ana = at_desk(house, visit, ANA, scripted=scripted)
    _parted(ana, at_desk(house, visit, BEN, scripted=scripted), press)
    ana.visitor.follow("Take theirs, drop mine")
    editor = Editor(ana)
    expect(editor.text).to_have_value("The tide comes in at five.")
    expect(editor.title).to_have_value("High water")
    expect(ana.visitor.alert()).to_have_count(0)


def _parted(ana: Studio, ben: Studio, press: str = "Save") -> Editor:
    """Ben saved the post on which Ana goes on: she sees both texts. Her desk."""
    editor, url = begun(ana, "High water", "The tide comes in at four.")
    ben.visitor.go(url)
    expect(ben.visitor.status().filter(has_text="may still be writing")).to_be_visible()
    theirs = Editor(ben)
    theirs.text.fill("The tide comes in at five.")
    theirs.stored()
    ana.visitor.watch.expected.add(409)
    editor.title.fill("High tide")
    editor.text.fill("The tide comes in at six.")
    if not ana.visitor.scripted:
        ana.visitor.press(press)
    conflict = ana.visitor.alert().filter(has_text="Ben Okri saved this post while you wrote")
    expect(conflict).to_be_visible()
    expect(ana.visitor.box("Their title")).to_have_value("High water")
    expect(ana.visitor.box("Their text")).to_have_value("The tide comes in at five.")
    editor = Editor(ana)
    expect(editor.text).to_have_value("The tide comes in at six.")
    expect(editor.title).to_have_value("High tide")
    return editor


def test_what_is_pasted_from_docs_keeps_its_form(house: Godwit, visit: Callable[..., Visitor]) -> None:
    studio = at_desk(house, visit, ANA)
    editor, _ = begun(studio, "Pasted", "Before.\n\n")
    editor.paste_html((ROOT / "tests" / "data" / "pasted-docs.html").read_text())
    expect(editor.text).to_have_value(
        re.compile(r"## Over the Pacific\n\nIt flies \*\*eleven\*\* \*long\* days")
    )
    expect(editor.text).to_have_value(re.compile("^Before"))
    expect(editor.preview().get_by_role("heading", name="What it eats")).to_be_visible()
    expect(editor.preview().get_by_role("link", name="the map")).to_have_attribute(
        "href", "https://example.org/bird?a=1"
    )
    editor.saved()


def test_what_is_pasted_from_word_keeps_its_form(house: Godwit, visit: Callable[..., Visitor]) -> None:
    """Its lists, which are none in its HTML, its notes; what stayed behind on the other computer is told."""
    studio = at_desk(house, visit, ANA)
    editor, _ = begun(studio, "From Word", "Before.\n\n")
    editor.paste_html((ROOT / "tests" / "data" / "pasted-word.html").read_text())
    expect(editor.text).to_have_value(re.compile(r"^Before\.\n\n[\s\S]*## A heading\n\nSome \*\*bold\*\*"))
    expect(editor.text).to_have_value(re.compile(r"\[\^1\]: The note\."))
    for words in ("one", "inner", "two", "counted"):
        expect(editor.preview().get_by_role("listitem").filter(has_text=words).first).to_be_visible()
    expect(studio.visitor.status().filter(has_text="1 of the pictures stayed")).to_be_visible()
    editor.saved()


def test_a_picture_from_the_clipboard_is_described_and_seen(
    house: Godwit, visit: Callable[..., Visitor]
) -> None:
    """Copied as a picture, pasted with the keys."""
    studio = at_desk(house, visit, ANA)
    editor, _ = begun(studio, "From the clipboard", "Look:")
    editor.paste_picture()
    question = studio.visitor.page.get_by_role("dialog", name="What does the picture show?")
    question.get_by_role("textbox").fill("A dark corner")
    question.get_by_role("button", name="Put it in").click()
    expect(editor.text).to_have_value(re.compile(r"^Look:\n\n!\[A dark corner\]\(/media/[0-9a-f]{64}\.png\)"))
    shown = editor.preview().get_by_role("img", name="A dark corner")
    expect(shown).to_be_visible()
    assert shown.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [3, 2]
    editor.saved()


def test_a_dropped_picture_is_described_and_seen(house: Godwit, visit: Callable[..., Visitor]) -> None:
    studio = at_desk(house, visit, ANA)
    editor, _ = begun(studio, "With a picture", "Look:")
    editor.drop("mud.png", "image/png", b64encode(PIXEL).decode())
    question = studio.visitor.page.get_by_role("dialog", name="What does the picture show?")
    question.get_by_role("textbox").fill("Mud at low water")
    question.get_by_role("button", name="Put it in").click()
    expect(editor.text).to_have_value(
        re.compile(r"Look:\n\n!\[Mud at low water\]\(/media/[0-9a-f]{64}\.png\)")
    )
    picture = editor.preview().get_by_role("img", name="Mud at low water")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") == 1
    editor.saved()
    editor.drop("words.png", "image/png", b64encode(b"no picture").decode())
    studio.visitor.watch.expected.add(422)
    expect(studio.visitor.status().filter(has_text="no picture that can be shown")).to_be_visible()


def test_the_toolbar_writes_blocks_and_notes(house: Godwit, visit: Callable[..., Visitor]) -> None:
    studio = at_desk(house, visit, ANA)
    editor, _ = begun(studio, "Blocks", "Open words")
    page = studio.visitor.page
    editor.text.press("End")
    put_in(page, "Callout")
    expect(editor.text).to_have_value("Open words\n\n:::callout\nWords set apart\n:::\n\n")
    expect(editor.preview().locator(".card-callout")).to_have_text("Words set apart")
    editor.text.press("ControlOrMeta+End")
    put_in(page, "Only for those with access")
    editor.text.press("ControlOrMeta+End")
    page.keyboard.type("Paid words")
    page.get_by_role("button", name="Footnote", exact=True).click()
    page.keyboard.type("Its note")
    expect(editor.text).to_have_value(
        re.compile(r"<!--paywall-->\n\nPaid words\[\^1\]\n\n\[\^1\]: Its note$")
    )
    page.get_by_text("Excerpt, address, tags, readers").click()
    page.get_by_label("Who may read it").select_option("Paying readers")
    page.get_by_role("radio", name="Free reader").check()
    expect(editor.preview().get_by_text("Words set apart")).to_be_visible()
    expect(editor.preview().get_by_text("Paid words")).to_have_count(0)
    editor.saved()


@pytest.mark.parametrize("scripted", [True, False], ids=["scripted", "plain"])
def test_a_test_mail_comes_marked_to_whoever_asks(
    house: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    """With its version, which the page keeps telling."""
    studio = at_desk(house, visit, ANA, scripted=scripted)
    title = f"To be tried, {'scripted' if scripted else 'plain'}"
    editor, _ = begun(studio, title, 'Dear {first_name, "friend"}')
    version = editor.stored()
    studio.visitor.press(f"Send me version {version}")
    expect(studio.visitor.page.get_by_text("The last one went to ana@example.org")).to_be_visible()
    assert studio.visitor.figure("test-version") == version
    house.drain()
    assert house.mails(to=ANA, limit=1)[0].subject == f"[Test] {title}"


def test_all_of_it_without_a_script(house: Godwit, visit: Callable[..., Visitor]) -> None:
    studio = at_desk(house, visit, ANA, scripted=False)
    visitor, page = studio.visitor, studio.visitor.page
    editor = Posts(studio).write()
    editor.title.fill("By hand")
    editor.text.fill("First words.")
    page.get_by_text("Add a picture").click()
    page.get_by_label("Picture", exact=True).set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": PIXEL}
    )
    visitor.watch.expected.add(422)
    visitor.press("Add to the text")
    expect(visitor.alert().filter(has_text="Describe the picture").first).to_be_visible()
    expect(editor.text).to_have_value("First words.")
    page.get_by_label("Picture", exact=True).set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": PIXEL}
    )
    page.get_by_label("What it shows").fill("A wader")
    visitor.press("Add to the text")
    expect(editor.text).to_have_value(re.compile(r"^First words\.\n\n!\[A wader\]\(/media/"))
    visitor.press("Keep this version")
    expect(visitor.status().filter(has_text="kept as version 1")).to_be_visible()
    editor.text.fill("Other words.")
    visitor.press("Save and look")
    expect(page.get_by_text("Other words.")).to_be_visible()
    page.get_by_label("See it as").select_option("Mail")
    page.get_by_label("Read by").select_option("No name")
    visitor.press("Show")
    expect(page.frame_locator("iframe").get_by_role("article").get_by_text("Other words.")).to_be_visible()
    visitor.follow("Back to the text")
    visitor.follow(re.compile("1 earlier version"))
    visitor.follow("Version 1")
    visitor.press("Put version 1 back on the desk")
    expect(editor.text).to_have_value(re.compile("^First words"))
