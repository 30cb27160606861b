"""The console's pages of jobs: what lies in each queue, what gave up and why; try again, or discard."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from litestar import Request, Response, get, post

from app.accounts import Operator
from app.answers import Flash, answer, form_of, page
from app.base.errors import Invalid, NotFound, Problem
from app.jobs import (
    OPEN,
    QUEUES,
    AttemptLine,
    Depth,
    JobLine,
    JobState,
    discard_job,
    operator_attempts,
    operator_job,
    operator_jobs,
    queue_depths,
    retry_job,
)

URL = "/console/jobs"
PAGE = 50
_LONGEST = 500  # characters of a reason
_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class QueueLine:
    """One queue: how many jobs are in each open state, and since when the oldest ready one is due."""

    name: str
    counts: dict[str, int]
    oldest: datetime | None

    @property
    def busy(self) -> bool:
        """Whether anything lies in it."""
        return any(self.counts.values())


@dataclass(frozen=True)
class ListPage:
    """The queues, and the jobs of one state or queue ('': all that are not over)."""

    url: str
    queues: tuple[QueueLine, ...]
    states: tuple[str, ...]
    state: str
    queue: str
    lines: tuple[JobLine, ...]
    older: str

    def count(self, state: str) -> int:
        """Over all queues."""
        return sum(queue.counts[state] for queue in self.queues)


@dataclass(frozen=True)
class JobPage:
    """One job with its tries. Which acts fit its state: `may_retry`, `may_discard`."""

    url: str
    job: JobLine
    attempts: tuple[AttemptLine, ...]

    @property
    def may_retry(self) -> bool:
        """Whether it can be made ready again."""
        return self.job.state in ("dead", "held")

    @property
    def may_discard(self) -> bool:
        """Whether it can be given up for good."""
        return self.job.state in ("ready", "dead", "held")


@get("/jobs")
async def show_jobs(request: Request, operator: Operator) -> Response[Any]:
    """By queue and state, newest first."""
    asked = request.query_params
    state = _one_of("state", asked.get("state", ""), [str(one) for one in JobState])
    queue = _one_of("queue", asked.get("queue", ""), list(QUEUES))
    before = _number(asked["before"]) if asked.get("before") else None
    async with operator.transaction() as tx:
        depths = await queue_depths(tx)
        found = await operator_jobs(
            tx, states=(state,) if state else OPEN, queue=queue or None, before=before, most=PAGE + 1
        )
    older = f"{URL}?state={state}&queue={queue}&before={found[PAGE - 1].id}" if len(found) > PAGE else ""
    states = tuple(str(one) for one in JobState)
    shown = ListPage(URL, queue_lines(depths), states, state, queue, tuple(found[:PAGE]), older)
    return _shown("jobs/list.html", operator, shown)


@get("/jobs/{job_id:str}")
async def show_job(operator: Operator, job_id: str) -> Response[Any]:
    """One job: where it is and why, and every try."""
    number = _number(job_id)
    async with operator.transaction() as tx:
        found = await operator_job(tx, number)
        attempts = await operator_attempts(tx, number)
    if found is None:
        raise _gone(number)
    return _shown("jobs/show.html", operator, JobPage(f"{URL}/{number}", found, tuple(attempts)))


@post("/jobs/{job_id:str}/retry")
async def retry(request: Request, operator: Operator, job_id: str) -> Response[Any]:
    """Ready again, with all its tries before it."""
    number = _number(job_id)
    async with operator.transaction() as tx:
        done = await retry_job(tx, number)
        found = await operator_job(tx, number)
    said = f"Job {number} is ready again." if done else None
    return _answered(request, found, number, said, "only what gave up or is held can be tried again")


@post("/jobs/{job_id:str}/discard")
async def discard(request: Request, operator: Operator, job_id: str) -> Response[Any]:
    """Given up for good, with who did it and why."""
    number = _number(job_id)
    because = " ".join((await form_of(request)).text("reason", most=_LONGEST).split())
    words = f"discarded by {operator.creator.name}" + (f": {because}" if because else "")
    async with operator.transaction() as tx:
        done = await discard_job(tx, number, words)
        found = await operator_job(tx, number)
    said = f"Job {number} is discarded." if done else None
    return _answered(request, found, number, said, "only what waits, gave up or is held can be discarded")


def queue_lines(depths: list[Depth]) -> tuple[QueueLine, ...]:
    """A line for every queue that there is, also those with nothing in them."""
    none: dict[str, int] = dict.fromkeys(OPEN, 0)
    by_queue = {name: dict(none) for name in QUEUES}
    oldest: dict[str, datetime] = {}
    for depth in depths:
        by_queue.setdefault(depth.queue, dict(none))[depth.state] = depth.jobs
        if depth.state == "ready":
            oldest[depth.queue] = depth.oldest
    return tuple(QueueLine(name, counts, oldest.get(name)) for name, counts in by_queue.items())


def _answered(
    request: Request, found: JobLine | None, number: int, said: str | None, refused: str
) -> Response[Any]:
    if found is None:
        raise _gone(number)
    flash = Flash("ok", said) if said else Flash("warn", f"Job {number} is {found.state}: {refused}.")
    return answer(request, to=f"{URL}/{number}", flash=flash)


def _shown(template: str, operator: Operator, shown: ListPage | JobPage) -> Response[Any]:
    said = {"flash": operator.flash, "who": operator.creator, "section": "jobs"}
    return page(template, headers=_FRESH, page=shown, **said)


def _one_of(field: str, given: str, known: list[str]) -> str:
    if given and given not in known:
        raise Invalid([Problem(field, f"There is no such {field}; there are {', '.join(known)}.")])
    return given


def _number(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise NotFound("A job has a number; this is none.")
    return int(given)


def _gone(number: int) -> NotFound:
    return NotFound(f"There is no job {number}; one that is over goes after some weeks.")


HANDLERS: tuple[Any, ...] = (show_jobs, show_job, retry, discard)
