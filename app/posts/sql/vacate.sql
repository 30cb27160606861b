-- Posts leave the site; with them their addresses, so that two posts can change theirs in one release.
update post set live_revision_id = null, slug = null
 where account_id = :account and id = any (cast(:posts as uuid[])) and live_revision_id is not null
