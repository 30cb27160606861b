"""Publishing at a wall time, over the days on which the clocks change."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import pytest
from playwright.sync_api import expect

from e2e.pages.posts import Editor, Posts, Publish
from e2e.pages.schedule import Later, Scheduled
from e2e.pages.settings import Settings
from e2e.pages.site import Site
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

BEFORE_SPRING, SPRING = "2027-03-14T07:29:00+00:00", "2027-03-14T07:30:01+00:00"
BEFORE_AUTUMN, AUTUMN = "2027-11-07T05:29:00+00:00", "2027-11-07T05:30:01+00:00"


@dataclass(frozen=True)
class Desk:
    """Somebody at work on a publication with three readers, whose clocks are New York's."""

    studio: Studio
    email: str

    @property
    def visitor(self) -> Visitor:
        """Their browser, which stands in Stockholm."""
        return self.studio.visitor

    def mailed(self) -> int:
        """How many copies went out so far."""
        return len(self.visitor.godwit.mails(kind="broadcast", account=self.studio.slug, limit=100))


def a_desk(godwit: Godwit, visit: Callable[..., Visitor], slug: str, *, scripted: bool) -> Desk:
    """In a publication of its own."""
    email = f"nell@{slug}.example"
    godwit.account(slug, email, "Night Letters")
    api = godwit.api(slug)
    for name in ("ada", "bo", "cy"):
        api.post("/readers", {"email": f"{name}@{slug}.example", "consent": {"source": "a fair"}})
    visitor = visit(godwit, scripted=scripted, timezone_id="Europe/Stockholm")
    visitor.sign_in(email)
    studio = Studio(visitor, slug)
    settings = Settings(studio)
    settings.open()
    settings.zone().fill("New York")
    settings.save()
    return Desk(studio, email)


def test_what_is_scheduled_goes_out_at_its_wall_time_when_the_clocks_change(
    empty_godwit: Godwit, visit: Callable[..., Visitor]
) -> None:
    """02:30 in the night the clocks go forward is 03:30; of 01:30 as they go back it is the first.

    Two publications wait for the same instants: the owner of one has a browser that runs no scripts.
    """
    godwit = empty_godwit
    desks = [
        a_desk(godwit, visit, slug, scripted=scripted)
        for slug, scripted in (("night-letters", True), ("plain-nights", False))
    ]
    waiting = [_waits_over_spring(desk) for desk in desks]
    _until(godwit, BEFORE_SPRING)
    for desk, one in zip(desks, waiting, strict=True):
        desk.visitor.sign_in(desk.email)
        desk.studio.open("scheduled")
        desk.visitor.follow("Spring forward")
        one.stands("waiting")
        assert desk.mailed() == 0
    _until(godwit, SPRING)
    godwit.drain()
    for desk, one in zip(desks, waiting, strict=True):
        one.stands("done")
        assert desk.mailed() == 3
        Site(desk.visitor, desk.studio.slug).open()
        expect(desk.visitor.page.get_by_role("link", name="Spring forward").first).to_be_visible()

    waiting = [_waits_over_autumn(desk) for desk in desks]
    _until(godwit, BEFORE_AUTUMN)
    for desk, one in zip(desks, waiting, strict=True):
        desk.visitor.sign_in(desk.email)
        one.stands("waiting")
    _until(godwit, AUTUMN)
    godwit.drain()
    for desk, one in zip(desks, waiting, strict=True):
        one.stands("done")
        assert desk.mailed() == 6


def _waits_over_spring(desk: Desk) -> Scheduled:
    """At a time that night has not."""
    spring = _scheduled(desk.studio, "Spring forward", "2027-03-14T02:30")
    expect(desk.visitor.status().filter(has_text="It is scheduled")).to_contain_text("so it is 03:30")
    expect(spring.sentence()).to_contain_text("14 March 2027 at 03:30, America/New_York (UTC−04:00)")
    desk.studio.open()
    expect(desk.visitor.page.get_by_role("region", name="Next scheduled")).to_contain_text("07:30 UTC")
    return spring


def _waits_over_autumn(desk: Desk) -> Scheduled:
    """Asked for before the change, moved to a time that night has twice."""
    autumn = _scheduled(desk.studio, "Fall back", "2027-10-30T09:00")
    autumn.move("2027-11-07T01:30")
    expect(desk.visitor.status().filter(has_text="It has another time")).to_contain_text("it is the first")
    expect(autumn.sentence()).to_contain_text("01:30, America/New_York (UTC−04:00)")
    return autumn


@pytest.mark.parametrize("scripted", [True, False], ids=["scripted", "plain"])
def test_what_waits_can_be_moved_cancelled_and_sent_at_once(
    godwit: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    """A wrong time is told with what was typed; cancelled, nothing goes out; sent now, it can be undone."""
    desk = a_desk(godwit, visit, f"waits-{'scripted' if scripted else 'plain'}", scripted=scripted)
    visitor, page = desk.visitor, desk.visitor.page
    visitor.watch.expected |= {422}
    waits = _scheduled(desk.studio, "In good time", "2028-05-01T09:00")
    waits.move("2020-05-01T09:00")
    expect(visitor.alert().first).to_contain_text("Nothing was changed")
    expect(page.get_by_label("Date and time")).to_have_value("2020-05-01T09:00")
    waits.move("2028-05-02T10:15")
    expect(waits.sentence()).to_contain_text("2 May 2028 at 10:15, America/New_York")
    waits.cancel()
    waits.stands("cancelled")
    expect(page.get_by_role("button", name="Cancel it")).to_have_count(0)
    visitor.follow("The post")
    Editor(desk.studio).publish().choose("To the site and by email")
    later = Later(Publish(desk.studio))
    later.choose("2028-05-03T09:00")
    later.press()
    waits.now()
    expect(visitor.heading()).to_have_text("In good time")
    assert desk.mailed() == 0
    expect(page.get_by_role("button", name=re.compile("^Undo"))).to_be_visible()
    desk.visitor.godwit.drain(ahead=60)
    assert desk.mailed() == 3


def _scheduled(studio: Studio, title: str, wall: str) -> Scheduled:
    """Write a post, and have it go out to site and readers then."""
    editor = Posts(studio).write()
    editor.title.fill(title)
    editor.text.fill("Words for the night.")
    editor.stored()
    publish = Editor(studio).publish()
    publish.choose("To the site and by email")
    later = Later(publish)
    later.choose(wall)
    if studio.visitor.scripted:
        expect(later.line()).to_contain_text("UTC")
    later.press()
    return Scheduled(studio)


def _until(godwit: Godwit, instant: str) -> None:
    """Move the clock there."""
    now = datetime.fromisoformat(godwit.call("GET", "/testing/clock")["now"].replace("Z", "+00:00"))
    ahead = (datetime.fromisoformat(instant) - now).total_seconds()
    assert ahead > 0
    godwit.call("POST", "/testing/clock", {"advance": ahead})
