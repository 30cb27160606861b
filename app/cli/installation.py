"""The installation a command speaks to: that of the settings, or that in the data folder, running or not."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.base.errors import Conflict
from app.base.settings import Settings, settings
from app.cli import migrate
from app.cli.environment import UNHEARD, data_path, given, hand_down
from app.cli.services import Services


@contextmanager
def installation(data: Path | None = None) -> Iterator[Settings]:
    """Settings for a command beside a running `up`, or with servers of its own when none runs.

    With DATABASE_URL given it is the environment's, as it stands. Raises SettingsError.
    """
    if given("DATABASE_URL"):
        if not given("REDIS_URL"):
            hand_down({"REDIS_URL": UNHEARD})
        yield settings()
        return
    servers = Services(data_path(data), redis_url=given("REDIS_URL"))
    told = {name: value for name, value in servers.folder.kept("up").items() if not given(name)}
    try:
        servers.start()
    except Conflict:
        database_url, redis_url = servers.kept_urls()
        hand_down(
            told
            | {"DATABASE_URL": database_url, "REDIS_URL": redis_url, "GODWIT_DATA": str(servers.folder.path)}
        )
        yield settings()
        return
    try:
        addresses = {"DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url}
        hand_down(told | addresses | {"GODWIT_DATA": str(servers.folder.path)})
        migrate.run(settings())
        yield settings()
    finally:
        servers.stop()
