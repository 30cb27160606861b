-- Each row's address is one reader afterwards; nobody who left is brought back, whatever the rows say (R1, R2).
with arrival as materialized (
    select * from jsonb_to_recordset(cast(:rows as jsonb)) as a(
        number integer, id uuid, email text, name text, state text, tags jsonb, note text,
        joined_at timestamptz, extra jsonb, how text)
), known as materialized (
    select a.number, r.id, r.name, r.note, r.extra, s.state as was, s.consent_source, s.consent_at
    from arrival a
    join reader r on r.account_id = cast(:account as bigint) and r.email = a.email
    left join subscription s on s.account_id = r.account_id and s.reader_id = r.id
        and s.newsletter_id = cast(:newsletter as uuid)
), blocked as materialized (
    select a.number from arrival a
    join suppression x on x.account_id = cast(:account as bigint) and x.address = a.email
), fresh as (
    -- Somebody who adds the same address this very moment is waited for, then counts as known.
    insert into reader (account_id, id, email, name, note, source, extra, joined_at)
    select cast(:account as bigint), a.id, a.email, a.name, a.note, 'import', a.extra, coalesce(a.joined_at, godwit_now())
    from arrival a
    where not exists (select from known k where k.number = a.number)
    order by a.email
    on conflict (account_id, email) do update set email = excluded.email
    returning id, email
), enriched as (
    update reader r set
        name = case when r.name = '' then a.name else r.name end,
        note = case when r.note = '' then a.note else r.note end,
        extra = r.extra || a.extra
    from arrival a join known k on k.number = a.number
    where r.account_id = cast(:account as bigint) and r.id = k.id
      and ((k.name = '' and a.name <> '') or (k.note = '' and a.note <> '') or not k.extra @> a.extra)
    returning r.id
), person as (
    select a.*, k.id as reader_id, false as created from arrival a join known k on k.number = a.number
    union all
    select a.*, f.id, f.id = a.id from arrival a join fresh f on f.email = a.email
), tagged as (
    insert into reader_tag (account_id, reader_id, tag)
    select cast(:account as bigint), p.reader_id, t.tag
    from person p cross join lateral jsonb_array_elements_text(p.tags) as t(tag)
    on conflict do nothing
    returning reader_id, tag
), subscribed as (
    insert into subscription as s (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
    select cast(:account as bigint), p.reader_id, cast(:newsletter as uuid), p.state, coalesce(p.how, cast(:how as text)), coalesce(p.joined_at, godwit_now())
    from person p
    where p.state <> 'none'
    order by p.reader_id
    on conflict (account_id, reader_id, newsletter_id) do update
        set state = excluded.state, changed_at = godwit_now()
        where (excluded.state = 'unsubscribed' and s.state <> 'unsubscribed')
           or (excluded.state = 'active' and s.state = 'pending')
    returning reader_id, state
), noted as (
    insert into consent (account_id, reader_id, newsletter_id, act, how, at, import_id)
    select cast(:account as bigint), s.reader_id, cast(:newsletter as uuid),
           case s.state when 'active' then 'subscribed' else 'unsubscribed' end, coalesce(p.how, cast(:how as text)),
           case s.state when 'active' then coalesce(p.joined_at, godwit_now()) else godwit_now() end, cast(:import as uuid)
    from subscribed s join person p on p.reader_id = s.reader_id
    where s.state <> 'pending'
)
select p.number, p.reader_id,
       case when p.created then 'created'
            when p.reader_id in (select id from enriched)
              or p.reader_id in (select reader_id from tagged)
              or s.reader_id is not null then 'updated'
            else 'unchanged' end as outcome,
       case when p.number in (select number from blocked) then 'suppressed'
            else coalesce(s.state, k.was, 'unsubscribed') end as state,
       -- What the undoing of an import needs: what was written over, and what with.
       case when not p.created then jsonb_build_object(
           'name', case when k.name = '' then p.name else '' end,
           'note', case when k.note = '' then p.note else '' end,
           'extra_now', p.extra,
           'extra_was', (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(coalesce(k.extra, '{}')) e
                         where p.extra ? e.key),
           'tags', (select coalesce(jsonb_agg(t.tag), '[]') from tagged t where t.reader_id = p.reader_id),
           'became', s.state, 'was', k.was) end as before
from person p
left join subscribed s on s.reader_id = p.reader_id
left join known k on k.number = p.number
