"""The main path with a keyboard alone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FileChooser, Page, TimeoutError, expect

from e2e.keys import tab_to
from e2e.pages.posts import Editor, Publish
from e2e.pages.readers import over
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit


@pytest.fixture
def studio(godwit: Godwit, visit: Callable[..., Visitor]) -> Studio:
    """Signed in to a publication of its own."""
    made = godwit.an_account()
    return Studio(visit(godwit, storage_state=made.storage_state), made.slug)


def test_the_first_stop_skips_to_the_page(studio: Studio) -> None:
    """One Tab shows the skip link; Enter puts the focus into the page."""
    page = studio.visitor.page
    studio.open("posts")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the page")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_write_and_publish_with_keys_alone(studio: Studio) -> None:
    """Every stop shows its focus, from the first page to the published version."""
    page = studio.visitor.page
    studio.open()
    tab_to(page, "Write")
    page.keyboard.press("Enter")
    studio.visitor.ready()
    tab_to(page, "Title")
    page.keyboard.type("No mouse was moved")
    page.keyboard.press("Enter")
    editor = Editor(studio)
    expect(editor.text).to_be_focused()
    page.keyboard.type("Only keys.")
    page.keyboard.press("ControlOrMeta+s")
    editor.saved()
    tab_to(page, "Save and publish…", back=True)
    page.keyboard.press("Enter")
    page.wait_for_url("**/publish")
    studio.visitor.ready()
    tab_to(page, "To the site")
    page.keyboard.press("Space")
    tab_to(page, "Publish")
    expect(Publish(studio).button().first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/releases/1")
    expect(studio.visitor.heading()).to_contain_text("Published version 1 is live")


def test_schedule_with_keys_alone(studio: Studio) -> None:
    """The two choices by arrows, the time by its digits, and what it is elsewhere told before the press."""
    page = studio.visitor.page
    post = studio.visitor.godwit.api(studio.slug).post("/posts", {"title": "By arrows", "markdown": "Words."})
    studio.open(f"posts/{post['id']}/publish")
    tab_to(page, "To the site")
    page.keyboard.press("Space")
    tab_to(page, "Now")
    page.keyboard.press("ArrowDown")
    wall = page.get_by_label(re.compile("^Date and time"))
    tab_to(page, wall.evaluate("field => field.labels[0].innerText.trim()"))
    page.keyboard.type("05052028")
    page.keyboard.press("Tab")
    page.keyboard.type("0915a")
    expect(wall).to_have_value("2028-05-05T09:15")
    expect(page.locator("#when-line")).to_contain_text("5 May 2028")
    tab_to(page, "Schedule it")
    page.keyboard.press("Enter")
    page.wait_for_url("**/scheduled/*")
    studio.visitor.ready()
    expect(page.locator(".lead").first).to_contain_text("5 May 2028 at 09:15")
    tab_to(page, "Cancel it")
    page.keyboard.press("Enter")
    expect(page.locator('.tag[data-state="cancelled"]').first).to_be_visible()


def file_by_key(page: Page) -> FileChooser:
    """The browser's window for files. A busy browser may let the press pass: it is pressed anew."""
    for _ in range(3):
        try:
            with page.expect_file_chooser(timeout=5000) as asked:
                page.keyboard.press("Enter")
        except TimeoutError:
            continue
        return asked.value
    raise AssertionError("no window for files opens by the key")


def test_import_with_keys_alone(studio: Studio) -> None:
    """The file, what its columns mean, the promise that all agreed, and the press."""
    page = studio.visitor.page
    studio.open("imports")
    tab_to(page, "Your readers (CSV)")
    table = b"mail,who\nulla@example.org,Ulla\nvidar@example.org,Vidar\n"
    file_by_key(page).set_files({"name": "table.csv", "mimeType": "text/csv", "buffer": table})
    tab_to(page, "Import these readers")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="What the columns mean")).to_be_visible()
    studio.visitor.ready()
    tab_to(page, "Name")
    page.keyboard.type("who")
    tab_to(page, "Everybody in this file agreed to get this newsletter from me.")
    page.keyboard.press("Space")
    tab_to(page, "Import these readers")
    page.keyboard.press("Enter")
    over(studio.visitor, "done")
    assert studio.visitor.figure("subscribed") == 2
    tab_to(page, "Undo this import …")
    page.keyboard.press("Enter")
    page.wait_for_url("**/undo")
    studio.visitor.ready()


