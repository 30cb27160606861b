"""What the load tool is told, and what it tells: both go through a pipe."""

import msgspec


class Order(msgspec.Struct):
    """What to ask: paths in turn, over and over (`once`: each once), for so many seconds."""

    port: int
    host: str
    paths: list[str]
    connections: int
    seconds: float
    once: bool = False


class Tally(msgspec.Struct):
    """What came back. Seconds; `failed` had another status than 200."""

    answers: int
    failed: int
    seconds: float
    median: float
    p99: float
