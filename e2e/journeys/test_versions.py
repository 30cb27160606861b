"""Published versions: an older one brought back, a post taken off the site, addresses that lead on."""

from collections.abc import Callable
from urllib.error import HTTPError

import pytest
from playwright.sync_api import expect

from e2e.pages.schedule import Versions
from e2e.pages.site import Site
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Api, Godwit


@pytest.mark.parametrize("scripted", [True, False])
def test_version_1_comes_back_and_a_post_leaves(
    godwit: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    """The page says how much it changes; old addresses lead on; what left is gone, and can be had again."""
    slug = f"versions-{'a' if scripted else 'b'}"
    email = f"vera@{slug}.example"
    godwit.account(slug, email, "Old Letters")
    api = godwit.api(slug)
    first = api.post("/posts", {"title": "First light", "markdown": "The first words."})["id"]
    _publish(api, first)
    api.patch(f"/posts/{first}", {"version": 1, "markdown": "Other words.", "slug": "dawn"})
    _publish(api, first)
    second = api.post("/posts", {"title": "Second", "markdown": "More."})["id"]
    _publish(api, second)
    visitor = visit(godwit, scripted=scripted)
    visitor.watch.expected |= {404}
    visitor.sign_in(email)
    studio, versions = Studio(visitor, slug), None
    visitor.go(f"{godwit.site(slug)}/first-light")
    assert visitor.page.url.endswith("/dawn")

    versions = Versions(studio)
    studio.open()
    versions.open(1)
    expect(versions.restoring()).to_contain_text("2 posts change: 1 goes back to an older text, 1 leaves")
    versions.restore(1)
    expect(visitor.heading()).to_contain_text("4")
    site = Site(visitor, slug)
    site.open()
    expect(visitor.page.get_by_role("link", name="First light").first).to_be_visible()
    expect(visitor.page.get_by_role("link", name="Second")).to_have_count(0)
    visitor.go(f"{godwit.site(slug)}/dawn")
    assert visitor.page.url.endswith("/first-light")
    expect(visitor.page.get_by_text("The first words.")).to_be_visible()

    studio.open(f"posts/{first}/publish")
    visitor.follow("Take it off the site…")
    visitor.press("Take it off the site")
    visitor.ready()
    expect(visitor.status().filter(has_text="off the site")).to_contain_text("published version 5")
    with pytest.raises(HTTPError, match="404"):
        godwit.ask(f"{godwit.site(slug)}/first-light")
    versions.open(4)
    versions.restore(4)
    assert b"The first words." in godwit.ask(f"{godwit.site(slug)}/first-light")


def _publish(api: Api, post: str) -> None:
    api.post(f"/posts/{post}/publish", {"site": True, "email": None})
