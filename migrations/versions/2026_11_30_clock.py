"""The clock that testing mode may move: how far ahead of the real one what people see and schedule is."""

from alembic import op

revision = "2026_11_30_clock"
down_revision = "2026_11_30_ledger_whole"


def upgrade() -> None:
    op.execute("""
create table clock (
    one boolean primary key default true check (one),
    ahead interval not null default '0' check (ahead >= '0')
)
""")
    op.execute("insert into clock (one) values (true)")
    op.execute("grant select on clock to godwit_web, godwit_worker, godwit_operator")
    op.execute("""
create or replace function godwit_now() returns timestamptz language sql volatile
as 'select clock_timestamp() + (select ahead from public.clock)'
""")
