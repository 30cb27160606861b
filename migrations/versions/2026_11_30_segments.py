"""Segments: a filter of readers with a name; searching a part of an address or a name."""

from migrations.policies import run, secure

revision = "2026_11_30_segments"
down_revision = "2026_11_30_sign_up"


def upgrade() -> None:
    run(r"""
create extension if not exists pg_trgm with schema public
;;
create extension if not exists btree_gin with schema public
;;
create index reader_search on reader using gin (account_id, email gin_trgm_ops, lower(name) gin_trgm_ops)
;;
create function search_readers(address_part text, name_part text) returns table (id uuid, joined_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, public rows 200 as $$
declare
    address text := regexp_replace(address_part, '([\\%_])', '\\\1', 'g') || '%';
    name text := regexp_replace(name_part, '([\\%_])', '\\\1', 'g') || '%';
    short boolean := name_part ~ '^[ -~]{1,2}$';
begin
    -- Executed anew each time, so that the plan knows how rare the part is.
    return query execute
        'select r.id, r.joined_at from public.reader r
         where r.account_id = $1 and (r.email like $2 or lower(r.name) like $3 or lower(r.name) like $4)'
    using nullif(current_setting('godwit.account_id', true), '')::bigint,
          case when short then '' else '%' end || address,
          case when short then '' else '%' end || name,
          case when short then '% ' else '%' end || name;
end
$$
;;
comment on function search_readers(text, text) is
    'A part of an address or name; of one or two plain letters the beginning of either, or of a later name. LIKE is not leakproof: under a policy it would read every row.'
;;
revoke execute on function search_readers(text, text) from public
;;
grant execute on function search_readers(text, text) to godwit_web, godwit_worker
;;
create index job_message_to on job (account_id, (args ->> 'to'), id desc) where kind in ('send_message', 'send_reader_code')
;;
create function messages_to(address text, most integer) returns setof bigint
language sql stable security definer set search_path = pg_catalog, public rows 20 as $$
    select id from public.job
    where account_id = nullif(current_setting('godwit.account_id', true), '')::bigint
      and kind in ('send_message', 'send_reader_code') and args ->> 'to' = $1
    order by id desc limit $2 $$
;;
comment on function messages_to(text, integer) is
    'The automatic mails to one address, by exact value: ->> is not leakproof, so under a policy it would read every job.'
;;
revoke execute on function messages_to(text, integer) from public
;;
grant execute on function messages_to(text, integer) to godwit_web
;;
create table segment (
    account_id bigint not null references account,
    id uuid not null,
    name text not null check (length(name) between 1 and 120),
    filter jsonb not null,
    created_by_name text not null default '',
    created_at timestamptz not null default godwit_now(),
    changed_at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    unique (account_id, name)
)
;;
create index subscription_pending on subscription (account_id, reader_id) where state = 'pending'
;;
create index suppression_newest on suppression (account_id, created_at desc, address desc)
;;
create index consent_by_time on consent (account_id, at)
;;
create table bulk_act (
    account_id bigint not null references account,
    id uuid not null,
    act text collate "C" not null check (act in ('tag', 'untag', 'unsubscribe', 'erase')),
    filter jsonb not null,
    tag text not null default '' check (length(tag) <= 191),
    newsletter_id uuid,
    undoes uuid,
    state text collate "C" not null default 'queued' check (state in ('queued', 'running', 'done', 'failed')),
    expected integer not null check (expected >= 0),
    looked integer not null default 0 check (looked >= 0),
    changed integer not null default 0 check (changed between 0 and looked),
    cursor uuid,
    reason text,
    made_by_name text not null,
    created_at timestamptz not null default godwit_now(),
    ended_at timestamptz,
    primary key (account_id, id),
    foreign key (account_id, newsletter_id) references newsletter (account_id, id),
    foreign key (account_id, undoes) references bulk_act (account_id, id) on delete cascade,
    constraint tag_acts_have_a_tag check ((act in ('tag', 'untag')) = (tag <> '')),
    constraint only_tag_acts_are_undone check (undoes is null or act in ('tag', 'untag')),
    constraint ended_has_time check ((state in ('done', 'failed')) = (ended_at is not null)),
    constraint failed_has_reason check (state <> 'failed' or reason is not null)
)
;;
create unique index bulk_act_undone_once on bulk_act (account_id, undoes) where undoes is not null
;;
create index bulk_act_newest on bulk_act (account_id, created_at desc, id desc)
;;
create table bulk_change (
    account_id bigint not null,
    act_id uuid not null,
    reader_id uuid not null,
    primary key (account_id, act_id, reader_id),
    foreign key (account_id, act_id) references bulk_act (account_id, id) on delete cascade,
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade
)
;;
comment on table bulk_change is 'Whose tag an act on many changed: what its undoing goes by.'
;;
create index bulk_change_of_reader on bulk_change (account_id, reader_id)
;;
create function prune_bulk_acts(days integer) returns bigint
language sql security definer set search_path = pg_catalog, public as $$
    with gone as (
        delete from public.bulk_act where (account_id, id) in (
            select account_id, id from public.bulk_act
            where ended_at < public.godwit_now() - make_interval(days => $1) limit 100)
        returning id
    ) select count(*) from gone $$
;;
comment on function prune_bulk_acts(integer) is
    'Acts on many readers that are long over go with whose tags they changed, of every account: a worker sees one at a time.'
;;
revoke execute on function prune_bulk_acts(integer) from public
;;
grant execute on function prune_bulk_acts(integer) to godwit_worker
;;
grant insert on erased_reader to godwit_worker
;;
grant execute on function forget_messages(text) to godwit_worker
""")
    secure("bulk_act", web="select, insert, update", worker="select, update")
    secure("bulk_change", worker="select, insert")
    secure("segment", web="select, insert, update, delete", worker="select")
