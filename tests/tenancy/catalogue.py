"""What the database says of itself: account tables, policies, grants, functions."""

from pathlib import Path
from typing import Any
from uuid import UUID

from app.base.database import Database

WITHIN = (
    "({column} = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting),"
    " ''::text))::bigint)"
)
RUNTIME = ("godwit_web", "godwit_worker", "godwit_operator")
#: Read and written over all accounts by the worker.
ACROSS = {
    *("account", "job", "job_key", "attempt", "lane", "mailing", "batch", "send", "tally"),
    *("possible_double", "switch"),
}

#: Every table and partition with an account's data, and the column that says whose.
_TABLES = """
select c.relname::text as name, case when c.relname = 'account' then 'id' else 'account_id' end as of,
       c.relrowsecurity as secured, c.relforcerowsecurity as forced, c.relispartition as part
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind in ('r', 'p')
  and (c.relname = 'account' or exists (
      select from pg_attribute a
      where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped))
order by c.relname
"""


async def asked(owner: Database, statement: str, **binds: object) -> list[Any]:
    """Rows as the owner sees them."""
    async with owner.transaction() as tx:
        return await tx.rows(statement, **binds)


async def account_tables(owner: Database, *, parts: bool = False) -> list[Any]:
    """The account tables; with `parts` their partitions too."""
    return [row for row in await asked(owner, _TABLES) if parts or not row.part]


def uuid(account: int, n: int) -> UUID:
    """The account's n-th id, the same in every table."""
    return UUID(int=account * 1000 + n)


async def fill(owner: Database, account: int) -> None:
    """A row of the account in every account table."""
    script = (Path(__file__).parent / "rows.sql").read_text("utf-8")
    script = script.replace(":a,", f"{account},").replace(":a ", f"{account} ").replace(":a)", f"{account})")
    for n in (1, 2):
        script = script.replace(f":u{n}", f"'{uuid(account, n)}'")
    async with owner.transaction() as tx:
        for statement in script.split("\n", 1)[1].split(";\n"):
            if statement.strip():
                await tx.connection.execute(statement)
