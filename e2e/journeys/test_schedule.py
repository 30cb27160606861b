"""Publishing at a wall time, over the days on which the clocks change."""

from collections.abc import Callable
from datetime import datetime

from playwright.sync_api import expect

from e2e.pages.posts import Posts, Publish
from e2e.pages.schedule import Later, Scheduled
from e2e.pages.settings import Settings
from e2e.pages.site import Site
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

EMAIL, SLUG = "nell@example.org", "night-letters"


def test_what_is_scheduled_goes_out_at_its_wall_time_when_the_clocks_change(
    empty_godwit: Godwit, visit: Callable[..., Visitor]
) -> None:
    """02:30 in the night the clocks go forward is 03:30; of 01:30 as they go back it is the first."""
    godwit = empty_godwit
    godwit.account(SLUG, EMAIL, "Night Letters")
    api = godwit.api(SLUG)
    for name in ("ada", "bo", "cy"):
        api.post("/readers", {"email": f"{name}@example.org", "consent": {"source": "a fair"}})
    visitor = visit(godwit, timezone_id="Europe/Stockholm")
    visitor.sign_in(EMAIL)
    studio = Studio(visitor, SLUG)
    settings = Settings(studio)
    settings.open()
    settings.zone().fill("New York")
    settings.save()

    spring = _scheduled(studio, "Spring forward", "2027-03-14T02:30")
    expect(visitor.status().filter(has_text="It is scheduled")).to_contain_text("so it is 03:30")
    expect(spring.sentence()).to_contain_text("14 March 2027 at 03:30, America/New_York (UTC−04:00)")
    studio.open()
    expect(visitor.page.get_by_role("region", name="Next scheduled")).to_contain_text("07:30 UTC")
    _until(godwit, "2027-03-14T07:29:00+00:00")
    visitor.sign_in(EMAIL)
    studio.open("scheduled")
    visitor.follow("Spring forward")
    spring.stands("waiting")
    assert godwit.mails(kind="broadcast", account=SLUG) == []
    _until(godwit, "2027-03-14T07:30:01+00:00")
    godwit.drain()
    spring.stands("done")
    assert len(godwit.mails(kind="broadcast", account=SLUG)) == 3
    site = Site(visitor, SLUG)
    site.open()
    expect(visitor.page.get_by_role("link", name="Spring forward").first).to_be_visible()

    autumn = _scheduled(studio, "Fall back", "2027-10-30T09:00")
    autumn.move("2027-11-07T01:30")
    expect(visitor.status().filter(has_text="It has another time")).to_contain_text("it is the first")
    expect(autumn.sentence()).to_contain_text("01:30, America/New_York (UTC−04:00)")
    _until(godwit, "2027-11-07T05:29:00+00:00")
    visitor.sign_in(EMAIL)
    autumn.stands("waiting")
    _until(godwit, "2027-11-07T05:30:01+00:00")
    godwit.drain()
    autumn.stands("done")
    assert len(godwit.mails(kind="broadcast", account=SLUG, limit=100)) == 6


def _scheduled(studio: Studio, title: str, wall: str) -> Scheduled:
    """Write a post, and have it go out to site and readers then."""
    editor = Posts(studio).write()
    editor.title.fill(title)
    editor.text.fill("Words for the night.")
    editor.saved()
    publish: Publish = editor.publish()
    publish.choose("To the site and by email")
    later = Later(publish)
    later.choose(wall)
    expect(later.line()).to_contain_text("UTC")
    later.press()
    return Scheduled(studio)


def _until(godwit: Godwit, instant: str) -> None:
    """Move the clock there."""
    now = datetime.fromisoformat(godwit.call("GET", "/testing/clock")["now"].replace("Z", "+00:00"))
    ahead = (datetime.fromisoformat(instant) - now).total_seconds()
    assert ahead > 0
    godwit.call("POST", "/testing/clock", {"advance": ahead})
