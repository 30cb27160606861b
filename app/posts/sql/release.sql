-- One release and all that it changed. The counter's row is locked, so the number is free.
with made as (
    insert into release (account_id, number, published_by, published_by_name, restored_from)
    values (:account, :number, cast(:by as uuid), :by_name, cast(:restored_from as integer))
    returning published_at
), changed as (
    insert into release_change (account_id, number, post_id, action, revision_id, slug)
    select :account, :number, c.post_id, c.action, c.revision_id, c.slug
      from jsonb_to_recordset(cast(:changes as jsonb)) as c(post_id uuid, action text, revision_id uuid, slug text)
)
select published_at from made
