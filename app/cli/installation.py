"""The installation a command speaks to: that of the settings, or that in the data folder, running or not."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.base.errors import Conflict, NotFound
from app.base.settings import Settings, settings
from app.cli import migrate
from app.cli.environment import UNHEARD, data_path, given, hand_down
from app.cli.postgres import stands
from app.cli.services import Services


@contextmanager
def installation(data: Path | None = None, *, new: bool = False) -> Iterator[Settings]:
    """Settings for a command beside a running `up`, or with servers of its own when none runs.

    With DATABASE_URL given it is the environment's, as it stands. Only `new` begins one in a folder that has
    none. Raises SettingsError, NotFound.
    """
    if given("DATABASE_URL"):
        if not given("REDIS_URL"):
            hand_down({"REDIS_URL": UNHEARD})
        yield settings()
        return
    if not new and not stands(data_path(data)):
        raise NotFound(
            f"There is no Godwit in {data_path(data)}. Begin one with ./godwit up, or name another: --data."
        )
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
