"""`godwit services`, and the two embedded servers as one thing to start and stop."""

from pathlib import Path
from types import TracebackType
from typing import Self

import click

from app.cli.environment import data_option, data_path, given
from app.cli.folder import Folder
from app.cli.identity import Identity
from app.cli.postgres import Postgres
from app.cli.signals import Signals
from app.cli.valkey import Valkey


class Services:
    """PostgreSQL and Valkey for one data folder, which is held from start to stop.

    A server whose address is given (`database_url`, `redis_url`; the command gives those of
    the environment) is not started. Not for use in an event loop: `start` and `stop` block.
    """

    def __init__(
        self,
        data_dir: Path,
        durable: bool = True,
        *,
        database_url: str | None = None,
        redis_url: str | None = None,
        who: Identity | None = None,
    ) -> None:
        self.folder = Folder(data_dir)
        self._durable = durable
        self._who = who
        self._given_database, self._given_redis = database_url, redis_url
        self.postgres: Postgres | None = None
        self.redis: Valkey | None = None

    @property
    def database_url(self) -> str:
        """The owner's address."""
        return self._given_database or (self.postgres.url if self.postgres else "")

    @property
    def redis_url(self) -> str:
        """The bell's address."""
        return self._given_redis or (self.redis.url if self.redis else "")

    def start(self) -> Self:
        """Hold the folder and start what is not given. Raises Conflict (folder in use), Unavailable."""
        self.folder.hold()
        try:
            if not self._given_database:
                self.postgres = Postgres(self.folder, durable=self._durable, who=self._who)
                self.postgres.start()
            if not self._given_redis:
                self.redis = Valkey(self.folder)
                self.redis.start()
        except BaseException:
            self.stop()
            raise
        return self

    def kept_urls(self) -> tuple[str, str]:
        """Where the holder of this folder serves: (database, redis)."""
        postgres, redis = Postgres(self.folder, who=self._who), Valkey(self.folder)
        return self._given_database or postgres.url, self._given_redis or redis.url

    def revive(self) -> list[str]:
        """Start again what ended unasked, at its old address if that is free; answers which."""
        fallen = [server for server in (self.postgres, self.redis) if server and not server.running]
        for server in fallen:
            server.start()
        return [type(server).__name__ for server in fallen]

    def stop(self) -> None:
        """Stop both, PostgreSQL first, and let the folder go."""
        for server in (self.postgres, self.redis):
            if server:
                server.stop()
        self.folder.release()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


@click.command()
@data_option
def services(data: Path | None) -> None:
    """Run the embedded PostgreSQL and Valkey alone, in the foreground."""
    wanted = Services(data_path(data), database_url=given("DATABASE_URL"), redis_url=given("REDIS_URL"))
    with Signals() as signals, wanted as running:
        click.echo(f"DATABASE_URL={running.database_url}")
        click.echo(f"REDIS_URL={running.redis_url}")
        click.echo("ready")
        while not signals.stopping:
            signals.wait(1)
            for name in [] if signals.stopping else running.revive():
                click.echo(f"{name} ended unasked and was started again.", err=True)
