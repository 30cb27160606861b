"""Which word of the consent history is an import's, so that undoing one goes by no sentence.

What a person says also stands there when it changes nothing that an import had not changed before. Words of
before count as a person's: an undoing leaves what they are about.
"""

from migrations.policies import run

revision = "2026_11_30_import_words"
down_revision = "2026_11_30_deleting"

_IMPORTED = """
alter table consent add column import_id uuid
;;
comment on column consent.import_id is
    'The import that said so, or whose undoing did; null: somebody themselves, the team, or another program.'
;;
create function last_said_by_import(account bigint, reader uuid, newsletter uuid) returns boolean
language sql stable set search_path = pg_catalog, public as $$
    select coalesce((select c.import_id is not null from public.consent c
        where c.account_id = $1 and c.reader_id = $2 and c.newsletter_id = $3
        order by c.id desc limit 1), false)
$$
;;
create or replace function only_imported(account bigint, import uuid, reader uuid) returns boolean
language sql stable set search_path = pg_catalog, public as $$
    select not exists (
            select from public.mailing m
            join public.send s on s.account_id = m.account_id and s.mailing_id = m.id and s.reader_id = $3
            where m.account_id = $1 and s.state <> 'skipped')
        and not exists (select from public.reader r where r.account_id = $1 and r.id = $3 and r.confirmed_at is not null)
        and not exists (select from public.consent c
            where c.account_id = $1 and c.reader_id = $3 and c.import_id is null)
        and not exists (select from public.confirmation c where c.account_id = $1 and c.reader_id = $3)
        and not public.has_signed_in($3)
        and not exists (select from public.entitlement e
            where e.account_id = $1 and e.reader_id = $3 and (e.source <> 'import' or e.ended_by_name <> ''))
        and not exists (select from public.import_change o
            where o.account_id = $1 and o.thing_id = $3 and o.import_id <> $2)
        and not exists (select from public.import_change c
            where c.account_id = $1 and c.import_id = $2 and c.thing_id = $3
              and c.before ->> 'is' <> public.reader_digest($1, $3))
$$
;;
comment on column import_change.act is
    'said: nothing was changed, but the file told of them too: an import before it is undone after it.'
"""


def upgrade() -> None:
    run(_IMPORTED)
