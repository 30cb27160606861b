"""Erasing a reader reaches what comes too late for it: a receiver's answer, and what a team was told of a mailing."""

from migrations.policies import run

revision = "2026_11_30_late_answers"
down_revision = "2026_11_30_delivery_state"

OWN = "nullif(current_setting('godwit.account_id', true), '')::bigint"
IN_WORDS = "('broadcast.started', 'broadcast.finished', 'broadcast.needs_attention', 'import.finished')"


def upgrade() -> None:
    run(f"""
create function blank_answer() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    event_id bigint;
begin
    -- An erasure under way holds the job: what it commits is seen by the next statement, and it sees what we commit.
    select cast(j.args ->> 'event_id' as bigint) into event_id
    from public.job j where j.id = new.job_id and j.account_id = new.account_id;
    perform from public.job j where j.id = new.job_id for key share;
    if exists (select from public.event e
               join public.erased_reader r on r.account_id = e.account_id and r.reader_id = e.reader_id
               where e.account_id = new.account_id and e.id = event_id) then
        new.detail := new.detail || '{{"answer": ""}}';
    end if;
    return new;
end
$$
;;
comment on function blank_answer() is
    'What a receiver answers after the reader it was told of was erased is not kept: whoever settles sees neither events nor the erased of the account.'
;;
revoke execute on function blank_answer() from public
;;
create trigger blank_answer before insert on attempt for each row
    when (new.detail ->> 'answer' <> '') execute function blank_answer()
;;
create or replace function forget_events(who uuid, written text, instead text) returns void
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
    -- Whoever settles one of them is either seen below or waits until they are erased (blank_answer).
    perform from public.job where id = any (jobs) order by id for update;
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
create function forget_notices(written text, instead text) returns void
language sql security definer set search_path = pg_catalog, public as $$
    update public.job set args = cast(regexp_replace(cast(args as text), written, instead, 'gi') as jsonb)
    where account_id = {OWN} and queue = 'messages'
      and (kind = 'broadcast_changed' or kind = 'send_message' and args ->> 'key' like 'broadcast:%')
      and cast(args as text) ~* written $$
;;
comment on function forget_notices(text, text) is
    'A provider''s words that name an erased reader stand in what a team was told of a mailing: web and worker change no job''s args otherwise.'
;;
revoke execute on function forget_notices(text, text) from public
;;
grant execute on function forget_notices(text, text) to godwit_web, godwit_worker
""")
