"""Whose turn it is in a queue, in one place: the claim walks from share to share, and so does what paces it."""

from migrations.policies import run

revision = "2026_11_30_turns"
down_revision = "2026_11_30_standing"


def upgrade() -> None:
    run("""
create function turns(of_queue text, after text)
returns table (share text, account_id bigint, kind text, run_at timestamptz)
language sql stable as $$
    with recursive ahead (share) as (
        (select j.share from public.job j
         where j.queue = $1 and j.state = 'ready' and j.share > $2
         order by j.share limit 1)
        union all
        select (select j.share from public.job j
                where j.queue = $1 and j.state = 'ready' and j.share > a.share
                order by j.share limit 1)
        from ahead a where a.share is not null
    ), behind (share) as (
        (select j.share from public.job j
         where j.queue = $1 and j.state = 'ready' and j.share <= $2
         order by j.share limit 1)
        union all
        select (select j.share from public.job j
                where j.queue = $1 and j.state = 'ready' and j.share > b.share and j.share <= $2
                order by j.share limit 1)
        from behind b where b.share is not null
    )
    select turn.share, next.account_id, next.kind, next.run_at
    from (select a.share from ahead a where a.share is not null
          union all
          select b.share from behind b where b.share is not null) as turn
    cross join lateral (
        select j.account_id, j.kind, j.run_at from public.job j
        where j.queue = $1 and j.state = 'ready' and j.share = turn.share
        order by j.run_at limit 1
    ) as next $$
;;
comment on function turns(text, text) is
    'Shares with ready jobs, from the one after $2 round to it, each with its next job. Walks the index from share to share.'
;;
revoke execute on function turns(text, text) from public
;;
grant execute on function turns(text, text) to godwit_worker
""")
