"""Coming to rest: what people hold back goes on, nothing goes wrong, and it is waited until all is done."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from app.proof.chaos.findings import Finding
from app.proof.chaos.people import People, Publication, resume_endpoint, switch_off
from app.proof.chaos.plan import Step
from app.proof.chaos.post_office import opened, taken

#: Seconds that a house may take to come to rest, and that the clock may be moved for what is due later.
LONGEST, AHEAD = 150.0, 7200.0
#: How often it is asked: what a drain lets finish may need a person.
_TIMES = 4
_OPEN = ("scheduled", "building", "sending", "paused")


def come_to_rest(people: People, number: int, tend: Callable[[], None]) -> list[Finding]:
    """Wait, bounded. What is left at the end is a finding (E2). `tend` begins again who fell meanwhile."""
    until = time.monotonic() + LONGEST
    told: dict[str, Any] = {}
    for turn in range(_TIMES):
        step = Step(number, 1000.0 + turn, "people", "tidy", {"n": number, "pick": 0.0})
        for one in people.publications:
            _tidy(people, one, step)
        order = {"timeout": max(1.0, min(60.0, until - time.monotonic())), "advance": True, "until": AHEAD}
        told = _drained(people, order, tend)
        if told.get("quiet") and not any(_waiting(people, one) for one in people.publications):
            return []
        if time.monotonic() > until:
            break
    left = [f"{one['what']}: {one['why']} (due {one['due']})" for one in told.get("waiting", [])]
    for one in people.publications:
        left += [
            f"{one.slug}: broadcast {b['id']} is {b['state']}: {b['reason']}" for b in _waiting(people, one)
        ]
    return [Finding("E2", f"it did not come to rest within {LONGEST:g} s", left[:20])]


def _drained(people: People, order: dict[str, Any], tend: Callable[[], None]) -> dict[str, Any]:
    """A drain takes longer than a program waits for an answer: in short pieces, until it is quiet or late."""
    until, told = time.monotonic() + order["timeout"], dict[str, Any]()
    while time.monotonic() < until:
        tend()  # a failpoint that was met before it was taken back may strike now
        told = people.caller.ask("POST", "/testing/drain", order | {"timeout": 8}).json
        if told.get("quiet"):
            break
    return told


def _tidy(people: People, one: Publication, step: Step) -> None:
    """What a person does who finds it so: mail is let go, emails and webhooks go on."""
    state = people.ask(one, step, "GET", "/switch").json
    if state.get("on") or state.get("holding"):
        switch_off(people, one, step)
    for name in one.endpoints:
        told = people.ask(one, step, "GET", f"/endpoints/{one.endpoints[name]}").json
        if told.get("state") != "active":
            resume_endpoint(people, one, step, name)
    for shown in _waiting(people, one):
        if shown["unknown"] and people.mails is not None:
            _decide(people, one, step, shown["id"], people.mails)
        if shown["state"] == "paused":
            told = people.ask(one, step, "POST", f"/broadcasts/{shown['id']}/resume")
            people.diary.note("resume", one.slug, told, broadcast=shown["id"])


def _decide(people: People, one: Publication, step: Step, broadcast: str, log: Path) -> None:
    """Nobody can be asked but the readers: who has it is told so, the others get it."""
    there = {UUID(opened(mail)["delivery"]) for mail in taken(log)}
    path = f"/broadcasts/{broadcast}"
    shown = people.ask(one, step, "GET", f"{path}/sends?state=unknown&limit=200").json.get("items", [])
    have = {s["reader"]: uuid5(UUID(s["batch"]), s["reader"]) in there for s in shown}
    for sent, named in ((True, "sent"), (False, "planned")):
        readers = [reader for reader, has in have.items() if has is sent]
        if readers:
            body = {"as": named, "readers": readers}
            told = people.caller.ask("POST", f"/api/v1{path}/resolve", body, key=one.key)
            people.diary.note("resolve", one.slug, told, broadcast=broadcast, named=named)


def _waiting(people: People, one: Publication) -> list[dict[str, Any]]:
    """Emails that are not over."""
    shown = people.caller.ask("GET", "/api/v1/broadcasts?limit=200", key=one.key).json
    return [item for item in shown.get("items", []) if item["state"] in _OPEN]
