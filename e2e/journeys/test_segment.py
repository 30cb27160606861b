"""An email to some of the readers: the page counts them, and they alone get it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.pages.email import Email
from e2e.pages.posts import Publish
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit


@pytest.mark.parametrize("scripted", [True, False], ids=["scripted", "plain"])
def test_a_segment_gets_the_email_and_nobody_else(
    godwit: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    """Kept from the list of readers, chosen on the publish page, counted before the press."""
    slug = f"some-{'scripted' if scripted else 'plain'}"
    email = f"sam@{slug}.example"
    godwit.account(slug, email, "Some Letters")
    api = godwit.api(slug)
    for name, tags in (("ada", ["birds"]), ("bo", []), ("cy", ["birds"]), ("di", [])):
        address = f"{name}@{slug}.example"
        api.post("/readers", {"email": address, "tags": tags, "consent": {"source": "a fair"}})
    post = api.post("/posts", {"title": "Birds alone", "markdown": "Of birds."})["id"]
    visitor = visit(godwit, scripted=scripted)
    visitor.sign_in(email)
    studio = Studio(visitor, slug)
    studio.open("readers/segments/new?all=birds")
    visitor.page.get_by_role("textbox").first.fill("Birders")
    visitor.press("Keep this segment")
    visitor.ready()

    studio.open(f"posts/{post}/publish")
    publish = Publish(studio)
    publish.choose("By email only")
    expect(publish.button()).to_have_text("Send to 4 readers")
    visitor.page.get_by_label("Segment").select_option("Birders")
    if not scripted:
        visitor.press("Count again")
    expect(visitor.page.get_by_role("button", name="Send to 2 readers")).to_be_visible()
    assert visitor.figure("outside") == 2
    visitor.press("Send to 2 readers")
    visitor.ready()
    expect(visitor.page.get_by_text("the segment Birders of Some Letters").first).to_be_visible()
    godwit.drain(ahead=60)
    visitor.page.reload()
    assert Email(studio).figures().values["audience"] == 2
    mailed = {mail.to for mail in godwit.mails(kind="broadcast", account=slug)}
    assert mailed == {f"{name}@{slug}.example" for name in ("ada", "cy")}
