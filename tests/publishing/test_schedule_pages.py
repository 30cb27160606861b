"""Scheduling in the studio and by the API: what is said of a time, and what can be done about it."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from app.base.database import Database
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import counts, make_readers
from tests.publishing.test_pages import hidden

LOS_ANGELES = "America/Los_Angeles"


async def in_zone(owner: Database, zone: str) -> None:
    """Every publication lives there."""
    async with owner.transaction() as tx:
        await tx.execute("update account set zone = :zone", zone=zone)


def wall(days: int, zone: str) -> str:
    """Nine in the morning there, so many days from now."""
    there = datetime.now(UTC).astimezone(ZoneInfo(zone)) + timedelta(days=days)
    return f"{there:%Y-%m-%d}T09:00"


async def test_a_time_is_said_with_zone_and_utc_and_from_now_whatever_zone_the_browser_has(
    web: Database, owner: Database
) -> None:
    """Field case G: the newsletter is in the Pacific zone, whoever writes is not."""
    desk = await make_desk(web)
    await in_zone(owner, LOS_ANGELES)
    await make_readers(web, desk, 3)
    draft = await make_post(web, desk)
    asked = wall(5, LOS_ANGELES)
    at = datetime.fromisoformat(asked).replace(tzinfo=ZoneInfo(LOS_ANGELES)).astimezone(UTC)
    async with served(web, desk) as here:
        page = (await here.studio.get(f"posts/{draft.post_id}/publish")).text
        assert f"Date and time, {LOS_ANGELES}" in page
        line = (await here.studio.get(f"posts/{draft.post_id}/publish/when?wall={asked}")).text
        for words in (LOS_ANGELES, f"{at:%H:%M} UTC", " days</time>", "(UTC−0", f"{at:%Y-%m-%dT%H:%M}:00Z"):
            assert words in line, words
        form = hidden(page) | {"where": "both", "when": "later", "wall": asked}
        answer = await here.studio.post(f"posts/{draft.post_id}/publish", data=form)
        assert answer.status_code == 303, answer.text
        shown = (await here.studio.get(answer.headers["location"].partition("/studio/tidelines/")[2])).text
        assert f"{at:%H:%M} UTC" in shown
        assert "3 readers would get it" in shown
        home = (await here.studio.get("")).text
        assert "Next scheduled" in home
        assert LOS_ANGELES in home
        assert "waits for its time" in (await here.studio.get(f"posts/{draft.post_id}/publish")).text
        assert "The bird" in (await here.studio.get("scheduled")).text
        drafts = home.partition(">Drafts<")[2].partition("</section>")[0]
        assert "The bird" not in drafts
    async with web.transaction(desk.account_id) as tx:
        assert await tx.value("select at from scheduled") == at
    assert (await counts(web, desk))["broadcast"] == 0


async def test_the_list_of_posts_says_what_waits_and_finds_it(web: Database, owner: Database) -> None:
    desk = await make_desk(web)
    await in_zone(owner, "Asia/Tokyo")
    waiting, other = await make_post(web, desk, "One that waits"), await make_post(web, desk, "Another")
    async with served(web, desk) as here:
        sent = {"site": True, "at": f"{datetime.now(UTC) + timedelta(days=3):%Y-%m-%d}T20:00:00Z"}
        made = (await here.api.post(f"posts/{waiting.post_id}/publish", json=sent)).json()["scheduled"]
        listed = (await here.studio.get("posts")).text
        assert listed.count("Scheduled for") == 1
        assert f"/scheduled/{made}" in listed
        assert re.search(r"Scheduled for <time[^>]*>\d+ \w+ \d{4} at 05:00<", listed)
        found = (await here.studio.get("posts", params={"state": "scheduled"})).text
        assert ("One that waits" in found, "Another" in found) == (True, False)
        assert '<option value="scheduled" selected>' in found
        await here.studio.post(f"scheduled/{made}/cancel")
        assert "No post fits" in (await here.studio.get("posts", params={"state": "scheduled"})).text
        assert str(other.post_id) in (await here.studio.get("posts", params={"state": "draft"})).text


async def test_a_time_that_cannot_be_keeps_what_was_typed(web: Database, owner: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        form = hidden((await here.studio.get(f"posts/{draft.post_id}/publish")).text)
        form |= {"where": "site", "when": "later"}
        for typed, words in (
            ("", "Give a date and a time"),
            ("2020-01-01T09:00", "That time is past"),
            ("9999-12-31T23:59", "two years ahead"),
            ("2030-01-01T09:00+02:00", "Give a date and a time"),
            ("<b>", "Give a date and a time"),
        ):
            answer = await here.studio.post(f"posts/{draft.post_id}/publish", data=form | {"wall": typed})
            assert (answer.status_code, words in answer.text) == (422, True), typed
            told = await here.studio.get(f"posts/{draft.post_id}/publish/when", params={"wall": typed})
            assert (told.status_code, not typed or words in told.text) == (200, True), typed
        assert "&lt;b&gt;" in answer.text
        await in_zone(owner, "Asia/Tokyo")
        moved = await here.studio.post(f"posts/{draft.post_id}/publish", data=form | {"wall": wall(3, "UTC")})
        assert "time zone is Asia/Tokyo by now" in moved.text
    assert (await counts(web, desk))["revision"] == 0


async def test_what_waits_can_have_another_time_go_out_now_or_be_cancelled(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    async with served(web, desk) as here:
        at = (datetime.now(UTC) + timedelta(days=3)).isoformat()
        made = [
            (
                await here.api.post(
                    f"posts/{(await make_post(web, desk, title)).post_id}/publish",
                    json={"site": True, "email": {}, "at": at},
                    headers={"Idempotency-Key": title},
                )
            ).json()
            for title in ("One", "Two")
        ]
        assert [(one["release"], one["broadcast"]) for one in made] == [(None, None)] * 2
        one, two = (f"scheduled/{each['scheduled']}" for each in made)
        form = hidden((await here.studio.get(one)).text)
        moved = await here.studio.post(f"{one}/time", data=form | {"wall": wall(9, "UTC")})
        assert moved.status_code == 303
        assert re.search(r"in [89] days", (await here.studio.get(one)).text)
        past = await here.studio.post(f"{one}/time", data=form | {"wall": "2020-01-01T09:00"})
        assert (past.status_code, "That time is past" in past.text) == (422, True)
        await make_readers(web, desk, 1, "late")
        asked = await here.studio.post(f"{one}/publish", data={"shown": "3"})
        assert "4 readers will get it now, not 3" in asked.text
        gone = await here.studio.post(f"{one}/publish", data={"shown": "4"})
        assert "/broadcasts/" in gone.headers["location"]
        again = await here.studio.post(f"{one}/publish", data={"shown": "4"})
        assert (again.status_code, "is published already" in again.text) == (409, True)
        assert (await here.studio.post(f"{two}/cancel")).status_code == 303
        assert "was cancelled" in (await here.studio.get(two)).text
        listed = (await here.studio.get("scheduled")).text
        assert sorted(re.findall(r'class="tag [^"]*" data-state="(\w+)"', listed)) == ["cancelled", "done"]
        assert "Nothing is scheduled" in listed
        missing = "scheduled/01890a5d-ac96-774b-bcce-b302099a8057"
        assert (await here.studio.get(missing)).status_code == 404
        assert (await here.studio.post(f"{missing}/cancel")).status_code == 404


async def test_the_api_schedules_in_utc_and_answers_the_same_for_one_key(
    web: Database, owner: Database
) -> None:
    """Contract: 202 with `scheduled` alone; a second press gets the first answer."""
    desk = await make_desk(web)
    await in_zone(owner, LOS_ANGELES)
    draft = await make_post(web, desk)
    at = (datetime.now(UTC) + timedelta(days=3)).replace(microsecond=0)
    async with served(web, desk) as here:
        sent = {"site": True, "email": None, "at": at.isoformat().replace("+00:00", "Z")}
        answers = [
            await here.api.post(f"posts/{draft.post_id}/publish", json=sent, headers={"Idempotency-Key": "k"})
            for _ in range(2)
        ]
        assert [one.status_code for one in answers] == [202, 202]
        assert answers[0].json() == answers[1].json()
        other = await here.api.post(f"posts/{draft.post_id}/publish", json=sent)
        assert (other.status_code, "is scheduled for" in other.text) == (409, True)
    async with web.transaction(desk.account_id) as tx:
        row = await tx.row("select at, zone, wall from scheduled")
    assert row
    there = at.astimezone(ZoneInfo(LOS_ANGELES))
    assert (row.at, row.zone, row.wall) == (at, LOS_ANGELES, f"{there:%Y-%m-%dT%H:%M}")
