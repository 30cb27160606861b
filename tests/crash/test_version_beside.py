"""A worker of version N beside one of N + 1: each does what it knows, nothing else is touched (E2, E6)."""

from app.jobs import enqueue
from tests.crash.newer_hand import NoteNewer
from tests.crash.yard import ACCOUNT, Yard
from tests.jobs.makers import lines

OLD, NEWER = [f"old-{n}" for n in range(12)], [f"newer-{n}" for n in range(6)]
_OLD_DONE = "select count(*) = 12 from job where kind = 'test_note' and version = 1 and state = 'done'"
_UNTOUCHED = "select count(*) from job where state = 'ready' and attempts = 0 and reason is null"


async def test_what_the_newer_made_waits_for_it_and_the_older_does_the_rest(yard: Yard) -> None:
    """E2: neither refused nor tried by who cannot read it; then the older is stopped."""
    await yard.notes(*OLD, *NEWER[:3])
    await yard.shall("update job set version = 2 where args->>'word' like 'newer-%'")
    async with yard.web.transaction(ACCOUNT) as tx:
        for word in NEWER[3:]:
            await enqueue(tx, NoteNewer(word, str(yard.log)))
    older = yard.hire()
    await yard.becomes(_OLD_DONE)
    await yard.notes("seen-after-them")
    await yard.wrote("end seen-after-them")
    assert await yard.asked(_UNTOUCHED) == len(NEWER)
    newer = yard.hire(module="tests.crash.newer_hand")
    await yard.quiet()
    await yard.notes("both-alive")
    await yard.quiet()
    assert await older.stop() == 0
    await yard.notes("after-the-older")
    await yard.quiet()
    assert await newer.stop() == 0
    told = await yard.books()
    assert {(tuple(one.outcomes), len(one.began)) for one in told.values()} == {(("done",), 1)}
    by = {words[1]: int(words[2]) for line in lines(yard.log) if (words := line.split())[0] == "begin"}
    assert {by[word] for word in NEWER} == {newer.pid}
    assert {by[word] for word in OLD} == {older.pid}
