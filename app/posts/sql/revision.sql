-- One frozen version; its slug is the one the site has when it is the live one.
select r.id, r.post_id, r.number, r.title, coalesce(p.slug, r.slug) as slug, r.markdown, r.html, r.excerpt,
       r.tags, r.access, r.minutes, r.created_at
  from revision r
  left join post p on p.account_id = r.account_id and p.live_revision_id = r.id and p.id = r.post_id
 where r.account_id = :account and r.id = :id
