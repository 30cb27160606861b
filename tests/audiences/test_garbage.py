"""What no address should have in it is refused in words, and what is stored already breaks no page (A3)."""

from collections.abc import AsyncIterator
from datetime import date
from urllib.parse import quote

import httpx
import pytest

from app.audiences import (
    FIRST_DAY,
    LAST_DAY,
    ReaderFilter,
    filter_of,
    segments,
    select_readers,
    size,
    stored_filter,
)
from app.base.database import Database
from app.base.errors import Invalid
from tests.readers.makers import Place, a_place
from tests.readers.visitors import STUDIO, creator, opened

FIELDS = ("q", "newsletter", "state", "any", "none", "plan", "source", "form", "from", "until", "segment")
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


@pytest.mark.parametrize("given", ["9999-12-31", "0001-01-01", "1989-12-31", "2101-01-01"])
@pytest.mark.parametrize("name", ["from", "until"])
def test_a_day_that_no_reader_can_have_joined_on_is_refused(name: str, given: str) -> None:
    with pytest.raises(Invalid, match="1990 to 2100") as refused:
        filter_of({name: [given]})
    assert [problem.field for problem in refused.value.problems] == [name]


def test_a_stored_day_out_of_reach_means_the_same_as_the_last_one_in_reach() -> None:
    assert stored_filter({"until": "9999-12-31"}) == ReaderFilter(joined_until=LAST_DAY)
    assert stored_filter({"from": "0001-01-01"}) == ReaderFilter(joined_from=FIRST_DAY)
    assert filter_of({"until": [LAST_DAY.isoformat()]}).joined_until == LAST_DAY == date(2100, 12, 31)


async def test_a_stored_segment_until_the_end_of_time_is_sized_shown_and_mailed(
    place: Place, studio: httpx.AsyncClient
) -> None:
    await place.reader()
    async with place.transaction() as tx:
        made = await tx.value(
            "insert into segment (account_id, id, name, filter)"
            " values (:a, gen_random_uuid(), 'All', '{\"until\": \"9999-12-31\"}') returning id",
            a=place.id,
        )
        kept = (await segments(tx))[0].filter
        assert (await size(tx, place.newsletter_id, filter=kept)).will == 1
        assert len(await tx.rows(select_readers(place.newsletter_id, filter=kept))) == 1
    for path in ("readers", "readers/segments", f"readers/segments/{made}", f"readers?segment={made}"):
        assert (await studio.get(f"{STUDIO}/{path}")).status_code == 200, path


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