def test_a_reader_is_kept_in_a_segment_with_keys_alone(studio: Studio) -> None:
    """From their page, where they get a tag, to a segment of all who have it."""
    page = studio.visitor.page
    api = studio.visitor.godwit.api(studio.slug)
    reader = api.post("/readers", {"email": "ada@keys.example", "consent": {"source": "a fair"}})
    studio.open(f"readers/{reader['id']}")
    tab_to(page, "Tags (if you like)")
    page.keyboard.type("birds")
    tab_to(page, "Save")
    page.keyboard.press("Enter")
    expect(studio.visitor.status().first).to_be_visible()
    studio.open("readers?all=birds")
    tab_to(page, "Keep as a segment")
    page.keyboard.press("Enter")
    page.wait_for_url("**/segments/new**")
    studio.visitor.ready()
    tab_to(page, "Name")
    page.keyboard.type("Birders")
    page.keyboard.press("Enter")
    expect(page.get_by_text("in the segment Birders").first).to_be_visible()
    studio.open("readers/segments")
    tab_to(page, "Birders")
    assert studio.visitor.figure("size") == 1


def test_a_reader_chooses_with_keys_alone(studio: Studio, visit: Callable[..., Visitor]) -> None:
    """Subscribes, signs in, and leaves."""
    godwit, email = studio.visitor.godwit, "bo@keys.example"
    visitor = visit(godwit)
    page = visitor.page
    visitor.go(godwit.site(studio.slug) + "/subscribe")
    tab_to(page, "Your email address")
    page.keyboard.type(email)
    page.keyboard.press("Enter")
    expect(visitor.heading()).to_have_text("Look in your mail")
    mail = godwit.mails(to=email, kind="confirm", wait=10)[0]
    visitor.go(next(link for link in mail.links if "/confirm/" in link))
    tab_to(page, "Yes, subscribe me")
    page.keyboard.press("Enter")
    expect(visitor.heading()).to_have_text("You are on the list")
    visitor.go(godwit.site(studio.slug) + "/sign-in")
    tab_to(page, "Your email address")
    page.keyboard.type(email)
    page.keyboard.press("Enter")
    code = godwit.mails(to=email, kind="code", wait=10)[0].code
    expect(visitor.box("The six digits")).to_be_focused()
    page.keyboard.type(code)
    page.keyboard.press("Enter")
    expect(visitor.heading()).to_have_text("What you get")
    letter = page.locator("input[name=newsletters]").first
    expect(letter).to_be_checked()
    tab_to(page, "Save what you get")
    page.keyboard.press("Shift+Tab")
    expect(letter).to_be_focused()
    page.keyboard.press("Space")
    tab_to(page, "Save what you get")
    page.keyboard.press("Enter")
    expect(visitor.status()).to_have_text("Saved. It holds at once.")
    expect(page.locator("input[name=newsletters]").first).not_to_be_checked()


def test_add_a_webhook_and_test_it_with_keys_alone(studio: Studio) -> None:
    """From the list to the test event that arrived, and to the version that it will be told of."""
    page, godwit = studio.visitor.page, studio.visitor.godwit
    receiver = godwit.call("POST", f"/testing/receivers?account={studio.slug}", {"answers": [200]})
    studio.open("endpoints")
    tab_to(page, "Add a webhook")
    page.keyboard.press("Enter")
    studio.visitor.ready()
    tab_to(page, "n8n")
    page.keyboard.press("Enter")
    studio.visitor.ready()
    tab_to(page, "Address")
    page.keyboard.type(receiver["url"])
    tab_to(page, "Everything")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Only these events")).to_be_checked()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("Everything")).to_be_checked()
    tab_to(page, "Add the webhook")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Secret", exact=True)).to_have_value(re.compile("^whsec_"))
    studio.visitor.ready()
    tab_to(page, "Send a test event")
    page.keyboard.press("Enter")
    page.wait_for_url("**/deliveries/*")
    standing = page.get_by_role("region", name="How it stands")
    expect(standing).to_have_attribute("data-state", "delivered")
    tab_to(page, "The first try: what was sent and what came back")
    page.keyboard.press("Enter")
    expect(page.get_by_text("webhook-signature")).to_be_visible()
    tab_to(page, "n8n", back=True)
    page.keyboard.press("Enter")
    page.wait_for_url("**/endpoints/*")
    studio.visitor.ready()
    tab_to(page, "Change the secret")
    page.keyboard.press("Enter")
    tab_to(page, "Make a new secret")
