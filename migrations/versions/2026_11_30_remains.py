"""What stays of an erased reader: words of servers, searches, answers and keys lose the address; old rows are found."""

from migrations.policies import run

revision = "2026_11_30_remains"
down_revision = "2026_11_30_scheduling"

OWN = "nullif(current_setting('godwit.account_id', true), '')::bigint"


def upgrade() -> None:
    run(f"""
create or replace function forget_messages(address text) returns bigint
language sql security definer set search_path = pg_catalog, public as $$
    with forgotten as (
        update public.job set
            args = args || '{{"to": "", "subject": "", "text": "", "html": null, "headers": []}}'
                || case when args ->> 'key' is null then '{{}}'::jsonb else '{{"key": null}}' end,
            state = case when state in ('ready', 'held') then 'discarded' else state end,
            reason = case when state in ('ready', 'held') then 'the reader was erased' else reason end,
            finished_at = case when state in ('ready', 'held') then public.godwit_now() else finished_at end
        where account_id = {OWN}
          and kind in ('send_message', 'send_reader_code') and args ->> 'to' = $1
        returning id
    ) select count(*) from forgotten $$
;;
create function forget_words(who uuid, mailbox text, hashed text, written text, instead text) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    own bigint := {OWN};
    batches uuid[];
    jobs bigint[];
begin
    select array_agg(b.id), array_agg(b.job_id) into batches, jobs
    from public.send s join public.batch b on b.account_id = s.account_id and b.id = s.batch_id
    where s.account_id = own and s.reader_id = who;
    jobs := coalesce(jobs, '{{}}') || array(
        select id from public.job where account_id = own
          and kind in ('send_message', 'send_reader_code') and args ->> 'to' = mailbox);
    update public.send set reason = regexp_replace(reason, written, instead, 'gi')
    where account_id = own and reader_id = who and reason ~* written;
    update public.batch set reason = regexp_replace(reason, written, instead, 'gi'),
        reference = regexp_replace(reference, written, instead, 'gi')
    where account_id = own and id = any (batches) and (reason ~* written or reference ~* written);
    update public.mailing set reason = regexp_replace(reason, written, instead, 'gi'),
        put_off_reason = regexp_replace(put_off_reason, written, instead, 'gi')
    where account_id = own and (reason ~* written or put_off_reason ~* written)
      and id in (select mailing_id from public.send where account_id = own and reader_id = who);
    update public.job set reason = regexp_replace(reason, written, instead, 'gi')
    where account_id = own and id = any (jobs) and reason ~* written;
    update public.attempt set detail = cast(regexp_replace(cast(detail as text), written, instead, 'gi') as jsonb)
    where account_id = own and job_id = any (jobs) and cast(detail as text) ~* written;
    update public.job set args = args || jsonb_build_object('address', hashed, 'detail', '')
    where account_id = own and queue = 'housekeeping' and kind = 'address_bounced' and args ->> 'address' = mailbox;
    update public.test_mail set address = 'an erased reader' where account_id = own and address = mailbox;
    update public.segment set filter = cast(regexp_replace(cast(filter as text), written, instead, 'gi') as jsonb)
    where account_id = own and cast(filter as text) ~* written;
    -- What is under way goes on with the filter it began with.
    update public.bulk_act set filter = cast(regexp_replace(cast(filter as text), written, instead, 'gi') as jsonb)
    where account_id = own and cast(filter as text) ~* written and state in ('done', 'failed');
    update public.broadcast b set filter = cast(regexp_replace(cast(filter as text), written, instead, 'gi') as jsonb)
    where account_id = own and cast(filter as text) ~* written
      and not exists (select from public.mailing m where m.account_id = own and m.id = b.mailing_id
                      and m.state = 'building');
    delete from public.idempotency where account_id = own and key ~* written;
    update public.idempotency set status = 410, answer = jsonb_build_object(
        'headers', jsonb_build_object('content-type', 'application/problem+json'),
        'body', '{{"type": "about:blank", "title": "Gone", "status": 410, "detail": "This call was made once. Its answer is gone with the reader it was about, who was erased."}}')
    where account_id = own and finished_at is not null and cast(answer as text) ~* written;
    update public.import_problem set reason = regexp_replace(reason, written, instead, 'gi')
    where account_id = own and reason ~* written;
end
$$
;;
comment on function forget_words(uuid, text, text, text, text) is
    'Erasing a reader takes their address out of every word that was kept of them: web and worker may not change these rows otherwise.'
;;
revoke execute on function forget_words(uuid, text, text, text, text) from public
;;
grant execute on function forget_words(uuid, text, text, text, text) to godwit_web, godwit_worker
;;
create function message_keys_naming(written text) returns setof text
language sql stable security definer set search_path = pg_catalog, public rows 5 as $$
    select key from public.job_key
    where account_id = {OWN} and kind = 'send_message' and key like '%@%' and key ~* written $$
;;
comment on function message_keys_naming(text) is
    'Keys of messages that name an address that is erased: ~* is not leakproof, so under a policy it would read every key.'
;;
revoke execute on function message_keys_naming(text) from public
;;
grant execute on function message_keys_naming(text) to godwit_web, godwit_worker
;;
create function hash_message_key(plain text, hashed text) returns void
language sql security definer set search_path = pg_catalog, public as $$
    update public.job_key set key = hashed
    where account_id = {OWN} and kind = 'send_message' and key = plain $$
;;
comment on function hash_message_key(text, text) is
    'A message''s key that names an erased address stays known by its hash: web and worker may not change keys otherwise.'
;;
revoke execute on function hash_message_key(text, text) from public
;;
grant execute on function hash_message_key(text, text) to godwit_web, godwit_worker
;;
create function prune_answers(hours integer) returns bigint
language sql security definer set search_path = pg_catalog, public as $$
    with gone as (
        delete from public.idempotency where (account_id, key) in (
            select account_id, key from public.idempotency
            where created_at < clock_timestamp() - make_interval(hours => $1) limit 5000)
        returning key
    ) select count(*) from gone $$
;;
comment on function prune_answers(integer) is
    'Answers kept for a key go after their time, of every account: a worker sees one at a time, and of these none.'
;;
revoke execute on function prune_answers(integer) from public
;;
grant execute on function prune_answers(integer) to godwit_worker
""")
