"""The members' files at their whole size, into one account (imports N4, N5; what was paid for)."""

from app.base.database import Database
from app.readers import find_reader
from tests.imports.makers import GHOST, counts, imported
from tests.imports.test_bringing import place, sample, whole
from tests.readers.makers import Place

__all__ = ["place"]


async def test_ghost_members_come_in_whole_and_a_second_time_nothing_changes(
    place: Place, worker: Database
) -> None:
    """N1, N4: 2,000 rows, of which 154 are not subscribed there."""
    first = await imported(place, worker, GHOST)
    assert (first.state, first.total, counts(first)) == ("done", 2000, (2000, 0, 0, 0, 0))
    there = await whole(place)
    assert there == (2000, 1846, 154, 0, 0)
    second = await imported(place, worker, GHOST)
    assert (second.state, counts(second)) == ("done", (0, 0, 2000, 0, 0))
    assert await whole(place) == there


async def test_who_left_either_of_two_products_has_left(place: Place, worker: Database) -> None:
    """N5: Ghost, then Substack: 85 are in both."""
    await imported(place, worker, GHOST)
    before = await whole(place)
    view = await imported(place, worker, sample("substack-subscribers.csv"), "substack")
    assert view.created == 515
    left = {
        line.split(",")[0].lower().replace("bücher", "xn--bcher-kva")
        for line in sample("substack-subscribers.csv").decode().splitlines()
        if ",true," in line.split(",", 3)[3][:20] and line.split(",")[4] == "true"
    }
    async with place.transaction() as tx:
        for address in left:
            found = await find_reader(tx, address)
            assert found
            assert found.state == "unsubscribed"
        still = await tx.value("select count(*) from subscription where state = 'unsubscribed'")
    assert still >= before[2]
    again = await imported(place, worker, GHOST)
    assert counts(again) == (0, 0, 2000, 0, 0)


async def test_what_paid_for_is_access_here_once(place: Place, worker: Database, owner: Database) -> None:
    """Ghost's customers and complimentary members, Substack's paying ones; the same again gives nothing."""

    async def access() -> list:
        async with owner.transaction(place.id) as tx:
            return [
                tuple(row)
                for row in await tx.rows(
                    "select p.name, count(*) from entitlement e join plan p on p.id = e.plan_id"
                    " where e.source = 'import' group by 1 order by 1"
                )
            ]

    await imported(place, worker, GHOST)
    assert await access() == [("Paid", 120), ("Supporter", 30)]
    await imported(place, worker, GHOST)
    assert await access() == [("Paid", 120), ("Supporter", 30)]
