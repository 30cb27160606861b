"""Wall times and instants. Field case G; the clocks' changes of real zones."""

import zoneinfo
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.base.zones import VERSION, moment_at, moment_of

NEW_YORK = "America/New_York"


@pytest.mark.parametrize(
    ("wall", "at", "told", "passage"),
    [
        # Before and after the change of 7 November 2021, and the hours of it.
        ("2021-10-24T17:00", "2021-10-24T21:00", "2021-10-24T17:00", "plain"),
        ("2021-11-08T14:00", "2021-11-08T19:00", "2021-11-08T14:00", "plain"),
        ("2021-11-07T00:59", "2021-11-07T04:59", "2021-11-07T00:59", "plain"),
        ("2021-11-07T01:30", "2021-11-07T05:30", "2021-11-07T01:30", "twice"),
        ("2021-11-07T02:00", "2021-11-07T07:00", "2021-11-07T02:00", "plain"),
        # 14 March 2021: 02:00 to 02:59 do not exist.
        ("2021-03-14T01:59", "2021-03-14T06:59", "2021-03-14T01:59", "plain"),
        ("2021-03-14T02:30", "2021-03-14T07:30", "2021-03-14T03:30", "skipped"),
        ("2021-03-14T03:00", "2021-03-14T07:00", "2021-03-14T03:00", "plain"),
    ],
)
def test_a_wall_time_is_one_instant_also_when_the_clocks_change(
    wall: str, at: str, told: str, passage: str
) -> None:
    """Moved forward by the gap; of two the first."""
    moment = moment_of(datetime.fromisoformat(wall), NEW_YORK)
    assert moment.at == datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert (moment.wall.isoformat(timespec="minutes"), moment.passage) == (told, passage)


def test_a_gap_of_half_an_hour_moves_by_half_an_hour() -> None:
    moment = moment_of(datetime(2021, 10, 3, 2, 10), "Australia/Lord_Howe")
    assert (moment.wall, moment.passage) == (datetime(2021, 10, 3, 2, 40), "skipped")


def test_a_day_that_a_zone_left_out_becomes_the_next() -> None:
    assert moment_of(datetime(2011, 12, 30, 9), "Pacific/Apia").wall == datetime(2011, 12, 31, 9)


def test_sao_paulo_has_no_summer_time_any_more() -> None:
    """Field case G: the zone data is ours, not the machine's, and has a version."""
    assert moment_of(datetime(2018, 12, 15, 12), "America/Sao_Paulo").offset == timedelta(hours=-2)
    assert moment_of(datetime(2026, 12, 15, 12), "America/Sao_Paulo").offset == timedelta(hours=-3)
    assert zoneinfo.TZPATH == ()
    assert VERSION >= "2026a"


@pytest.mark.parametrize("zone", [NEW_YORK, "Europe/London", "Australia/Lord_Howe", "Africa/Casablanca"])
def test_every_half_hour_of_a_year_is_the_instant_that_its_zone_shows(zone: str) -> None:
    """The oracle: the instants themselves, looked up one after the other."""
    first = datetime(2021, 1, 1, tzinfo=UTC)
    seen: dict[datetime, datetime] = {}
    for n in range(366 * 48):
        at = first + timedelta(minutes=30 * n)
        seen.setdefault(at.astimezone(ZoneInfo(zone)).replace(tzinfo=None), at)
    for wall, at in seen.items():
        moment = moment_of(wall, zone)
        assert moment.at == at
        assert moment.passage in ("plain", "twice")
        assert moment_at(moment.at, zone).wall == wall
