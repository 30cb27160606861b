"""Webhooks in each of their states: their pages as test_looks looks at them."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from e2e.furnishing import a_visitor
from e2e.looking import look_at
from e2e.pages.visitor import Visitor
from e2e.running import Account, Godwit


class House:
    """A publication with webhooks to receivers that answer as they are told; `wrong` is what was seen."""

    def __init__(self, browser: Browser, godwit: Godwit) -> None:
        self.godwit = godwit
        self.account: Account = godwit.an_account(seed=1500, readers=0, posts=4)
        self.base = f"/studio/{self.account.slug}/endpoints"
        self.api = self.account.api
        self.posts = [post["id"] for post in self.api.get("/posts")["items"]]
        self.visitor: Visitor = a_visitor(browser, godwit)
        self.visitor.sign_in(self.account.email)
        self.visitor.watch.expected |= {422}
        self.wrong: list[str] = []

    def receiver(self, *answers: int) -> str:
        """The address of a program that answers so, the last for ever."""
        return self.godwit.call(
            "POST", f"/testing/receivers?account={self.account.slug}", {"answers": list(answers)}
        )["url"]

    def webhook(self, description: str, *answers: int, events: tuple[str, ...] = ("*",)) -> dict[str, Any]:
        """One that is added by a program."""
        given = {"url": self.receiver(*answers), "events": list(events), "description": description}
        return self.api.post("/endpoints", given)

    def publish(self) -> int:
        """The next post; the number of the version."""
        return self.api.post(f"/posts/{self.posts.pop()}/publish", {"site": True, "email": None})["release"]

    def look(self, name: str, place: str = "") -> None:
        """Look at a place, or at the page as it stands."""
        if place:
            self.visitor.go(place)
        self.wrong += look_at(self.visitor.page, f"webhooks-{name}")

    def seen(self) -> list[str]:
        """What was wrong since this was asked last."""
        told, self.wrong = self.wrong + self.visitor.watch.problems, []
        return told


@pytest.fixture(scope="module")
def house(browser: Browser, godwit: Godwit) -> Iterator[House]:
    """One for all of them."""
    made = House(browser, godwit)
    yield made
    made.visitor.page.context.close()


def test_before_there_is_one(house: House) -> None:
    """What webhooks are, the form with and without a preset, and with what is wrong in it."""
    house.look("none", house.base)
    house.look("new", f"{house.base}/new")
    house.look("new-netlify", f"{house.base}/new?for=netlify")
    house.look("new-slack", f"{house.base}/new?for=slack")
    page = house.visitor.page
    house.visitor.fill("Address", "http://192.168.1.1/x")
    page.get_by_label("Only these events").check()
    house.visitor.press("Add the webhook")
    house.visitor.ready()
    house.look("new-wrong")
    house.look("docs", "/api/docs/webhooks")
    assert not house.seen()


def test_its_secret_is_shown(house: House) -> None:
    """After it was added, after it was changed, and on its page while two are valid."""
    visitor = house.visitor
    visitor.go(f"{house.base}/new?for=own")
    visitor.fill("Address", house.receiver(200))
    visitor.fill("What it is for", "The site’s builder")
    visitor.press("Add the webhook")
    visitor.ready()
    house.look("secret")
    visitor.follow("I have copied it")
    house.look("untold")
    visitor.page.get_by_text("Change the secret").click()
    visitor.press("Make a new secret")
    visitor.ready()
    house.look("secret-changed")
    visitor.press("Send a test event")
    visitor.ready()
    expect(visitor.page.locator("#standing")).to_have_attribute("data-state", "delivered")
    house.look("test-delivered")
    assert not house.seen()


def test_its_states(house: House) -> None:
    """All is well, it fails, it is paused, it is off; a published version tells what became of each."""
    house.webhook("Chat", 200, events=("release.published", "broadcast.finished"))
    failing = house.webhook("Search", 500, 500)
    refusing = house.webhook("", 422)
    gone = house.webhook("Old builder", 410)
    paused = house.webhook("Archive", 200)
    house.api.patch(f"/endpoints/{paused['id']}", {"state": "paused"})
    numbers = [house.publish(), house.publish()]
    releases = house.base.replace("endpoints", "releases")
    house.visitor.go(f"{releases}/{numbers[1]}")
    told = house.visitor.page.get_by_role("region", name="Who was told")
    expect(told.get_by_role("row").filter(has_text="trying again")).not_to_have_count(0)
    expect(told.locator("[data-state=pending]")).to_have_count(0)
    house.look("version-told")
    house.look("version-skipped", f"{releases}/{numbers[0]}")
    house.look("list", house.base)
    for name, one in (("failing", failing), ("refusing", refusing), ("off", gone), ("paused", paused)):
        house.look(name, f"{house.base}/{one['id']}")
        newest = house.api.get(f"/endpoints/{one['id']}/deliveries")["items"][0]
        house.look(f"delivery-{name}", f"{house.base}/deliveries/{newest['id']}")
    house.look("found", f"{house.base}/{failing['id']}?state=retrying&type=release.published")
    house.look("edit", f"{house.base}/{gone['id']}/edit")
    house.look("delete", f"{house.base}/{paused['id']}/delete")
    house.look("redelivery", f"{house.base}/{failing['id']}/redeliver/range")
    house.visitor.press("Count them")
    house.visitor.ready()
    house.look("again-counted")
    assert not house.seen()
