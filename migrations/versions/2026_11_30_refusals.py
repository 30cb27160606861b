"""A mail provider that refuses us whatever the mail: nobody claims for it until a probe succeeds."""

from alembic import op

revision = "2026_11_30_refusals"
down_revision = "2026_11_30_clock"


def upgrade() -> None:
    op.execute("""
create table provider_refusal (
    provider text primary key,
    reason text not null check (length(reason) between 1 and 2000),
    since timestamptz not null default godwit_now(),
    probes integer not null default 0 check (probes >= 0),
    probe_at timestamptz not null,
    let_in_at timestamptz
)
""")
    op.execute("""
comment on table provider_refusal is
'Of the platform, no account''s: a provider that refuses our key, sender or right, until a probe is let in (let_in_at).'
""")
    op.execute("grant select, insert, update, delete on provider_refusal to godwit_worker")
    op.execute("grant select, update (probe_at) on provider_refusal to godwit_web")
    op.execute("grant select on provider_refusal to godwit_operator")
