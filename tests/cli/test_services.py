"""The embedded servers, before one is started; how they run and end: tests/processes."""

from pathlib import Path

from app.cli import ports
from app.cli.services import Services


def test_what_is_given_is_not_started(tmp_path: Path) -> None:
    with Services(tmp_path, database_url="postgresql://x", redis_url="redis://y") as services:
        assert (services.database_url, services.redis_url) == ("postgresql://x", "redis://y")
        assert not (tmp_path / "postgres").exists()


def test_our_ports_lie_below_the_ephemeral_range() -> None:
    assert ports.choose() in range(ports.LOWEST, ports.HIGHEST + 1)
    assert ports.is_free(ports.choose())
