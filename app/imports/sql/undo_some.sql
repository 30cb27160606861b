-- The next readers of an import that is being undone, taken back once: gone, as before, or kept, and counted so.
with undone as materialized (
    select i.account_id, i.id, i.newsletter_id, 'an import was undone by ' || i.undone_by_name as how
    from import i where i.id = :id and i.state = 'undoing'
), due as materialized (
    select c.thing_id, c.act, c.before, u.*,
           c.act = 'created' and only_imported(c.account_id, c.import_id, c.thing_id) as goes
    from import_change c join undone u on u.account_id = c.account_id and u.id = c.import_id
    order by c.thing_id limit :most
), gone as (
    delete from reader r using due d where r.account_id = d.account_id and r.id = d.thing_id and d.goes
    returning r.id
), refilled as (
    -- Only what still stands as the import wrote it: what came since stays.
    update reader r set
        name = case when d.before ->> 'name' <> '' and r.name = d.before ->> 'name' then '' else r.name end,
        note = case when d.before ->> 'note' <> '' and r.note = d.before ->> 'note' then '' else r.note end,
        extra = (select coalesce(jsonb_object_agg(e.key, case when d.before -> 'extra_now' -> e.key = e.value
                                                              then d.before -> 'extra_was' -> e.key else e.value end), '{}')
                 from jsonb_each(r.extra) e
                 where d.before -> 'extra_now' -> e.key is distinct from e.value or d.before -> 'extra_was' ? e.key)
    from due d where d.act = 'updated' and r.account_id = d.account_id and r.id = d.thing_id
    returning r.id
), untagged as (
    delete from reader_tag t using due d
    where d.act = 'updated' and t.account_id = d.account_id and t.reader_id = d.thing_id and d.before -> 'tags' ? t.tag
), changed as (
    -- In the import's own newsletter, and in others that its rows named.
    select d.account_id, d.id, d.thing_id, d.how, x.newsletter_id, x.became, x.was
    from due d cross join lateral (
        select d.newsletter_id, d.before ->> 'became', d.before ->> 'was'
        union all
        select cast(e ->> 'newsletter' as uuid), e ->> 'became', e ->> 'was'
        from jsonb_array_elements(coalesce(d.before -> 'elsewhere', '[]')) as e
    ) as x(newsletter_id, became, was)
    where d.act = 'updated'
), untouched as materialized (
    -- What the import did to the subscription still stands, and nobody said anything of it themselves since.
    select d.*, s.state
    from changed d join subscription s on s.account_id = d.account_id and s.reader_id = d.thing_id and s.newsletter_id = d.newsletter_id
    where s.state = d.became
      and (last_said_by_import(d.account_id, d.thing_id, d.newsletter_id) or not exists (
          select from consent c where c.account_id = d.account_id and c.reader_id = d.thing_id
            and c.newsletter_id = d.newsletter_id))
      and not exists (  -- nor did a newer import, begun since
          select from import_change o join import n on n.account_id = o.account_id and n.id = o.import_id
          join import m on m.account_id = o.account_id and m.id = d.id
          where o.account_id = d.account_id and o.thing_id = d.thing_id and (n.created_at, n.id) > (m.created_at, m.id))
), back as (
    update subscription s set state = u.was, changed_at = godwit_now() from untouched u
    where u.was is not null and s.account_id = u.account_id and s.reader_id = u.thing_id and s.newsletter_id = u.newsletter_id
), left_out as (
    delete from subscription s using untouched u
    where u.was is null and s.account_id = u.account_id and s.reader_id = u.thing_id and s.newsletter_id = u.newsletter_id
), noted as (
    insert into consent (account_id, reader_id, newsletter_id, act, how, import_id)
    select u.account_id, u.thing_id, u.newsletter_id, case u.was when 'active' then 'subscribed' else 'unsubscribed' end, u.how, u.id
    from untouched u where u.state <> 'pending'
), closed as (
    delete from entitlement e using due d
    where d.act = 'updated' and e.account_id = d.account_id and e.reader_id = d.thing_id
      and d.before -> 'access' ? e.id::text
), taken as (
    delete from import_change c using due d
    where c.account_id = d.account_id and c.import_id = d.id and c.thing_id = d.thing_id
    returning c.thing_id
), counted as (
    update import i set
        undo_gone = undo_gone + (select count(*) from gone),
        undo_restored = undo_restored + (select count(*) from due where act = 'updated'),
        undo_kept = undo_kept + (select count(*) from due where act = 'created' and not goes)
    from undone u where i.account_id = u.account_id and i.id = u.id
)
select count(*) as taken from taken
