"""A job that kills whoever works at it ends dead, with its sentence; those beside it are done (E2, E10)."""

import signal

from app.jobs import enqueue
from tests.crash.yard import ACCOUNT, Yard
from tests.jobs.kinds import Kill
from tests.jobs.makers import lines


async def test_after_its_last_try_nobody_else_dies_and_the_others_are_done(yard: Yard) -> None:
    """E2, E10: each worker that dies is started again, as a supervisor does; two tries, two dead."""
    async with yard.web.transaction(ACCOUNT) as tx:
        killer = await enqueue(tx, Kill(str(yard.folder / "killed.log")))
    await yard.notes(*(f"beside-{n}" for n in range(10)))
    for _ in range(2):
        assert await yard.gone(yard.hire("build,payments")) == -signal.SIGKILL
    last = yard.hire("build,payments")
    await yard.quiet()
    assert await last.stop() == 0
    told = await yard.books()
    assert {(one.row.state, one.outcomes[-1]) for one in told.values()} == {("done", "done")}
    assert len(told) == 10
    assert await yard.asked("select state from job where id = :id", id=killer) == "dead"
    assert await yard.asked("select reason from job where id = :id", id=killer) == "its worker died 2 times"
    assert len(lines(yard.folder / "killed.log")) == 2
