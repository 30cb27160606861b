-- What all migrations together make; written by `python -m migrations.dump`, compared by a test.

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE FUNCTION public.account_by_host(host text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$ select id from public.account where slug = $1 and state = 'active' $_$;

COMMENT ON FUNCTION public.account_by_host(host text) IS 'A site is asked for before its account is known: the slug, by exact value only.';

CREATE FUNCTION public.account_by_key(hashes bytea[]) RETURNS TABLE(account_id bigint, key_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$ select k.account_id, k.id from public.api_key k where k.key_hash = any($1) and k.revoked_at is null $_$;

COMMENT ON FUNCTION public.account_by_key(hashes bytea[]) IS 'An API call names its account by its key: the hash, by exact value only.';

CREATE FUNCTION public.account_notice(account bigint) RETURNS TABLE(address text, locale text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select c.email, a.locale from public.account a
    join public.membership m on m.account_id = a.id
    join public.creator c on c.id = m.creator_id
    where a.id = $1 and a.state = 'active' and m.role in ('owner', 'editor')
    order by c.email $_$;

COMMENT ON FUNCTION public.account_notice(account bigint) IS 'The worker tells a team what became of its mail: addresses and locale of one account, by exact id only.';

CREATE FUNCTION public.accounts_unheard(older_seconds double precision) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select u.account_id from (
        select distinct e.account_id from public.event e
        where e.sequence is null and e.created_at < public.godwit_now() - make_interval(secs => $1)) u
    where not exists (select from public.job j
                      where j.queue = 'webhooks' and j.share = u.account_id::text and j.kind = 'fan_out'
                        and j.account_id = u.account_id and j.lane = 'events' and j.state = 'ready')
      and not exists (select from public.job j
                      where j.queue = 'webhooks' and j.share = u.account_id::text and j.kind = 'fan_out'
                        and j.account_id = u.account_id and j.state = 'leased')
    order by u.account_id $_$;

COMMENT ON FUNCTION public.accounts_unheard(older_seconds double precision) IS 'Accounts with events older than so many seconds that have no number, and no fan_out that waits or runs.';

CREATE FUNCTION public.blank_answer() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
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
        new.detail := new.detail || '{"answer": ""}';
    end if;
    return new;
end
$$;

COMMENT ON FUNCTION public.blank_answer() IS 'What a receiver answers after the reader it was told of was erased is not kept: whoever settles sees neither events nor the erased of the account.';

CREATE FUNCTION public.codes_stopped() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public'
    AS $$
    select exists (select from public.switch where account_id = 0 and stopped and scope = 'all') $$;

COMMENT ON FUNCTION public.codes_stopped() IS 'Whether sign-in codes are discarded (they are never held, and go again as soon as mail is started). Asked as the worker.';

CREATE FUNCTION public.counted_up(counts jsonb, more jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog'
    AS $_$
    select coalesce(jsonb_object_agg(key, count), '{}') from (
        select key, sum(cast(value as bigint)) as count
        from (select * from jsonb_each_text($1) union all select * from jsonb_each_text($2)) both_of
        group by key) summed
$_$;

COMMENT ON FUNCTION public.counted_up(counts jsonb, more jsonb) IS 'Counts under names, added up name by name.';

CREATE FUNCTION public.database_known() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
    select exists (select from public.installation i
                   where i.written_by = i.xmin::text::bigint and i.server_started = pg_postmaster_start_time()) $$;

COMMENT ON FUNCTION public.database_known() IS 'Whether a worker has looked (look_back) since this database was loaded, or its server began. Without a row it is being loaded.';

CREATE FUNCTION public.deliveries_in_hand(jobs bigint[], leases bigint[]) RETURNS TABLE(job_id bigint, account_id bigint, endpoint_id uuid, url text, era integer, state text, deleted boolean, troubled boolean, webhook_id text, type text, sequence bigint, body bytea, redelivery integer, throttles integer, age double precision, unix_time bigint, time_left double precision, secrets bytea[], secret_ids uuid[])
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select j.id, j.account_id, p.id, p.url, p.era, p.state, p.deleted_at is not null,
           p.failures > 0 or p.unheard > 0, e.webhook_id, e.type, e.sequence, e.body, d.redelivery,
           j.throttles, extract(epoch from public.godwit_now() - j.created_at)::double precision,
           extract(epoch from clock_timestamp())::bigint,
           extract(epoch from j.leased_until - clock_timestamp())::double precision, s.sealed, s.ids
    from unnest($1, $2) as held(job, lease)
    join public.job j on j.id = held.job and j.lease = held.lease and j.state = 'leased'
    join public.delivery d on d.account_id = j.account_id and d.id = (j.args ->> 'delivery_id')::uuid
    join public.event e on e.account_id = d.account_id and e.id = d.event_id
    join public.endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
    cross join lateral (
        select array_agg(k.sealed order by k.created_at desc) as sealed,
               array_agg(k.id order by k.created_at desc) as ids
        from public.endpoint_secret k
        where k.account_id = p.account_id and k.endpoint_id = p.id
          and (k.expires_at is null or k.expires_at > public.godwit_now())) as s $_$;

COMMENT ON FUNCTION public.deliveries_in_hand(jobs bigint[], leases bigint[]) IS 'What the deliveries in hand say and where they go, of several accounts at once: by exact job and lease alone.';

CREATE FUNCTION public.delivery_state_of(job text, attempts integer, throttles integer, older boolean, endpoint text, deleted boolean) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    select case
        when job = 'done' then 'delivered'
        when job in ('dead', 'discarded') or (job in ('ready', 'held') and deleted) then 'failed'
        when job = 'superseded' or (job in ('ready', 'held') and older) then 'superseded'
        when job = 'held' or (job = 'ready' and endpoint <> 'active') then 'held'
        when attempts - case when job = 'leased' then 1 else 0 end > 0 or throttles > 0 then 'retrying'
        else 'pending' end $$;

COMMENT ON FUNCTION public.delivery_state_of(job text, attempts integer, throttles integer, older boolean, endpoint text, deleted boolean) IS 'A job''s state in the words of webhooks. older: its rank is not the newest of its lane.';

CREATE FUNCTION public.discard_job(job bigint, because text) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with gone as (
        update public.job set state = 'discarded', reason = $2, finished_at = public.godwit_now()
        where id = $1 and state in ('ready', 'dead', 'held') returning id
    ) select exists (select from gone) $_$;

COMMENT ON FUNCTION public.discard_job(job bigint, because text) IS 'An operator gives a job up for good, by exact id, with the reason.';

CREATE FUNCTION public.endpoint_moves() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public'
    AS $$
begin
    if (old.state, new.state) not in (
        ('active', 'paused'), ('active', 'disabled'), ('paused', 'active'), ('paused', 'disabled'),
        ('disabled', 'active')
    ) then
        raise exception 'an endpoint cannot go from % to %', old.state, new.state
            using errcode = 'check_violation';
    end if;
    return new;
end
$$;

CREATE FUNCTION public.enqueue_platform(queue text, kind text, args jsonb, version integer, secrets text[], key text, run_at timestamp with time zone, expires_at timestamp with time zone, max_attempts integer, on_unknown text, cause text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
declare
    made bigint := nextval('public.job_id_seq');
begin
    if key is not null then
        insert into public.job_key (account_id, kind, key, job_id) values (0, $2, $6, made) on conflict do nothing;
        if not found then
            return null;
        end if;
    end if;
    insert into public.job (id, account_id, queue, kind, args, version, secrets, share, run_at, expires_at,
                            max_attempts, on_unknown, cause)
    values (made, 0, $1, $2, $3, $4, $5, '0', coalesce($7, public.godwit_now()), $8, $9, $10, $11);
    return made;
end
$_$;

COMMENT ON FUNCTION public.enqueue_platform(queue text, kind text, args jsonb, version integer, secrets text[], key text, run_at timestamp with time zone, expires_at timestamp with time zone, max_attempts integer, on_unknown text, cause text) IS 'Sign-in has no account yet: its mails are jobs of the platform, account 0.';

CREATE FUNCTION public.entitled(account bigint, reader uuid, access text, plan uuid) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
select case entitled.access
    when 'everyone' then true
    when 'subscribers' then
        exists (select from public.subscription s where s.account_id = entitled.account
                and s.reader_id = entitled.reader and s.state = 'active')
        or exists (select from public.entitlement e where e.account_id = entitled.account
                   and e.reader_id = entitled.reader and e.starts_at <= public.godwit_now()
                   and (e.ends_at is null or e.ends_at > public.godwit_now()))
    when 'paid' then
        exists (select from public.entitlement e where e.account_id = entitled.account
                and e.reader_id = entitled.reader and e.starts_at <= public.godwit_now()
                and (e.ends_at is null or e.ends_at > public.godwit_now()))
    when 'plan' then
        exists (select from public.entitlement e where e.account_id = entitled.account
                and e.reader_id = entitled.reader and e.plan_id = entitled.plan
                and e.starts_at <= public.godwit_now()
                and (e.ends_at is null or e.ends_at > public.godwit_now()))
    else false end
$$;

COMMENT ON FUNCTION public.entitled(account bigint, reader uuid, access text, plan uuid) IS 'May this reader read what has this access? The same rule as app/plans/access.py; a test compares them.';

CREATE FUNCTION public.forget_events(who uuid, written text, instead text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
declare
    own bigint := nullif(current_setting('godwit.account_id', true), '')::bigint;
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
        body = convert_to(cast(jsonb_set(cast(convert_from(body, 'UTF8') as jsonb), '{data}', bare) as text), 'UTF8')
    where account_id = own and reader_id = who;
    update public.job set state = 'discarded', reason = 'the reader was erased', finished_at = public.godwit_now()
    where account_id = own and id = any (jobs) and state in ('ready', 'held');
    -- What the receiver answered may say again what it was told.
    update public.attempt set detail = detail || '{"answer": ""}'
    where account_id = own and job_id = any (jobs) and detail ->> 'answer' <> '';
    update public.event set data = cast(regexp_replace(cast(data as text), written, instead, 'gi') as jsonb),
        body = convert_to(regexp_replace(convert_from(body, 'UTF8'), written, instead, 'gi'), 'UTF8')
    where account_id = own and type in ('broadcast.started', 'broadcast.finished', 'broadcast.needs_attention', 'import.finished') and cast(data as text) ~* written;
end
$$;

COMMENT ON FUNCTION public.forget_events(who uuid, written text, instead text) IS 'Erasing a reader leaves their id in what was told of them, and their address in nothing: web and worker change no event otherwise.';

CREATE FUNCTION public.forget_import_changes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
begin
    delete from public.import_change where account_id = old.account_id and thing_id = old.id;
    return null;
end
$$;

COMMENT ON FUNCTION public.forget_import_changes() IS 'What an import wrote over holds names and notes: it goes with its reader, whoever erases them.';

CREATE FUNCTION public.forget_messages(address text) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with forgotten as (
        update public.job set
            args = args || '{"to": "", "subject": "", "text": "", "html": null, "headers": []}'
                || case when args ->> 'key' is null then '{}'::jsonb else '{"key": null}' end,
            state = case when state in ('ready', 'held') then 'discarded' else state end,
            reason = case when state in ('ready', 'held') then 'the reader was erased' else reason end,
            finished_at = case when state in ('ready', 'held') then public.godwit_now() else finished_at end
        where account_id = nullif(current_setting('godwit.account_id', true), '')::bigint
          and kind in ('send_message', 'send_reader_code') and args ->> 'to' = $1
        returning id
    ) select count(*) from forgotten $_$;

COMMENT ON FUNCTION public.forget_messages(address text) IS 'Erasing a reader takes their address out of the automatic mails of the account: web may not change jobs otherwise.';

CREATE FUNCTION public.forget_notices(written text, instead text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
    update public.job set args = cast(regexp_replace(cast(args as text), written, instead, 'gi') as jsonb)
    where account_id = nullif(current_setting('godwit.account_id', true), '')::bigint and queue = 'messages'
      and (kind = 'broadcast_changed' or kind = 'send_message' and args ->> 'key' like 'broadcast:%')
      and cast(args as text) ~* written $$;

COMMENT ON FUNCTION public.forget_notices(written text, instead text) IS 'A provider''s words that name an erased reader stand in what a team was told of a mailing: web and worker change no job''s args otherwise.';

CREATE FUNCTION public.forget_words(who uuid, mailbox text, hashed text, written text, instead text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
declare
    own bigint := nullif(current_setting('godwit.account_id', true), '')::bigint;
    batches uuid[];
    jobs bigint[];
begin
    select array_agg(b.id), array_agg(b.job_id) into batches, jobs
    from public.send s join public.batch b on b.account_id = s.account_id and b.id = s.batch_id
    where s.account_id = own and s.reader_id = who;
    jobs := coalesce(jobs, '{}') || array(
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
        'body', '{"type": "about:blank", "title": "Gone", "status": 410, "detail": "This call was made once. Its answer is gone with the reader it was about, who was erased."}')
    where account_id = own and finished_at is not null and cast(answer as text) ~* written;
    update public.import_problem set reason = regexp_replace(reason, written, instead, 'gi')
    where account_id = own and reason ~* written;
end
$$;

COMMENT ON FUNCTION public.forget_words(who uuid, mailbox text, hashed text, written text, instead text) IS 'Erasing a reader takes their address out of every word that was kept of them: web and worker may not change these rows otherwise.';

CREATE FUNCTION public.fresh_statistics(of text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
declare
    name text;
    made integer := 0;
begin
    for name in
        select c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relname = any (of)
          and c.relname in ('reader', 'subscription', 'consent', 'reader_tag', 'send')
          and pg_relation_size(c.oid) / 8192 > 10 + 1.1 * greatest(c.relpages, 0)
        order by c.relname
    loop
        execute format('analyze (skip_locked) public.%I', name);
        made := made + 1;
    end loop;
    return made;
end
$$;

COMMENT ON FUNCTION public.fresh_statistics(of text[]) IS 'Who is no owner may not analyse; of tables that grew by a tenth since somebody did, and of nothing else.';

CREATE FUNCTION public.godwit_now() RETURNS timestamp with time zone
    LANGUAGE sql
    AS $$select clock_timestamp() + (select ahead from public.clock)$$;

COMMENT ON FUNCTION public.godwit_now() IS 'Now, for what people see or schedule.';

CREATE FUNCTION public.has_signed_in(reader uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select exists (select from public.reader_session s where s.reader_id = $1
        and s.account_id = nullif(current_setting('godwit.account_id', true), '')::bigint)
$_$;

COMMENT ON FUNCTION public.has_signed_in(reader uuid) IS 'Whether a reader of this account is signed in: a worker, who reads no sessions, must not undo them away.';

CREATE FUNCTION public.hash_message_key(plain text, hashed text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
    update public.job_key set key = hashed
    where account_id = nullif(current_setting('godwit.account_id', true), '')::bigint and kind = 'send_message' and key = plain $$;

COMMENT ON FUNCTION public.hash_message_key(plain text, hashed text) IS 'A message''s key that names an erased address stays known by its hash: web and worker may not change keys otherwise.';

CREATE FUNCTION public.held_mail(account bigint) RETURNS TABLE(sends bigint, messages bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with this as (select held_scope from public.switch where account_id = $1 and holding)
    select (select coalesce(sum(t.n), 0)::bigint
            from this, public.tally t join public.mailing m on m.account_id = t.account_id and m.id = t.mailing_id
            where $1 in (0, m.account_id) and m.state in ('building', 'sending') and t.state = 'planned'
              and not exists (select from public.switch s
                              where s.account_id = m.account_id and s.account_id <> $1 and s.holding)),
           (select count(*) from this, public.job j
            where this.held_scope = 'all' and $1 in (0, j.account_id) and j.queue = 'messages' and j.state = 'ready'
              and not exists (select from public.switch s where s.account_id = j.account_id
                              and s.account_id <> $1 and s.held_scope = 'all')) $_$;

COMMENT ON FUNCTION public.held_mail(account bigint) IS 'What a switch holds: two counts. What an account holds itself is not the platform''s to let go.';

CREATE FUNCTION public.job_moves() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public'
    AS $$
begin
    if tg_op = 'INSERT' then
        if new.state <> 'ready' then
            raise exception 'a job begins ready, not %', new.state using errcode = 'check_violation';
        end if;
        return new;
    end if;
    if new.account_id <> old.account_id or new.kind <> old.kind or new.id <> old.id then
        raise exception 'job % keeps its id, account and kind', old.id using errcode = 'check_violation';
    end if;
    if new.lease < old.lease or (new.lease is null and old.lease is not null) then
        raise exception 'the lease of job % only grows', old.id using errcode = 'check_violation';
    end if;
    if new.state <> old.state then
        if (old.state, new.state) not in (
            ('ready', 'leased'), ('ready', 'held'), ('ready', 'superseded'), ('ready', 'discarded'),
            ('leased', 'done'), ('leased', 'ready'), ('leased', 'dead'), ('leased', 'held'),
            ('leased', 'superseded'), ('leased', 'discarded'),
            ('held', 'done'), ('held', 'dead'), ('held', 'ready'), ('held', 'superseded'), ('held', 'discarded'),
            ('dead', 'ready'), ('dead', 'superseded'), ('dead', 'discarded')
        ) then
            raise exception 'job % cannot go from % to %', old.id, old.state, new.state
                using errcode = 'check_violation';
        end if;
        if new.state = 'leased' and new.lease is not distinct from old.lease then
            raise exception 'job % needs a new lease', old.id using errcode = 'check_violation';
        end if;
        if new.state = 'superseded' then
            new.superseded_by := (select l.newest_rank from public.lane l
                where l.account_id = new.account_id and l.lane = new.lane and l.newest_rank > new.rank);
        end if;
        -- What lets someone in is forgotten as soon as the job is over, whoever ends it.
        if new.state in ('done', 'dead', 'superseded', 'discarded') and cardinality(new.secrets) > 0 then
            new.args := new.args - new.secrets;
        end if;
    end if;
    return new;
end
$$;

CREATE FUNCTION public.keep_an_owner() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
begin
    -- Whoever takes an owner away waits for whoever does the same, and then counts what the other left.
    perform from public.account where id = old.account_id for no key update;
    if found and not exists (
        select from public.membership where account_id = old.account_id and role = 'owner') then
        raise exception 'a publication keeps an owner'
            using errcode = 'check_violation', constraint = 'an_owner_stays', table = 'membership';
    end if;
    return null;
end $$;

COMMENT ON FUNCTION public.keep_an_owner() IS 'Of two owners who take each other away at one instant, the second fails: no check of one row could see that.';

CREATE FUNCTION public.keep_held_scope() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public'
    AS $$
begin
    if not new.holding then
        new.held_scope := null;
    elsif new.held_scope is null or (new.stopped and new.scope = 'all') then
        new.held_scope := new.scope;
    end if;
    return new;
end $$;

CREATE FUNCTION public.last_said_by_import(account bigint, reader uuid, newsletter uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select coalesce((select c.import_id is not null from public.consent c
        where c.account_id = $1 and c.reader_id = $2 and c.newsletter_id = $3
        order by c.id desc limit 1), false)
$_$;

CREATE FUNCTION public.let_go(account bigint, by text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
declare
    went text;
begin
    update public.switch set holding = stopped, held_scope = scope,
        changed_by = case when stopped then changed_by else $2 end,
        changed_at = case when stopped then changed_at else public.godwit_now() end
    where account_id = $1 and holding and (not stopped or held_scope <> scope)
    returning scope into went;
    if went is not null then
        insert into public.switch_change (account_id, act, scope, reason, by) values ($1, 'let_go', went, '', $2);
    end if;
    return went is not null;
end $_$;

COMMENT ON FUNCTION public.let_go(account bigint, by text) IS 'An operator lets go, once, what is held and not stopped any more.';

CREATE FUNCTION public.look_back(seen_id uuid, seen bigint) RETURNS TABLE(id uuid, look bigint, restored boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
declare
    me bigint := (pg_current_xact_id()::text::numeric % 4294967296)::bigint;
    here text := left(pg_walfile_name(pg_current_wal_lsn()), 8);
    stands record;
    other boolean;
begin
    select i.id, i.look, i.timeline, i.written_by = i.xmin::text::bigint as own into stands
    from public.installation i for update;
    if not found then  -- a row of ours would be in the way of the one that is being loaded
        raise exception 'this database is being loaded from a backup, or godwit migrate is still to be run'
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    other := not stands.own or stands.timeline <> here
        or coalesce(seen_id = stands.id and seen > stands.look, false);
    if other then
        perform public.set_switch(0, true, 'all', 'This database was restored from a backup, or another server'
            ' took its place. Mail that it still plans may have gone out since. Look at what readers got,'
            ' then start mail and let go what waits, or cancel it.', 'Godwit');
    end if;
    return query update public.installation i
        set look = greatest(i.look, seen) + 1, written_by = me, timeline = here,
            server_started = pg_postmaster_start_time()
        returning i.id, i.look, other;
end $$;

COMMENT ON FUNCTION public.look_back(seen_id uuid, seen bigint) IS 'A worker asks, before its first claim and then now and again, whether the database is the one it was: else all mail is stopped.';

CREATE FUNCTION public.mail_stopped(account bigint, bulk boolean) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select exists (select from public.switch s
                   where s.account_id in (0, $1) and s.holding and (s.held_scope = 'all' or $2))
           or not public.database_known() $_$;

COMMENT ON FUNCTION public.mail_stopped(account bigint, bulk boolean) IS 'Whether mail of an account may not go now: bulk is what the ledger sends. Asked by every claim, as the worker.';

CREATE FUNCTION public.maintain_attempts() RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    SET lock_timeout TO '200ms'
    AS $_$
declare
    month date := date_trunc('month', clock_timestamp() at time zone 'UTC')::date;
    wanted date;
    name text;
    stands bigint;
    gone bigint;
begin
    select min(m) into wanted from (
        select (month + make_interval(months => n))::date from generate_series(0, 3) as n
        union all select date_trunc('month', min(started_at) at time zone 'UTC')::date from public.attempt_default
    ) as months (m) where to_regclass('public.attempt_' || to_char(m, 'YYYY_MM')) is null;
    if wanted is not null then  -- with what fell outside while the month had no part
        name := 'attempt_' || to_char(wanted, 'YYYY_MM');
        lock table public.attempt_default in access exclusive mode;
        execute format('create table public.%I (like public.attempt including defaults including constraints)', name);
        execute format('with moved as (delete from public.attempt_default'
            ' where date_trunc(''month'', started_at at time zone ''UTC'') = %L returning *)'
            ' insert into public.%I select * from moved', wanted, name);
        execute format('alter table public.attempt attach partition public.%I for values from (%L) to (%L)', name,
            wanted || ' 00:00+00', (wanted + interval '1 month')::date || ' 00:00+00');
        execute format('alter table public.%I enable row level security', name);
        execute format('alter table public.%I force row level security', name);
        execute format('create policy owner on public.%I for all to godwit_owner using (true)', name);
        return true;
    end if;
    for name in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'public.attempt'::regclass and c.relname ~ '^attempt_[0-9]{4}_[0-9]{2}$'
          and c.relname < 'attempt_' || to_char(month - interval '2 months', 'YYYY_MM')
        order by c.relname
    loop
        execute format('select count(*) filter (where j.id is not null), count(*) filter (where j.id is null)'
            ' from public.%I a left join public.job j on j.account_id = a.account_id and j.id = a.job_id', name)
            into stands, gone;
        if stands = 0 then
            execute format('drop table public.%I', name);
            return true;
        elsif gone > stands then  -- written anew: what is deleted leaves its room behind
            execute format('create temporary table tries_kept as select a.* from public.%I a'
                ' join public.job j on j.account_id = a.account_id and j.id = a.job_id', name);
            execute format('truncate public.%I', name);
            execute format('insert into public.%I select * from pg_temp.tries_kept', name);
            drop table pg_temp.tries_kept;
            return true;
        end if;
    end loop;
    return false;
end
$_$;

COMMENT ON FUNCTION public.maintain_attempts() IS 'Keeps three months of attempt partitions ahead, and one for whatever fell outside; of those before the last two only tries of jobs that stand. One act a call: true, and there may be more. Raises 55P03 when somebody reads or writes the table for longer than a moment.';

CREATE FUNCTION public.memberships_of(creator uuid) RETURNS TABLE(account_id bigint, slug text, name text, role text, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$ select a.id, a.slug, a.name, m.role, a.created_at from public.membership m join public.account a on a.id = m.account_id
      where m.creator_id = $1 and a.state = 'active' order by a.name, a.id $_$;

COMMENT ON FUNCTION public.memberships_of(creator uuid) IS 'After sign-in a creator chooses among their accounts: by exact creator only.';

CREATE FUNCTION public.message_keys_naming(written text) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 5
    SET search_path TO 'pg_catalog', 'public'
    AS $$
    select key from public.job_key
    where account_id = nullif(current_setting('godwit.account_id', true), '')::bigint and kind = 'send_message' and key like '%@%' and key ~* written $$;

COMMENT ON FUNCTION public.message_keys_naming(written text) IS 'Keys of messages that name an address that is erased: ~* is not leakproof, so under a policy it would read every key.';

CREATE FUNCTION public.messages_to(address text, most integer) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select id from public.job
    where account_id = nullif(current_setting('godwit.account_id', true), '')::bigint
      and kind in ('send_message', 'send_reader_code') and args ->> 'to' = $1
    order by id desc limit $2 $_$;

COMMENT ON FUNCTION public.messages_to(address text, most integer) IS 'The automatic mails to one address, by exact value: ->> is not leakproof, so under a policy it would read every job.';

CREATE FUNCTION public.only_imported(account bigint, import uuid, reader uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select not exists (
            select from public.mailing m
            join public.send s on s.account_id = m.account_id and s.mailing_id = m.id and s.reader_id = $3
            where m.account_id = $1 and s.state <> 'skipped')
        and not exists (select from public.reader r where r.account_id = $1 and r.id = $3 and r.confirmed_at is not null)
        and not exists (select from public.consent c
            where c.account_id = $1 and c.reader_id = $3 and c.import_id is null)
        and not exists (select from public.confirmation c where c.account_id = $1 and c.reader_id = $3)
        and not public.has_signed_in($3)
        and not exists (select from public.entitlement e
            where e.account_id = $1 and e.reader_id = $3 and (e.source <> 'import' or e.ended_by_name <> ''))
        and not exists (select from public.import_change o
            where o.account_id = $1 and o.thing_id = $3 and o.import_id <> $2)
        and not exists (select from public.import_change c
            where c.account_id = $1 and c.import_id = $2 and c.thing_id = $3
              and c.before ->> 'is' <> public.reader_digest($1, $3))
$_$;

COMMENT ON FUNCTION public.only_imported(account bigint, import uuid, reader uuid) IS 'Whether a reader is only what one import made of them: then undoing it takes them away again.';

CREATE FUNCTION public.open_account(slug text, name text, postal_address text, creator uuid, newsletter uuid) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
declare
    made bigint;
begin
    insert into public.account (slug, name, postal_address) values ($1, $2, $3) returning id into made;
    insert into public.membership (account_id, creator_id, role) values (made, $4, 'owner');
    insert into public.newsletter (account_id, id, slug, name, is_default) values (made, $5, 'newsletter', $2, true);
    return made;
end
$_$;

COMMENT ON FUNCTION public.open_account(slug text, name text, postal_address text, creator uuid, newsletter uuid) IS 'A new account has no id to be within yet; it is born whole, with its owner and its first newsletter.';

CREATE FUNCTION public.overdue_seconds() RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$ select coalesce(max(extract(epoch from public.godwit_now() - run_at)), 0)::double precision
      from public.job where state = 'ready' and run_at <= public.godwit_now() $$;

COMMENT ON FUNCTION public.overdue_seconds() IS 'Health asks for all accounts at once, and learns an age only.';

CREATE FUNCTION public.overdue_work() RETURNS TABLE(queue text, seconds double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with recursive queues (queue) as (
        (select j.queue from public.job j where j.state = 'ready' order by j.queue limit 1)
        union all
        select (select j.queue from public.job j where j.state = 'ready' and j.queue > q.queue
                order by j.queue limit 1)
        from queues q where q.queue is not null
    )
    select q.queue, max(extract(epoch from public.godwit_now() - t.run_at))::double precision
    from queues q cross join lateral public.turns(q.queue, '') t
    where q.queue is not null and t.run_at <= (select public.godwit_now())
      and not exists (
          select from public.job l where l.queue = q.queue and l.share = t.share and l.state = 'leased'
            and l.leased_until > clock_timestamp())
      and not (q.queue in ('messages', 'sends') and public.mail_stopped(t.account_id, q.queue = 'sends'))
      and not (q.queue = 'webhooks' and exists (
          select from public.endpoint e where e.account_id = t.account_id
            and e.id = cast(substring(t.share from '^endpoint:(.*)$') as uuid)
            and (e.failures > 0 or e.unheard > 0)))
    group by q.queue $_$;

COMMENT ON FUNCTION public.overdue_work() IS 'Health asks for all accounts at once, and learns queues and ages only: of shares nobody is at, and that nothing keeps back.';

CREATE FUNCTION public.platform_switch() RETURNS TABLE(stopped boolean, holding boolean, scope text, reason text, changed_by text, changed_at timestamp with time zone, held_scope text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
    select stopped, holding, scope, reason, changed_by, changed_at, held_scope
    from public.switch where account_id = 0 $$;

COMMENT ON FUNCTION public.platform_switch() IS 'Every studio shows that the operator stopped mail: the one row of account 0.';

CREATE FUNCTION public.prune_answers(hours integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with gone as (
        delete from public.idempotency where (account_id, key) in (
            select account_id, key from public.idempotency
            where created_at < clock_timestamp() - make_interval(hours => $1) limit 5000)
        returning key
    ) select count(*) from gone $_$;

COMMENT ON FUNCTION public.prune_answers(hours integer) IS 'Answers kept for a key go after their time, of every account: a worker sees one at a time, and of these none.';

CREATE FUNCTION public.prune_bulk_acts(days integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with gone as (
        delete from public.bulk_act where (account_id, id) in (
            select account_id, id from public.bulk_act
            where ended_at < public.godwit_now() - make_interval(days => $1) limit 100)
        returning id
    ) select count(*) from gone $_$;

COMMENT ON FUNCTION public.prune_bulk_acts(days integer) IS 'Acts on many readers that are long over go with whose tags they changed, of every account: a worker sees one at a time.';

CREATE FUNCTION public.prune_import_files(days integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with old as materialized (
        select i.account_id, i.id from public.import_file f
        join public.import i on i.account_id = f.account_id and i.id = f.import_id
        where i.state not in ('queued', 'running')
          and coalesce(i.finished_at, i.created_at) < public.godwit_now() - make_interval(days => $1)
        limit 100 for update of i skip locked
    ), given_up as (
        update public.import i
        set state = 'failed', reason = 'Nobody went on with it within a week.', finished_at = public.godwit_now()
        from old o where i.account_id = o.account_id and i.id = o.id and i.state = 'waiting'
    ), gone as (
        delete from public.import_file f using old o where f.account_id = o.account_id and f.import_id = o.id
        returning f.import_id
    ) select count(*) from gone $_$;

COMMENT ON FUNCTION public.prune_import_files(days integer) IS 'Files of imports that nobody went on with are forgotten, of every account: a worker sees one at a time.';

CREATE FUNCTION public.prune_invitations(days integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with gone as (
        delete from public.invitation where (account_id, id) in (
            select account_id, id from public.invitation
            where expires_at < public.godwit_now() - make_interval(days => $1) limit 5000)
        returning id
    ) select count(*) from gone $_$;

COMMENT ON FUNCTION public.prune_invitations(days integer) IS 'Addresses of who never came go, of every account: a worker sees no invitation.';

CREATE FUNCTION public.prune_webhooks(days integer, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
declare
    pruned bigint;
begin
    delete from public.endpoint_secret where expires_at < public.godwit_now() - make_interval(days => $1);
    with old as (
        select e.account_id, e.id from public.event e
        where e.created_at < public.godwit_now() - make_interval(days => $1)
          and not exists (select from public.delivery d join public.job j on j.id = d.job_id
                          where d.account_id = e.account_id and d.event_id = e.id and j.state = 'leased')
        order by e.created_at limit $2
    ), over as (
        delete from public.job j
        using public.delivery d join old o on o.account_id = d.account_id and o.id = d.event_id
        where j.id = d.job_id and j.state in ('done', 'dead', 'superseded', 'discarded')
    ), ended as (  -- and no endpoint counts it any more
        update public.job j set state = 'discarded', reason = 'its event is older than it is kept',
            finished_at = public.godwit_now(), share = cast(j.account_id as text)
        from public.delivery d join old o on o.account_id = d.account_id and o.id = d.event_id
        where j.id = d.job_id and j.state in ('ready', 'held')
    ), gone as (
        delete from public.event e using old o where e.account_id = o.account_id and e.id = o.id
        returning e.id
    ) select count(*) into pruned from gone;
    delete from public.endpoint p
    where p.deleted_at < public.godwit_now() - make_interval(days => $1)
      and not exists (select from public.delivery d where d.account_id = p.account_id and d.endpoint_id = p.id);
    return pruned;
end $_$;

COMMENT ON FUNCTION public.prune_webhooks(days integer, most integer) IS 'Events go after their days with their deliveries, then endpoints that were deleted, of every account: a worker sees one at a time.';

CREATE FUNCTION public.published_posts(revisions uuid[]) RETURNS TABLE(id uuid, title text, slug text, markdown text, excerpt text, tags text[], access text, plan_id uuid, kind text, cover text, cover_alt text, seo_title text, seo_description text, version integer, live boolean, created_at timestamp with time zone, updated_at timestamp with time zone, published_at timestamp with time zone, state text)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 5
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select p.id, r.title, coalesce(p.slug, case when same.same then d.slug else r.slug end), r.markdown,
           case when same.same then d.excerpt else r.excerpt end, r.tags, r.access, r.plan_id, r.kind,
           r.cover, r.cover_alt, r.seo_title, r.seo_description, d.version, p.slug is not null,
           p.created_at, d.updated_at, p.published_at,
           case when p.live_revision_id is null then 'draft' when same.same then 'published' else 'changed' end
    from public.revision r
    join public.post p on p.account_id = r.account_id and p.id = r.post_id
    join public.draft d on d.account_id = p.account_id and d.post_id = p.id
    cross join lateral (select d.updated_at <= r.created_at as same) as same
    where r.account_id = nullif(current_setting('godwit.account_id', true), '')::bigint and r.id = any ($1) $_$;

COMMENT ON FUNCTION public.published_posts(revisions uuid[]) IS 'A post as the API tells it, with a frozen text: of its draft, which the worker may not read, what was frozen as it is, the version and the time.';

CREATE FUNCTION public.reader_digest(account bigint, reader uuid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select md5(cast(jsonb_build_array(r.name, r.note, r.extra,
        (select coalesce(jsonb_agg(t.tag order by t.tag), '[]') from public.reader_tag t
         where t.account_id = r.account_id and t.reader_id = r.id)) as text))
    from public.reader r where r.account_id = $1 and r.id = $2
$_$;

COMMENT ON FUNCTION public.reader_digest(account bigint, reader uuid) IS 'What a team can write of a reader, as one word: another one once anybody changed it.';

CREATE FUNCTION public.retry_job(job bigint) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with tried as (
        update public.job set state = 'ready', reason = null, attempts = 0, run_at = public.godwit_now()
        where id = $1 and state in ('dead', 'held') returning id
    ) select exists (select from tried) $_$;

COMMENT ON FUNCTION public.retry_job(job bigint) IS 'An operator tries a job again that gave up or is held, by exact id.';

CREATE FUNCTION public.retry_message(message bigint) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    with tried as (
        update public.job set state = 'ready', reason = null, attempts = 0, run_at = public.godwit_now()
        where id = $1 and kind = 'send_message' and state in ('dead', 'held')
          and account_id = nullif(current_setting('godwit.account_id', true), '')::bigint
        returning id
    ) select exists (select from tried) $_$;

COMMENT ON FUNCTION public.retry_message(message bigint) IS 'The team tries a message of its own account again that gave up or is held: web may not change jobs otherwise.';

CREATE FUNCTION public.search_readers(address_part text, name_part text) RETURNS TABLE(id uuid, joined_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 200
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
declare
    address text := regexp_replace(address_part, '([\\%_])', '\\\1', 'g') || '%';
    name text := regexp_replace(name_part, '([\\%_])', '\\\1', 'g') || '%';
    short boolean := name_part ~ '^[ -~]{1,2}$';
begin
    -- Executed anew each time, so that the plan knows how rare the part is.
    return query execute
        'select r.id, r.joined_at from public.reader r
         where r.account_id = $1 and (r.email like $2 or lower(r.name) like $3 or lower(r.name) like $4)'
    using nullif(current_setting('godwit.account_id', true), '')::bigint,
          case when short then '' else '%' end || address,
          case when short then '' else '%' end || name,
          case when short then '% ' else '%' end || name;
end
$_$;

COMMENT ON FUNCTION public.search_readers(address_part text, name_part text) IS 'A part of an address or name; of one or two plain letters the beginning of either, or of a later name. LIKE is not leakproof: under a policy it would read every row.';

CREATE FUNCTION public.set_switch(account bigint, stop boolean, scope text, reason text, by text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
begin
    if $2 then
        insert into public.switch as s (account_id, stopped, scope, reason, changed_by, holding, by_operator)
        values ($1, true, $3, $4, $5, true, true)
        on conflict (account_id) do update set
            (team_scope, team_reason, team_by) = (
                select t.* from (values (s.scope, s.reason, s.changed_by)) as t where s.stopped and not s.by_operator
                union all
                select s.team_scope, s.team_reason, s.team_by where not s.stopped or s.by_operator),
            scope = case when s.stopped and 'all' = case when s.by_operator then s.team_scope else s.scope end
                         then 'all' else excluded.scope end,
            stopped = true, holding = true, by_operator = true,
            reason = excluded.reason, changed_by = excluded.changed_by,
            changed_at = case when s.stopped then s.changed_at else public.godwit_now() end;
    else
        update public.switch s set
            stopped = s.team_scope is not null, by_operator = false,
            scope = coalesce(s.team_scope, s.scope), reason = coalesce(s.team_reason, $4),
            changed_by = coalesce(s.team_by, $5),
            team_scope = null, team_reason = null, team_by = null,
            changed_at = case when s.stopped and s.team_scope is null then public.godwit_now() else s.changed_at end
        where s.account_id = $1;
    end if;
    insert into public.switch_change (account_id, act, scope, reason, by)
    values ($1, case when $2 then 'stopped' else 'started' end, $3, $4, $5);
end $_$;

COMMENT ON FUNCTION public.set_switch(account bigint, stop boolean, scope text, reason text, by text) IS 'An operator stops or starts mail of one account, or of all (0).';

CREATE FUNCTION public.turns(of_queue text, after text) RETURNS TABLE(share text, account_id bigint, kind text, run_at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $_$
    with recursive ahead (share) as (
        (select j.share from public.job j
         where j.queue = $1 and j.state = 'ready' and j.share > $2
         order by j.share limit 1)
        union all
        select (select j.share from public.job j
                where j.queue = $1 and j.state = 'ready' and j.share > a.share
                order by j.share limit 1)
        from ahead a where a.share is not null
    ), behind (share) as (
        (select j.share from public.job j
         where j.queue = $1 and j.state = 'ready' and j.share <= $2
         order by j.share limit 1)
        union all
        select (select j.share from public.job j
                where j.queue = $1 and j.state = 'ready' and j.share > b.share and j.share <= $2
                order by j.share limit 1)
        from behind b where b.share is not null
    )
    select turn.share, next.account_id, next.kind, next.run_at
    from (select a.share from ahead a where a.share is not null
          union all
          select b.share from behind b where b.share is not null) as turn
    cross join lateral (
        select j.account_id, j.kind, j.run_at from public.job j
        where j.queue = $1 and j.state = 'ready' and j.share = turn.share
        order by j.run_at limit 1
    ) as next $_$;

COMMENT ON FUNCTION public.turns(of_queue text, after text) IS 'Shares with ready jobs, from the one after $2 round to it, each with its next job. Walks the index from share to share.';

CREATE FUNCTION public.turns(of_queue text, after text, since timestamp with time zone) RETURNS TABLE(share text, account_id bigint, kind text, run_at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $_$
    with recursive ahead (share) as (
        (select j.share from public.job j
         where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share > $2
         order by j.share limit 1)
        union all
        select (select j.share from public.job j
                where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share > a.share
                order by j.share limit 1)
        from ahead a where a.share is not null
    ), behind (share) as (
        (select j.share from public.job j
         where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share <= $2
         order by j.share limit 1)
        union all
        select (select j.share from public.job j
                where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share > b.share and j.share <= $2
                order by j.share limit 1)
        from behind b where b.share is not null
    )
    select turn.share, next.account_id, next.kind, next.run_at
    from (select a.share from ahead a where a.share is not null
          union all
          select b.share from behind b where b.share is not null) as turn
    cross join lateral (
        select j.account_id, j.kind, j.run_at from public.job j
        where j.queue = $1 and j.state = 'ready' and j.run_at >= $3 and j.share = turn.share
        order by j.run_at limit 1
    ) as next $_$;

COMMENT ON FUNCTION public.turns(of_queue text, after text, since timestamp with time zone) IS 'Shares with ready jobs, due from $3 on, from the one after $2 round to it, each with its next job. Walks the index from share to share.';

CREATE FUNCTION public.unmailable_reason(account bigint, reader uuid, newsletter uuid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select case
        when exists (select from public.erased_reader e where e.account_id = $1 and e.reader_id = $2) then 'erased'
        when r.id is null then 'no longer a reader'
        when x.address is not null then 'blocked address: ' || x.reason
        when s.state is null then 'never subscribed to this newsletter'
        when s.state = 'pending' then 'not confirmed'
        when s.state = 'unsubscribed' then 'unsubscribed'
        else 'may be mailed'
    end
    from (select 1) as one
    left join public.reader r on r.account_id = $1 and r.id = $2
    left join public.subscription s on s.account_id = $1 and s.reader_id = $2 and s.newsletter_id = $3
    left join public.suppression x on x.account_id = $1 and x.address = r.email
$_$;

COMMENT ON FUNCTION public.unmailable_reason(account bigint, reader uuid, newsletter uuid) IS 'Why a reader is not in mailable, in words for people; beside the view, for the ledger''s skips.';

CREATE FUNCTION public.webhook_calls(jobs bigint[], leases bigint[]) RETURNS TABLE(job_id bigint, account_id bigint, endpoint_id uuid, url text, state text, deleted boolean, reason text, failures integer, webhook_id text, type text, sequence bigint, body bytea, redelivery integer, throttles integer, age double precision, unix_time bigint, secrets bytea[], secret_ids uuid[])
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'public'
    AS $_$
    select j.id, j.account_id, p.id, p.url, p.state, p.deleted_at is not null, p.reason,
           p.failures, e.webhook_id, e.type, e.sequence, e.body, d.redelivery,
           j.throttles, extract(epoch from public.godwit_now() - j.created_at)::double precision,
           extract(epoch from clock_timestamp())::bigint, s.sealed, s.ids
    from unnest($1, $2) as held(job, lease)
    join public.job j on j.id = held.job and j.lease = held.lease and j.state = 'leased'
    join public.delivery d on d.account_id = j.account_id and d.id = (j.args ->> 'delivery_id')::uuid
    join public.event e on e.account_id = d.account_id and e.id = d.event_id
    join public.endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
    cross join lateral (
        select array_agg(k.sealed order by k.created_at desc) as sealed,
               array_agg(k.id order by k.created_at desc) as ids
        from public.endpoint_secret k
        where k.account_id = p.account_id and k.endpoint_id = p.id
          and (k.expires_at is null or k.expires_at > public.godwit_now())) as s $_$;

COMMENT ON FUNCTION public.webhook_calls(jobs bigint[], leases bigint[]) IS 'What the deliveries in hand say and where they go, of several accounts at once: by exact job and lease alone.';

CREATE TABLE public.account (
    id bigint NOT NULL,
    slug text COLLATE pg_catalog."C",
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    postal_address text DEFAULT ''::text NOT NULL,
    sender_name text DEFAULT ''::text NOT NULL,
    reply_to text COLLATE pg_catalog."C",
    locale text DEFAULT 'en'::text NOT NULL,
    zone text DEFAULT 'UTC'::text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    send_rate double precision,
    undo_seconds integer DEFAULT 30 NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT account_description_check CHECK ((length(description) <= 500)),
    CONSTRAINT account_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT account_postal_address_check CHECK ((length(postal_address) <= 500)),
    CONSTRAINT account_send_rate_check CHECK ((send_rate > (0)::double precision)),
    CONSTRAINT account_sender_name_check CHECK ((length(sender_name) <= 120)),
    CONSTRAINT account_slug_check CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
    CONSTRAINT account_state_check CHECK ((state = ANY (ARRAY['active'::text, 'closed'::text]))),
    CONSTRAINT account_undo_seconds_check CHECK (((undo_seconds >= 0) AND (undo_seconds <= 600))),
    CONSTRAINT platform_has_no_site CHECK (((id = 0) = (slug IS NULL)))
);

ALTER TABLE ONLY public.account FORCE ROW LEVEL SECURITY;

ALTER TABLE public.account ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.account_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);

CREATE TABLE public.api_key (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    key_hash bytea NOT NULL,
    hint text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120)))
);

ALTER TABLE ONLY public.api_key FORCE ROW LEVEL SECURITY;

CREATE TABLE public.attempt (
    account_id bigint NOT NULL,
    job_id bigint NOT NULL,
    number integer NOT NULL,
    lease bigint NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C",
    late boolean DEFAULT false NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    worker text NOT NULL
)
PARTITION BY RANGE (started_at);

ALTER TABLE ONLY public.attempt FORCE ROW LEVEL SECURITY;

CREATE TABLE public.attempt_default (
    account_id bigint CONSTRAINT attempt_account_id_not_null NOT NULL,
    job_id bigint CONSTRAINT attempt_job_id_not_null NOT NULL,
    number integer CONSTRAINT attempt_number_not_null NOT NULL,
    lease bigint CONSTRAINT attempt_lease_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT attempt_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT attempt_ended_at_not_null NOT NULL,
    outcome text CONSTRAINT attempt_outcome_not_null NOT NULL COLLATE pg_catalog."C",
    late boolean DEFAULT false CONSTRAINT attempt_late_not_null NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb CONSTRAINT attempt_detail_not_null NOT NULL,
    worker text CONSTRAINT attempt_worker_not_null NOT NULL
);

ALTER TABLE ONLY public.attempt_default FORCE ROW LEVEL SECURITY;

CREATE TABLE public.batch (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    mailing_id uuid NOT NULL,
    job_id bigint NOT NULL,
    lease bigint NOT NULL,
    provider text NOT NULL,
    size integer NOT NULL,
    blanks jsonb,
    state text DEFAULT 'calling'::text NOT NULL COLLATE pg_catalog."C",
    reason text,
    called_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    call_until timestamp with time zone NOT NULL,
    look_up_at timestamp with time zone,
    settled_at timestamp with time zone,
    reference text,
    evidence jsonb,
    CONSTRAINT batch_size_check CHECK ((size > 0)),
    CONSTRAINT batch_state_check CHECK ((state = ANY (ARRAY['calling'::text, 'accepted'::text, 'refused'::text, 'unknown'::text, 'resolved'::text]))),
    CONSTRAINT open_or_settled CHECK (((state = 'calling'::text) = (settled_at IS NULL))),
    CONSTRAINT unknown_is_looked_up CHECK (((state <> 'unknown'::text) OR (reason IS NOT NULL))),
    CONSTRAINT unsettled_keeps_blanks CHECK (((state <> ALL (ARRAY['calling'::text, 'unknown'::text])) OR (blanks IS NOT NULL)))
);

ALTER TABLE ONLY public.batch FORCE ROW LEVEL SECURITY;

CREATE TABLE public.broadcast (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    post_id uuid NOT NULL,
    revision_id uuid NOT NULL,
    release integer,
    newsletter_id uuid NOT NULL,
    mailing_id uuid NOT NULL,
    subject text NOT NULL,
    preheader text DEFAULT ''::text NOT NULL,
    again boolean DEFAULT false NOT NULL,
    left_out jsonb DEFAULT '{}'::jsonb NOT NULL,
    pressed_by uuid,
    pressed_by_name text NOT NULL,
    pressed_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    undone boolean DEFAULT false NOT NULL,
    segment_id uuid,
    segment_name text,
    filter jsonb
);

ALTER TABLE ONLY public.broadcast FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.broadcast.filter IS 'Which of the newsletter''s readers, as the segment said when send was pressed; null: all of them.';

CREATE TABLE public.bulk_act (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    act text NOT NULL COLLATE pg_catalog."C",
    filter jsonb NOT NULL,
    tag text DEFAULT ''::text NOT NULL,
    newsletter_id uuid,
    undoes uuid,
    state text DEFAULT 'queued'::text NOT NULL COLLATE pg_catalog."C",
    expected integer NOT NULL,
    looked integer DEFAULT 0 NOT NULL,
    changed integer DEFAULT 0 NOT NULL,
    cursor uuid,
    reason text,
    made_by_name text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT bulk_act_act_check CHECK ((act = ANY (ARRAY['tag'::text, 'untag'::text, 'unsubscribe'::text, 'erase'::text]))),
    CONSTRAINT bulk_act_check CHECK (((changed >= 0) AND (changed <= looked))),
    CONSTRAINT bulk_act_expected_check CHECK ((expected >= 0)),
    CONSTRAINT bulk_act_looked_check CHECK ((looked >= 0)),
    CONSTRAINT bulk_act_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text]))),
    CONSTRAINT bulk_act_tag_check CHECK ((length(tag) <= 191)),
    CONSTRAINT ended_has_time CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT failed_has_reason CHECK (((state <> 'failed'::text) OR (reason IS NOT NULL))),
    CONSTRAINT only_tag_acts_are_undone CHECK (((undoes IS NULL) OR (act = ANY (ARRAY['tag'::text, 'untag'::text])))),
    CONSTRAINT tag_acts_have_a_tag CHECK (((act = ANY (ARRAY['tag'::text, 'untag'::text])) = (tag <> ''::text)))
);

ALTER TABLE ONLY public.bulk_act FORCE ROW LEVEL SECURITY;

CREATE TABLE public.bulk_change (
    account_id bigint NOT NULL,
    act_id uuid NOT NULL,
    reader_id uuid NOT NULL
);

ALTER TABLE ONLY public.bulk_change FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.bulk_change IS 'Whose tag an act on many changed: what its undoing goes by.';

CREATE TABLE public.clock (
    one boolean DEFAULT true NOT NULL,
    ahead interval DEFAULT '00:00:00'::interval NOT NULL,
    CONSTRAINT clock_ahead_check CHECK ((ahead >= '00:00:00'::interval)),
    CONSTRAINT clock_one_check CHECK (one)
);

CREATE TABLE public.confirmation (
    account_id bigint NOT NULL,
    token_hash bytea NOT NULL,
    reader_id uuid NOT NULL,
    newsletter_ids uuid[] NOT NULL,
    source text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT confirmation_source_check CHECK ((length(source) <= 600))
);

ALTER TABLE ONLY public.confirmation FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.confirmation.source IS 'Where they asked, as a sentence for the consent that the confirmation becomes.';

CREATE TABLE public.consent (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    reader_id uuid NOT NULL,
    newsletter_id uuid NOT NULL,
    act text NOT NULL,
    how text NOT NULL,
    at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    import_id uuid,
    CONSTRAINT consent_act_check CHECK ((act = ANY (ARRAY['asked'::text, 'subscribed'::text, 'confirmed'::text, 'unsubscribed'::text])))
);

ALTER TABLE ONLY public.consent FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.consent.import_id IS 'The import that said so, or whose undoing did; null: somebody themselves, the team, or another program.';

ALTER TABLE public.consent ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.consent_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.creator (
    id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    operator boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT creator_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120)))
);

CREATE TABLE public.creator_code (
    id uuid NOT NULL,
    creator_id uuid NOT NULL,
    code_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    spent_at timestamp with time zone,
    CONSTRAINT creator_code_tries_check CHECK (((tries >= 0) AND (tries <= 5)))
);

CREATE TABLE public.creator_session (
    token_hash bytea NOT NULL,
    creator_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    seen_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.delivery (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    event_id bigint NOT NULL,
    endpoint_id uuid NOT NULL,
    redelivery integer DEFAULT 0 NOT NULL,
    job_id bigint NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT delivery_redelivery_check CHECK ((redelivery >= 0))
);

ALTER TABLE ONLY public.delivery FORCE ROW LEVEL SECURITY;

CREATE TABLE public.endpoint (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    events text[] NOT NULL,
    state text DEFAULT 'active'::text NOT NULL COLLATE pg_catalog."C",
    reason text,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    deleted_at timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    era integer DEFAULT 0 NOT NULL,
    unheard integer DEFAULT 0 NOT NULL,
    unheard_since timestamp with time zone,
    CONSTRAINT disabled_has_reason CHECK (((state <> 'disabled'::text) OR (reason IS NOT NULL))),
    CONSTRAINT endpoint_description_check CHECK ((length(description) <= 200)),
    CONSTRAINT endpoint_events_check CHECK ((cardinality(events) > 0)),
    CONSTRAINT endpoint_failures_check CHECK ((failures >= 0)),
    CONSTRAINT endpoint_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text, 'disabled'::text]))),
    CONSTRAINT endpoint_unheard_check CHECK ((unheard >= 0)),
    CONSTRAINT endpoint_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000))),
    CONSTRAINT failing_since_a_failure CHECK (((failures = 0) = (failing_since IS NULL))),
    CONSTRAINT unheard_since_a_try CHECK (((unheard = 0) = (unheard_since IS NULL)))
);

ALTER TABLE ONLY public.endpoint FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.endpoint.era IS 'Raised with each other address and each switching-on: what a call of an earlier era met counts no more.';

COMMENT ON COLUMN public.endpoint.unheard IS 'Tries in a row that were not content, those that were put off too.';

CREATE TABLE public.event (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    data jsonb NOT NULL,
    release bigint,
    reader_id uuid,
    once text COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    sequence bigint,
    body bytea,
    CONSTRAINT event_once_check CHECK (((length(once) >= 1) AND (length(once) <= 200))),
    CONSTRAINT event_type_check CHECK ((type ~ '^[a-z_]+[.][a-z_]+$'::text)),
    CONSTRAINT event_webhook_id_check CHECK ((webhook_id ~~ 'evt_%'::text)),
    CONSTRAINT numbered_is_frozen CHECK (((sequence IS NULL) = (body IS NULL)))
);

ALTER TABLE ONLY public.event FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.event.reader_id IS 'Whom it tells about; no key: the event outlives who is erased.';

COMMENT ON COLUMN public.event.body IS 'The bytes every delivery of it sends and signs; frozen with the number.';

CREATE TABLE public.job (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    args jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    secrets text[] DEFAULT '{}'::text[] NOT NULL,
    share text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'ready'::text NOT NULL COLLATE pg_catalog."C",
    run_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    expires_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 5 NOT NULL,
    throttles integer DEFAULT 0 NOT NULL,
    on_unknown text DEFAULT 'held'::text NOT NULL,
    lease bigint,
    leased_by text,
    leased_at timestamp with time zone,
    leased_until timestamp with time zone,
    reason text,
    cause text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    finished_at timestamp with time zone,
    lane text COLLATE pg_catalog."C",
    rank bigint,
    superseded_by bigint,
    CONSTRAINT final_has_finish CHECK (((state = ANY (ARRAY['done'::text, 'superseded'::text, 'discarded'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT job_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT job_max_attempts_check CHECK ((max_attempts > 0)),
    CONSTRAINT job_on_unknown_check CHECK ((on_unknown = ANY (ARRAY['ready'::text, 'held'::text]))),
    CONSTRAINT job_state_check CHECK ((state = ANY (ARRAY['ready'::text, 'leased'::text, 'held'::text, 'done'::text, 'dead'::text, 'superseded'::text, 'discarded'::text]))),
    CONSTRAINT job_throttles_check CHECK ((throttles >= 0)),
    CONSTRAINT kept_has_reason CHECK (((state <> ALL (ARRAY['held'::text, 'dead'::text])) OR (reason IS NOT NULL))),
    CONSTRAINT leased_has_holder CHECK (((state = 'leased'::text) = ((leased_until IS NOT NULL) AND (leased_by IS NOT NULL) AND (leased_at IS NOT NULL)))),
    CONSTRAINT leased_has_lease CHECK (((state <> 'leased'::text) OR (lease IS NOT NULL))),
    CONSTRAINT rank_has_lane CHECK (((rank IS NULL) OR (lane IS NOT NULL)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

ALTER TABLE ONLY public.job FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.job.superseded_by IS 'Of what was superseded in a lane of ranks: the newest rank of the lane at that moment. Written by job_moves alone.';

CREATE TABLE public.lane (
    account_id bigint NOT NULL,
    lane text NOT NULL COLLATE pg_catalog."C",
    newest_rank bigint NOT NULL
);

ALTER TABLE ONLY public.lane FORCE ROW LEVEL SECURITY;

CREATE VIEW public.delivery_state WITH (security_invoker='true') AS
 SELECT d.account_id,
    d.id,
    d.event_id,
    d.endpoint_id,
    p.url,
    d.redelivery,
    d.job_id,
    d.created_at,
    e.webhook_id,
    e.type,
    e.sequence,
    e.release,
    j.attempts,
    j.throttles,
    s.state,
    s.reason,
        CASE
            WHEN ((s.state = ANY (ARRAY['pending'::text, 'retrying'::text])) AND (j.state = 'ready'::text)) THEN j.run_at
            ELSE NULL::timestamp with time zone
        END AS next_at,
        CASE
            WHEN (j.state = 'done'::text) THEN j.finished_at
            ELSE NULL::timestamp with time zone
        END AS delivered_at,
        CASE
            WHEN (s.state = 'superseded'::text) THEN COALESCE(j.superseded_by, l.newest_rank)
            ELSE NULL::bigint
        END AS superseded_by
   FROM ((((((public.delivery d
     JOIN public.event e ON (((e.account_id = d.account_id) AND (e.id = d.event_id))))
     JOIN public.endpoint p ON (((p.account_id = d.account_id) AND (p.id = d.endpoint_id))))
     JOIN public.job j ON (((j.id = d.job_id) AND (j.account_id = d.account_id))))
     LEFT JOIN public.lane l ON (((l.account_id = j.account_id) AND (l.lane = j.lane))))
     CROSS JOIN LATERAL ( SELECT (j.state = ANY (ARRAY['ready'::text, 'held'::text])) AS waits) w)
     CROSS JOIN LATERAL ( SELECT (public.delivery_state_of(j.state, j.attempts, j.throttles, COALESCE((j.rank < l.newest_rank), false), p.state, (p.deleted_at IS NOT NULL)) COLLATE "default") AS state,
                CASE
                    WHEN (w.waits AND (p.deleted_at IS NOT NULL)) THEN 'the webhook was deleted'::text
                    WHEN (w.waits AND (j.rank < l.newest_rank)) THEN ('superseded by the newer number '::text || l.newest_rank)
                    WHEN (w.waits AND (p.state = 'disabled'::text)) THEN ('the webhook is switched off: '::text || p.reason)
                    WHEN (w.waits AND (p.state = 'paused'::text)) THEN 'the webhook is paused'::text
                    ELSE j.reason
                END AS reason) s);

COMMENT ON VIEW public.delivery_state IS 'A delivery has no state of its own: it is that of its job, in the words of webhooks.';

CREATE TABLE public.draft (
    account_id bigint NOT NULL,
    post_id uuid NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    slug text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    markdown text DEFAULT ''::text NOT NULL,
    excerpt text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    access text DEFAULT 'everyone'::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    updated_by uuid,
    plan_id uuid,
    kind text DEFAULT 'post'::text NOT NULL COLLATE pg_catalog."C",
    cover text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    cover_alt text DEFAULT ''::text NOT NULL,
    seo_title text DEFAULT ''::text NOT NULL,
    seo_description text DEFAULT ''::text NOT NULL,
    CONSTRAINT draft_access_check CHECK ((access = ANY (ARRAY['everyone'::text, 'subscribers'::text, 'paid'::text, 'plan'::text]))),
    CONSTRAINT draft_cover_alt_check CHECK ((length(cover_alt) <= 500)),
    CONSTRAINT draft_cover_check CHECK ((length(cover) <= 2000)),
    CONSTRAINT draft_excerpt_check CHECK ((length(excerpt) <= 500)),
    CONSTRAINT draft_kind_check CHECK ((kind = ANY (ARRAY['post'::text, 'page'::text]))),
    CONSTRAINT draft_plan_is_named CHECK (((access = 'plan'::text) = (plan_id IS NOT NULL))),
    CONSTRAINT draft_seo_description_check CHECK ((length(seo_description) <= 500)),
    CONSTRAINT draft_seo_title_check CHECK ((length(seo_title) <= 255)),
    CONSTRAINT draft_slug_check CHECK ((length(slug) <= 191)),
    CONSTRAINT draft_title_check CHECK ((length(title) <= 255)),
    CONSTRAINT draft_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY public.draft FORCE ROW LEVEL SECURITY;

CREATE TABLE public.endpoint_secret (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    expires_at timestamp with time zone
);

ALTER TABLE ONLY public.endpoint_secret FORCE ROW LEVEL SECURITY;

CREATE TABLE public.entitlement (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    reader_id uuid NOT NULL,
    plan_id uuid NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    reference text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    reason text DEFAULT ''::text NOT NULL,
    granted_by_name text DEFAULT ''::text NOT NULL,
    ended_by_name text DEFAULT ''::text NOT NULL,
    starts_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    ends_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT comp_has_reason CHECK (((source <> 'comp'::text) OR (reason <> ''::text))),
    CONSTRAINT ends_after_start CHECK ((ends_at >= starts_at)),
    CONSTRAINT entitlement_reason_check CHECK ((length(reason) <= 500)),
    CONSTRAINT entitlement_source_check CHECK ((source = ANY (ARRAY['stripe'::text, 'comp'::text, 'gift'::text, 'import'::text]))),
    CONSTRAINT who_ended_ended_it CHECK (((ended_by_name = ''::text) OR (ends_at IS NOT NULL)))
);

ALTER TABLE ONLY public.entitlement FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.entitlement.reference IS 'What the source calls it, once a reader and plan; empty: given by hand.';

CREATE TABLE public.erased_reader (
    account_id bigint NOT NULL,
    reader_id uuid NOT NULL,
    address_hash bytea NOT NULL,
    erased_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL
);

ALTER TABLE ONLY public.erased_reader FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_counter (
    account_id bigint NOT NULL,
    newest bigint NOT NULL
);

ALTER TABLE ONLY public.event_counter FORCE ROW LEVEL SECURITY;

ALTER TABLE public.event ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idempotency (
    account_id bigint NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    status integer,
    answer jsonb,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT finished_has_answer CHECK (((finished_at IS NULL) = (status IS NULL))),
    CONSTRAINT idempotency_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);

ALTER TABLE ONLY public.idempotency FORCE ROW LEVEL SECURITY;

CREATE TABLE public.import (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    newsletter_id uuid NOT NULL,
    format text NOT NULL,
    file_name text DEFAULT ''::text NOT NULL,
    size bigint NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL COLLATE pg_catalog."C",
    reason text,
    total integer,
    rows integer DEFAULT 0 NOT NULL,
    created integer DEFAULT 0 NOT NULL,
    updated integer DEFAULT 0 NOT NULL,
    unchanged integer DEFAULT 0 NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    made_by_name text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    finished_at timestamp with time zone,
    kind text DEFAULT 'readers'::text NOT NULL COLLATE pg_catalog."C",
    dry_run boolean DEFAULT false NOT NULL,
    consent_stated boolean DEFAULT false NOT NULL,
    mapping jsonb,
    subscribed integer DEFAULT 0 NOT NULL,
    unsubscribed integer DEFAULT 0 NOT NULL,
    pending integer DEFAULT 0 NOT NULL,
    blocked integer DEFAULT 0 NOT NULL,
    undone_at timestamp with time zone,
    undone_by_name text DEFAULT ''::text NOT NULL,
    undo_gone integer DEFAULT 0 NOT NULL,
    undo_restored integer DEFAULT 0 NOT NULL,
    undo_kept integer DEFAULT 0 NOT NULL,
    access jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT counts_add_up CHECK ((((((created + updated) + unchanged) + skipped) + failed) = rows)),
    CONSTRAINT dry_run_stays_dry CHECK (((NOT dry_run) OR (state <> ALL (ARRAY['undoing'::text, 'undone'::text])))),
    CONSTRAINT failed_has_reason CHECK (((state <> 'failed'::text) OR (reason IS NOT NULL))),
    CONSTRAINT import_blocked_check CHECK ((blocked >= 0)),
    CONSTRAINT import_created_check CHECK ((created >= 0)),
    CONSTRAINT import_failed_check CHECK ((failed >= 0)),
    CONSTRAINT import_kind_check CHECK ((kind = ANY (ARRAY['readers'::text, 'posts'::text]))),
    CONSTRAINT import_pending_check CHECK ((pending >= 0)),
    CONSTRAINT import_skipped_check CHECK ((skipped >= 0)),
    CONSTRAINT import_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'queued'::text, 'running'::text, 'done'::text, 'failed'::text, 'undoing'::text, 'undone'::text]))),
    CONSTRAINT import_subscribed_check CHECK ((subscribed >= 0)),
    CONSTRAINT import_unchanged_check CHECK ((unchanged >= 0)),
    CONSTRAINT import_undo_gone_check CHECK ((undo_gone >= 0)),
    CONSTRAINT import_undo_kept_check CHECK ((undo_kept >= 0)),
    CONSTRAINT import_undo_restored_check CHECK ((undo_restored >= 0)),
    CONSTRAINT import_unsubscribed_check CHECK ((unsubscribed >= 0)),
    CONSTRAINT import_updated_check CHECK ((updated >= 0)),
    CONSTRAINT over_has_finish CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text, 'undoing'::text, 'undone'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT states_add_up CHECK (((kind <> 'readers'::text) OR ((((subscribed + unsubscribed) + pending) + blocked) <= ((created + updated) + unchanged)))),
    CONSTRAINT undone_has_time CHECK (((state = 'undone'::text) = (undone_at IS NOT NULL)))
);

ALTER TABLE ONLY public.import FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.import.subscribed IS 'What became of the readers that were taken: with unsubscribed, pending and blocked they add up. Old imports have none.';

COMMENT ON COLUMN public.import.access IS 'How many readers got which plan, by its name: {"Paid": 120}. Older imports tell none.';

CREATE TABLE public.import_change (
    account_id bigint NOT NULL,
    import_id uuid NOT NULL,
    thing_id uuid NOT NULL,
    act text NOT NULL COLLATE pg_catalog."C",
    before jsonb,
    CONSTRAINT import_change_act_check CHECK ((act = ANY (ARRAY['created'::text, 'updated'::text, 'said'::text]))),
    CONSTRAINT updated_has_before CHECK (((act <> 'updated'::text) OR (before IS NOT NULL)))
);

ALTER TABLE ONLY public.import_change FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.import_change.act IS 'said: nothing was changed, but the file told of them too: an import before it is undone after it.';

CREATE TABLE public.import_file (
    account_id bigint NOT NULL,
    import_id uuid NOT NULL,
    content bytea NOT NULL
);

ALTER TABLE ONLY public.import_file FORCE ROW LEVEL SECURITY;

CREATE TABLE public.import_loss (
    account_id bigint NOT NULL,
    import_id uuid NOT NULL,
    id bigint NOT NULL,
    thing text NOT NULL,
    what text NOT NULL
);

ALTER TABLE ONLY public.import_loss FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.import_loss IS 'What of a post did not survive the way from the other product, in words.';

ALTER TABLE public.import_loss ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.import_loss_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.import_problem (
    account_id bigint NOT NULL,
    import_id uuid NOT NULL,
    "row" integer NOT NULL,
    line integer NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL,
    CONSTRAINT import_problem_outcome_check CHECK ((outcome = ANY (ARRAY['skipped'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.import_problem FORCE ROW LEVEL SECURITY;

CREATE TABLE public.installation (
    one boolean DEFAULT true NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    look bigint DEFAULT 1 NOT NULL,
    written_by bigint NOT NULL,
    timeline text NOT NULL,
    server_started timestamp with time zone,
    CONSTRAINT installation_look_check CHECK ((look > 0)),
    CONSTRAINT installation_one_check CHECK (one)
)
WITH (fillfactor='50');

COMMENT ON TABLE public.installation IS 'Of the platform, no account''s: by what a database knows that it is not the one it was.';

COMMENT ON COLUMN public.installation.server_started IS 'When the server began that was looked at last.';

CREATE TABLE public.invitation (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    invited_by_name text NOT NULL,
    mailed integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT invitation_mailed_check CHECK ((mailed > 0)),
    CONSTRAINT invitation_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'editor'::text, 'writer'::text])))
);

ALTER TABLE ONLY public.invitation FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.invitation IS 'Who was asked into a team and has not come yet. Accepted or withdrawn, the row goes; over, it is pruned.';

ALTER TABLE public.job ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.job_key (
    account_id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    job_id bigint NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT job_key_key_check CHECK (((length(key) >= 1) AND (length(key) <= 500)))
);

ALTER TABLE ONLY public.job_key FORCE ROW LEVEL SECURITY;

CREATE SEQUENCE public.job_lease
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.limit_bucket (
    name text NOT NULL COLLATE pg_catalog."C",
    tokens double precision NOT NULL,
    filled_at timestamp with time zone NOT NULL
);

CREATE TABLE public.reader (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    source text NOT NULL,
    extra jsonb DEFAULT '{}'::jsonb NOT NULL,
    joined_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    confirmed_at timestamp with time zone,
    form text DEFAULT ''::text NOT NULL,
    CONSTRAINT reader_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email = lower(email)))),
    CONSTRAINT reader_form_check CHECK ((length(form) <= 100)),
    CONSTRAINT reader_name_check CHECK ((length(name) <= 500)),
    CONSTRAINT reader_note_check CHECK ((length(note) <= 5000)),
    CONSTRAINT reader_source_check CHECK ((source = ANY (ARRAY['import'::text, 'api'::text, 'studio'::text, 'form'::text])))
);

ALTER TABLE ONLY public.reader FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.reader.form IS 'The ?source= of the form they signed up by; empty: none was named.';

CREATE TABLE public.subscription (
    account_id bigint NOT NULL,
    reader_id uuid NOT NULL,
    newsletter_id uuid NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    consent_source text NOT NULL,
    consent_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT subscription_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'unsubscribed'::text])))
);

ALTER TABLE ONLY public.subscription FORCE ROW LEVEL SECURITY;

CREATE TABLE public.suppression (
    account_id bigint NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT suppression_reason_check CHECK ((reason = ANY (ARRAY['bounce'::text, 'complaint'::text, 'by_hand'::text, 'erased'::text])))
);

ALTER TABLE ONLY public.suppression FORCE ROW LEVEL SECURITY;

CREATE VIEW public.mailable WITH (security_invoker='true') AS
 SELECT s.account_id,
    s.reader_id,
    s.newsletter_id,
    r.email AS address,
    r.name
   FROM (public.subscription s
     JOIN public.reader r ON (((r.account_id = s.account_id) AND (r.id = s.reader_id))))
  WHERE ((s.state = 'active'::text) AND (NOT (EXISTS ( SELECT
           FROM public.suppression x
          WHERE ((x.account_id = r.account_id) AND (x.address = r.email))))));

COMMENT ON VIEW public.mailable IS 'Who may be mailed for a newsletter right now; the one join upward that the ledger makes.';

CREATE TABLE public.mailing (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    source_kind text NOT NULL COLLATE pg_catalog."C",
    source_id uuid NOT NULL,
    newsletter_id uuid NOT NULL,
    sender text NOT NULL,
    reply_to text,
    subject text NOT NULL,
    body_text text NOT NULL,
    body_html text NOT NULL,
    site_url text NOT NULL,
    state text DEFAULT 'building'::text NOT NULL COLLATE pg_catalog."C",
    reason text,
    build_cursor uuid,
    build_began_at timestamp with time zone,
    built_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    finished_at timestamp with time zone,
    audited_at timestamp with time zone,
    audit jsonb,
    starts_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    on_change text COLLATE pg_catalog."C",
    not_reached integer DEFAULT 0 NOT NULL,
    not_reached_since timestamp with time zone,
    going_since timestamp with time zone,
    cancelled_unsent boolean DEFAULT false NOT NULL,
    call_size integer,
    split_at timestamp with time zone,
    put_off_since timestamp with time zone,
    put_off_reason text,
    came_back_at timestamp with time zone,
    preview_text text,
    preview_html text,
    CONSTRAINT building_is_not_built CHECK (((state <> 'building'::text) OR (built_at IS NULL))),
    CONSTRAINT mailing_call_size_check CHECK ((call_size > 0)),
    CONSTRAINT mailing_not_reached_check CHECK ((not_reached >= 0)),
    CONSTRAINT mailing_state_check CHECK ((state = ANY (ARRAY['building'::text, 'sending'::text, 'paused'::text, 'finished'::text, 'cancelled'::text]))),
    CONSTRAINT mailing_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 998))),
    CONSTRAINT not_reached_since_when CHECK (((not_reached = 0) = (not_reached_since IS NULL))),
    CONSTRAINT over_has_finish CHECK (((state = ANY (ARRAY['finished'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT paused_has_reason CHECK (((state <> 'paused'::text) OR (reason IS NOT NULL))),
    CONSTRAINT preview_is_whole CHECK (((preview_text IS NULL) = (preview_html IS NULL))),
    CONSTRAINT sending_was_built CHECK (((state <> ALL (ARRAY['sending'::text, 'finished'::text])) OR (built_at IS NOT NULL)))
);

ALTER TABLE ONLY public.mailing FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.mailing.put_off_since IS 'Every answer since then was "not now"; null: the last copy was taken or refused.';

COMMENT ON COLUMN public.mailing.preview_html IS 'What goes to sends of the variant preview; null: nobody gets another text than body_html.';

CREATE TABLE public.media (
    account_id bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    size bigint NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT media_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT media_height_check CHECK ((height > 0)),
    CONSTRAINT media_kind_check CHECK ((kind = ANY (ARRAY['image/jpeg'::text, 'image/png'::text, 'image/gif'::text, 'image/webp'::text]))),
    CONSTRAINT media_name_check CHECK ((length(name) <= 255)),
    CONSTRAINT media_size_check CHECK ((size > 0)),
    CONSTRAINT media_width_check CHECK ((width > 0))
);

ALTER TABLE ONLY public.media FORCE ROW LEVEL SECURITY;

CREATE TABLE public.membership (
    account_id bigint NOT NULL,
    creator_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT membership_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'editor'::text, 'writer'::text])))
);

ALTER TABLE ONLY public.membership FORCE ROW LEVEL SECURITY;

CREATE TABLE public.newsletter (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    sender_name text DEFAULT ''::text NOT NULL,
    from_address text COLLATE pg_catalog."C",
    reply_to text COLLATE pg_catalog."C",
    is_default boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    welcome boolean DEFAULT false NOT NULL,
    welcome_subject text DEFAULT ''::text NOT NULL,
    welcome_markdown text DEFAULT ''::text NOT NULL,
    archived_at timestamp with time zone,
    CONSTRAINT newsletter_description_check CHECK ((length(description) <= 500)),
    CONSTRAINT newsletter_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT newsletter_sender_name_check CHECK ((length(sender_name) <= 120)),
    CONSTRAINT newsletter_slug_check CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
    CONSTRAINT newsletter_welcome_markdown_check CHECK ((length(welcome_markdown) <= 20000)),
    CONSTRAINT newsletter_welcome_subject_check CHECK ((length(welcome_subject) <= 255))
);

ALTER TABLE ONLY public.newsletter FORCE ROW LEVEL SECURITY;

CREATE VIEW public.operator_account AS
 SELECT id,
    slug,
    name,
    state,
    created_at
   FROM public.account
  WHERE (id <> 0);

CREATE VIEW public.operator_attempt AS
 SELECT account_id,
    job_id,
    number,
    lease,
    started_at,
    ended_at,
    outcome,
    late,
    (detail ->> 'reason'::text) AS reason,
    worker
   FROM public.attempt;

CREATE VIEW public.operator_batch AS
 SELECT account_id,
    mailing_id,
    id,
    provider,
    size,
    state,
    called_at,
    call_until,
    look_up_at,
    settled_at
   FROM public.batch;

CREATE VIEW public.operator_endpoint AS
 SELECT account_id,
    state,
    count(*) AS endpoints
   FROM public.endpoint
  WHERE (deleted_at IS NULL)
  GROUP BY account_id, state;

CREATE VIEW public.operator_job AS
 SELECT id,
    account_id,
    queue,
    kind,
    share,
    lane,
    state,
    run_at,
    expires_at,
    attempts,
    max_attempts,
    throttles,
    reason,
    leased_by,
    leased_until,
    created_at,
    finished_at
   FROM public.job;

CREATE VIEW public.operator_lease AS
 SELECT queue,
    count(*) AS jobs,
    count(*) FILTER (WHERE (leased_until <= clock_timestamp())) AS expired
   FROM public.job
  WHERE (state = 'leased'::text)
  GROUP BY queue;

CREATE VIEW public.operator_mailing AS
 SELECT account_id,
    id,
    state,
    created_at,
    built_at,
    finished_at
   FROM public.mailing;

CREATE TABLE public.outcome_count (
    queue text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    n bigint NOT NULL,
    minute timestamp with time zone NOT NULL,
    this_minute bigint NOT NULL,
    last_minute bigint DEFAULT 0 NOT NULL,
    CONSTRAINT outcome_count_last_minute_check CHECK ((last_minute >= 0)),
    CONSTRAINT outcome_count_n_check CHECK ((n >= 0)),
    CONSTRAINT outcome_count_this_minute_check CHECK ((this_minute >= 0))
)
WITH (fillfactor='50');

COMMENT ON TABLE public.outcome_count IS 'Of the platform, no account''s: how many tries of a kind ended how, as workers counted them; and in the last full minute.';

CREATE VIEW public.operator_outcome AS
 SELECT queue,
    kind,
    outcome,
    n,
        CASE minute
            WHEN date_trunc('minute'::text, clock_timestamp()) THEN last_minute
            WHEN (date_trunc('minute'::text, clock_timestamp()) - '00:01:00'::interval) THEN this_minute
            ELSE (0)::bigint
        END AS last_minute
   FROM public.outcome_count;

CREATE VIEW public.operator_permit AS
 SELECT account_id,
    count(*) AS permits,
    sum(n) AS copies
   FROM ( SELECT job.account_id,
            ((job.args ->> 'n'::text))::bigint AS n
           FROM public.job
          WHERE ((job.queue = 'sends'::text) AND (job.kind = 'deliver_sends'::text) AND (job.state = 'ready'::text))
        UNION ALL
         SELECT job.account_id,
            ((job.args ->> 'n'::text))::bigint AS int8
           FROM public.job
          WHERE ((job.queue = 'sends'::text) AND (job.kind = 'deliver_sends'::text) AND (job.state = 'leased'::text))) permit
  GROUP BY account_id;

CREATE TABLE public.tally (
    account_id bigint NOT NULL,
    mailing_id uuid NOT NULL,
    shard smallint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    n bigint NOT NULL,
    CONSTRAINT tally_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'sending'::text, 'sent'::text, 'unknown'::text, 'failed'::text, 'skipped'::text])))
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.tally FORCE ROW LEVEL SECURITY;

CREATE VIEW public.operator_progress AS
 SELECT m.account_id,
    m.id,
    m.state,
    m.created_at,
    a.send_rate,
    COALESCE(t.planned, (0)::numeric) AS planned,
    COALESCE(t.sending, (0)::numeric) AS sending,
    COALESCE(t.unknown, (0)::numeric) AS unknown
   FROM ((public.mailing m
     JOIN public.account a ON ((a.id = m.account_id)))
     LEFT JOIN LATERAL ( SELECT sum(tally.n) FILTER (WHERE (tally.state = 'planned'::text)) AS planned,
            sum(tally.n) FILTER (WHERE (tally.state = 'sending'::text)) AS sending,
            sum(tally.n) FILTER (WHERE (tally.state = 'unknown'::text)) AS unknown
           FROM public.tally
          WHERE ((tally.account_id = m.account_id) AND (tally.mailing_id = m.id))) t ON (true))
  WHERE (m.state = ANY (ARRAY['building'::text, 'sending'::text, 'paused'::text]));

CREATE VIEW public.operator_queue AS
 SELECT job.queue,
    ('ready'::text COLLATE "C") AS state,
    count(*) AS jobs,
    min(job.run_at) AS oldest
   FROM public.job
  WHERE (job.state = 'ready'::text)
  GROUP BY job.queue
UNION ALL
 SELECT job.queue,
    ('leased'::text COLLATE "C") AS state,
    count(*) AS jobs,
    min(job.run_at) AS oldest
   FROM public.job
  WHERE (job.state = 'leased'::text)
  GROUP BY job.queue
UNION ALL
 SELECT job.queue,
    job.state,
    count(*) AS jobs,
    min(job.run_at) AS oldest
   FROM public.job
  WHERE (job.state = ANY (ARRAY['held'::text, 'dead'::text]))
  GROUP BY job.queue, job.state;

CREATE VIEW public.operator_share AS
 SELECT queue,
    share,
    count(*) AS jobs,
    min(run_at) AS oldest
   FROM public.job
  WHERE (state = 'ready'::text)
  GROUP BY queue, share;

CREATE TABLE public.switch (
    account_id bigint NOT NULL,
    stopped boolean DEFAULT false NOT NULL,
    scope text DEFAULT 'all'::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    changed_by text DEFAULT ''::text NOT NULL,
    by_operator boolean DEFAULT false NOT NULL,
    changed_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    holding boolean DEFAULT false NOT NULL,
    held_scope text,
    team_scope text,
    team_reason text,
    team_by text,
    CONSTRAINT holding_says_what CHECK ((holding = (held_scope IS NOT NULL))),
    CONSTRAINT stopped_has_reason CHECK (((NOT stopped) OR (reason <> ''::text))),
    CONSTRAINT stopped_holds CHECK (((NOT stopped) OR holding)),
    CONSTRAINT switch_held_scope_check CHECK ((held_scope = ANY (ARRAY['all'::text, 'bulk'::text]))),
    CONSTRAINT switch_reason_check CHECK ((length(reason) <= 500)),
    CONSTRAINT switch_scope_check CHECK ((scope = ANY (ARRAY['all'::text, 'bulk'::text]))),
    CONSTRAINT switch_team_reason_check CHECK ((length(team_reason) <= 500)),
    CONSTRAINT switch_team_scope_check CHECK ((team_scope = ANY (ARRAY['all'::text, 'bulk'::text]))),
    CONSTRAINT team_stop_is_not_narrowed CHECK (((team_scope IS NULL) OR (scope = 'all'::text) OR (team_scope = 'bulk'::text))),
    CONSTRAINT team_stop_is_under_an_operators CHECK (((team_scope IS NULL) OR (stopped AND by_operator))),
    CONSTRAINT team_stop_says_why CHECK ((((team_scope IS NULL) = (team_reason IS NULL)) AND ((team_scope IS NULL) = (team_by IS NULL))))
);

ALTER TABLE ONLY public.switch FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.switch.held_scope IS 'What is held: the widest that was stopped since the last letting go. scope is only what is stopped now.';

COMMENT ON COLUMN public.switch.team_scope IS 'What the team stopped itself, while an operator stops it too: by team_by, for team_reason.';

CREATE VIEW public.operator_switch AS
 SELECT s.account_id,
    a.slug,
    s.stopped,
    s.holding,
    s.scope,
    s.reason,
    s.changed_by,
    s.changed_at,
    s.held_scope,
    s.by_operator
   FROM (public.switch s
     JOIN public.account a ON ((a.id = s.account_id)));

CREATE TABLE public.switch_change (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    act text NOT NULL,
    scope text NOT NULL,
    reason text NOT NULL,
    by text NOT NULL,
    at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT switch_change_act_check CHECK ((act = ANY (ARRAY['stopped'::text, 'started'::text, 'let_go'::text])))
);

ALTER TABLE ONLY public.switch_change FORCE ROW LEVEL SECURITY;

CREATE VIEW public.operator_switch_change AS
 SELECT c.account_id,
    a.slug,
    c.act,
    c.scope,
    c.reason,
    c.by,
    c.at
   FROM (public.switch_change c
     JOIN public.account a ON ((a.id = c.account_id)));

CREATE TABLE public.plan (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    monthly integer,
    yearly integer,
    currency text DEFAULT 'EUR'::text NOT NULL COLLATE pg_catalog."C",
    "position" integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    archived_at timestamp with time zone,
    CONSTRAINT plan_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT plan_description_check CHECK ((length(description) <= 500)),
    CONSTRAINT plan_monthly_check CHECK ((monthly > 0)),
    CONSTRAINT plan_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT plan_slug_check CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
    CONSTRAINT plan_yearly_check CHECK ((yearly > 0))
);

ALTER TABLE ONLY public.plan FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.plan.monthly IS 'In the smallest unit of the currency; null: not sold by the month.';

CREATE TABLE public.possible_double (
    account_id bigint NOT NULL,
    mailing_id uuid NOT NULL,
    reader_id uuid NOT NULL,
    batch_id uuid NOT NULL,
    other_batch_id uuid,
    why text NOT NULL,
    seen_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL
);

ALTER TABLE ONLY public.possible_double FORCE ROW LEVEL SECURITY;

CREATE TABLE public.post (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    slug text COLLATE pg_catalog."C",
    live_revision_id uuid,
    published_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT live_has_slug CHECK (((live_revision_id IS NULL) = (slug IS NULL))),
    CONSTRAINT live_was_published CHECK (((live_revision_id IS NULL) OR (published_at IS NOT NULL)))
);

ALTER TABLE ONLY public.post FORCE ROW LEVEL SECURITY;

CREATE TABLE public.provider_refusal (
    provider text NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    probes integer DEFAULT 0 NOT NULL,
    probe_at timestamp with time zone NOT NULL,
    let_in_at timestamp with time zone,
    CONSTRAINT provider_refusal_probes_check CHECK ((probes >= 0)),
    CONSTRAINT provider_refusal_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 2000)))
);

COMMENT ON TABLE public.provider_refusal IS 'Of the platform, no account''s: a provider that refuses our key, sender or right, until a probe is let in (let_in_at).';

CREATE TABLE public.publication (
    account_id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    post_id uuid NOT NULL,
    release integer,
    broadcast_id uuid,
    pressed_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT publication_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);

ALTER TABLE ONLY public.publication FORCE ROW LEVEL SECURITY;

CREATE TABLE public.reader_code (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    reader_id uuid NOT NULL,
    code_hash bytea NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    spent_at timestamp with time zone,
    asker_hash bytea,
    CONSTRAINT reader_code_tries_check CHECK (((tries >= 0) AND (tries <= 5)))
);

ALTER TABLE ONLY public.reader_code FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.reader_code.asker_hash IS 'The browser that asked, by the hash of its cookie: only there the six digits are taken. Null: anywhere, as before.';

CREATE TABLE public.reader_session (
    account_id bigint NOT NULL,
    token_hash bytea NOT NULL,
    reader_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    seen_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.reader_session FORCE ROW LEVEL SECURITY;

CREATE TABLE public.reader_tag (
    account_id bigint NOT NULL,
    reader_id uuid NOT NULL,
    tag text NOT NULL,
    CONSTRAINT reader_tag_tag_check CHECK (((length(tag) >= 1) AND (length(tag) <= 191)))
);

ALTER TABLE ONLY public.reader_tag FORCE ROW LEVEL SECURITY;

CREATE TABLE public.redirect (
    account_id bigint NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    post_id uuid,
    target text,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT leads_somewhere CHECK (((post_id IS NULL) <> (target IS NULL))),
    CONSTRAINT redirect_path_check CHECK (((path ~ '^/'::text) AND (length(path) <= 500)))
);

ALTER TABLE ONLY public.redirect FORCE ROW LEVEL SECURITY;

CREATE TABLE public.release (
    account_id bigint NOT NULL,
    number integer NOT NULL,
    published_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    published_by uuid,
    restored_from integer,
    published_by_name text DEFAULT ''::text NOT NULL,
    CONSTRAINT release_number_check CHECK ((number > 0))
);

ALTER TABLE ONLY public.release FORCE ROW LEVEL SECURITY;

CREATE TABLE public.release_change (
    account_id bigint NOT NULL,
    number integer NOT NULL,
    post_id uuid NOT NULL,
    action text NOT NULL,
    revision_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT release_change_action_check CHECK ((action = ANY (ARRAY['published'::text, 'updated'::text, 'unpublished'::text])))
);

ALTER TABLE ONLY public.release_change FORCE ROW LEVEL SECURITY;

CREATE TABLE public.release_counter (
    account_id bigint NOT NULL,
    newest integer NOT NULL,
    CONSTRAINT release_counter_newest_check CHECK ((newest > 0))
);

ALTER TABLE ONLY public.release_counter FORCE ROW LEVEL SECURITY;

CREATE TABLE public.revision (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    post_id uuid NOT NULL,
    number integer NOT NULL,
    title text NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    markdown text NOT NULL,
    html text NOT NULL,
    excerpt text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    access text NOT NULL,
    minutes integer NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    created_by uuid,
    plan_id uuid,
    kind text DEFAULT 'post'::text NOT NULL COLLATE pg_catalog."C",
    cover text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    cover_alt text DEFAULT ''::text NOT NULL,
    seo_title text DEFAULT ''::text NOT NULL,
    seo_description text DEFAULT ''::text NOT NULL,
    preview_html text DEFAULT ''::text NOT NULL,
    kept_for text DEFAULT 'publish'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT revision_access_check CHECK ((access = ANY (ARRAY['everyone'::text, 'subscribers'::text, 'paid'::text, 'plan'::text]))),
    CONSTRAINT revision_cover_alt_check CHECK ((length(cover_alt) <= 500)),
    CONSTRAINT revision_cover_check CHECK ((length(cover) <= 2000)),
    CONSTRAINT revision_kept_for_check CHECK ((kept_for = ANY (ARRAY['publish'::text, 'by_hand'::text, 'by_itself'::text, 'before_restore'::text, 'import'::text]))),
    CONSTRAINT revision_kind_check CHECK ((kind = ANY (ARRAY['post'::text, 'page'::text]))),
    CONSTRAINT revision_minutes_check CHECK ((minutes > 0)),
    CONSTRAINT revision_number_check CHECK ((number > 0)),
    CONSTRAINT revision_plan_is_named CHECK (((access = 'plan'::text) = (plan_id IS NOT NULL))),
    CONSTRAINT revision_seo_description_check CHECK ((length(seo_description) <= 500)),
    CONSTRAINT revision_seo_title_check CHECK ((length(seo_title) <= 255)),
    CONSTRAINT revision_slug_check CHECK (((length(slug) >= 1) AND (length(slug) <= 191))),
    CONSTRAINT revision_title_check CHECK (((length(title) >= 1) AND (length(title) <= 255)))
);

ALTER TABLE ONLY public.revision FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.revision.preview_html IS 'What a reader without access sees: up to the paywall marker. Empty: everything, or nothing, by access.';

COMMENT ON COLUMN public.revision.kept_for IS 'Why it was frozen: to be published, by hand, by itself while writing, before another was restored, by an import.';

CREATE TABLE public.scheduled (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    post_id uuid NOT NULL,
    revision_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    zone text NOT NULL COLLATE pg_catalog."C",
    wall text NOT NULL COLLATE pg_catalog."C",
    site boolean NOT NULL,
    slug text COLLATE pg_catalog."C",
    email jsonb,
    state text DEFAULT 'waiting'::text NOT NULL COLLATE pg_catalog."C",
    reason text,
    release integer,
    broadcast_id uuid,
    made_by uuid,
    made_by_name text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT ended_has_time CHECK (((state = 'waiting'::text) = (ended_at IS NULL))),
    CONSTRAINT failed_has_reason CHECK (((state <> 'failed'::text) OR (reason IS NOT NULL))),
    CONSTRAINT goes_somewhere CHECK ((site OR (email IS NOT NULL))),
    CONSTRAINT scheduled_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
    CONSTRAINT scheduled_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'cancelled'::text, 'failed'::text]))),
    CONSTRAINT site_has_slug CHECK ((site = (slug IS NOT NULL)))
);

ALTER TABLE ONLY public.scheduled FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.scheduled.wall IS 'The wall time that was asked for, in zone; at is that instant, computed once.';

COMMENT ON COLUMN public.scheduled.slug IS 'The address on the site that it was given; taken by another post when its time comes, it fails.';

COMMENT ON COLUMN public.scheduled.email IS 'What was asked for: newsletter and segment by id, subject, preheader, again.';

CREATE TABLE public.segment (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    filter jsonb NOT NULL,
    created_by_name text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    changed_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT segment_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120)))
);

