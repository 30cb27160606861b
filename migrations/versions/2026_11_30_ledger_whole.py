"""The ledger whole: when a mailing starts, whom its changes are told, calls that reached nobody, possible doubles."""

from alembic import op

from migrations.policies import run, secure

revision = "2026_11_30_ledger_whole"
down_revision = "2026_11_30_switches"


def upgrade() -> None:
    run("""
alter table mailing
    add column starts_at timestamptz not null default godwit_now(),
    add column on_change text collate "C",
    add column not_reached integer not null default 0 check (not_reached >= 0),
    add column not_reached_since timestamptz,
    add column cancelled_unsent boolean not null default false,
    add constraint not_reached_since_when check ((not_reached = 0) = (not_reached_since is null))
;;
alter table batch add column evidence jsonb
;;
create table possible_double (
    account_id bigint not null,
    mailing_id uuid not null,
    reader_id uuid not null,
    batch_id uuid not null,
    other_batch_id uuid,
    why text not null,
    seen_at timestamptz not null default godwit_now(),
    primary key (account_id, mailing_id, reader_id, batch_id),
    foreign key (account_id, mailing_id) references mailing (account_id, id),
    foreign key (account_id, batch_id) references batch (account_id, id)
)
""")
    secure("possible_double", web="select", worker="select, insert", worker_across=True)
    op.execute("grant insert, update on tally to godwit_web")
    op.execute("grant update (state, batch_id, reason, settled_at) on send to godwit_web")
    op.execute("grant update (state, reason, look_up_at, blanks, settled_at) on batch to godwit_web")
