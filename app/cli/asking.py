"""What the commands that ask the database share: one transaction, and an answer as JSON."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, TypeVar

import asyncpg
import click
import msgspec
from sqlalchemy.exc import DBAPIError

from app.base.database import Database, Tx, in_words
from app.base.errors import Invalid, Unavailable
from app.cli.installation import installation

Answer = TypeVar("Answer")

json_option = click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")


def ask(
    data: Path | None,
    role: Literal["web", "operator"],
    act: Callable[[Tx], Awaitable[Answer]],
    *,
    new: bool = False,
) -> Answer:
    """Run `act` in one transaction of the role, at the installation in `data`, which `new` may begin.

    Raises Unavailable when the database does not do it (locked, busy), Invalid for what it cannot keep.
    """

    async def asked() -> Answer:
        database = Database.for_role(role, pooled=False)
        try:
            async with database.transaction() as tx:
                return await act(tx)
        except DBAPIError as error:
            if error.orig is not None and isinstance(error.orig.__cause__, asyncpg.DataError):
                raise Invalid(
                    "What was typed cannot be kept: it is no UTF-8. Nothing was changed."
                ) from error
            raise Unavailable(f"{in_words(error)}. Nothing was changed: run it again.") from error
        finally:
            await database.close()

    with installation(data, new=new):
        return asyncio.run(asked())


def print_json(value: object) -> None:
    """Print the answer for programs, on one line."""
    click.echo(msgspec.json.encode(value).decode())
