"""Row security as every account table has it. Old migrations call these: they do not change.

The policy compares with the account of the transaction; `nullif` makes "no account" mean
no rows also in a connection's second transaction, when the setting is '' and not null.
`godwit_owner` sees all, or foreign keys, backfills and dumps would go blind under force.
"""

from alembic import op

WITHIN = "{column} = nullif((select current_setting('godwit.account_id', true)), '')::bigint"


def secure(
    table: str, *, web: str = "", worker: str = "", worker_across: bool = False, column: str = "account_id"
) -> None:
    """Enable and force row security on `table`; `web` and `worker` are the rights granted, '' for none."""
    within = WITHIN.format(column=column)
    op.execute(f"alter table {table} enable row level security")
    op.execute(f"alter table {table} force row level security")
    op.execute(f"create policy owner on {table} for all to godwit_owner using (true) with check (true)")
    if web:
        op.execute(
            f"create policy web on {table} for all to godwit_web using ({within}) with check ({within})"
        )
        op.execute(f"grant {web} on {table} to godwit_web")
    if worker:
        rule = "true" if worker_across else within
        op.execute(
            f"create policy worker on {table} for all to godwit_worker using ({rule}) with check ({rule})"
        )
        op.execute(f"grant {worker} on {table} to godwit_worker")


def run(script: str) -> None:
    """Execute a script of statements separated by a line of its own that holds only `;;`."""
    for statement in script.split("\n;;\n"):
        if statement.strip():
            op.execute(statement)


def build_index(name: str, definition: str, *, unique: bool = False) -> None:
    """Build an index while everybody goes on reading and writing its table.

    For a migration that does nothing else: it is no transaction, and may be broken off and run again. What a
    broken build left behind is built anew.
    """
    with op.get_context().autocommit_block():
        # It waits for whoever is in a transaction, and nobody waits for it.
        op.execute("set lock_timeout = 0")
        op.execute("set statement_timeout = 0")
        op.execute(f"drop index concurrently if exists {name}")
        op.execute(f"create {'unique ' if unique else ''}index concurrently {name} on {definition}")
        op.execute("set lock_timeout = '5s'")
        op.execute("set statement_timeout = '10min'")
