"""Figures that move by themselves, also on a line where scripts arrive one after another."""

from collections.abc import Callable
from time import sleep

from playwright.sync_api import Route, expect

from e2e.pages.visitor import Visitor
from e2e.running import Godwit


def test_the_page_of_an_email_comes_alive_although_a_script_is_late(
    godwit: Godwit, visit: Callable[..., Visitor]
) -> None:
    """htmx must not read the page before its extension is there: nobody would ask for the stream."""
    account = godwit.an_account(readers=3)
    post = account.api.post("/posts", {"title": "Late", "markdown": "A line over the sea."})["id"]
    visitor = visit(godwit, storage_state=account.storage_state)

    def late(route: Route) -> None:
        sleep(0.5)  # the slow line itself, not a wait for something
        route.continue_()

    visitor.page.route("**/hx-sse.min.js", late)
    godwit.slow(1, times=1)
    sent = account.api.post(f"/posts/{post}/publish", {"site": False, "email": {}})
    visitor.go(f"/studio/{account.slug}/broadcasts/{sent['broadcast']}")
    expect(visitor.page.get_by_role("region", name="How far it is")).to_have_attribute(
        "data-state", "finished"
    )
