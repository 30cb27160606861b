"""A run: the house is filled, round after round both hands act, comes to rest and is looked at."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.answers import plural
from app.base.database import Database
from app.base.errors import GodwitError, Unavailable
from app.proof.chaos import people as crew
from app.proof.chaos import strangers
from app.proof.chaos.asking import Diary
from app.proof.chaos.books import Logs, mails_taken, read_books, read_mails
from app.proof.chaos.checks import check
from app.proof.chaos.faults import Faults
from app.proof.chaos.findings import Finding, found_in
from app.proof.chaos.house import SETTINGS, House, longest_lease
from app.proof.chaos.people import MOODY, STEADY, People, Publication
from app.proof.chaos.plan import READERS, Step, rounds, schedule
from app.proof.chaos.quiet import come_to_rest
from app.proof.chaos.receiver import heard

ACTS = crew.ACTS | strangers.ACTS
#: People who act at once, and how long (s) the last of them may take after a round.
CROWD, LAST = 24, 90.0
Say = Callable[[str], None]


@dataclass
class Report:
    """What was done, hit and found. `done` counts acts by how they were answered.

    `rounds` were looked at; `ended_early` says why not all of them were. `began`: when each round did (in
    seconds since 1970), from which the steps of the schedule count.
    """

    seed: int
    minutes: float
    done: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    hit: dict[str, int] = field(default_factory=dict[str, int])
    found: list[Finding] = field(default_factory=list[Finding])
    mails: int = 0
    calls: int = 0
    rounds: int = 0
    ended_early: str = ""
    began: list[float] = field(default_factory=list[float])


def run(house: House, report: Report, say: Say, plant: Callable[[House], None] | None = None) -> None:
    """Run it all, and fill the report, also of a run that comes to no end.

    `plant` is done before the last look: a test of the checks themselves.
    """
    diary, faults = Diary(house.folder / "diary.jsonl"), Faults(house)
    try:
        _rounds(house, _moved_in(house, report.seed, diary), faults, report, say, plant)
    finally:
        house.caller.hang_up()
        report.found += _house_findings(house)
        report.done, report.hit = _counted(diary), dict(sorted(faults.hit.items()))


def _rounds(
    house: House,
    people: People,
    faults: Faults,
    report: Report,
    say: Say,
    plant: Callable[[House], None] | None,
) -> None:
    steps, lengths = schedule(report.seed, report.minutes * 60), rounds(report.minutes * 60)
    for number in range(len(lengths)):
        say(f"Round {number + 1} of {len(lengths)}: {lengths[number]:g} s …")
        report.began.append(round(time.time(), 3))
        found = _round(house, people, faults, [step for step in steps if step.round == number])
        found += come_to_rest(people, number, house.tend)
        if plant and number == len(lengths) - 1:
            plant(house)
        report.rounds, now = number + 1, asyncio.run(_looked_at(house, people, report))
        found += now
        say(f"  {report.mails} mails, {report.calls} calls; {len(found) or 'nothing'} found.")
        report.found += found


def _moved_in(house: House, seed: int, diary: Diary) -> People:
    """Publications with readers, each with a webhook that nobody pauses and one that people play with."""
    found = list[Publication]()
    for number, readers in enumerate(READERS):
        told = house.caller.ask(
            "POST", "/testing/accounts", {"seed": seed * 10 + number, "readers": readers}, patience=60
        ).json
        one = Publication(told["slug"], told["creator"]["email"], told["api_key"])
        for name in (STEADY, MOODY):
            url = f"http://127.0.0.1:{house.receiver_port}/{one.slug}/{name}"
            made = house.caller.ask("POST", "/api/v1/endpoints", {"url": url, "events": ["*"]}, key=one.key)
            if made.status != 201:
                raise Unavailable(f"No webhook could be added: {made.body[:300]!r}")
            one.endpoints[name] = made.json["id"]
            diary.note("rotate", one.slug, made, endpoint=name, secret=made.json["secret"])
        one.readers = _readers(house, one)
        found.append(one)
    return People(house.caller, diary, found, house.mails if house.provider == "smtp" else None)


def _readers(house: House, one: Publication) -> dict[str, str]:
    shown = house.caller.ask("GET", "/api/v1/readers?limit=200", key=one.key).json
    return {item["email"]: item["id"] for item in shown["items"]}


def _round(house: House, people: People, faults: Faults, steps: Sequence[Step]) -> list[Finding]:
    """Each step at its time: people's in threads, faults here. Answers acts that failed, or never ended."""
    crowd, acts = ThreadPoolExecutor(CROWD), dict[Future[None], Step]()
    try:
        _played(house, people, faults, steps, crowd, acts)
        ended, late = wait(acts, timeout=LAST)
    finally:
        crowd.shutdown(wait=False, cancel_futures=True)
    failed = [f"{acts[one].act}: {error!r}" for one in ended if (error := one.exception())]
    return [
        *found_in("chaos", "an act of ours failed", failed),
        *found_in("chaos", f"acts were not over {LAST:g} s after the faults", [acts[one] for one in late]),
    ]


