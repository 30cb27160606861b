"""`godwit migrate`: bring the database to this version, then exit."""

import asyncpg
import click
from sqlalchemy.exc import DBAPIError

from app.base.errors import Unavailable
from app.base.settings import Settings, settings
from app.cli.environment import UNHEARD, given, hand_down
from migrations.run import migrate_database

_AWAY = (
    OSError,
    asyncpg.CannotConnectNowError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.TooManyConnectionsError,
)


_NOT_OURS = "42501"  # insufficient_privilege


def run(wanted: Settings) -> None:
    """Run every missing migration, as the owner.

    Raises Unavailable when the database is out of reach, or holds what godwit_owner has no right to.
    """
    try:
        migrate_database(wanted.database.owner_url, wanted.mode)
    except _AWAY as error:
        raise Unavailable(f"The database at DATABASE_URL cannot be reached: {error}") from error
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != _NOT_OURS:
            raise
        raise Unavailable(
            "This database holds tables that are not godwit_owner's, as when a dump was loaded before its"
            " roles were there. Load it into a new database of a server on which godwit migrate ran once"
            " (README, Backups)."
        ) from error


@click.command()
def migrate() -> None:
    """Bring the database at DATABASE_URL to this version."""
    if not given("REDIS_URL"):
        hand_down({"REDIS_URL": UNHEARD})  # a setting of every process, and of no meaning here
    run(settings())
    click.echo("The database is at this version.")
