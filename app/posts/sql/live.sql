-- Posts are on the site with a revision under an address; the first time is remembered.
update post p
   set live_revision_id = c.revision_id, slug = c.slug,
       published_at = coalesce(p.published_at, cast(:at as timestamptz))
  from jsonb_to_recordset(cast(:changes as jsonb)) as c(post_id uuid, revision_id uuid, slug text)
 where p.account_id = :account and p.id = c.post_id
