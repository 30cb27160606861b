"""What must hold, asked of the books and of what really happened outside. Each sentence begins with its
promise."""

import json
from collections import Counter, defaultdict
from typing import Any
from uuid import UUID

from tests.simulation.control import Control
from tests.simulation.world import World

_JOBS = "select * from job order by id"
_ATTEMPTS = "select * from attempt order by lease, late"
_MOMENT = """
select null as lane, coalesce(t.state, s.state) as state, t.n as told, s.n as true
from (select mailing_id, state, sum(n)::bigint as n from tally group by 1, 2) t
full join (select mailing_id, state, count(*) as n from send group by 1, 2) s
    on s.mailing_id = t.mailing_id and s.state = t.state
where coalesce(t.n, 0) <> coalesce(s.n, 0)
union all
select lane, null, null, null from job where state = 'leased' and lane is not null
group by account_id, lane having count(*) > 1
union all
select null, s.state, null, null
from mailing m join send s on s.account_id = m.account_id and s.mailing_id = m.id
where m.state = 'finished' and s.state in ('planned', 'sending', 'unknown')
"""


class Broken(AssertionError):
    """A promise that did not hold."""


def at_this_moment(control: Control) -> None:
    """What holds after every commit."""
    for row in control.rows(_MOMENT):
        if row["lane"]:
            raise Broken(f"E3: two of lane {row['lane']} are leased at once")
        if row["told"] is None and row["true"] is None:
            raise Broken(f"L10: a mailing is finished, and a copy of it is {row['state']}")
        raise Broken(f"L7: the figures say {row['told']} {row['state']}, the rows {row['true']}")


def of_a_settle(values: Any, settled: list[Any]) -> None:
    """What came back from a settle was held by who told it."""
    told = {(one["id"], one["lease"]) for value in values if isinstance(value, list) for one in value}
    for row in settled:
        if (row["id"], row["lease"]) not in told:
            raise Broken(
                f"E4: job {row['id']}, held by lease {row['lease']}, was settled by who held it before"
            )


def at_the_end(world: World) -> None:
    """What holds once all is quiet."""
    control = world.sim.control
    at_this_moment(control)
    jobs, attempts = control.rows(_JOBS), control.rows(_ATTEMPTS)
    _ended(jobs, attempts)
    _counted(world, jobs, attempts)
    _caused(control, jobs)
    _in_turn(jobs, attempts)
    _once_a_slot(jobs)
    _stopped(world, attempts)
    if world.plan.kind == "lanes":
        _received(world, jobs)
    if world.plan.kind == "mailing":
        _mailed(world)
        _respected(world)


def _ended(jobs: list[Any], attempts: list[Any]) -> None:
    for job in jobs:
        name = f"{job['kind']} {job['id']}"
        if job["state"] in ("ready", "leased"):
            raise Broken(f"E2: {name} is still {job['state']} ({job['reason']})")
        if job["state"] in ("dead", "held") and not job["reason"]:
            raise Broken(f"E2: {name} is {job['state']} without a reason")
    last: dict[int, Any] = {}
    for one in attempts:
        if not one["late"]:
            last[one["job_id"]] = one
    for job in jobs:
        one = last.get(job["id"])
        if one is None:
            if job["state"] in ("done", "dead"):
                raise Broken(f"E4: job {job['id']} is {job['state']} and nobody tried it")
        elif one["lease"] != job["lease"] and job["state"] in ("done", "dead"):
            raise Broken(
                f"E4: job {job['id']} was settled by lease {one['lease']}, but {job['lease']} held it"
            )
        elif one["outcome"] != "done" and job["state"] == "done":
            raise Broken(f"E4: job {job['id']} is done, its last try says {one['outcome']}")
    leases = Counter((one["job_id"], one["lease"]) for one in attempts if not one["late"])
    if twice := [key for key, n in leases.items() if n > 1]:
        raise Broken(f"E4: job {twice[0][0]} was settled twice under lease {twice[0][1]}")


