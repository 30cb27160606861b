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
    -- When a person last set it going again, so that a page does not call it slow at once.
    add column going_since timestamptz,
    add column cancelled_unsent boolean not null default false,
    -- After a batch was refused for one bad mail: how many a call takes until that one is alone, and since when.
    add column call_size integer check (call_size > 0),
    add column split_at timestamptz,
    add constraint not_reached_since_when check ((not_reached = 0) = (not_reached_since is null))
;;
create index mailing_cancelled on mailing (finished_at) where state = 'cancelled'
;;
alter table batch add column evidence jsonb
;;
alter table broadcast add column undone boolean not null default false
;;
drop index broadcast_once
;;
create unique index broadcast_once on broadcast (account_id, post_id, newsletter_id) where not again and not undone
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
    secure("possible_double", web="select, insert", worker="select, insert", worker_across=True)
    op.execute("grant insert, update on tally to godwit_web")
    op.execute("grant insert on send to godwit_web")
    op.execute("grant update (state, batch_id, reason, settled_at) on send to godwit_web")
    op.execute(
        "grant update (state, reason, look_up_at, blanks, settled_at, evidence) on batch to godwit_web"
    )
    run("""
create function account_notice(account bigint) returns table (address text, locale text)
language sql stable security definer set search_path = pg_catalog, public as $$
    select c.email, a.locale from public.account a
    join public.membership m on m.account_id = a.id
    join public.creator c on c.id = m.creator_id
    where a.id = $1 and a.state = 'active' and m.role in ('owner', 'editor')
    order by c.email $$
;;
comment on function account_notice(bigint) is
    'The worker tells a team what became of its mail: addresses and locale of one account, by exact id only.'
;;
revoke execute on function account_notice(bigint) from public
;;
grant execute on function account_notice(bigint) to godwit_worker
""")
