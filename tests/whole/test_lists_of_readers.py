"""The studio's list of readers: page by page while they come, and whatever stands in its address (A3, A8)."""

from collections.abc import AsyncIterator
from urllib.parse import quote

import httpx
import pytest

from app.base.database import Database
from tests.audiences.test_pages import READERS, lead, listed
from tests.readers.makers import Place, a_place
from tests.readers.visitors import STUDIO, creator, opened

FIELDS = (
    *("q", "newsletter", "state", "any", "none", "plan"),
    *("source", "form", "from", "until", "segment", "got"),
)
GARBAGE = (
    "%00",
    "%FF%FE",
    "%F0%9F%A6%86" * 80,
    "9" * 5000,
    "9999-12-31",
    "0001-01-01",
    "-1",
    "00000000-0000-0000-0000-00000000000g",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    quote("'; drop table reader; --"),
    quote('"unclosed, "'),
    quote("[[]]{}%\\"),
)


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


@pytest.fixture
async def studio(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as web, await creator(web, place) as client:
        yield client


async def test_nobody_appears_twice_while_readers_are_added(place: Place, studio: httpx.AsyncClient) -> None:
    """Field case K: member 1 appears again as member 51. Keyset pages, there and back."""
    for n in range(101):
        await place.reader(f"reader{n:03}@example.org")
    first = await studio.get(READERS)
    assert 'data-figure="active" data-value="101"' in first.text
    assert 'rel="prev"' not in first.text
    await place.reader("late@example.org")
    second = await studio.get(lead(first, "next"))
    third = await studio.get(lead(second, "next"))
    seen = [listed(page) for page in (first, second, third)]
    assert [len(part) for part in seen] == [50, 50, 1]
    assert [one for part in seen for one in part] == [f"reader{n:03}" for n in reversed(range(101))]
    assert 'rel="next"' not in third.text
    back = await studio.get(lead(third, "prev"))
    assert listed(back) == seen[1]
    assert listed(await studio.get(lead(back, "prev"))) == seen[0]


async def test_no_garbage_in_an_address_breaks_the_list(place: Place, studio: httpx.AsyncClient) -> None:
    await place.reader()
    asked = [
        f"{here}?{'&'.join(f'{name}={value}' for name in FIELDS)}"
        for value in GARBAGE
        for here in ("", "/acts/new")
    ]
    asked += [
        f"?{name}={value}" for name in ("from", "until", "plan", "q", "older", "newer") for value in GARBAGE
    ]
    asked += [f"?{'&'.join(['any=a'] * many)}" for many in (2, 60, 199, 300)]
    asked += ["?older=W10&newer=W10", "?%00=%00", "?q[]=1", "?" + "&" * 500, "?state=active&state=pending"]
    for query in asked:
        status = (await studio.get(f"{STUDIO}/readers{query}")).status_code
        assert status in (200, 400, 413, 414, 422), (status, query[:80])