def _counted(world: World, jobs: list[Any], attempts: list[Any]) -> None:
    uncounted = ("throttled", "continue", "held")
    tried = Counter(one["job_id"] for one in attempts if not one["late"] and one["outcome"] not in uncounted)
    for job in jobs:
        if job["state"] in ("done", "dead") and job["attempts"] != tried[job["id"]]:
            raise Broken(
                f"E6: job {job['id']} counts {job['attempts']} tries, {tried[job['id']]} are on record"
            )
    refused = {one["job_id"] for one in attempts if one["outcome"] == "refused" and not one["late"]}
    for job in jobs:
        if job["id"] in refused and job["state"] != "dead":
            raise Broken(f"E6: job {job['id']} was refused and is {job['state']}")
    unknown = {one["job_id"] for one in attempts if one["outcome"] in ("unknown", "lost") and not one["late"]}
    for job in jobs:
        if job["kind"] == "test_sim_held" and job["id"] in unknown and job["state"] not in ("held", "dead"):
            raise Broken(f"E2: job {job['id']}, of a kind that waits for a person, was unknown and went on")


def _caused(control: Control, jobs: list[Any]) -> None:
    causes = Counter(row["key"] for row in control.rows("select key from sim.cause"))
    words = Counter(_args(job)["word"] for job in jobs
                    if job["kind"] in ("test_sim_try", "test_sim_held", "test_sim_steps"))  # fmt: skip
    for word in causes.keys() | words.keys():
        if words[word] != min(1, causes[word]):
            raise Broken(f"E1, E5: {causes[word]} committed causes of {word!r}, {words[word]} jobs")
    steps: dict[int, list[Any]] = defaultdict(list)
    for row in control.rows("select job, n from sim.stepped order by n"):
        steps[row["job"]].append(row["n"])
    for job, told in steps.items():
        if told != list(range(len(told))):
            raise Broken(f"E4: the steps of job {job} are {told}")
    for job in jobs:
        if job["kind"] == "test_sim_steps" and job["state"] == "done" and len(steps[job["id"]]) != 3:
            raise Broken(f"E2: job {job['id']} is done after {len(steps[job['id']])} of 3 steps")


def _args(job: Any) -> dict[str, Any]:
    return json.loads(job["args"])


def _once_a_slot(jobs: list[Any]) -> None:
    for until, n in Counter(job["expires_at"] for job in jobs if job["kind"] == "test_sim_slot").items():
        if n > 1:
            raise Broken(f"E8: the slot that ends at {until:%H:%M} has {n} jobs")


def _in_turn(jobs: list[Any], attempts: list[Any]) -> None:
    """In a lane of ranks no older one is claimed after a newer one."""
    by_id = {job["id"]: job for job in jobs}
    newest: dict[str, int] = {}
    for one in attempts:
        job = by_id[one["job_id"]]
        if job["rank"] is None:
            continue
        if job["rank"] < newest.get(job["lane"], 0):
            raise Broken(f"E7: number {job['rank']} was begun after {newest[job['lane']]}")
        newest[job["lane"]] = job["rank"]


def _stopped(world: World, attempts: list[Any]) -> None:
    """Who is asked to stop and has the time ends what it has in hand."""
    for one in attempts:
        if one["outcome"] == "lost" and one["worker"] in world.retired:
            raise Broken(f"E9: {one['worker']} was asked to stop, and left job {one['job_id']} in the middle")


def _received(world: World, jobs: list[Any]) -> None:
    newest, bodies = 0, dict[str, bytes]()
    for one in world.receivers.got:
        if bodies.setdefault(one.id, one.body) != one.body:
            raise Broken(f"W2: {one.id} came with other bytes")
        if one.release is not None and not one.redelivery:
            if one.release < newest:
                raise Broken(f"E7: the receiver got release {one.release} after {newest}")
            newest = one.release
    published = [act.what for act in world.done if act.name == "publish"]
    events = world.sim.control.rows("select id, release, sequence from event")
    _arrived(world, jobs, {row["id"]: row["sequence"] for row in events})
    told = {row["release"] for row in events if row["release"]}
    if lost := set(published) - told:
        raise Broken(f"W1: releases {sorted(lost)} were published, and no event tells of them")
    if any(row["sequence"] is None for row in events):
        raise Broken("E2: an event was never numbered")
    ranked = [job for job in jobs if job["rank"] is not None]
    top = max((job["rank"] for job in ranked), default=0)
    if ranked and max(told) != top:
        raise Broken(f"E2: release {max(told)} was announced, the newest delivery is of {top}")
    if any(job["state"] == "superseded" and job["rank"] == top for job in ranked):
        raise Broken(f"E7: the newest release {top} was superseded")


