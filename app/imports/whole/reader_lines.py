"""Readers in an export: the statement that reads them with all that is theirs, and the one that restores."""

#: Those after an address.
READ = """
select r.email, jsonb_build_object('email', r.email, 'name', r.name, 'note', r.note, 'source', r.source,
    'form', r.form, 'extra', r.extra, 'joined_at', r.joined_at, 'created_at', r.created_at,
    'confirmed_at', r.confirmed_at,
    'tags', (select coalesce(jsonb_agg(t.tag order by t.tag), '[]') from reader_tag t
        where t.account_id = r.account_id and t.reader_id = r.id),
    'subscriptions', (select coalesce(jsonb_agg(jsonb_build_object('newsletter', n.slug, 'state', s.state,
            'consent_source', s.consent_source, 'consent_at', s.consent_at, 'changed_at', s.changed_at)
            order by n.slug), '[]')
        from subscription s join newsletter n on n.account_id = s.account_id and n.id = s.newsletter_id
        where s.account_id = r.account_id and s.reader_id = r.id),
    'consent', (select coalesce(jsonb_agg(jsonb_build_object('newsletter', n.slug, 'act', c.act, 'how', c.how,
            'at', c.at) order by c.id), '[]')
        from consent c join newsletter n on n.account_id = c.account_id and n.id = c.newsletter_id
        where c.account_id = r.account_id and c.reader_id = r.id),
    'access', (select coalesce(jsonb_agg(jsonb_build_object('plan', p.slug, 'source', e.source,
            'reference', e.reference, 'reason', e.reason, 'granted_by_name', e.granted_by_name,
            'ended_by_name', e.ended_by_name, 'starts_at', e.starts_at, 'ends_at', e.ends_at,
            'created_at', e.created_at)
            order by e.created_at, p.slug, e.source, e.reference, e.starts_at), '[]')
        from entitlement e join plan p on p.account_id = e.account_id and p.id = e.plan_id
        where e.account_id = r.account_id and e.reader_id = r.id)) as told
from reader r where r.email > :after order by r.email limit :most
"""
RESTORE = """
with given as materialized (
    select gen_random_uuid() as id, g.* from jsonb_to_recordset(cast(:rows as jsonb)) as g(email text,
        name text, note text, source text, form text, extra jsonb, joined_at timestamptz,
        created_at timestamptz, confirmed_at timestamptz, tags jsonb,
        subscriptions jsonb, consent jsonb, access jsonb)
), made as (
    insert into reader (account_id, id, email, name, note, source, form, extra, joined_at, created_at,
        confirmed_at)
    select cast(:account as bigint), id, email, name, note, source, form, extra, joined_at, created_at,
        confirmed_at
    from given
), tagged as (
    insert into reader_tag (account_id, reader_id, tag)
    select cast(:account as bigint), g.id, t.tag
    from given g cross join lateral jsonb_array_elements_text(g.tags) as t(tag)
), subscribed as (
    insert into subscription (account_id, reader_id, newsletter_id, state, consent_source, consent_at,
        changed_at)
    select cast(:account as bigint), g.id, n.id, s.state, s.consent_source, s.consent_at, s.changed_at
    from given g cross join lateral jsonb_to_recordset(g.subscriptions) as s(newsletter text, state text,
        consent_source text, consent_at timestamptz, changed_at timestamptz)
    join newsletter n on n.slug = s.newsletter
), agreed as (
    insert into consent (account_id, reader_id, newsletter_id, act, how, at)
    select cast(:account as bigint), g.id, n.id, c.act, c.how, c.at
    from given g cross join lateral rows from (jsonb_to_recordset(g.consent) as (newsletter text, act text,
        how text, at timestamptz)) with ordinality as c
    join newsletter n on n.slug = c.newsletter
    order by g.email, c.ordinality
)
insert into entitlement (account_id, id, reader_id, plan_id, source, reference, reason, granted_by_name,
    ended_by_name, starts_at, ends_at, created_at)
select cast(:account as bigint), gen_random_uuid(), g.id, p.id, a.source, a.reference, a.reason,
    a.granted_by_name, a.ended_by_name, a.starts_at, a.ends_at, a.created_at
from given g cross join lateral jsonb_to_recordset(g.access) as a(plan text, source text, reference text,
    reason text, granted_by_name text, ended_by_name text, starts_at timestamptz, ends_at timestamptz,
    created_at timestamptz)
join plan p on p.slug = a.plan
"""
