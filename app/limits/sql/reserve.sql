-- Takes what it costs even before it is there, if it will be within the patience (seconds); answers the seconds
-- until then. No row: nothing was taken. A new bucket begins full.
insert into limit_bucket as b (name, tokens, filled_at)
values (:name, cast(:burst as double precision) - cast(:cost as double precision), clock_timestamp())
on conflict (name) do update set
    tokens = least(cast(:burst as double precision), b.tokens + cast(:rate as double precision)
             * greatest(0, extract(epoch from clock_timestamp() - b.filled_at))) - cast(:cost as double precision),
    filled_at = clock_timestamp()
where least(cast(:burst as double precision), b.tokens + cast(:rate as double precision)
      * greatest(0, extract(epoch from clock_timestamp() - b.filled_at))) - cast(:cost as double precision)
      >= - cast(:patience as double precision) * cast(:rate as double precision)
returning greatest(0, - tokens / cast(:rate as double precision))
