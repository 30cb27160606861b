-- One frozen version by its id.
select id, post_id, number, title, slug, markdown, html, preview_html, excerpt, tags, access, plan_id, kind, cover,
       cover_alt, seo_title, seo_description, minutes, kept_for, created_at
  from revision
 where account_id = :account and id = :revision
