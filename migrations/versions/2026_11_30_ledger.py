"""The ledger: mailings, a send per reader of each, batches handed over, tallies."""

from migrations.policies import run, secure

revision = "2026_11_30_ledger"
down_revision = "2026_11_30_posts"


def upgrade() -> None:
    run("""
create table mailing (
    account_id bigint not null references account,
    id uuid not null,
    source_kind text collate "C" not null,
    source_id uuid not null,
    newsletter_id uuid not null,
    sender text not null,
    reply_to text,
    subject text not null check (length(subject) between 1 and 998),
    body_text text not null,
    body_html text not null,
    site_url text not null,
    state text collate "C" not null default 'building' check (state in
        ('building', 'sending', 'paused', 'finished', 'cancelled')),
    reason text,
    build_cursor uuid,
    build_began_at timestamptz,
    built_at timestamptz,
    created_at timestamptz not null default godwit_now(),
    finished_at timestamptz,
    audited_at timestamptz,
    audit jsonb,
    primary key (account_id, id),
    foreign key (account_id, newsletter_id) references newsletter (account_id, id),
    constraint over_has_finish check ((state in ('finished', 'cancelled')) = (finished_at is not null)),
    constraint sending_was_built check (state not in ('sending', 'finished') or built_at is not null),
    constraint building_is_not_built check (state <> 'building' or built_at is null),
    constraint paused_has_reason check (state <> 'paused' or reason is not null)
)
;;
create index mailing_open on mailing (account_id, id) where state in ('building', 'sending')
;;
create table batch (
    account_id bigint not null,
    id uuid not null,
    mailing_id uuid not null,
    job_id bigint not null,
    lease bigint not null,
    provider text not null,
    size integer not null check (size > 0),
    blanks jsonb,
    state text collate "C" not null default 'calling' check (state in
        ('calling', 'accepted', 'refused', 'unknown', 'resolved')),
    reason text,
    called_at timestamptz not null default clock_timestamp(),
    call_until timestamptz not null,
    look_up_at timestamptz,
    settled_at timestamptz,
    reference text,
    primary key (account_id, id),
    foreign key (account_id, mailing_id) references mailing (account_id, id),
    constraint open_or_settled check ((state = 'calling') = (settled_at is null)),
    constraint unsettled_keeps_blanks check (state not in ('calling', 'unknown') or blanks is not null),
    constraint unknown_is_looked_up check (state <> 'unknown' or reason is not null)
)
;;
create index batch_open on batch (call_until) where state = 'calling'
;;
create index batch_unknown on batch (look_up_at) where state = 'unknown'
;;
create index batch_of_mailing on batch (account_id, mailing_id, id)
;;
create index batch_of_permit on batch (job_id, lease)
;;
create table send (
    account_id bigint not null,
    mailing_id uuid not null,
    reader_id uuid not null,
    variant text collate "C" not null default 'full' check (variant in ('full', 'preview')),
    address text collate "C",
    state text collate "C" not null default 'planned' check (state in
        ('planned', 'sending', 'sent', 'unknown', 'failed', 'skipped')),
    batch_id uuid,
    reason text,
    settled_at timestamptz,
    delivered_at timestamptz,
    opened_at timestamptz,
    clicked_at timestamptz,
    bounced_at timestamptz,
    complained_at timestamptz,
    primary key (account_id, mailing_id, reader_id),
    foreign key (account_id, mailing_id) references mailing (account_id, id),
    foreign key (account_id, batch_id) references batch (account_id, id),
    constraint handed_over_has_batch check (state not in ('sending', 'sent', 'unknown') or batch_id is not null),
    constraint planned_is_free check (state <> 'planned' or (batch_id is null and settled_at is null)),
    constraint settled_has_time check ((state in ('sent', 'failed', 'skipped')) = (settled_at is not null)),
    constraint not_sent_has_reason check (state not in ('failed', 'skipped') or reason is not null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0)
;;
create index send_planned on send (account_id, mailing_id, reader_id) where state = 'planned'
;;
create index send_open on send (account_id, batch_id) where state in ('sending', 'unknown')
;;
create index send_apart on send (account_id, mailing_id, state, reader_id) where state in ('sending', 'unknown', 'failed', 'skipped')
;;
create index send_of_reader on send (account_id, reader_id, mailing_id)
;;
create table tally (
    account_id bigint not null,
    mailing_id uuid not null,
    shard smallint not null,
    state text collate "C" not null check (state in
        ('planned', 'sending', 'sent', 'unknown', 'failed', 'skipped')),
    n bigint not null,
    primary key (account_id, mailing_id, shard, state),
    foreign key (account_id, mailing_id) references mailing (account_id, id)
) with (fillfactor = 50)
;;
create view operator_mailing as
    select account_id, id, state, created_at, built_at, finished_at from mailing
;;
grant select on operator_mailing to godwit_operator
""")
    secure("mailing", web="select, insert, update", worker="select, update", worker_across=True)
    secure("batch", web="select, update (blanks)", worker="select, insert, update", worker_across=True)
    secure("send", web="select, update (address)", worker="select, insert, update", worker_across=True)
    secure("tally", web="select", worker="select, insert, update", worker_across=True)
