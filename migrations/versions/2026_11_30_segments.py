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
create function search_readers(address_part text, name_part text) returns setof uuid
language plpgsql stable security definer set search_path = pg_catalog, public rows 200 as $$
declare
    address text := regexp_replace(address_part, '([\\%_])', '\\\1', 'g') || '%';
    name text := regexp_replace(name_part, '([\\%_])', '\\\1', 'g') || '%';
    short boolean := name_part ~ '^[ -~]{1,2}$';
begin
    -- Executed anew each time, so that the plan knows how rare the part is.
    return query execute
        'select r.id from public.reader r
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
create index consent_by_time on consent (account_id, at)
""")
    secure("segment", web="select, insert, update, delete", worker="select")
