"""Acts on many: their size is said, they go on where they were, tags are taken back (audiences A6, A7)."""

import pytest

import app.audiences.jobs  # noqa: F401  (registers the handler, as the workers' catalogue does)
from app.audiences import ReaderFilter, change_segment, make_segment, resolved
from app.audiences.bulk import NewAct, bulk_act, bulk_acts, order_act, undo_act
from app.audiences.doing import take_slice
from app.base.database import Database
from app.base.errors import Conflict, Invalid
from app.readers import find_reader
from app.readers.queries import consent_history
from tests.readers.makers import Place, a_place

BIRDS = ReaderFilter(any_tags=("birds",))


@pytest.fixture
async def place(web: Database) -> Place:
    made = await a_place(web)
    for n in range(7):
        await made.reader(f"r{n}@example.org", tags=("birds",) if n < 5 else ())
    return made


async def ordered(place: Place, act: str, wanted: ReaderFilter = BIRDS, **more):
    async with place.transaction() as tx:
        new = NewAct(act, await resolved(tx, wanted), more.pop("shown", 5), "Ana", **more)  # type: ignore[arg-type]
        return await order_act(tx, new)


async def done(place: Place, worker: Database, act_id, monkeypatch=None):
    """As the worker does it, each slice its own transaction."""
    for _ in range(20):
        async with worker.transaction(place.id) as tx:
            if await take_slice(tx, act_id):
                break
    async with place.transaction() as tx:
        return await bulk_act(tx, act_id)


async def tagged(place: Place, tag: str) -> int:
    async with place.transaction() as tx:
        return await tx.value("select count(*) from reader_tag where tag = :tag", tag=tag)


async def test_tagging_many_goes_on_by_slices_and_is_taken_back(
    place: Place, worker: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A6: who had the tag before keeps it."""
    monkeypatch.setattr("app.audiences.doing.SLICE", 2)
    await place.reader("r8@example.org", tags=("birds", "sea"))
    made = await ordered(place, "tag", tag="sea", shown=6)
    async with worker.transaction(place.id) as tx:
        assert not await take_slice(tx, made)
    async with place.transaction() as tx:
        assert (await bulk_act(tx, made)).looked == 2
        with pytest.raises(Conflict):
            await undo_act(tx, made, "Ana")
    await place.reader("late@example.org", tags=("birds",))
    over = await done(place, worker, made)
    assert (over.state, over.expected, over.looked, over.changed, over.may_undo) == ("done", 6, 6, 5, True)
    assert await tagged(place, "sea") == 6
    async with place.transaction() as tx:
        back = await undo_act(tx, made, "Ana")
    over = await done(place, worker, back)
    assert (over.act, over.changed, over.may_undo) == ("untag", 5, False)
    assert await tagged(place, "sea") == 1
    async with place.transaction() as tx:
        with pytest.raises(Conflict):
            await undo_act(tx, made, "Ana")
        assert [one.id for one in await bulk_acts(tx)] == [back, made]


async def test_untagging_is_taken_back_too(place: Place, worker: Database) -> None:
    """A6."""
    made = await ordered(place, "untag", tag="birds")
    assert (await done(place, worker, made)).changed == 5
    assert await tagged(place, "birds") == 0
    async with place.transaction() as tx:
        back = await undo_act(tx, made, "Ana")
    await done(place, worker, back)
    assert await tagged(place, "birds") == 5


async def test_unsubscribing_many_is_in_each_ones_history(place: Place, worker: Database) -> None:
    """A7: it holds, and nobody can take it back but the readers (R2)."""
    made = await ordered(place, "unsubscribe", typed="Unsubscribe 5")
    over = await done(place, worker, made)
    assert (over.changed, over.may_undo) == (5, False)
    async with place.transaction() as tx:
        anna = await find_reader(tx, "r0@example.org")
        assert anna
        assert anna.state == "unsubscribed"
        assert (await consent_history(tx, anna.id))[-1].how == "by Ana, in the studio, with many others"
        with pytest.raises(Conflict):
            await undo_act(tx, made, "Ana")


async def test_erasing_many_erases_each_as_one_is(
    place: Place, worker: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.audiences.doing.FEW", 2)
    made = await ordered(place, "erase", typed="erase 5")
    assert (await done(place, worker, made)).changed == 5
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from reader") == 2
        assert await tx.value("select count(*) from erased_reader") == 5


@pytest.mark.parametrize(
    ("act", "more", "field"),
    [
        ("erase", {}, "erase-typed"),
        ("erase", {"typed": "erase 4"}, "erase-typed"),
        ("unsubscribe", {"typed": "erase 5"}, "unsubscribe-typed"),
        ("tag", {}, "tag-tag"),
        ("tag", {"tag": "x", "shown": 4}, ""),
        ("tag", {"tag": "x", "wanted": ReaderFilter(any_tags=("none",))}, ""),
    ],
)
async def test_an_act_is_refused_when_it_is_not_confirmed_or_its_size_changed(
    place: Place, act: str, more: dict, field: str
) -> None:
    """A7."""
    with pytest.raises(Invalid) as refused:
        await ordered(place, act, **more)
    assert [problem.field for problem in refused.value.problems] == [field]
    async with place.transaction() as tx:
        assert await bulk_acts(tx) == []


async def test_an_act_keeps_the_segment_as_it_was_when_it_was_ordered(place: Place, worker: Database) -> None:
    """A7."""
    async with place.transaction() as tx:
        birds = await make_segment(tx, "Birds", BIRDS, "Ana")
    made = await ordered(place, "tag", ReaderFilter(segment=birds), tag="sea")
    async with place.transaction() as tx:
        await change_segment(tx, birds, "Birds", ReaderFilter(state="active"))
    assert (await done(place, worker, made)).changed == 5


async def test_acts_are_forgotten_after_thirty_days(place: Place, owner: Database, worker: Database) -> None:
    """A6: with whose tags they changed."""
    old, new = await ordered(place, "tag", tag="old"), await ordered(place, "tag", tag="new")
    for act in (old, new):
        await done(place, worker, act)
    async with owner.transaction() as tx:
        late = "update bulk_act set ended_at = godwit_now() - interval '31 days' where id = :id"
        await tx.execute(late, id=old)
    async with worker.transaction() as tx:
        assert await tx.value("select prune_bulk_acts(30)") == 1
        assert await tx.value("select prune_bulk_acts(30)") == 0
    async with place.transaction() as tx:
        assert [one.id for one in await bulk_acts(tx)] == [new]
    async with owner.transaction() as tx:
        assert await tx.value("select count(distinct act_id) from bulk_change") == 1
