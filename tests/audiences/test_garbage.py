"""What no address should have in it is refused in words, and what is stored already breaks no page (A3)."""

from datetime import date

import httpx
import pytest

from app.audiences import (
    ReaderFilter,
    filter_of,
    segments,
    select_readers,
    size,
    stored_filter,
)
from app.base.days import FIRST_DAY, LAST_DAY
from app.base.errors import Invalid
from tests.readers.makers import Place
from tests.readers.visitors import STUDIO


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
