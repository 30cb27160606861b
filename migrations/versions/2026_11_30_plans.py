"""Plans, what readers may read by them, and posts for one plan."""

from migrations.policies import run, secure

revision = "2026_11_30_plans"
down_revision = "2026_11_30_held_scope"

FULL = "select, insert, update, delete"


def upgrade() -> None:
    run("""
create table plan (
    account_id bigint not null references account,
    id uuid not null,
    slug text collate "C" not null check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name text not null check (length(name) between 1 and 120),
    description text not null default '' check (length(description) <= 500),
    monthly integer check (monthly > 0),
    yearly integer check (yearly > 0),
    currency text collate "C" not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
    position integer not null default 0,
    created_at timestamptz not null default godwit_now(),
    archived_at timestamptz,
    primary key (account_id, id),
    unique (account_id, slug)
)
;;
comment on column plan.monthly is 'In the smallest unit of the currency; null: not sold by the month.'
;;
create table entitlement (
    account_id bigint not null,
    id uuid not null,
    reader_id uuid not null,
    plan_id uuid not null,
    source text collate "C" not null check (source in ('stripe', 'comp', 'gift', 'import')),
    reference text collate "C" not null default '',
    reason text not null default '' check (length(reason) <= 500),
    granted_by_name text not null default '',
    ended_by_name text not null default '',
    starts_at timestamptz not null default godwit_now(),
    ends_at timestamptz,
    created_at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade,
    foreign key (account_id, plan_id) references plan (account_id, id),
    constraint ends_after_start check (ends_at >= starts_at),
    constraint comp_has_reason check (source <> 'comp' or reason <> ''),
    constraint who_ended_ended_it check (ended_by_name = '' or ends_at is not null)
)
;;
comment on column entitlement.reference is 'What the source calls it, once a reader and plan; empty: given by hand.'
;;
create unique index entitlement_of_source on entitlement (account_id, reader_id, plan_id, source, reference)
    where reference <> ''
;;
create unique index entitlement_without_end on entitlement (account_id, reader_id, plan_id, source)
    where reference = '' and ends_at is null
;;
create index entitlement_of_reader on entitlement (account_id, reader_id, plan_id)
;;
create index entitlement_of_plan on entitlement (account_id, plan_id, reader_id)
;;
alter table draft drop constraint draft_access_check
;;
alter table draft add column plan_id uuid,
    add constraint draft_access_check check (access in ('everyone', 'subscribers', 'paid', 'plan')),
    add constraint draft_plan_is_named check ((access = 'plan') = (plan_id is not null)),
    add foreign key (account_id, plan_id) references plan (account_id, id)
;;
alter table revision drop constraint revision_access_check
;;
alter table revision add column plan_id uuid,
    add constraint revision_access_check check (access in ('everyone', 'subscribers', 'paid', 'plan')),
    add constraint revision_plan_is_named check ((access = 'plan') = (plan_id is not null)),
    add foreign key (account_id, plan_id) references plan (account_id, id)
;;
create function entitled(account bigint, reader uuid, access text, plan uuid) returns boolean
language sql stable as $$
select case entitled.access
    when 'everyone' then true
    when 'subscribers' then
        exists (select from public.subscription s where s.account_id = entitled.account
                and s.reader_id = entitled.reader and s.state = 'active')
        or exists (select from public.entitlement e where e.account_id = entitled.account
                   and e.reader_id = entitled.reader and e.starts_at <= public.godwit_now()
                   and (e.ends_at is null or e.ends_at > public.godwit_now()))
    when 'paid' then
        exists (select from public.entitlement e where e.account_id = entitled.account
                and e.reader_id = entitled.reader and e.starts_at <= public.godwit_now()
                and (e.ends_at is null or e.ends_at > public.godwit_now()))
    when 'plan' then
        exists (select from public.entitlement e where e.account_id = entitled.account
                and e.reader_id = entitled.reader and e.plan_id = entitled.plan
                and e.starts_at <= public.godwit_now()
                and (e.ends_at is null or e.ends_at > public.godwit_now()))
    else false end
$$
;;
comment on function entitled is 'May this reader read what has this access? The same rule as app/plans/access.py; a test compares them.'
""")
    secure("plan", web=FULL, worker="select, insert")
    secure("entitlement", web=FULL, worker="select, insert, update")
