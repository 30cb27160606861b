"""Readers: newsletters, readers, their subscriptions with consent, tags; suppressions; who may be mailed."""

from migrations.policies import run, secure

revision = "2026_11_30_readers"
down_revision = "2026_11_30_jobs"

FULL = "select, insert, update, delete"


def upgrade() -> None:
    run("""
create table newsletter (
    account_id bigint not null references account,
    id uuid not null,
    slug text collate "C" not null check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name text not null check (length(name) between 1 and 120),
    sender_name text not null default '' check (length(sender_name) <= 120),
    from_address text collate "C",
    reply_to text collate "C",
    is_default boolean not null default false,
    created_at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    unique (account_id, slug)
)
;;
create unique index newsletter_default on newsletter (account_id) where is_default
;;
create table reader (
    account_id bigint not null references account,
    id uuid not null,
    email text collate "C" not null check (length(email) between 3 and 254 and email = lower(email)),
    name text not null default '' check (length(name) <= 500),
    note text not null default '' check (length(note) <= 5000),
    source text not null check (source in ('import', 'api', 'studio', 'form')),
    extra jsonb not null default '{}',
    joined_at timestamptz not null default godwit_now(),
    created_at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    unique (account_id, email)
)
;;
create index reader_newest on reader (account_id, joined_at desc, id desc)
;;
create table subscription (
    account_id bigint not null,
    reader_id uuid not null,
    newsletter_id uuid not null,
    state text collate "C" not null check (state in ('pending', 'active', 'unsubscribed')),
    consent_source text not null,
    consent_at timestamptz not null,
    changed_at timestamptz not null default godwit_now(),
    primary key (account_id, reader_id, newsletter_id),
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade,
    foreign key (account_id, newsletter_id) references newsletter (account_id, id)
)
;;
create index subscription_active on subscription (account_id, newsletter_id, reader_id) where state = 'active'
;;
create table consent (
    account_id bigint not null,
    id bigint generated always as identity,
    reader_id uuid not null,
    newsletter_id uuid not null,
    act text not null check (act in ('subscribed', 'confirmed', 'unsubscribed')),
    how text not null,
    at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade,
    foreign key (account_id, newsletter_id) references newsletter (account_id, id)
)
;;
create index consent_of_reader on consent (account_id, reader_id, id)
;;
create table reader_tag (
    account_id bigint not null,
    reader_id uuid not null,
    tag text not null check (length(tag) between 1 and 191),
    primary key (account_id, reader_id, tag),
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade
)
;;
create index reader_tag_by_tag on reader_tag (account_id, tag, reader_id)
;;
create table erased_reader (
    account_id bigint not null references account,
    reader_id uuid not null,
    address_hash bytea not null,
    erased_at timestamptz not null default godwit_now(),
    primary key (account_id, reader_id)
)
;;
create table suppression (
    account_id bigint not null references account,
    address text collate "C" not null,
    reason text not null check (reason in ('bounce', 'complaint', 'by_hand', 'erased')),
    detail text not null default '',
    created_at timestamptz not null default godwit_now(),
    primary key (account_id, address)
)
""")
    secure("newsletter", web=FULL, worker="select")
    secure("reader", web=FULL, worker="select, insert, update")
    secure("subscription", web=FULL, worker="select, insert, update")
    secure("consent", web="select, insert", worker="select, insert")
    secure("reader_tag", web=FULL, worker="select, insert, delete")
    secure("erased_reader", web="select, insert", worker="select")
    secure("suppression", web=FULL, worker="select, insert")
    run("""
create view mailable with (security_invoker = true) as
    select s.account_id, s.reader_id, s.newsletter_id, r.email as address, r.name
    from subscription s
    join reader r on r.account_id = s.account_id and r.id = s.reader_id
    where s.state = 'active'
      and not exists (select from suppression x where x.account_id = r.account_id and x.address = r.email)
;;
comment on view mailable is 'Who may be mailed for a newsletter right now; the one join upward that the ledger makes.'
;;
create function unmailable_reason(account bigint, reader uuid, newsletter uuid) returns text
language sql stable set search_path = pg_catalog, public as $$
    select case
        when exists (select from public.erased_reader e where e.account_id = $1 and e.reader_id = $2) then 'erased'
        when r.id is null then 'no longer a reader'
        when x.address is not null then 'blocked address: ' || x.reason
        when s.state is null then 'never subscribed to this newsletter'
        when s.state = 'pending' then 'not confirmed'
        when s.state = 'unsubscribed' then 'unsubscribed'
        else 'may be mailed'
    end
    from (select 1) as one
    left join public.reader r on r.account_id = $1 and r.id = $2
    left join public.subscription s on s.account_id = $1 and s.reader_id = $2 and s.newsletter_id = $3
    left join public.suppression x on x.account_id = $1 and x.address = r.email
$$
;;
comment on function unmailable_reason(bigint, uuid, uuid) is 'Why a reader is not in mailable, in words for people; beside the view, for the ledger''s skips.'
;;
grant select on mailable to godwit_web, godwit_worker
;;
create function open_account(slug text, name text, postal_address text, creator uuid, newsletter uuid) returns bigint
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    made bigint;
begin
    insert into public.account (slug, name, postal_address) values ($1, $2, $3) returning id into made;
    insert into public.membership (account_id, creator_id, role) values (made, $4, 'owner');
    insert into public.newsletter (account_id, id, slug, name, is_default) values (made, $5, 'newsletter', $2, true);
    return made;
end
$$
;;
comment on function open_account(text, text, text, uuid, uuid) is
    'A new account has no id to be within yet; it is born whole, with its owner and its first newsletter.'
;;
revoke execute on function open_account(text, text, text, uuid, uuid) from public
;;
grant execute on function open_account(text, text, text, uuid, uuid) to godwit_web
""")
