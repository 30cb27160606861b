-- Spends a confirmation once: all of it is active afterwards, but for what the reader left after asking (R7, R2).
with spent as (
    update confirmation set used_at = godwit_now()
    where token_hash = any (cast(:hashes as bytea[])) and used_at is null and expires_at > godwit_now()
    returning account_id, reader_id, newsletter_ids, created_at,
        -- Links of older versions say so already.
        regexp_replace(source, ', confirmed by a mailed link$', '') || ', confirmed by a mailed link' as source
), subscribed as (
    insert into subscription as s (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
    select p.account_id, p.reader_id, n.id, 'active', p.source, godwit_now()
    from spent p join newsletter n on n.account_id = p.account_id and n.id = any (p.newsletter_ids)
    order by n.id
    on conflict (account_id, reader_id, newsletter_id) do update
        set state = 'active', consent_source = excluded.consent_source, consent_at = excluded.consent_at,
            changed_at = godwit_now()
        where s.state = 'pending'
           or (s.state = 'unsubscribed' and s.changed_at <= (select created_at from spent))
    returning account_id, reader_id, newsletter_id
), noted as (
    insert into consent (account_id, reader_id, newsletter_id, act, how)
    select s.account_id, s.reader_id, s.newsletter_id, 'confirmed', p.source
    from subscribed s cross join spent p
    union all
    -- Active by an import alone: from here on by their own word.
    select s.account_id, s.reader_id, s.newsletter_id, 'confirmed', p.source
    from spent p join subscription s on s.account_id = p.account_id and s.reader_id = p.reader_id
        and s.newsletter_id = any (p.newsletter_ids) and s.state = 'active'
        and last_said_by_import(s.account_id, s.reader_id, s.newsletter_id)
), person as (
    update reader r set confirmed_at = coalesce(r.confirmed_at, godwit_now())
    from spent p where r.account_id = p.account_id and r.id = p.reader_id
    returning r.email
)
select p.reader_id, p.created_at, person.email, p.newsletter_ids as asked,
    array(select newsletter_id from subscribed) as newsletters
from spent p cross join person
