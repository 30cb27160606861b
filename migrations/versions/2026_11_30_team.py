"""A team: who was invited into it and has not come yet, and that somebody owns each publication."""

from migrations.policies import run, secure

revision = "2026_11_30_team"
down_revision = "2026_11_30_told"


def upgrade() -> None:
    run("""
create table invitation (
    account_id bigint not null references account,
    id uuid not null,
    email text collate "C" not null,
    role text collate "C" not null check (role in ('owner', 'editor', 'writer')),
    invited_by_name text not null,
    mailed integer not null default 1 check (mailed > 0),
    created_at timestamptz not null default godwit_now(),
    expires_at timestamptz not null,
    primary key (account_id, id),
    constraint one_invitation_an_address unique (account_id, email)
)
;;
comment on table invitation is
    'Who was asked into a team and has not come yet. Accepted or withdrawn, the row goes; over, it is pruned.'
""")
    secure("invitation", web="select, insert, update, delete")
    run("""
create function prune_invitations(days integer) returns bigint
language sql security definer set search_path = pg_catalog, public as $$
    with gone as (
        delete from public.invitation where (account_id, id) in (
            select account_id, id from public.invitation
            where expires_at < public.godwit_now() - make_interval(days => $1) limit 5000)
        returning id
    ) select count(*) from gone $$
;;
comment on function prune_invitations(integer) is
    'Addresses of who never came go, of every account: a worker sees no invitation.'
;;
revoke execute on function prune_invitations(integer) from public
;;
grant execute on function prune_invitations(integer) to godwit_worker
;;
create function keep_an_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
    -- Whoever takes an owner away waits for whoever does the same, and then counts what the other left.
    perform from public.account where id = old.account_id for no key update;
    if found and not exists (
        select from public.membership where account_id = old.account_id and role = 'owner') then
        raise exception 'a publication keeps an owner'
            using errcode = 'check_violation', constraint = 'an_owner_stays', table = 'membership';
    end if;
    return null;
end $$
;;
comment on function keep_an_owner() is
    'Of two owners who take each other away at one instant, the second fails: no check of one row could see that.'
;;
revoke execute on function keep_an_owner() from public
;;
create trigger an_owner_stays after update or delete on membership
    for each row when (old.role = 'owner') execute function keep_an_owner()
""")
