"""What this web process answers: counted by part, status and time, never by account, path or person.

Labels are of a fixed few, so that nothing grows with what strangers ask for.
"""

from time import perf_counter

from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)

# A second figure beside each counter, of use to nobody who reads text.
disable_created_metrics()

#: What this process says of itself; figures of all of Godwit are asked for at each look (figures.py).
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)

_ANSWERS = Counter(
    "godwit_http_answers", "Requests that this process answered.", ["part", "status"], registry=REGISTRY
)
_SECONDS = Histogram(
    "godwit_http_answer_seconds",
    "Time until an answer began; a stream or a large file goes on after that.",
    ["part"],
    registry=REGISTRY,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
#: First word of a path on the studio's host → part.
_PARTS = {
    "api": "api",
    "console": "console",
    "studio": "studio",
    "hooks": "hooks",
    "testing": "testing",
    "mailbox": "mailbox",
    "static": "files",
    "media": "files",
    "healthz": "probes",
    "readyz": "probes",
    "metrics": "probes",
}
PARTS = frozenset({"site", "front", *_PARTS.values()})

now = perf_counter


def part_of(path: str, *, site: bool) -> str:
    """Which of `PARTS` a request is for."""
    first = path.split("/", 2)[1] if path.startswith("/") else ""
    known = _PARTS.get(first, "front")
    return known if known in ("files", "probes") or not site else "site"


def answered(part: str, status: int, began: float) -> None:
    """An answer begins; `began` is `now()` when its request came."""
    _ANSWERS.labels(part, str(status)).inc()
    _SECONDS.labels(part).observe(now() - began)
