"""Claims begin at what was due since then: what died before and cannot be cleared away costs them nothing."""

from migrations.policies import run

revision = "2026_11_30_since"
down_revision = "2026_11_30_statistics"


def upgrade() -> None:
    run("""
create function turns(of_queue text, after text, since timestamptz)
returns table (share text, account_id bigint, kind text, run_at timestamptz)
language sql stable as $$
    with recursive ahead (share) as (
        (select j.share from public.job j
         where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share > $2
         order by j.share limit 1)
        union all
        select (select j.share from public.job j
                where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share > a.share
                order by j.share limit 1)
        from ahead a where a.share is not null
    ), behind (share) as (
        (select j.share from public.job j
         where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share <= $2
         order by j.share limit 1)
        union all
        select (select j.share from public.job j
                where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share > b.share and j.share <= $2
                order by j.share limit 1)
        from behind b where b.share is not null
    )
    select turn.share, next.account_id, next.kind, next.run_at
    from (select a.share from ahead a where a.share is not null
          union all
          select b.share from behind b where b.share is not null) as turn
    cross join lateral (
        select j.account_id, j.kind, j.run_at from public.job j
        where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share = turn.share
        order by j.run_at limit 1
    ) as next $$
;;
comment on function turns(text, text, timestamptz) is
    'Shares with ready jobs, due from $3 on, from the one after $2 round to it, each with its next job. Walks the index from share to share.'
;;
revoke execute on function turns(text, text, timestamptz) from public
;;
grant execute on function turns(text, text, timestamptz) to godwit_worker
""")
