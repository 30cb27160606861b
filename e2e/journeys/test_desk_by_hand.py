"""What hands expect of a place to write: keys, lists that go on, every word kept when a session ends."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.pages.posts import Editor, Posts
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

SLUG, EMAIL = "by-hand", "hanna@example.org"


@pytest.fixture(scope="module")
def house(godwit: Godwit) -> Godwit:
    godwit.account(SLUG, EMAIL, "By Hand")
    return godwit


@pytest.fixture
def editor(house: Godwit, visit: Callable[..., Visitor]) -> Editor:
    """A new post at the desk, signed in."""
    visitor = visit(house)
    visitor.sign_in(EMAIL)
    return Posts(Studio(visitor, SLUG)).write()


def choose(editor: Editor, text: str, words: str) -> None:
    """This text, with these words chosen."""
    editor.text.fill(text)
    editor.text.evaluate(
        "(area, [from, to]) => { area.focus(); area.setSelectionRange(from, to); }",
        [text.index(words), text.index(words) + len(words)],
    )


def test_the_keys_of_every_editor_mark_words_and_take_it_back(editor: Editor) -> None:
    keys = editor.page.keyboard
    choose(editor, "some words here", "words")
    for key, text in [
        ("b", "some **words** here"),
        ("i", "some ***words*** here"),
        ("b", "some *words* here"),
        ("i", "some words here"),
        ("z", "some *words* here"),
    ]:
        keys.press(f"ControlOrMeta+{key}")
        expect(editor.text).to_have_value(text)
    choose(editor, "some words here", "words")
    keys.press("ControlOrMeta+k")
    keys.type("https://example.org")
    expect(editor.text).to_have_value("some [words](https://example.org) here")


def test_a_list_goes_on_until_an_item_has_no_words(editor: Editor) -> None:
    editor.text.fill("9. one")
    for words in ("two", "", "after"):
        editor.page.keyboard.press("Enter")
        editor.page.keyboard.type(words)
    expect(editor.text).to_have_value("9. one\n10. two\n\nafter")


def test_an_address_pasted_over_words_is_their_link(editor: Editor) -> None:
    choose(editor, "some words here", "words")
    editor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    editor.page.evaluate("navigator.clipboard.writeText('https://example.org/a')")
    editor.page.keyboard.press("ControlOrMeta+V")
    expect(editor.text).to_have_value("some [words](https://example.org/a) here")


def test_who_is_signed_out_while_writing_keeps_every_word(editor: Editor) -> None:
    visitor = editor.visitor
    editor.title.fill("Kept")
    editor.text.fill("before")
    editor.saved()
    visitor.watch.expected.add(401)
    visitor.page.context.clear_cookies()
    editor.text.fill("and what came after")
    line = visitor.page.locator("#saved")
    expect(line).to_contain_text("Not saved: you are signed out. Sign in in another tab")
    expect(editor.text).to_have_value("and what came after")
    visitor.sign_in(EMAIL)
    editor.saved()
    visitor.go(visitor.page.url)
    expect(editor.text).to_have_value("and what came after")
