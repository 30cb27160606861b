"""`/metrics`: what Prometheus asks for. Figures of all of Godwit, the same from each web
process, and its own.

Every name is in `FAMILIES`, so that README can list them and nothing else appears.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

from litestar import Request, Response, get
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from app.base.database import Database
from app.base.errors import Unavailable
from app.jobs import OPEN, QUEUES
from app.ops.figures import Figures, figures
from app.ops.traffic import REGISTRY

_PATIENCE = (
    4.0  # seconds; Prometheus gives up after ten, and a statement that waits for a lock fails after five
)


@dataclass(frozen=True)
class Family:
    """One metric: its name, what `Figures` calls it, its labels, in words.

    `always` are labels that have a value also where there is nothing: what appears with its first value
    cannot be seen to rise.
    """

    name: str
    figure: str
    labels: tuple[str, ...]
    words: str
    counts: bool = False
    always: tuple[tuple[str, ...], ...] = ()


FAMILIES: tuple[Family, ...] = (
    Family(
        "godwit_jobs",
        "jobs",
        ("queue", "state"),
        "Jobs that are ready, leased, held or dead.",
        always=tuple(product(QUEUES, OPEN)),
    ),
    Family(
        "godwit_oldest_due_seconds",
        "oldest_due",
        ("queue",),
        "For how long the oldest due job waits.",
        always=tuple((queue,) for queue in QUEUES),
    ),
    Family("godwit_waiting_shares", "shares", ("queue",), "Shares (accounts, webhooks) with ready jobs."),
    Family("godwit_largest_share_jobs", "largest_share", ("queue",), "Ready jobs of the largest share."),
    Family(
        "godwit_leases", "leases", ("queue", "state"), "Leases that are open, or expired and not yet swept."
    ),
    Family(
        "godwit_job_outcomes", "outcomes", ("kind", "outcome"), "Tries that ended, as workers counted.", True
    ),
    Family("godwit_unknown_batches", "unknown_batches", (), "Calls to a provider without an answer."),
    Family("godwit_unknown_copies", "unknown_copies", (), "Copies handed over in those calls."),
    Family("godwit_unknown_age_seconds", "unknown_age", (), "Age of the oldest of those calls."),
    Family("godwit_mailings", "mailings", ("state",), "Emails, by state."),
    Family("godwit_permits", "permits", (), "Leave to send that is granted and not used."),
    Family("godwit_permitted_copies", "permitted_copies", (), "Copies that it covers."),
    Family("godwit_webhooks", "webhooks", ("state",), "Webhooks, by state."),
    Family("godwit_mail_stopped", "stopped", ("scope",), "Switches that stop mail."),
    Family("godwit_provider_refusing", "refusing", ("provider",), "1 while a provider refuses our log-in."),
)
WORKERS = ("godwit_workers", "Worker processes of a queue seen within half a minute.")
UP = ("godwit_database_up", "1 when the database answered; without it the figures of Godwit are missing.")


@get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response[bytes]:
    """The figures as text, also while the database is away."""
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    body = encode(_Told(await _figures(request.app.state.operators)))
    return Response(body, media_type=content_type, headers={"Cache-Control": "no-store"})


async def _figures(operators: Database) -> Figures | None:
    try:
        async with asyncio.timeout(_PATIENCE):
            return await figures.get(operators)
    except (Unavailable, TimeoutError):
        return None


class _Told:
    """What a registry is to an encoder: the process's own metrics, and a reading of the figures."""

    def __init__(self, read: Figures | None) -> None:
        self._read = read

    def collect(self) -> Iterable[Metric]:
        """Every family that there is."""
        yield from REGISTRY.collect()
        yield GaugeMetricFamily(*UP, value=float(self._read is not None))
        if self._read is None:
            return
        for family in FAMILIES:
            yield _filled(family, self._read)
        yield _workers(self._read)


def _filled(family: Family, read: Figures) -> Metric:
    kind = CounterMetricFamily if family.counts else GaugeMetricFamily
    if not family.labels:
        return kind(family.name, family.words, value=read.alone(family.figure))
    made = kind(family.name, family.words, labels=family.labels)
    there = {(one, two)[: len(family.labels)]: n for one, two, n in read.of(family.figure)}
    for labels, n in (dict.fromkeys(family.always, 0.0) | there).items():
        made.add_metric(labels, n)
    return made


def _workers(read: Figures) -> Metric:
    made = GaugeMetricFamily(*WORKERS, labels=("queue",))
    from_queue = dict.fromkeys(QUEUES, 0)
    for worker in read.workers:
        for queue in worker.queues:
            from_queue[queue] = from_queue.get(queue, 0) + (worker.state == "alive")
    for queue, n in sorted(from_queue.items()):
        made.add_metric((queue,), n)
    return made


HANDLERS: tuple[Any, ...] = (metrics,)
