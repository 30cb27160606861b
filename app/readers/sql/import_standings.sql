-- What import_readers does in the import's own newsletter, in others; nobody who left one is brought back to it (R2).
with told as materialized (
    select t.*, s.state as was
    from jsonb_to_recordset(cast(:rows as jsonb)) as t(
        number integer, reader_id uuid, newsletter_id uuid, state text, how text, joined_at timestamptz)
    left join subscription s on s.account_id = cast(:account as bigint) and s.reader_id = t.reader_id
        and s.newsletter_id = t.newsletter_id
), subscribed as (
    insert into subscription as s (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
    select cast(:account as bigint), t.reader_id, t.newsletter_id, t.state, t.how, coalesce(t.joined_at, godwit_now())
    from told t
    order by t.reader_id, t.newsletter_id
    on conflict (account_id, reader_id, newsletter_id) do update
        set state = excluded.state, changed_at = godwit_now()
        where (excluded.state = 'unsubscribed' and s.state <> 'unsubscribed')
           or (excluded.state = 'active' and s.state = 'pending')
    returning reader_id, newsletter_id, state
), noted as (
    insert into consent (account_id, reader_id, newsletter_id, act, how, at, import_id)
    select cast(:account as bigint), s.reader_id, s.newsletter_id,
           case s.state when 'active' then 'subscribed' else 'unsubscribed' end, t.how,
           case s.state when 'active' then coalesce(t.joined_at, godwit_now()) else godwit_now() end, cast(:import as uuid)
    from subscribed s join told t on t.reader_id = s.reader_id and t.newsletter_id = s.newsletter_id
    where s.state <> 'pending'
)
select t.number, t.newsletter_id, t.was, s.state as became
from told t
left join subscribed s on s.reader_id = t.reader_id and s.newsletter_id = t.newsletter_id
