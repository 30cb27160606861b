-- Takes what it costs, or nothing and says how long to wait (seconds; 0: taken). A new bucket begins full.
with taken as (
    insert into limit_bucket as b (name, tokens, filled_at)
    values (:name, cast(:burst as double precision) - cast(:cost as double precision), clock_timestamp())
    on conflict (name) do update set
        tokens = least(cast(:burst as double precision), b.tokens + cast(:rate as double precision)
                 * greatest(0, extract(epoch from clock_timestamp() - b.filled_at))) - cast(:cost as double precision),
        filled_at = clock_timestamp()
    where least(cast(:burst as double precision), b.tokens + cast(:rate as double precision)
          * greatest(0, extract(epoch from clock_timestamp() - b.filled_at))) >= cast(:cost as double precision)
    returning name
)
select case when exists (select from taken) then 0.0 else coalesce((
    select greatest(0.001, (cast(:cost as double precision) - least(cast(:burst as double precision), b.tokens + cast(:rate as double precision)
           * greatest(0, extract(epoch from clock_timestamp() - b.filled_at)))) / cast(:rate as double precision))
    from limit_bucket b where b.name = :name), 0.001) end as wait
