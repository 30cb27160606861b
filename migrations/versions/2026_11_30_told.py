"""What webhooks are told: posts as they were published, whoever publishes; and erasing takes a reader out of it."""

from migrations.policies import run

revision = "2026_11_30_told"
down_revision = "2026_11_30_webhooks"

OWN = "nullif(current_setting('godwit.account_id', true), '')::bigint"
IN_WORDS = "('broadcast.started', 'broadcast.finished', 'broadcast.needs_attention', 'import.finished')"


def upgrade() -> None:
    run(f"""
create function published_posts(revisions uuid[]) returns table (
    id uuid, title text, slug text, markdown text, excerpt text, tags text[], access text, plan_id uuid, kind text,
    cover text, cover_alt text, seo_title text, seo_description text, version integer, live boolean,
    created_at timestamptz, updated_at timestamptz, published_at timestamptz, state text)
language sql stable security definer set search_path = pg_catalog, public rows 5 as $$
    select p.id, r.title, coalesce(p.slug, case when same.same then d.slug else r.slug end), r.markdown,
           case when same.same then d.excerpt else r.excerpt end, r.tags, r.access, r.plan_id, r.kind,
           r.cover, r.cover_alt, r.seo_title, r.seo_description, d.version, p.slug is not null,
           p.created_at, d.updated_at, p.published_at,
           case when p.live_revision_id is null then 'draft' when same.same then 'published' else 'changed' end
    from public.revision r
    join public.post p on p.account_id = r.account_id and p.id = r.post_id
    join public.draft d on d.account_id = p.account_id and d.post_id = p.id
    cross join lateral (select d.updated_at <= r.created_at as same) as same
    where r.account_id = {OWN} and r.id = any ($1) $$
;;
comment on function published_posts(uuid[]) is
    'A post as the API tells it, with a frozen text: of its draft, which the worker may not read, what was frozen as it is, the version and the time.'
;;
revoke execute on function published_posts(uuid[]) from public
;;
grant execute on function published_posts(uuid[]) to godwit_web, godwit_worker
;;
create index event_in_words on event (account_id, id) where type in {IN_WORDS}
;;
create function forget_events(who uuid, written text, instead text) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    own bigint := {OWN};
    bare jsonb := jsonb_build_object('reader', jsonb_build_object('id', who));
    jobs bigint[];
begin
    delete from public.event where account_id = own and reader_id = who and sequence is null;
    select array_agg(d.job_id) into jobs
    from public.event e join public.delivery d on d.account_id = e.account_id and d.event_id = e.id
    where e.account_id = own and e.reader_id = who;
    update public.event set data = bare,
        body = convert_to(cast(jsonb_set(cast(convert_from(body, 'UTF8') as jsonb), '{{data}}', bare) as text), 'UTF8')
    where account_id = own and reader_id = who;
    update public.job set state = 'discarded', reason = 'the reader was erased', finished_at = public.godwit_now()
    where account_id = own and id = any (jobs) and state in ('ready', 'held');
    -- What the receiver answered may say again what it was told.
    update public.attempt set detail = detail || '{{"answer": ""}}'
    where account_id = own and job_id = any (jobs) and detail ->> 'answer' <> '';
    update public.event set data = cast(regexp_replace(cast(data as text), written, instead, 'gi') as jsonb),
        body = convert_to(regexp_replace(convert_from(body, 'UTF8'), written, instead, 'gi'), 'UTF8')
    where account_id = own and type in {IN_WORDS} and cast(data as text) ~* written;
end
$$
;;
comment on function forget_events(uuid, text, text) is
    'Erasing a reader leaves their id in what was told of them, and their address in nothing: web and worker change no event otherwise.'
;;
revoke execute on function forget_events(uuid, text, text) from public
;;
grant execute on function forget_events(uuid, text, text) to godwit_web, godwit_worker
""")