ALTER TABLE ONLY public.segment FORCE ROW LEVEL SECURITY;

CREATE TABLE public.send (
    account_id bigint NOT NULL,
    mailing_id uuid NOT NULL,
    reader_id uuid NOT NULL,
    variant text DEFAULT 'full'::text NOT NULL COLLATE pg_catalog."C",
    address text COLLATE pg_catalog."C",
    state text DEFAULT 'planned'::text NOT NULL COLLATE pg_catalog."C",
    batch_id uuid,
    reason text,
    settled_at timestamp with time zone,
    delivered_at timestamp with time zone,
    opened_at timestamp with time zone,
    clicked_at timestamp with time zone,
    bounced_at timestamp with time zone,
    complained_at timestamp with time zone,
    CONSTRAINT handed_over_has_batch CHECK (((state <> ALL (ARRAY['sending'::text, 'sent'::text, 'unknown'::text])) OR (batch_id IS NOT NULL))),
    CONSTRAINT not_sent_has_reason CHECK (((state <> ALL (ARRAY['failed'::text, 'skipped'::text])) OR (reason IS NOT NULL))),
    CONSTRAINT planned_is_free CHECK (((state <> 'planned'::text) OR ((batch_id IS NULL) AND (settled_at IS NULL)))),
    CONSTRAINT send_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'sending'::text, 'sent'::text, 'unknown'::text, 'failed'::text, 'skipped'::text]))),
    CONSTRAINT send_variant_check CHECK ((variant = ANY (ARRAY['full'::text, 'preview'::text]))),
    CONSTRAINT settled_has_time CHECK (((state = ANY (ARRAY['sent'::text, 'failed'::text, 'skipped'::text])) = (settled_at IS NOT NULL)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

ALTER TABLE ONLY public.send FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sign_up_hour (
    account_id bigint NOT NULL,
    hour timestamp with time zone NOT NULL,
    form text DEFAULT ''::text NOT NULL,
    asked integer DEFAULT 0 NOT NULL,
    slowed integer DEFAULT 0 NOT NULL,
    CONSTRAINT sign_up_hour_asked_check CHECK ((asked >= 0)),
    CONSTRAINT sign_up_hour_slowed_check CHECK ((slowed >= 0))
);

ALTER TABLE ONLY public.sign_up_hour FORCE ROW LEVEL SECURITY;

CREATE TABLE public.suppression_change (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C",
    act text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    by_kind text DEFAULT 'system'::text NOT NULL COLLATE pg_catalog."C",
    detail text DEFAULT ''::text NOT NULL,
    by_name text DEFAULT ''::text NOT NULL,
    at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    CONSTRAINT lifted_by_whom_it_may CHECK (((act = 'blocked'::text) OR ((by_kind = 'reader'::text) AND (reason <> 'by_hand'::text)) OR ((by_kind = 'owner'::text) AND (reason = ANY (ARRAY['bounce'::text, 'by_hand'::text])) AND (detail <> ''::text)))),
    CONSTRAINT suppression_change_act_check CHECK ((act = ANY (ARRAY['blocked'::text, 'lifted'::text]))),
    CONSTRAINT suppression_change_by_kind_check CHECK ((by_kind = ANY (ARRAY['system'::text, 'owner'::text, 'reader'::text]))),
    CONSTRAINT suppression_change_reason_check CHECK ((reason = ANY (ARRAY['bounce'::text, 'complaint'::text, 'by_hand'::text, 'erased'::text])))
);

ALTER TABLE ONLY public.suppression_change FORCE ROW LEVEL SECURITY;

COMMENT ON CONSTRAINT lifted_by_whom_it_may ON public.suppression_change IS 'A complaint is lifted by the reader alone; a bounce by them or by an owner who says why; a block by hand by an owner.';

ALTER TABLE public.suppression_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.suppression_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE public.switch_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.switch_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.test_mail (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    post_id uuid NOT NULL,
    version integer NOT NULL,
    address text NOT NULL,
    variant text NOT NULL COLLATE pg_catalog."C",
    sent_at timestamp with time zone DEFAULT public.godwit_now() NOT NULL,
    sent_by uuid,
    sent_by_name text DEFAULT ''::text NOT NULL,
    CONSTRAINT test_mail_address_check CHECK ((length(address) <= 320)),
    CONSTRAINT test_mail_sent_by_name_check CHECK ((length(sent_by_name) <= 255)),
    CONSTRAINT test_mail_variant_check CHECK ((variant = ANY (ARRAY['full'::text, 'preview'::text, 'nameless'::text]))),
    CONSTRAINT test_mail_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY public.test_mail FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.test_mail IS 'Test mails that were asked for: of which version of the draft, to whom. The mail itself is a message.';

CREATE TABLE public.worker (
    name text NOT NULL COLLATE pg_catalog."C",
    queues text[] NOT NULL,
    version text NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    stopped_at timestamp with time zone,
    CONSTRAINT worker_name_check CHECK (((length(name) >= 1) AND (length(name) <= 300)))
);

COMMENT ON TABLE public.worker IS 'Of the platform, no account''s: which worker processes say that they live, each for itself, beside its queues (E11).';

ALTER TABLE ONLY public.attempt ATTACH PARTITION public.attempt_default DEFAULT;

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_slug_key UNIQUE (slug);

ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (account_id, job_id, lease, started_at, late);

ALTER TABLE ONLY public.attempt_default
    ADD CONSTRAINT attempt_default_pkey PRIMARY KEY (account_id, job_id, lease, started_at, late);

ALTER TABLE ONLY public.batch
    ADD CONSTRAINT batch_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.broadcast
    ADD CONSTRAINT broadcast_account_id_mailing_id_key UNIQUE (account_id, mailing_id);

ALTER TABLE ONLY public.broadcast
    ADD CONSTRAINT broadcast_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.bulk_act
    ADD CONSTRAINT bulk_act_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.bulk_change
    ADD CONSTRAINT bulk_change_pkey PRIMARY KEY (account_id, act_id, reader_id);

ALTER TABLE ONLY public.clock
    ADD CONSTRAINT clock_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.confirmation
    ADD CONSTRAINT confirmation_pkey PRIMARY KEY (account_id, token_hash);

ALTER TABLE ONLY public.consent
    ADD CONSTRAINT consent_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.creator_code
    ADD CONSTRAINT creator_code_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.creator
    ADD CONSTRAINT creator_email_key UNIQUE (email);

ALTER TABLE ONLY public.creator
    ADD CONSTRAINT creator_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.creator_session
    ADD CONSTRAINT creator_session_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_account_id_event_id_endpoint_id_redelivery_key UNIQUE (account_id, event_id, endpoint_id, redelivery);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.draft
    ADD CONSTRAINT draft_pkey PRIMARY KEY (account_id, post_id);

ALTER TABLE ONLY public.endpoint
    ADD CONSTRAINT endpoint_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.endpoint_secret
    ADD CONSTRAINT endpoint_secret_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.entitlement
    ADD CONSTRAINT entitlement_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.erased_reader
    ADD CONSTRAINT erased_reader_pkey PRIMARY KEY (account_id, reader_id);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_account_id_sequence_key UNIQUE (account_id, sequence);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_account_id_webhook_id_key UNIQUE (account_id, webhook_id);

ALTER TABLE ONLY public.event_counter
    ADD CONSTRAINT event_counter_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (account_id, key);

ALTER TABLE ONLY public.import_change
    ADD CONSTRAINT import_change_pkey PRIMARY KEY (account_id, import_id, thing_id);

ALTER TABLE ONLY public.import_file
    ADD CONSTRAINT import_file_pkey PRIMARY KEY (account_id, import_id);

ALTER TABLE ONLY public.import_loss
    ADD CONSTRAINT import_loss_pkey PRIMARY KEY (account_id, import_id, id);

ALTER TABLE ONLY public.import
    ADD CONSTRAINT import_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.import_problem
    ADD CONSTRAINT import_problem_pkey PRIMARY KEY (account_id, import_id, "row");

ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.job_key
    ADD CONSTRAINT job_key_pkey PRIMARY KEY (account_id, kind, key);

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.lane
    ADD CONSTRAINT lane_pkey PRIMARY KEY (account_id, lane);

ALTER TABLE ONLY public.limit_bucket
    ADD CONSTRAINT limit_bucket_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.mailing
    ADD CONSTRAINT mailing_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_pkey PRIMARY KEY (account_id, hash);

ALTER TABLE ONLY public.membership
    ADD CONSTRAINT membership_pkey PRIMARY KEY (account_id, creator_id);

ALTER TABLE ONLY public.newsletter
    ADD CONSTRAINT newsletter_account_id_slug_key UNIQUE (account_id, slug);

ALTER TABLE ONLY public.newsletter
    ADD CONSTRAINT newsletter_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT one_invitation_an_address UNIQUE (account_id, email);

ALTER TABLE ONLY public.outcome_count
    ADD CONSTRAINT outcome_count_pkey PRIMARY KEY (kind, outcome, queue);

ALTER TABLE ONLY public.plan
    ADD CONSTRAINT plan_account_id_slug_key UNIQUE (account_id, slug);

ALTER TABLE ONLY public.plan
    ADD CONSTRAINT plan_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.possible_double
    ADD CONSTRAINT possible_double_pkey PRIMARY KEY (account_id, mailing_id, reader_id, batch_id);

ALTER TABLE ONLY public.post
    ADD CONSTRAINT post_account_id_slug_key UNIQUE (account_id, slug);

ALTER TABLE ONLY public.post
    ADD CONSTRAINT post_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.provider_refusal
    ADD CONSTRAINT provider_refusal_pkey PRIMARY KEY (provider);

ALTER TABLE ONLY public.publication
    ADD CONSTRAINT publication_pkey PRIMARY KEY (account_id, key);

ALTER TABLE ONLY public.reader
    ADD CONSTRAINT reader_account_id_email_key UNIQUE (account_id, email);

ALTER TABLE ONLY public.reader_code
    ADD CONSTRAINT reader_code_account_id_token_hash_key UNIQUE (account_id, token_hash);

ALTER TABLE ONLY public.reader_code
    ADD CONSTRAINT reader_code_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.reader
    ADD CONSTRAINT reader_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.reader_session
    ADD CONSTRAINT reader_session_pkey PRIMARY KEY (account_id, token_hash);

ALTER TABLE ONLY public.reader_tag
    ADD CONSTRAINT reader_tag_pkey PRIMARY KEY (account_id, reader_id, tag);

ALTER TABLE ONLY public.redirect
    ADD CONSTRAINT redirect_pkey PRIMARY KEY (account_id, path);

ALTER TABLE ONLY public.release_change
    ADD CONSTRAINT release_change_pkey PRIMARY KEY (account_id, number, post_id);

ALTER TABLE ONLY public.release_counter
    ADD CONSTRAINT release_counter_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.release
    ADD CONSTRAINT release_pkey PRIMARY KEY (account_id, number);

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_account_id_post_id_number_key UNIQUE (account_id, post_id, number);

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.scheduled
    ADD CONSTRAINT scheduled_account_id_key_key UNIQUE (account_id, key);

ALTER TABLE ONLY public.scheduled
    ADD CONSTRAINT scheduled_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.segment
    ADD CONSTRAINT segment_account_id_name_key UNIQUE (account_id, name);

ALTER TABLE ONLY public.segment
    ADD CONSTRAINT segment_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.send
    ADD CONSTRAINT send_pkey PRIMARY KEY (account_id, mailing_id, reader_id);

ALTER TABLE ONLY public.sign_up_hour
    ADD CONSTRAINT sign_up_hour_pkey PRIMARY KEY (account_id, hour, form);

ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (account_id, reader_id, newsletter_id);

ALTER TABLE ONLY public.suppression_change
    ADD CONSTRAINT suppression_change_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.suppression
    ADD CONSTRAINT suppression_pkey PRIMARY KEY (account_id, address);

ALTER TABLE ONLY public.switch_change
    ADD CONSTRAINT switch_change_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.switch
    ADD CONSTRAINT switch_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.tally
    ADD CONSTRAINT tally_pkey PRIMARY KEY (account_id, mailing_id, shard, state);

ALTER TABLE ONLY public.test_mail
    ADD CONSTRAINT test_mail_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (name);

CREATE INDEX batch_of_mailing ON public.batch USING btree (account_id, mailing_id, id);

CREATE INDEX batch_of_permit ON public.batch USING btree (job_id, lease);

CREATE INDEX batch_open ON public.batch USING btree (call_until) WHERE (state = 'calling'::text);

CREATE INDEX batch_unknown ON public.batch USING btree (look_up_at) WHERE (state = 'unknown'::text);

CREATE INDEX broadcast_newest ON public.broadcast USING btree (account_id, pressed_at DESC, id DESC);

CREATE UNIQUE INDEX broadcast_once ON public.broadcast USING btree (account_id, post_id, newsletter_id) WHERE ((NOT again) AND (NOT undone));

CREATE INDEX bulk_act_newest ON public.bulk_act USING btree (account_id, created_at DESC, id DESC);

CREATE UNIQUE INDEX bulk_act_undone_once ON public.bulk_act USING btree (account_id, undoes) WHERE (undoes IS NOT NULL);

CREATE INDEX bulk_change_of_reader ON public.bulk_change USING btree (account_id, reader_id);

CREATE INDEX confirmation_of_reader ON public.confirmation USING btree (account_id, reader_id);

CREATE INDEX consent_by_time ON public.consent USING btree (account_id, at);

CREATE INDEX consent_of_reader ON public.consent USING btree (account_id, reader_id, id);

CREATE INDEX creator_code_newest ON public.creator_code USING btree (creator_id, created_at DESC);

CREATE INDEX creator_session_of ON public.creator_session USING btree (creator_id);

CREATE INDEX delivery_of_endpoint ON public.delivery USING btree (account_id, endpoint_id, id);

CREATE UNIQUE INDEX endpoint_secret_newest ON public.endpoint_secret USING btree (account_id, endpoint_id) WHERE (expires_at IS NULL);

CREATE INDEX endpoint_secret_of_endpoint ON public.endpoint_secret USING btree (account_id, endpoint_id);

CREATE INDEX entitlement_of_plan ON public.entitlement USING btree (account_id, plan_id, reader_id);

CREATE INDEX entitlement_of_reader ON public.entitlement USING btree (account_id, reader_id, plan_id);

CREATE UNIQUE INDEX entitlement_of_source ON public.entitlement USING btree (account_id, reader_id, plan_id, source, reference) WHERE (reference <> ''::text);

CREATE UNIQUE INDEX entitlement_without_end ON public.entitlement USING btree (account_id, reader_id, plan_id, source) WHERE ((reference = ''::text) AND (ends_at IS NULL));

CREATE INDEX event_in_words ON public.event USING btree (account_id, id) WHERE (type = ANY (ARRAY['broadcast.started'::text, 'broadcast.finished'::text, 'broadcast.needs_attention'::text, 'import.finished'::text]));

CREATE INDEX event_made ON public.event USING btree (created_at);

CREATE INDEX event_of_reader ON public.event USING btree (account_id, reader_id) WHERE (reader_id IS NOT NULL);

CREATE INDEX event_of_release ON public.event USING btree (account_id, release) WHERE (release IS NOT NULL);

CREATE UNIQUE INDEX event_once ON public.event USING btree (account_id, once) WHERE (once IS NOT NULL);

CREATE INDEX event_unnumbered ON public.event USING btree (account_id, id) WHERE (sequence IS NULL);

CREATE INDEX idempotency_old ON public.idempotency USING btree (account_id, created_at);

CREATE INDEX import_change_of ON public.import_change USING btree (account_id, thing_id);

CREATE INDEX import_newest ON public.import USING btree (account_id, created_at DESC, id DESC);

CREATE INDEX job_finished ON public.job USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX job_given_up ON public.job USING btree (id) WHERE (state = ANY (ARRAY['held'::text, 'dead'::text]));

CREATE INDEX job_key_naming ON public.job_key USING gin (account_id, key public.gin_trgm_ops) WHERE (key ~~ '%@%'::text);

CREATE INDEX job_key_of_slot ON public.job_key USING btree (created_at) WHERE (key ~ '@\d{4}-\d\d-\d\dT\d\d:\d\dZ$'::text);

CREATE INDEX job_leased ON public.job USING btree (queue, share) WHERE (state = 'leased'::text);

CREATE INDEX job_message_to ON public.job USING btree (account_id, ((args ->> 'to'::text)), id DESC) WHERE (kind = ANY (ARRAY['send_message'::text, 'send_reader_code'::text]));

CREATE INDEX job_of_account ON public.job USING btree (account_id, queue, id DESC);

CREATE INDEX job_of_endpoint ON public.job USING btree (account_id, share, state, id DESC) INCLUDE (rank) WHERE ((queue = 'webhooks'::text) AND (state = ANY (ARRAY['held'::text, 'done'::text, 'dead'::text, 'superseded'::text, 'discarded'::text])));

CREATE UNIQUE INDEX job_one_of_lane ON public.job USING btree (account_id, lane) WHERE ((lane IS NOT NULL) AND (state = 'leased'::text));

CREATE INDEX job_ready ON public.job USING btree (queue, share, run_at, id) WHERE (state = 'ready'::text);

CREATE INDEX job_ready_of_lane ON public.job USING btree (queue, share, account_id, lane, id) WHERE ((state = 'ready'::text) AND (lane IS NOT NULL));

CREATE INDEX job_ready_of_rank ON public.job USING btree (queue, account_id, lane, rank) WHERE ((state = 'ready'::text) AND (rank IS NOT NULL));

CREATE INDEX job_running_out ON public.job USING btree (leased_until) WHERE (state = 'leased'::text);

CREATE INDEX mailing_cancelled ON public.mailing USING btree (finished_at) WHERE (state = 'cancelled'::text);

CREATE INDEX mailing_open ON public.mailing USING btree (account_id, id) WHERE (state = ANY (ARRAY['building'::text, 'sending'::text]));

CREATE INDEX media_newest ON public.media USING btree (account_id, created_at DESC, hash);

CREATE INDEX membership_by_creator ON public.membership USING btree (creator_id);

CREATE UNIQUE INDEX newsletter_default ON public.newsletter USING btree (account_id) WHERE is_default;

CREATE INDEX post_newest ON public.post USING btree (account_id, created_at DESC, id DESC);

CREATE INDEX post_published ON public.post USING btree (account_id, published_at DESC, id DESC) WHERE (live_revision_id IS NOT NULL);

CREATE INDEX reader_code_newest ON public.reader_code USING btree (account_id, reader_id, created_at DESC);

CREATE INDEX reader_code_over ON public.reader_code USING btree (account_id, expires_at);

CREATE INDEX reader_newest ON public.reader USING btree (account_id, joined_at DESC, id DESC);

CREATE INDEX reader_search ON public.reader USING gin (account_id, email public.gin_trgm_ops, lower(name) public.gin_trgm_ops);

CREATE INDEX reader_session_of ON public.reader_session USING btree (account_id, reader_id);

CREATE INDEX reader_session_over ON public.reader_session USING btree (account_id, expires_at);

CREATE INDEX reader_tag_by_tag ON public.reader_tag USING btree (account_id, tag, reader_id);

CREATE INDEX redirect_to_post ON public.redirect USING btree (account_id, post_id);

CREATE INDEX release_change_of_post ON public.release_change USING btree (account_id, post_id, number);

CREATE INDEX scheduled_next ON public.scheduled USING btree (account_id, at) WHERE (state = 'waiting'::text);

CREATE UNIQUE INDEX scheduled_once ON public.scheduled USING btree (account_id, post_id) WHERE (state = 'waiting'::text);

CREATE INDEX send_apart ON public.send USING btree (account_id, mailing_id, state, reader_id) WHERE (state = ANY (ARRAY['sending'::text, 'unknown'::text, 'failed'::text, 'skipped'::text]));

CREATE INDEX send_of_reader ON public.send USING btree (account_id, reader_id, mailing_id);

CREATE INDEX send_open ON public.send USING btree (account_id, batch_id) WHERE (state = ANY (ARRAY['sending'::text, 'unknown'::text]));

CREATE INDEX send_planned ON public.send USING btree (account_id, mailing_id, reader_id) WHERE (state = 'planned'::text);

CREATE INDEX subscription_active ON public.subscription USING btree (account_id, newsletter_id, reader_id) WHERE (state = 'active'::text);

CREATE INDEX subscription_pending ON public.subscription USING btree (account_id, reader_id) WHERE (state = 'pending'::text);

CREATE INDEX suppression_change_of ON public.suppression_change USING btree (account_id, address, id);

CREATE INDEX suppression_newest ON public.suppression USING btree (account_id, created_at DESC, address DESC);

CREATE INDEX test_mail_of_post ON public.test_mail USING btree (account_id, post_id, sent_at DESC);

ALTER INDEX public.attempt_pkey ATTACH PARTITION public.attempt_default_pkey;

CREATE TRIGGER an_owner_stays AFTER DELETE OR UPDATE ON public.membership FOR EACH ROW WHEN ((old.role = 'owner'::text)) EXECUTE FUNCTION public.keep_an_owner();

CREATE TRIGGER blank_answer BEFORE INSERT ON public.attempt FOR EACH ROW WHEN (((new.detail ->> 'answer'::text) <> ''::text)) EXECUTE FUNCTION public.blank_answer();

CREATE TRIGGER endpoint_moves BEFORE UPDATE OF state ON public.endpoint FOR EACH ROW WHEN ((old.state IS DISTINCT FROM new.state)) EXECUTE FUNCTION public.endpoint_moves();

CREATE TRIGGER forgets_import_changes AFTER DELETE ON public.reader FOR EACH ROW EXECUTE FUNCTION public.forget_import_changes();

CREATE TRIGGER job_moves BEFORE INSERT OR UPDATE ON public.job FOR EACH ROW EXECUTE FUNCTION public.job_moves();

CREATE TRIGGER keep_held_scope BEFORE INSERT OR UPDATE ON public.switch FOR EACH ROW EXECUTE FUNCTION public.keep_held_scope();

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.batch
    ADD CONSTRAINT batch_account_id_mailing_id_fkey FOREIGN KEY (account_id, mailing_id) REFERENCES public.mailing(account_id, id);

ALTER TABLE ONLY public.broadcast
    ADD CONSTRAINT broadcast_account_id_mailing_id_fkey FOREIGN KEY (account_id, mailing_id) REFERENCES public.mailing(account_id, id);

ALTER TABLE ONLY public.broadcast
    ADD CONSTRAINT broadcast_account_id_newsletter_id_fkey FOREIGN KEY (account_id, newsletter_id) REFERENCES public.newsletter(account_id, id);

ALTER TABLE ONLY public.broadcast
    ADD CONSTRAINT broadcast_account_id_post_id_fkey FOREIGN KEY (account_id, post_id) REFERENCES public.post(account_id, id);

ALTER TABLE ONLY public.broadcast
    ADD CONSTRAINT broadcast_account_id_release_fkey FOREIGN KEY (account_id, release) REFERENCES public.release(account_id, number);

ALTER TABLE ONLY public.broadcast
    ADD CONSTRAINT broadcast_account_id_revision_id_fkey FOREIGN KEY (account_id, revision_id) REFERENCES public.revision(account_id, id);

ALTER TABLE ONLY public.bulk_act
    ADD CONSTRAINT bulk_act_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.bulk_act
    ADD CONSTRAINT bulk_act_account_id_newsletter_id_fkey FOREIGN KEY (account_id, newsletter_id) REFERENCES public.newsletter(account_id, id);

ALTER TABLE ONLY public.bulk_act
    ADD CONSTRAINT bulk_act_account_id_undoes_fkey FOREIGN KEY (account_id, undoes) REFERENCES public.bulk_act(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.bulk_change
    ADD CONSTRAINT bulk_change_account_id_act_id_fkey FOREIGN KEY (account_id, act_id) REFERENCES public.bulk_act(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.bulk_change
    ADD CONSTRAINT bulk_change_account_id_reader_id_fkey FOREIGN KEY (account_id, reader_id) REFERENCES public.reader(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.confirmation
    ADD CONSTRAINT confirmation_account_id_reader_id_fkey FOREIGN KEY (account_id, reader_id) REFERENCES public.reader(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.consent
    ADD CONSTRAINT consent_account_id_newsletter_id_fkey FOREIGN KEY (account_id, newsletter_id) REFERENCES public.newsletter(account_id, id);

ALTER TABLE ONLY public.consent
    ADD CONSTRAINT consent_account_id_reader_id_fkey FOREIGN KEY (account_id, reader_id) REFERENCES public.reader(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.creator_code
    ADD CONSTRAINT creator_code_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES public.creator(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.creator_session
    ADD CONSTRAINT creator_session_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES public.creator(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_account_id_endpoint_id_fkey FOREIGN KEY (account_id, endpoint_id) REFERENCES public.endpoint(account_id, id);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_account_id_event_id_fkey FOREIGN KEY (account_id, event_id) REFERENCES public.event(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.draft
    ADD CONSTRAINT draft_account_id_plan_id_fkey FOREIGN KEY (account_id, plan_id) REFERENCES public.plan(account_id, id);

ALTER TABLE ONLY public.draft
    ADD CONSTRAINT draft_account_id_post_id_fkey FOREIGN KEY (account_id, post_id) REFERENCES public.post(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.endpoint
    ADD CONSTRAINT endpoint_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.endpoint_secret
    ADD CONSTRAINT endpoint_secret_account_id_endpoint_id_fkey FOREIGN KEY (account_id, endpoint_id) REFERENCES public.endpoint(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.entitlement
    ADD CONSTRAINT entitlement_account_id_plan_id_fkey FOREIGN KEY (account_id, plan_id) REFERENCES public.plan(account_id, id);

ALTER TABLE ONLY public.entitlement
    ADD CONSTRAINT entitlement_account_id_reader_id_fkey FOREIGN KEY (account_id, reader_id) REFERENCES public.reader(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.erased_reader
    ADD CONSTRAINT erased_reader_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.event_counter
    ADD CONSTRAINT event_counter_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.import
    ADD CONSTRAINT import_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.import
    ADD CONSTRAINT import_account_id_newsletter_id_fkey FOREIGN KEY (account_id, newsletter_id) REFERENCES public.newsletter(account_id, id);

ALTER TABLE ONLY public.import_change
    ADD CONSTRAINT import_change_account_id_import_id_fkey FOREIGN KEY (account_id, import_id) REFERENCES public.import(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.import_file
    ADD CONSTRAINT import_file_account_id_import_id_fkey FOREIGN KEY (account_id, import_id) REFERENCES public.import(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.import_loss
    ADD CONSTRAINT import_loss_account_id_import_id_fkey FOREIGN KEY (account_id, import_id) REFERENCES public.import(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.import_problem
    ADD CONSTRAINT import_problem_account_id_import_id_fkey FOREIGN KEY (account_id, import_id) REFERENCES public.import(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.job_key
    ADD CONSTRAINT job_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.lane
    ADD CONSTRAINT lane_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.mailing
    ADD CONSTRAINT mailing_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.mailing
    ADD CONSTRAINT mailing_account_id_newsletter_id_fkey FOREIGN KEY (account_id, newsletter_id) REFERENCES public.newsletter(account_id, id);

ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.membership
    ADD CONSTRAINT membership_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.membership
    ADD CONSTRAINT membership_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES public.creator(id);

ALTER TABLE ONLY public.newsletter
    ADD CONSTRAINT newsletter_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.plan
    ADD CONSTRAINT plan_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.possible_double
    ADD CONSTRAINT possible_double_account_id_batch_id_fkey FOREIGN KEY (account_id, batch_id) REFERENCES public.batch(account_id, id);

ALTER TABLE ONLY public.possible_double
    ADD CONSTRAINT possible_double_account_id_mailing_id_fkey FOREIGN KEY (account_id, mailing_id) REFERENCES public.mailing(account_id, id);

ALTER TABLE ONLY public.post
    ADD CONSTRAINT post_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.post
    ADD CONSTRAINT post_account_id_live_revision_id_fkey FOREIGN KEY (account_id, live_revision_id) REFERENCES public.revision(account_id, id);

ALTER TABLE ONLY public.publication
    ADD CONSTRAINT publication_account_id_broadcast_id_fkey FOREIGN KEY (account_id, broadcast_id) REFERENCES public.broadcast(account_id, id);

ALTER TABLE ONLY public.publication
    ADD CONSTRAINT publication_account_id_post_id_fkey FOREIGN KEY (account_id, post_id) REFERENCES public.post(account_id, id);

ALTER TABLE ONLY public.publication
    ADD CONSTRAINT publication_account_id_release_fkey FOREIGN KEY (account_id, release) REFERENCES public.release(account_id, number);

ALTER TABLE ONLY public.reader
    ADD CONSTRAINT reader_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.reader_code
    ADD CONSTRAINT reader_code_account_id_reader_id_fkey FOREIGN KEY (account_id, reader_id) REFERENCES public.reader(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.reader_session
    ADD CONSTRAINT reader_session_account_id_reader_id_fkey FOREIGN KEY (account_id, reader_id) REFERENCES public.reader(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.reader_tag
    ADD CONSTRAINT reader_tag_account_id_reader_id_fkey FOREIGN KEY (account_id, reader_id) REFERENCES public.reader(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.redirect
    ADD CONSTRAINT redirect_account_id_post_id_fkey FOREIGN KEY (account_id, post_id) REFERENCES public.post(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.release
    ADD CONSTRAINT release_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.release_change
    ADD CONSTRAINT release_change_account_id_number_fkey FOREIGN KEY (account_id, number) REFERENCES public.release(account_id, number);

ALTER TABLE ONLY public.release_change
    ADD CONSTRAINT release_change_account_id_post_id_fkey FOREIGN KEY (account_id, post_id) REFERENCES public.post(account_id, id);

ALTER TABLE ONLY public.release_change
    ADD CONSTRAINT release_change_account_id_revision_id_fkey FOREIGN KEY (account_id, revision_id) REFERENCES public.revision(account_id, id);

ALTER TABLE ONLY public.release_counter
    ADD CONSTRAINT release_counter_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_account_id_plan_id_fkey FOREIGN KEY (account_id, plan_id) REFERENCES public.plan(account_id, id);

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_account_id_post_id_fkey FOREIGN KEY (account_id, post_id) REFERENCES public.post(account_id, id);

ALTER TABLE ONLY public.scheduled
    ADD CONSTRAINT scheduled_account_id_broadcast_id_fkey FOREIGN KEY (account_id, broadcast_id) REFERENCES public.broadcast(account_id, id);

ALTER TABLE ONLY public.scheduled
    ADD CONSTRAINT scheduled_account_id_post_id_fkey FOREIGN KEY (account_id, post_id) REFERENCES public.post(account_id, id);

ALTER TABLE ONLY public.scheduled
    ADD CONSTRAINT scheduled_account_id_release_fkey FOREIGN KEY (account_id, release) REFERENCES public.release(account_id, number);

ALTER TABLE ONLY public.scheduled
    ADD CONSTRAINT scheduled_account_id_revision_id_fkey FOREIGN KEY (account_id, revision_id) REFERENCES public.revision(account_id, id);

ALTER TABLE ONLY public.segment
    ADD CONSTRAINT segment_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.send
    ADD CONSTRAINT send_account_id_batch_id_fkey FOREIGN KEY (account_id, batch_id) REFERENCES public.batch(account_id, id);

ALTER TABLE ONLY public.send
    ADD CONSTRAINT send_account_id_mailing_id_fkey FOREIGN KEY (account_id, mailing_id) REFERENCES public.mailing(account_id, id);

ALTER TABLE ONLY public.sign_up_hour
    ADD CONSTRAINT sign_up_hour_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_account_id_newsletter_id_fkey FOREIGN KEY (account_id, newsletter_id) REFERENCES public.newsletter(account_id, id);

ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_account_id_reader_id_fkey FOREIGN KEY (account_id, reader_id) REFERENCES public.reader(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.suppression
    ADD CONSTRAINT suppression_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.suppression_change
    ADD CONSTRAINT suppression_change_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.switch
    ADD CONSTRAINT switch_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.switch_change
    ADD CONSTRAINT switch_change_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);

ALTER TABLE ONLY public.tally
    ADD CONSTRAINT tally_account_id_mailing_id_fkey FOREIGN KEY (account_id, mailing_id) REFERENCES public.mailing(account_id, id);

ALTER TABLE ONLY public.test_mail
    ADD CONSTRAINT test_mail_account_id_post_id_fkey FOREIGN KEY (account_id, post_id) REFERENCES public.post(account_id, id) ON DELETE CASCADE;

ALTER TABLE public.account ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.api_key ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.attempt ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.attempt_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.batch ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.broadcast ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.bulk_act ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.bulk_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.confirmation ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.consent ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.delivery ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.draft ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.endpoint ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.endpoint_secret ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.entitlement ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.erased_reader ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_counter ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import_file ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import_loss ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import_problem ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invitation ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job_key ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.lane ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mailing ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.media ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.membership ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.newsletter ENABLE ROW LEVEL SECURITY;

CREATE POLICY owner ON public.account TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.api_key TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.attempt TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.attempt_default TO godwit_owner USING (true);

CREATE POLICY owner ON public.batch TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.broadcast TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.bulk_act TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.bulk_change TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.confirmation TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.consent TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.delivery TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.draft TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.endpoint TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.endpoint_secret TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.entitlement TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.erased_reader TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.event TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.event_counter TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.idempotency TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.import TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.import_change TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.import_file TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.import_loss TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.import_problem TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.invitation TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.job TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.job_key TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.lane TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.mailing TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.media TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.membership TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.newsletter TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.plan TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.possible_double TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.post TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.publication TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.reader TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.reader_code TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.reader_session TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.reader_tag TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.redirect TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.release TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.release_change TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.release_counter TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.revision TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.scheduled TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.segment TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.send TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.sign_up_hour TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.subscription TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.suppression TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.suppression_change TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.switch TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.switch_change TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.tally TO godwit_owner USING (true) WITH CHECK (true);

CREATE POLICY owner ON public.test_mail TO godwit_owner USING (true) WITH CHECK (true);

ALTER TABLE public.plan ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.possible_double ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.post ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.publication ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reader ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reader_code ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reader_session ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reader_tag ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.redirect ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.release ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.release_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.release_counter ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.revision ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.scheduled ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.segment ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.send ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sign_up_hour ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.subscription ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.suppression ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.suppression_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.switch ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.switch_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tally ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.test_mail ENABLE ROW LEVEL SECURITY;

CREATE POLICY web ON public.account TO godwit_web USING ((id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.api_key TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.attempt TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.batch TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.broadcast TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.bulk_act TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.confirmation TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.consent TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.delivery TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.draft TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.endpoint TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.endpoint_secret TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.entitlement TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.erased_reader TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.event TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.event_counter TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.idempotency TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.import TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.import_change TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.import_file TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.import_loss TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.import_problem TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.invitation TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.job TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.job_key TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.lane TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.mailing TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.media TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.membership TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.newsletter TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.plan TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.possible_double TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.post TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.publication TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.reader TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.reader_code TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.reader_session TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.reader_tag TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.redirect TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.release TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.release_change TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.release_counter TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.revision TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.scheduled TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.segment TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.send TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.sign_up_hour TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.subscription TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.suppression TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.suppression_change TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.switch TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.switch_change TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.tally TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY web ON public.test_mail TO godwit_web USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.account TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.attempt TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.batch TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.broadcast TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.bulk_act TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.bulk_change TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.confirmation TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.consent TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.delivery TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.draft TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.endpoint TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.endpoint_secret TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.entitlement TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.erased_reader TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.event TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.event_counter TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.import TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.import_change TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.import_file TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.import_loss TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.import_problem TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.job TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.job_key TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.lane TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.mailing TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.media TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.newsletter TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.plan TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.possible_double TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.post TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.publication TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.reader TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.reader_tag TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.redirect TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.release TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.release_change TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.release_counter TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.revision TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.scheduled TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.segment TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.send TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.sign_up_hour TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.subscription TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.suppression TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.suppression_change TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.switch TO godwit_worker USING (true) WITH CHECK (true);

CREATE POLICY worker ON public.switch_change TO godwit_worker USING ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint)) WITH CHECK ((account_id = (NULLIF(( SELECT current_setting('godwit.account_id'::text, true) AS current_setting), ''::text))::bigint));

CREATE POLICY worker ON public.tally TO godwit_worker USING (true) WITH CHECK (true);

GRANT ALL ON SCHEMA public TO godwit_owner;
GRANT USAGE ON SCHEMA public TO godwit_web;
GRANT USAGE ON SCHEMA public TO godwit_worker;
GRANT USAGE ON SCHEMA public TO godwit_operator;

REVOKE ALL ON FUNCTION public.account_by_host(host text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.account_by_host(host text) TO godwit_web;

REVOKE ALL ON FUNCTION public.account_by_key(hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.account_by_key(hashes bytea[]) TO godwit_web;

REVOKE ALL ON FUNCTION public.account_notice(account bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.account_notice(account bigint) TO godwit_worker;

REVOKE ALL ON FUNCTION public.accounts_unheard(older_seconds double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION public.accounts_unheard(older_seconds double precision) TO godwit_worker;

REVOKE ALL ON FUNCTION public.blank_answer() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.database_known() FROM PUBLIC;
GRANT ALL ON FUNCTION public.database_known() TO godwit_web;
GRANT ALL ON FUNCTION public.database_known() TO godwit_worker;
GRANT ALL ON FUNCTION public.database_known() TO godwit_operator;

REVOKE ALL ON FUNCTION public.deliveries_in_hand(jobs bigint[], leases bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.deliveries_in_hand(jobs bigint[], leases bigint[]) TO godwit_worker;

REVOKE ALL ON FUNCTION public.discard_job(job bigint, because text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.discard_job(job bigint, because text) TO godwit_operator;

REVOKE ALL ON FUNCTION public.enqueue_platform(queue text, kind text, args jsonb, version integer, secrets text[], key text, run_at timestamp with time zone, expires_at timestamp with time zone, max_attempts integer, on_unknown text, cause text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.enqueue_platform(queue text, kind text, args jsonb, version integer, secrets text[], key text, run_at timestamp with time zone, expires_at timestamp with time zone, max_attempts integer, on_unknown text, cause text) TO godwit_web;
GRANT ALL ON FUNCTION public.enqueue_platform(queue text, kind text, args jsonb, version integer, secrets text[], key text, run_at timestamp with time zone, expires_at timestamp with time zone, max_attempts integer, on_unknown text, cause text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.forget_events(who uuid, written text, instead text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_events(who uuid, written text, instead text) TO godwit_web;
GRANT ALL ON FUNCTION public.forget_events(who uuid, written text, instead text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.forget_import_changes() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.forget_messages(address text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_messages(address text) TO godwit_web;
GRANT ALL ON FUNCTION public.forget_messages(address text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.forget_notices(written text, instead text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_notices(written text, instead text) TO godwit_web;
GRANT ALL ON FUNCTION public.forget_notices(written text, instead text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.forget_words(who uuid, mailbox text, hashed text, written text, instead text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_words(who uuid, mailbox text, hashed text, written text, instead text) TO godwit_web;
GRANT ALL ON FUNCTION public.forget_words(who uuid, mailbox text, hashed text, written text, instead text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.fresh_statistics(of text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.fresh_statistics(of text[]) TO godwit_worker;

REVOKE ALL ON FUNCTION public.has_signed_in(reader uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.has_signed_in(reader uuid) TO godwit_web;
GRANT ALL ON FUNCTION public.has_signed_in(reader uuid) TO godwit_worker;

REVOKE ALL ON FUNCTION public.hash_message_key(plain text, hashed text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.hash_message_key(plain text, hashed text) TO godwit_web;
GRANT ALL ON FUNCTION public.hash_message_key(plain text, hashed text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.held_mail(account bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.held_mail(account bigint) TO godwit_operator;

REVOKE ALL ON FUNCTION public.keep_an_owner() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.keep_held_scope() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.let_go(account bigint, by text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.let_go(account bigint, by text) TO godwit_operator;

REVOKE ALL ON FUNCTION public.look_back(seen_id uuid, seen bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.look_back(seen_id uuid, seen bigint) TO godwit_worker;

REVOKE ALL ON FUNCTION public.maintain_attempts() FROM PUBLIC;
GRANT ALL ON FUNCTION public.maintain_attempts() TO godwit_worker;

REVOKE ALL ON FUNCTION public.memberships_of(creator uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.memberships_of(creator uuid) TO godwit_web;

REVOKE ALL ON FUNCTION public.message_keys_naming(written text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.message_keys_naming(written text) TO godwit_web;
GRANT ALL ON FUNCTION public.message_keys_naming(written text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.messages_to(address text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.messages_to(address text, most integer) TO godwit_web;

REVOKE ALL ON FUNCTION public.open_account(slug text, name text, postal_address text, creator uuid, newsletter uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.open_account(slug text, name text, postal_address text, creator uuid, newsletter uuid) TO godwit_web;

REVOKE ALL ON FUNCTION public.overdue_seconds() FROM PUBLIC;
GRANT ALL ON FUNCTION public.overdue_seconds() TO godwit_web;

REVOKE ALL ON FUNCTION public.overdue_work() FROM PUBLIC;
GRANT ALL ON FUNCTION public.overdue_work() TO godwit_web;
GRANT ALL ON FUNCTION public.overdue_work() TO godwit_worker;
GRANT ALL ON FUNCTION public.overdue_work() TO godwit_operator;

REVOKE ALL ON FUNCTION public.platform_switch() FROM PUBLIC;
GRANT ALL ON FUNCTION public.platform_switch() TO godwit_web;
GRANT ALL ON FUNCTION public.platform_switch() TO godwit_worker;
GRANT ALL ON FUNCTION public.platform_switch() TO godwit_operator;

REVOKE ALL ON FUNCTION public.prune_answers(hours integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_answers(hours integer) TO godwit_worker;

REVOKE ALL ON FUNCTION public.prune_bulk_acts(days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_bulk_acts(days integer) TO godwit_worker;

REVOKE ALL ON FUNCTION public.prune_import_files(days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_import_files(days integer) TO godwit_worker;

REVOKE ALL ON FUNCTION public.prune_invitations(days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_invitations(days integer) TO godwit_worker;

REVOKE ALL ON FUNCTION public.prune_webhooks(days integer, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_webhooks(days integer, most integer) TO godwit_worker;

REVOKE ALL ON FUNCTION public.published_posts(revisions uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.published_posts(revisions uuid[]) TO godwit_web;
GRANT ALL ON FUNCTION public.published_posts(revisions uuid[]) TO godwit_worker;

REVOKE ALL ON FUNCTION public.retry_job(job bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.retry_job(job bigint) TO godwit_operator;

REVOKE ALL ON FUNCTION public.retry_message(message bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.retry_message(message bigint) TO godwit_web;

REVOKE ALL ON FUNCTION public.search_readers(address_part text, name_part text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_readers(address_part text, name_part text) TO godwit_web;
GRANT ALL ON FUNCTION public.search_readers(address_part text, name_part text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.set_switch(account bigint, stop boolean, scope text, reason text, by text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.set_switch(account bigint, stop boolean, scope text, reason text, by text) TO godwit_operator;

REVOKE ALL ON FUNCTION public.turns(of_queue text, after text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.turns(of_queue text, after text) TO godwit_worker;

REVOKE ALL ON FUNCTION public.turns(of_queue text, after text, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.turns(of_queue text, after text, since timestamp with time zone) TO godwit_worker;

REVOKE ALL ON FUNCTION public.webhook_calls(jobs bigint[], leases bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.webhook_calls(jobs bigint[], leases bigint[]) TO godwit_worker;

GRANT SELECT,UPDATE ON TABLE public.account TO godwit_web;
GRANT SELECT ON TABLE public.account TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.api_key TO godwit_web;

GRANT SELECT ON TABLE public.attempt TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.attempt TO godwit_worker;

GRANT SELECT ON TABLE public.batch TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.batch TO godwit_worker;

GRANT UPDATE(blanks) ON TABLE public.batch TO godwit_web;

GRANT UPDATE(state) ON TABLE public.batch TO godwit_web;

GRANT UPDATE(reason) ON TABLE public.batch TO godwit_web;

GRANT UPDATE(look_up_at) ON TABLE public.batch TO godwit_web;

GRANT UPDATE(settled_at) ON TABLE public.batch TO godwit_web;

GRANT UPDATE(evidence) ON TABLE public.batch TO godwit_web;

GRANT SELECT,INSERT,UPDATE ON TABLE public.broadcast TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.broadcast TO godwit_worker;

GRANT UPDATE(undone) ON TABLE public.broadcast TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.bulk_act TO godwit_web;
GRANT SELECT,UPDATE ON TABLE public.bulk_act TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.bulk_change TO godwit_worker;

GRANT SELECT ON TABLE public.clock TO godwit_web;
GRANT SELECT ON TABLE public.clock TO godwit_worker;
GRANT SELECT ON TABLE public.clock TO godwit_operator;

GRANT UPDATE(ahead) ON TABLE public.clock TO godwit_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.confirmation TO godwit_web;
GRANT SELECT,DELETE ON TABLE public.confirmation TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.consent TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.consent TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.creator TO godwit_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.creator_code TO godwit_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.creator_session TO godwit_web;

GRANT SELECT,INSERT ON TABLE public.delivery TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.delivery TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.endpoint TO godwit_web;
GRANT SELECT,UPDATE ON TABLE public.endpoint TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.event TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.event TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.job TO godwit_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.job TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.lane TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.lane TO godwit_worker;

GRANT SELECT ON TABLE public.delivery_state TO godwit_web;
GRANT SELECT ON TABLE public.delivery_state TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.draft TO godwit_web;
GRANT INSERT ON TABLE public.draft TO godwit_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.endpoint_secret TO godwit_web;
GRANT SELECT ON TABLE public.endpoint_secret TO godwit_worker;

GRANT UPDATE(sealed) ON TABLE public.endpoint_secret TO godwit_worker;

GRANT UPDATE(expires_at) ON TABLE public.endpoint_secret TO godwit_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.entitlement TO godwit_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.entitlement TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.erased_reader TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.erased_reader TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.event_counter TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.event_counter TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency TO godwit_web;

GRANT SELECT,INSERT,UPDATE ON TABLE public.import TO godwit_web;
GRANT SELECT,UPDATE ON TABLE public.import TO godwit_worker;

GRANT SELECT ON TABLE public.import_change TO godwit_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.import_change TO godwit_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.import_file TO godwit_web;
GRANT SELECT,DELETE ON TABLE public.import_file TO godwit_worker;

GRANT SELECT ON TABLE public.import_loss TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.import_loss TO godwit_worker;

GRANT SELECT ON TABLE public.import_problem TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.import_problem TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.invitation TO godwit_web;

GRANT USAGE ON SEQUENCE public.job_id_seq TO godwit_web;
GRANT USAGE ON SEQUENCE public.job_id_seq TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.job_key TO godwit_web;
GRANT SELECT,INSERT,DELETE ON TABLE public.job_key TO godwit_worker;

GRANT USAGE ON SEQUENCE public.job_lease TO godwit_web;
GRANT USAGE ON SEQUENCE public.job_lease TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.limit_bucket TO godwit_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.limit_bucket TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reader TO godwit_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reader TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.subscription TO godwit_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.subscription TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.suppression TO godwit_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.suppression TO godwit_worker;

GRANT SELECT ON TABLE public.mailable TO godwit_web;
GRANT SELECT ON TABLE public.mailable TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.mailing TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.mailing TO godwit_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.media TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.media TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.membership TO godwit_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.newsletter TO godwit_web;
GRANT SELECT ON TABLE public.newsletter TO godwit_worker;

GRANT SELECT ON TABLE public.operator_account TO godwit_operator;

GRANT SELECT ON TABLE public.operator_attempt TO godwit_operator;

GRANT SELECT ON TABLE public.operator_batch TO godwit_operator;

GRANT SELECT ON TABLE public.operator_endpoint TO godwit_operator;

GRANT SELECT ON TABLE public.operator_job TO godwit_operator;

GRANT SELECT ON TABLE public.operator_lease TO godwit_operator;

GRANT SELECT ON TABLE public.operator_mailing TO godwit_operator;

GRANT SELECT,INSERT,UPDATE ON TABLE public.outcome_count TO godwit_worker;

GRANT SELECT ON TABLE public.operator_outcome TO godwit_operator;

GRANT SELECT ON TABLE public.operator_permit TO godwit_operator;

GRANT SELECT,INSERT,UPDATE ON TABLE public.tally TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.tally TO godwit_worker;

GRANT SELECT ON TABLE public.operator_progress TO godwit_operator;

GRANT SELECT ON TABLE public.operator_queue TO godwit_operator;

GRANT SELECT ON TABLE public.operator_share TO godwit_operator;

GRANT SELECT,INSERT,UPDATE ON TABLE public.switch TO godwit_web;
GRANT SELECT ON TABLE public.switch TO godwit_worker;

GRANT SELECT ON TABLE public.operator_switch TO godwit_operator;

GRANT SELECT,INSERT ON TABLE public.switch_change TO godwit_web;
GRANT SELECT ON TABLE public.switch_change TO godwit_worker;

GRANT SELECT ON TABLE public.operator_switch_change TO godwit_operator;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.plan TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.plan TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.possible_double TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.possible_double TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.post TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.post TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.provider_refusal TO godwit_worker;
GRANT SELECT ON TABLE public.provider_refusal TO godwit_web;
GRANT SELECT ON TABLE public.provider_refusal TO godwit_operator;

GRANT UPDATE(probe_at) ON TABLE public.provider_refusal TO godwit_web;

GRANT SELECT,INSERT ON TABLE public.publication TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.publication TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reader_code TO godwit_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reader_session TO godwit_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reader_tag TO godwit_web;
GRANT SELECT,INSERT,DELETE ON TABLE public.reader_tag TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.redirect TO godwit_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.redirect TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.release TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.release TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.release_change TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.release_change TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.release_counter TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.release_counter TO godwit_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.revision TO godwit_web;
GRANT SELECT,INSERT ON TABLE public.revision TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.scheduled TO godwit_web;
GRANT SELECT,UPDATE ON TABLE public.scheduled TO godwit_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.segment TO godwit_web;
GRANT SELECT ON TABLE public.segment TO godwit_worker;

GRANT SELECT,INSERT ON TABLE public.send TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.send TO godwit_worker;

GRANT UPDATE(variant) ON TABLE public.send TO godwit_web;

GRANT UPDATE(address) ON TABLE public.send TO godwit_web;

GRANT UPDATE(state) ON TABLE public.send TO godwit_web;

GRANT UPDATE(batch_id) ON TABLE public.send TO godwit_web;

GRANT UPDATE(reason) ON TABLE public.send TO godwit_web;

GRANT UPDATE(settled_at) ON TABLE public.send TO godwit_web;

GRANT SELECT,INSERT,UPDATE ON TABLE public.sign_up_hour TO godwit_web;
GRANT SELECT,DELETE ON TABLE public.sign_up_hour TO godwit_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.suppression_change TO godwit_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.suppression_change TO godwit_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.test_mail TO godwit_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.worker TO godwit_worker;
GRANT SELECT ON TABLE public.worker TO godwit_web;
GRANT SELECT ON TABLE public.worker TO godwit_operator;
