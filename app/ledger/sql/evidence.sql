-- Copies that a batch is known to have delivered are sent; who left in another batch meanwhile is a possible double (L1).
with named as (
    select account_id, id, mailing_id from batch where account_id = :account and id = :batch
), locked as materialized (
    select s.mailing_id, s.reader_id, s.state as was, s.batch_id as held_by,
           s.state in ('sending', 'unknown', 'sent') and s.batch_id <> :batch as elsewhere
    from send s join named n on n.account_id = s.account_id and n.mailing_id = s.mailing_id
    where s.account_id = :account and s.reader_id = any (cast(:readers as uuid[]))
    order by s.reader_id
    for update of s
), moved as (
    update send s set state = 'sent', batch_id = :batch, reason = null, settled_at = godwit_now()
    from locked l
    where s.account_id = :account and s.mailing_id = l.mailing_id and s.reader_id = l.reader_id
      and l.was <> 'sent' and not l.elsewhere
    returning s.mailing_id, l.was
), doubled as (
    insert into possible_double (account_id, mailing_id, reader_id, batch_id, other_batch_id, why)
    select :account, l.mailing_id, l.reader_id, :batch, l.held_by, :why
    from locked l where l.elsewhere
    on conflict do nothing
    returning reader_id
), changed as (
    select mailing_id, was as state, -count(*) as n from moved group by mailing_id, was
    union all
    select mailing_id, 'sent', count(*) from moved group by mailing_id
), tallied as (
    insert into tally as t (account_id, mailing_id, shard, state, n)
    select :account, mailing_id, 0, state, n from changed
    order by state
    on conflict (account_id, mailing_id, shard, state) do update set n = t.n + excluded.n
)
select (select count(*) from moved) as sent, (select count(*) from doubled) as doubles