def _arrived(world: World, jobs: list[Any], sequences: dict[int, int]) -> None:
    got = {(one.sequence, one.redelivery) for one in world.receivers.got}
    for job in jobs:
        if job["kind"] == "deliver_webhook" and job["state"] == "done":
            args = _args(job)
            if (sequences[args["event_id"]], args["redelivery"]) not in got:
                raise Broken(f"W4: delivery {job['id']} is done, and the receiver never got it")


def _mailed(world: World) -> None:
    control = world.sim.control
    sends = control.rows("select * from send")
    mailings = {row["id"]: row for row in control.rows("select * from mailing")}
    doubles = {(row["mailing_id"], row["reader_id"]) for row in control.rows("select * from possible_double")}
    copies: Counter[tuple[UUID, UUID]] = Counter()
    for one in world.provider.kept:
        _, mailing, readers = world.batches[one.batch]
        if one.to not in readers:
            raise Broken(f"L3: a copy to {one.to} left, and no committed batch names it")
        copies[mailing, readers[one.to]] += 1
    for (mailing, reader), n in copies.items():
        if n > 1 and (mailing, reader) not in doubles:
            raise Broken(f"L1: {world.name_of(reader)} got {n} copies of one mailing, and nobody is told")
    for row in mailings.values():
        if row["state"] not in ("finished", "cancelled"):
            raise Broken(f"L10: a mailing is {row['state']} at the end ({row['reason']})")
    rows: dict[UUID, list[Any]] = defaultdict(list)
    for send in sends:
        rows[send["mailing_id"]].append(send)
        if send["state"] in ("planned", "sending", "unknown"):
            raise Broken(f"L10: the copy of {world.name_of(send['reader_id'])} is still {send['state']}")
        if send["state"] in ("failed", "skipped") and not send["reason"]:
            raise Broken(
                f"L8: the copy of {world.name_of(send['reader_id'])} {send['state']} without a reason"
            )
        key = send["mailing_id"], send["reader_id"]
        if send["state"] == "sent" and not copies[key] and not world.decided(send["mailing_id"], 1):
            raise Broken(f"L1: the copy of {world.name_of(send['reader_id'])} counts as sent and never left")
        if (
            send["state"] != "sent"
            and copies[key]
            and key not in doubles
            and not world.decided(send["mailing_id"], 0)
        ):
            raise Broken(f"L4: {world.name_of(send['reader_id'])} got a copy that counts as {send['state']}")
    for mailing, row in mailings.items():
        wanted = world.audience_of(row["account_id"])
        told = {one["reader_id"] for one in rows[mailing]}
        if row["built_at"] is not None and (lacking := wanted - told):
            raise Broken(f"L2: the build lost {sorted(map(world.name_of, lacking))}")
    for _, mailing, _, readers in world.told:
        for send in rows[mailing]:
            if (
                send["reader_id"] in readers
                and send["state"] != "sent"
                and (mailing, send["reader_id"]) not in doubles
            ):
                raise Broken(
                    f"L1: evidence of {world.name_of(send['reader_id'])}'s copy was ignored: {send['state']}"
                )


def _respected(world: World) -> None:
    """Claims begun after an act's commit."""
    spans: dict[Any, list[list[float]]] = defaultdict(list)
    ends = {"pause": "resume", "stop": "start"}
    for act in world.done:
        if act.name in ("pause", "cancel", "stop"):
            spans[act.name, act.what].append([act.ended, float("inf")])
        for began, over in ends.items():
            if act.name == over:
                for span in spans[began, act.what]:
                    span[1] = min(span[1], act.began)
    left = [
        (act.ended, *act.what) for act in world.done if act.name in ("unsubscribe_reader", "suppress_reader")
    ]
    for batch, (account, mailing, readers) in world.batches.items():
        claimed = world.claims.get(batch)
        if claimed is None:
            raise Broken(f"L3: the provider was called with batch {batch}, which nobody claimed")
        for what in (("pause", mailing), ("cancel", mailing), ("stop", account)):
            if any(begin < claimed <= end for begin, end in spans[what]):
                raise Broken(f"L5: a claim begun after the {what[0]} handed over {len(readers)} copies")
        for since, whose, reader in left:
            if since < claimed and whose == account and reader in readers.values():
                raise Broken(f"L5: {world.name_of(reader)} left, and a claim begun later took the copy")
