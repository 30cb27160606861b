"""An email to some of the readers: the page counts them, and they alone get it."""

from collections.abc import Callable

from playwright.sync_api import expect

from e2e.pages.email import Email
from e2e.pages.posts import Publish
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

EMAIL, SLUG = "sam@example.org", "some-letters"


def test_a_segment_gets_the_email_and_nobody_else(godwit: Godwit, visit: Callable[..., Visitor]) -> None:
    """Kept from the list of readers, chosen on the publish page, counted before the press."""
    godwit.account(SLUG, EMAIL, "Some Letters")
    api = godwit.api(SLUG)
    for name, tags in (("ada", ["birds"]), ("bo", []), ("cy", ["birds"]), ("di", [])):
        address = f"{name}@{SLUG}.example"
        api.post("/readers", {"email": address, "tags": tags, "consent": {"source": "a fair"}})
    post = api.post("/posts", {"title": "Birds alone", "markdown": "Of birds."})["id"]
    visitor = visit(godwit)
    visitor.sign_in(EMAIL)
    studio = Studio(visitor, SLUG)
    studio.open("readers/segments/new?all=birds")
    visitor.page.get_by_role("textbox").first.fill("Birders")
    visitor.press("Keep this segment")
    visitor.ready()

    studio.open(f"posts/{post}/publish")
    publish = Publish(studio)
    publish.choose("By email only")
    expect(publish.button()).to_have_text("Send to 4 readers")
    visitor.page.get_by_label("Segment").select_option("Birders")
    expect(visitor.page.get_by_role("button", name="Send to 2 readers")).to_be_visible()
    assert visitor.figure("outside") == 2
    visitor.press("Send to 2 readers")
    visitor.ready()
    expect(visitor.page.get_by_text("the segment Birders of Some Letters").first).to_be_visible()
    godwit.drain(ahead=60)
    visitor.page.reload()
    assert Email(studio).figures().values["audience"] == 2
    mailed = {mail.to for mail in godwit.mails(kind="broadcast", account=SLUG)}
    assert mailed == {f"{name}@{SLUG}.example" for name in ("ada", "cy")}
