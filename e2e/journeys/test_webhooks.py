"""Releases are announced: delivered, tried again, refused, skipped; each seen on the pages as it happens."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from e2e.pages.posts import Publish
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.pages.webhooks import Told, Webhooks
from e2e.receivers import Receiver, a_receiver, frozen_workers
from e2e.running import Account, Godwit

NAME = "The site builder"


@dataclass(frozen=True)
class Desk:
    """Somebody at work on a publication that has nothing yet."""

    godwit: Godwit
    account: Account
    studio: Studio

    @property
    def visitor(self) -> Visitor:
        """Their browser."""
        return self.studio.visitor

    def webhook(self, *answers: int) -> Receiver:
        """Add one, as people do, whose receiver answers so."""
        receiver = a_receiver(self.godwit, self.account.slug, *answers)
        self.studio.open()
        webhooks = Webhooks(self.studio)
        webhooks.open()
        assert webhooks.add(receiver.url, NAME).startswith("whsec_")
        return receiver

    def publish(self, title: str) -> Told:
        """Publish a new post to the site, by the button; the page it leads to."""
        post = self.account.api.post("/posts", {"title": title, "markdown": "A line over the sea."})["id"]
        self.studio.open(f"posts/{post}/publish")
        publish = Publish(self.studio)
        publish.choose("To the site")
        publish.button().click()
        expect(self.visitor.heading()).to_contain_text("is live")
        self.visitor.ready()
        return Told(self.studio)

    def told(self, number: int) -> Told:
        """The page of a published version, opened."""
        told = Told(self.studio)
        told.open(number)
        return told


@pytest.fixture(params=[True, False], ids=["scripted", "plain"])
def desk(godwit: Godwit, visit: Callable[..., Visitor], request: pytest.FixtureRequest) -> Desk:
    """Signed in; with scripts, and without."""
    account = godwit.an_account()
    visitor = visit(godwit, scripted=request.param, storage_state=account.storage_state)
    return Desk(godwit, account, Studio(visitor, account.slug))


def test_a_webhook_is_added_and_a_version_turns_delivered_before_ones_eyes(desk: Desk) -> None:
    """W1, W4: signed with the secret that was shown, and what it carries is what was published."""
    receiver = desk.webhook()
    with frozen_workers(desk.godwit):
        told = desk.publish("The bird")
        expect(told.region).to_have_attribute("data-state", "telling")
        assert receiver.came() == []
    told.becomes("told")
    expect(told.line(NAME)).to_have_attribute("data-state", "delivered")
    came = [one for one in receiver.came() if one.type == "release.published"]
    assert [(one.verified, one.answered) for one in came] == [(True, 200)]
    assert came[0].data["release"] == 1
    assert [change["slug"] for change in came[0].data["changes"]] == ["the-bird"]
    assert came[0].data["url"].startswith(desk.godwit.site(desk.account.slug))
    delivery = told.follow(NAME)
    expect(delivery.attempts()).to_have_count(1)
    assert came[0].event_id in delivery.sent(1)


def test_one_that_was_down_once_is_told_at_the_second_try_with_the_same_id(desk: Desk) -> None:
    """W2, W4: the page says when it is tried again, and then that it arrived."""
    receiver = desk.webhook()
    with receiver.down():
        desk.publish("Once more")
        desk.godwit.drain()
    with frozen_workers(desk.godwit):  # the next try comes by itself, too
        told = desk.told(1)
        expect(told.line(NAME)).to_have_attribute("data-state", "retrying")
        delivery = told.follow(NAME)
        expect(delivery.region).to_have_attribute("data-state", "retrying")
        expect(delivery.sentence()).to_contain_text("tried again")
        expect(delivery.attempts()).to_have_count(1)
    desk.godwit.drain(ahead=60)
    delivery.becomes("delivered")
    expect(delivery.attempts()).to_have_count(2)
    ids = {re.search(r"evt_\w+", delivery.sent(number)).group() for number in (1, 2)}  # type: ignore[union-attr]
    came = [one for one in receiver.came() if one.type == "release.published"]
    assert [one.event_id for one in came] == list(ids)


def test_one_that_refuses_is_asked_once_and_the_page_says_what_it_said(desk: Desk) -> None:
    """E6: a refusal is final at once, with the reason."""
    receiver = desk.webhook(403)
    desk.publish("No, thank you")
    desk.godwit.drain(ahead=4000)
    told = desk.told(1)
    told.becomes("missed")
    expect(told.line(NAME)).to_contain_text("403")
    delivery = told.follow(NAME)
    expect(delivery.region).to_have_attribute("data-state", "failed")
    expect(delivery.attempts()).to_have_count(1)
    expect(delivery.region.locator('[data-figure="status"]')).to_have_attribute("data-value", "403")
    assert "403 Forbidden" in delivery.sent(1)
    assert [one.answered for one in receiver.came() if one.type == "release.published"] == [403]


def test_of_two_versions_while_nobody_works_only_the_second_is_told(desk: Desk) -> None:
    """E7: the first says which version went in its place."""
    receiver = desk.webhook()
    with frozen_workers(desk.godwit):
        desk.publish("One")
        desk.publish("Two")
    told = desk.told(2)
    told.becomes("told")
    told.open(1)
    told.becomes("told")
    expect(told.line(NAME)).to_have_attribute("data-state", "superseded")
    expect(told.line(NAME).get_by_role("link", name="Version 2")).to_be_visible()
    came = [one.data["release"] for one in receiver.came() if one.type == "release.published"]
    assert came == [2]
