-- A publication waits for its time; one a post (index scheduled_once).
insert into scheduled (account_id, id, post_id, revision_id, key, at, zone, wall, site, slug, email, made_by, made_by_name)
values (:account, :id, :post, :revision, :key, :at, :zone, :wall, :site, :slug, cast(:email as jsonb),
        cast(:by as uuid), :by_name)
