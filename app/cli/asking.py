"""What the commands that ask the database share: one transaction, and an answer as JSON."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, TypeVar

import click
import msgspec

from app.base.database import Database, Tx
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
    """Run `act` in one transaction of the role, at the installation in `data`, which `new` may begin."""

    async def asked() -> Answer:
        database = Database.for_role(role, pooled=False)
        try:
            async with database.transaction() as tx:
                return await act(tx)
        finally:
            await database.close()

    with installation(data, new=new):
        return asyncio.run(asked())


def print_json(value: object) -> None:
    """Print the answer for programs, on one line."""
    click.echo(msgspec.json.encode(value).decode())