def _played(
    house: House,
    people: People,
    faults: Faults,
    steps: Sequence[Step],
    crowd: ThreadPoolExecutor,
    acts: dict[Future[None], Step],
) -> None:
    """From the first step to the end of all faults; `acts` are those begun."""
    began, left = time.monotonic(), list(steps)
    while left:
        if time.monotonic() - began < left[0].at:
            time.sleep(0.01)
            faults.due()
            house.tend()
            continue
        step = left.pop(0)
        if step.hand == "people":
            acts[crowd.submit(_act, people, step)] = step
        else:
            try:
                faults.strike(step)
            except (GodwitError, OSError):  # such as a cut while the server is down
                faults.hit[f"{step.act} (not possible)"] += 1
    faults.cease()


def _act(people: People, step: Step) -> None:
    ACTS[step.act](people, people.publications[step.told["account"]], step)


async def _looked_at(house: House, people: People, report: Report) -> list[Finding]:
    """Read books and logs, and check every promise."""
    owner = Database(house.owner_url(), "postgres", 2)
    try:
        books = await read_books(owner)
        mails = mails_taken(books, house.mails) if house.provider == "smtp" else await read_mails(owner)
    finally:
        await owner.close()
    secrets: dict[str, list[str]] = {}
    for entry in people.diary.of("rotate"):
        if entry.told["secret"]:
            path = f"/{entry.account}/{entry.told['endpoint']}"
            secrets.setdefault(path, []).append(entry.told["secret"])
    calls = heard(house.calls)
    logs = Logs(
        mails=mails,
        calls=calls,
        diary=people.diary.entries,
        frozen=[(one.pid, one.begun, one.ended or time.time()) for one in house.freezes],
        secrets=secrets,
        # A tenth of it a call is for asking the database: so soon a caller may hang up.
        timeout=0.9 * float(SETTINGS["GODWIT_WEBHOOK_TIMEOUT"]),
        lease=longest_lease(house.provider),
    )
    report.mails, report.calls = len(mails), len(calls)
    return check(books, logs)


def _house_findings(house: House) -> list[Finding]:
    """What processes did that nobody asked of them."""
    told: list[tuple[str, str, list[str]]] = [
        ("E9", "processes did not end as they were asked to", house.slow_ends),
        ("chaos", "processes ended unasked", house.falls),
        ("chaos", "answers that nobody should get", house.caller.wrong),
    ]
    return [Finding(promise, sentence, rows[:10]) for promise, sentence, rows in told if rows]


def _counted(diary: Diary) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for entry in diary.entries:
        how = "done" if entry.done else "nobody answered" if not entry.status else f"refused {entry.status}"
        found.setdefault(entry.act, Counter())[how] += 1
    return {act: dict(sorted(counts.items())) for act, counts in sorted(found.items())}


def report_json(report: Report) -> dict[str, Any]:
    """The report for programs."""
    found = [{"promise": one.promise, "sentence": one.sentence, "rows": one.rows} for one in report.found]
    return {**vars(report), "found": found}


def _early(report: Report) -> str:
    whole = plural(len(rounds(report.minutes * 60)), "round")
    return (
        f"It came to no end. {report.ended_early} Of {whole} {report.rounds} were looked at: "
        "of what was done after them nobody knows whether it is well."
    )


def report_words(report: Report, kept: Path) -> list[str]:
    """The report for people."""
    done = [
        f"  {act}: {', '.join(f'{n} {how}' for how, n in told.items())}" for act, told in report.done.items()
    ]
    lines = [
        f"Seed {report.seed}, {report.minutes:g} minutes in {report.rounds} rounds: "
        f"{report.mails:,} mails, {report.calls:,} calls of webhooks.",
        *([_early(report)] if report.ended_early else []),
        "",
        "Done",
        *done,
        "",
        "Hit",
        *(f"  {fault}: {n}" for fault, n in report.hit.items()),
        *([] if any(report.hit.values()) else ["  nothing: so short a run harms nobody, and proves little"]),
        "",
        "Found" if report.found else "Found: nothing.",
    ]
    for one in report.found:
        lines += [f"  {one.promise}: {one.sentence}", *(f"      {row}" for row in one.rows)]
    return [*lines, "", f"Kept in {kept}"]
