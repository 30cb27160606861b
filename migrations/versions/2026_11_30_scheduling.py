"""Publications at a time to come; an email to a segment; a published version restored as a new one."""

from migrations.policies import WITHIN, run, secure

revision = "2026_11_30_scheduling"
down_revision = "2026_11_30_bringing"


def upgrade() -> None:
    run("""
create table scheduled (
    account_id bigint not null,
    id uuid not null,
    post_id uuid not null,
    revision_id uuid not null,
    key text collate "C" not null check (length(key) between 1 and 255),
    at timestamptz not null,
    zone text collate "C" not null,
    wall text collate "C" not null,
    site boolean not null,
    slug text collate "C",
    email jsonb,
    state text collate "C" not null default 'waiting' check (state in ('waiting', 'done', 'cancelled', 'failed')),
    reason text,
    release integer,
    broadcast_id uuid,
    made_by uuid,
    made_by_name text not null,
    created_at timestamptz not null default godwit_now(),
    ended_at timestamptz,
    primary key (account_id, id),
    unique (account_id, key),
    foreign key (account_id, post_id) references post (account_id, id),
    foreign key (account_id, revision_id) references revision (account_id, id),
    foreign key (account_id, release) references release (account_id, number),
    foreign key (account_id, broadcast_id) references broadcast (account_id, id),
    constraint goes_somewhere check (site or email is not null),
    constraint site_has_slug check (site = (slug is not null)),
    constraint ended_has_time check ((state = 'waiting') = (ended_at is null)),
    constraint failed_has_reason check (state <> 'failed' or reason is not null)
)
;;
comment on column scheduled.wall is 'The wall time that was asked for, in zone; at is that instant, computed once.'
;;
create unique index scheduled_once on scheduled (account_id, post_id) where state = 'waiting'
;;
create index scheduled_next on scheduled (account_id, at) where state = 'waiting'
;;
comment on column scheduled.slug is 'The address on the site that it was given; taken by another post when its time comes, it fails.'
;;
comment on column scheduled.email is 'What was asked for: newsletter and segment by id, subject, preheader, again.'
;;
alter table broadcast add column segment_id uuid, add column segment_name text, add column filter jsonb
;;
comment on column broadcast.filter is 'Which of the newsletter''s readers, as the segment said when send was pressed; null: all of them.'
;;
alter table mailing
    add column preview_text text,
    add column preview_html text,
    add constraint preview_is_whole check ((preview_text is null) = (preview_html is null))
;;
comment on column mailing.preview_html is 'What goes to sends of the variant preview; null: nobody gets another text than body_html.'
;;
alter table release add column restored_from integer, add column published_by_name text not null default ''
""")
    secure("scheduled", web="select, insert, update", worker="select, update")
    # A worker does what a press does, with the revision that was frozen then. It reads no draft.
    within = WITHIN.format(column="account_id")
    run(f"""
grant select on revision to godwit_worker
;;
grant insert, update (undone) on broadcast to godwit_worker
;;
grant insert on mailing to godwit_worker
;;
grant update, delete on redirect to godwit_worker
;;
create policy worker on publication for all to godwit_worker using ({within}) with check ({within})
;;
grant select, insert on publication to godwit_worker
""")
