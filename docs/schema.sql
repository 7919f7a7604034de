--
-- PostgreSQL database dump
--



SELECT pg_catalog.set_config('search_path', '', false);

--
-- Name: holdfast; Type: SCHEMA; Schema: -; Owner: holdfast_owner
--

CREATE SCHEMA holdfast;


ALTER SCHEMA holdfast OWNER TO holdfast_owner;

--
-- Name: SCHEMA holdfast; Type: COMMENT; Schema: -; Owner: holdfast_owner
--

COMMENT ON SCHEMA holdfast IS 'Tables of tenants; every one under forced row-level security.';


--
-- Name: holdfast_hot; Type: SCHEMA; Schema: -; Owner: holdfast_owner
--

CREATE SCHEMA holdfast_hot;


ALTER SCHEMA holdfast_hot OWNER TO holdfast_owner;

--
-- Name: SCHEMA holdfast_hot; Type: COMMENT; Schema: -; Owner: holdfast_owner
--

COMMENT ON SCHEMA holdfast_hot IS 'Definer functions for the responder, the only way it reads across tenants.';


--
-- Name: holdfast_ops; Type: SCHEMA; Schema: -; Owner: holdfast_owner
--

CREATE SCHEMA holdfast_ops;


ALTER SCHEMA holdfast_ops OWNER TO holdfast_owner;

--
-- Name: SCHEMA holdfast_ops; Type: COMMENT; Schema: -; Owner: holdfast_owner
--

COMMENT ON SCHEMA holdfast_ops IS 'Functions for migrations and operators: partitions.';


--
-- Name: holdfast_sec; Type: SCHEMA; Schema: -; Owner: holdfast_owner
--

CREATE SCHEMA holdfast_sec;


ALTER SCHEMA holdfast_sec OWNER TO holdfast_owner;

--
-- Name: SCHEMA holdfast_sec; Type: COMMENT; Schema: -; Owner: holdfast_owner
--

COMMENT ON SCHEMA holdfast_sec IS 'The tenant of a transaction, and the protection of tables.';


--
-- Name: acknowledge(text, timestamp with time zone, uuid[], uuid[], text[], bigint[]); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.acknowledge(responder_name text, at_time timestamp with time zone, tenants uuid[], apps uuid[], environments text[], numbers bigint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into holdfast_hot.responder (responder, seen_at) values (responder_name, at_time)
    on conflict (responder) do update set seen_at = excluded.seen_at;
  -- Who was silent for a week has another name now.
  with silent as (
    delete from holdfast_hot.responder r where r.seen_at < at_time - interval '7 days' returning r.responder
  )
  delete from holdfast.snapshot_acknowledgement a using silent s where a.responder = s.responder;
  insert into holdfast.snapshot_acknowledgement as a
      (tenant_id, app_id, environment, responder, number, acknowledged_at)
    select e.tenant_id, e.app_id, e.environment, responder_name, s.number, at_time
    from unnest(tenants, apps, environments, numbers) as s (tenant_id, app_id, environment, number)
    join holdfast.app_environment e using (tenant_id, app_id, environment)
    on conflict (tenant_id, app_id, environment, responder)
      do update set number = excluded.number, acknowledged_at = excluded.acknowledged_at
      where a.number <> excluded.number;
end $$;


ALTER FUNCTION holdfast_hot.acknowledge(responder_name text, at_time timestamp with time zone, tenants uuid[], apps uuid[], environments text[], numbers bigint[]) OWNER TO holdfast_definer;

--
-- Name: discount_budgets(date); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.discount_budgets(from_month date) RETURNS TABLE(tenant_id uuid, app_id uuid, environment text, month date, currency text, spent_milliunits bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query
    select b.tenant_id, b.app_id, b.environment, b.month, b.currency, b.spent_milliunits
    from holdfast.discount_budget_spent b
    where b.month >= from_month;
end $$;


ALTER FUNCTION holdfast_hot.discount_budgets(from_month date) OWNER TO holdfast_definer;

--
-- Name: live_responders(timestamp with time zone); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.live_responders(since timestamp with time zone) RETURNS SETOF text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query select r.responder from holdfast_hot.responder r where r.seen_at >= since order by 1;
end $$;


ALTER FUNCTION holdfast_hot.live_responders(since timestamp with time zone) OWNER TO holdfast_definer;

--
-- Name: profile(uuid, uuid, text, text); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.profile(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_transaction text) RETURNS TABLE(body bytea, as_of timestamp with time zone, offers_taken integer, last_offer_at timestamp with time zone, escalation_level integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query
    select p.body, p.as_of, c.offers_taken, c.last_offer_at, c.escalation_level
    from (select) as one
    left join holdfast.profile p on p.tenant_id = wanted_tenant and p.app_id = wanted_app
      and p.environment = wanted_environment and p.original_transaction_id = wanted_transaction
    left join holdfast.governor_counter c on c.tenant_id = wanted_tenant and c.app_id = wanted_app
      and c.environment = wanted_environment and c.original_transaction_id = wanted_transaction
    where p.body is not null or c.offers_taken is not null
    limit 1;
end $$;


ALTER FUNCTION holdfast_hot.profile(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_transaction text) OWNER TO holdfast_definer;

--
-- Name: profile_changes(bigint, bigint, integer); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.profile_changes(since_transaction bigint, since_number bigint, most integer) RETURNS TABLE(tenant_id uuid, app_id uuid, environment text, original_transaction_id text, body bytea, as_of timestamp with time zone, offers_taken integer, last_offer_at timestamp with time zone, escalation_level integer, next_transaction bigint, next_number bigint, has_more boolean, has_gap boolean, held_back_seconds double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
  since xid8 := coalesce(since_transaction::text::xid8, horizon);
  kept_from bigint;
  held_back double precision;
  place record;
begin
  if most not between 1 and 10000 then
    raise exception 'a page has 1 to 10000 changes' using errcode = '22023';
  end if;
  select f.kept_from into strict kept_from from holdfast_hot.profile_change_floor f;
  -- How long the oldest change that can be seen, and not be read yet, has waited for a transaction that still runs.
  select extract(epoch from clock_timestamp() - h.changed_at) into held_back from holdfast_hot.profile_change h
    where h.changed_xid >= horizon
    order by h.changed_xid, h.change_number limit 1;
  -- The last one of a full page; else everything below the horizon is read.
  select h.changed_xid as transaction, h.change_number as number into place from holdfast_hot.profile_change h
    where (h.changed_xid, h.change_number) > (since, coalesce(since_number, 0)) and h.changed_xid < horizon
    order by h.changed_xid, h.change_number
    offset most - 1 limit 1;
  return query
    select k.tenant_id, k.app_id, k.environment, k.original_transaction_id,
      p.body, p.as_of, c.offers_taken, c.last_offer_at, c.escalation_level,
      coalesce(place.transaction, horizon)::text::bigint, coalesce(place.number, 0),
      -- A place above the horizon is of another history, as after a fail-over or a restore from a dump, whose
      -- transactions count from below: the reader begins anew.
      place.transaction is not null, kept_from > since::text::bigint or since > horizon,
      coalesce(greatest(held_back, 0), 0)
    from (select) as one
    left join (
      select distinct h.tenant_id, h.app_id, h.environment, h.original_transaction_id
      from holdfast_hot.profile_change h
      where (h.changed_xid, h.change_number) > (since, coalesce(since_number, 0)) and h.changed_xid < horizon
        and (place.transaction is null or (h.changed_xid, h.change_number) <= (place.transaction, place.number))
    ) k on true
    left join lateral (
      select q.body, q.as_of from holdfast.profile q
      where q.tenant_id = k.tenant_id and q.app_id = k.app_id and q.environment = k.environment
        and q.original_transaction_id = k.original_transaction_id
      limit 1
    ) p on true
    left join lateral (
      select g.offers_taken, g.last_offer_at, g.escalation_level from holdfast.governor_counter g
      where g.tenant_id = k.tenant_id and g.app_id = k.app_id and g.environment = k.environment
        and g.original_transaction_id = k.original_transaction_id
      limit 1
    ) c on true;
end $$;


ALTER FUNCTION holdfast_hot.profile_changes(since_transaction bigint, since_number bigint, most integer) OWNER TO holdfast_definer;

--
-- Name: recent_profiles(uuid, uuid, text, text, integer); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.recent_profiles(wanted_tenant uuid, wanted_app uuid, wanted_environment text, below text, most integer) RETURNS TABLE(original_transaction_id text, body bytea, as_of timestamp with time zone, offers_taken integer, last_offer_at timestamp with time zone, escalation_level integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
begin
  return query
    select p.original_transaction_id, p.body, p.as_of, c.offers_taken, c.last_offer_at, c.escalation_level
    from holdfast.profile p
    left join lateral (
      select g.offers_taken, g.last_offer_at, g.escalation_level from holdfast.governor_counter g
      where g.tenant_id = p.tenant_id and g.app_id = p.app_id and g.environment = p.environment
        and g.original_transaction_id = p.original_transaction_id
      limit 1
    ) c on true
    where p.tenant_id = wanted_tenant and p.app_id = wanted_app and p.environment = wanted_environment
      -- Above every text: `C` compares by bytes, and no UTF-8 begins with a higher character.
      and p.original_transaction_id < coalesce(below, chr(1114111))
    order by p.original_transaction_id desc
    limit most;
end $$;


ALTER FUNCTION holdfast_hot.recent_profiles(wanted_tenant uuid, wanted_app uuid, wanted_environment text, below text, most integer) OWNER TO holdfast_definer;

--
-- Name: snapshot_body(uuid, uuid, text, bigint); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint) RETURNS TABLE(body bytea, sha256 bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query
    select s.body, s.sha256
    from holdfast.snapshot s
    where s.tenant_id = tenant and s.app_id = app
      and s.environment = wanted_environment and s.number = wanted_number;
end $$;


ALTER FUNCTION holdfast_hot.snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint) OWNER TO holdfast_definer;

--
-- Name: snapshot_heads(); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.snapshot_heads() RETURNS TABLE(tenant_id uuid, app_id uuid, environment text, number bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query
    select e.tenant_id, e.app_id, e.environment, e.snapshot_number
    from holdfast.app_environment e
    where e.snapshot_number > 0;
end $$;


ALTER FUNCTION holdfast_hot.snapshot_heads() OWNER TO holdfast_definer;

--
-- Name: tell_responders(); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_hot.tell_responders() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform pg_notify('holdfast_snapshots', '');
  return null;
end $$;


ALTER FUNCTION holdfast_hot.tell_responders() OWNER TO holdfast_owner;

--
-- Name: claim_fold(text, interval, integer); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.claim_fold(worker text, lease interval, per_tenant integer) RETURNS TABLE(tenant_id uuid, app_id uuid, environment text, lease_token bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  due record;
begin
  -- One claim at a time: what is leased is counted, and no other may be lent meanwhile.
  perform pg_advisory_xact_lock(hashtextextended('holdfast_ops.claim_fold', 0));
  if lease not between interval '100 milliseconds' and interval '1 hour' or per_tenant < 1 then
    raise exception 'a lease lasts 100 milliseconds to 1 hour, for 1 app or more' using errcode = '22023';
  end if;
  for due in
    select w.tenant_id, w.app_id, w.environment
    from holdfast_ops.waiting_folds() w
    left join holdfast.fold_lease l
      on l.tenant_id = w.tenant_id and l.app_id = w.app_id and l.environment = w.environment
    cross join lateral (
      select count(*) filter (where r.leased_until >= clock_timestamp()) as leased, max(r.claimed_at) as served_at
      from holdfast.fold_lease r where r.tenant_id = w.tenant_id
    ) busy
    where (l.leased_until is null or l.leased_until < clock_timestamp()) and busy.leased < per_tenant
    order by busy.leased, busy.served_at nulls first, w.tenant_id, l.claimed_at nulls first, w.received_at
  loop
    insert into holdfast.fold_lease (tenant_id, app_id, environment)
      values (due.tenant_id, due.app_id, due.environment) on conflict do nothing;
    perform from holdfast.fold_lease l
      where l.tenant_id = due.tenant_id and l.app_id = due.app_id and l.environment = due.environment
        and (l.leased_until is null or l.leased_until < clock_timestamp())
      for update skip locked;
    continue when not found;
    return query
      update holdfast.fold_lease l
      set lease_token = l.lease_token + 1, leased_until = clock_timestamp() + lease, leased_by = worker,
        claimed_at = clock_timestamp()
      where l.tenant_id = due.tenant_id and l.app_id = due.app_id and l.environment = due.environment
      returning l.tenant_id, l.app_id, l.environment, l.lease_token;
    return;
  end loop;
end $$;


ALTER FUNCTION holdfast_ops.claim_fold(worker text, lease interval, per_tenant integer) OWNER TO holdfast_definer;

--
-- Name: claim_job(interval, integer); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.claim_job(lease interval, attempts_limit integer) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token uuid, attempts smallint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  waiting record;
  chosen uuid;
begin
  if lease not between interval '1 second' and interval '1 hour' or attempts_limit < 1 then
    raise exception 'a lease lasts 1 second to 1 hour, for 1 attempt or more' using errcode = '22023';
  end if;
  -- What failed so often takes its worker down: it is parked.
  update holdfast.job j
    set state = 'failed', finished_at = clock_timestamp(), lease_token = null, leased_until = null,
      failure = '{"code": "gaveUp", "detail": "the job did not finish in any of its attempts; start it anew, and report it if it happens again"}'
    where (j.tenant_id, j.job_id) in (
      select p.tenant_id, p.job_id from holdfast.job p
      where p.state = 'running' and p.leased_until < clock_timestamp() and p.attempts >= attempts_limit
      for update skip locked);
  for waiting in
    select w.tenant_id
    from (
      select distinct q.tenant_id from holdfast.job q
      where q.state = 'queued' or (q.state = 'running' and q.leased_until < clock_timestamp())
    ) w
    cross join lateral (
      select count(*) as running from holdfast.job r
      where r.tenant_id = w.tenant_id and r.state = 'running' and r.leased_until >= clock_timestamp()
    ) busy
    cross join lateral (
      select max(c.claimed_at) as at from holdfast.job c where c.tenant_id = w.tenant_id and c.claimed_at is not null
    ) served
    order by busy.running, served.at nulls first, w.tenant_id
  loop
    select q.job_id into chosen from holdfast.job q
      where q.tenant_id = waiting.tenant_id and q.attempts < attempts_limit
        and (q.state = 'queued' or (q.state = 'running' and q.leased_until < clock_timestamp()))
      order by q.created_at, q.job_id
      limit 1
      for update skip locked;
    continue when not found;
    return query
      update holdfast.job j
      set state = 'running', lease_token = gen_random_uuid(), leased_until = clock_timestamp() + lease,
        claimed_at = clock_timestamp(), attempts = j.attempts + 1,
        started_at = coalesce(j.started_at, clock_timestamp())
      where j.tenant_id = waiting.tenant_id and j.job_id = chosen
      returning j.tenant_id, j.job_id, j.lease_token, j.attempts;
    return;
  end loop;
end $$;


ALTER FUNCTION holdfast_ops.claim_job(lease interval, attempts_limit integer) OWNER TO holdfast_definer;

--
-- Name: claim_sync(text, interval, integer); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.claim_sync(worker text, lease interval, per_tenant integer) RETURNS TABLE(tenant_id uuid, app_id uuid, environment text, lease_token bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  due record;
  chosen record;
begin
  -- One claim at a time: what is leased is counted, and no other may be lent meanwhile.
  perform pg_advisory_xact_lock(hashtextextended('holdfast_ops.claim_sync', 0));
  if lease not between interval '100 milliseconds' and interval '1 hour' or per_tenant < 1 then
    raise exception 'a lease lasts 100 milliseconds to 1 hour, for 1 app or more' using errcode = '22023';
  end if;
  for due in
    select w.tenant_id
    from (
      select distinct s.tenant_id from holdfast.sync_state s
      where s.next_run_at <= clock_timestamp() and (s.leased_until is null or s.leased_until < clock_timestamp())
    ) w
    cross join lateral (
      select count(*) filter (where r.leased_until >= clock_timestamp()) as leased, max(r.claimed_at) as served_at
      from holdfast.sync_state r where r.tenant_id = w.tenant_id
    ) busy
    where busy.leased < per_tenant
    order by busy.leased, busy.served_at nulls first, w.tenant_id
  loop
    select s.app_id, s.environment into chosen from holdfast.sync_state s
      where s.tenant_id = due.tenant_id and s.next_run_at <= clock_timestamp()
        and (s.leased_until is null or s.leased_until < clock_timestamp())
      order by s.claimed_at nulls first, s.next_run_at
      limit 1
      for update skip locked;
    continue when not found;
    return query
      update holdfast.sync_state s
      set lease_token = s.lease_token + 1, leased_until = clock_timestamp() + lease, leased_by = worker,
        claimed_at = clock_timestamp()
      where s.tenant_id = due.tenant_id and s.app_id = chosen.app_id and s.environment = chosen.environment
      returning s.tenant_id, s.app_id, s.environment, s.lease_token;
    return;
  end loop;
end $$;


ALTER FUNCTION holdfast_ops.claim_sync(worker text, lease interval, per_tenant integer) OWNER TO holdfast_definer;

--
-- Name: hurry_notification_history(); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.hurry_notification_history() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  hurried bigint;
begin
  -- Whose row is held is being looked into this moment.
  update holdfast.notification_history h set due_at = clock_timestamp()
    where (h.tenant_id, h.app_id, h.environment) in (
      select w.tenant_id, w.app_id, w.environment from holdfast.notification_history w
      where w.due_at > clock_timestamp()
      for no key update skip locked);
  get diagnostics hurried = row_count;
  return hurried;
end $$;


ALTER FUNCTION holdfast_ops.hurry_notification_history() OWNER TO holdfast_definer;

--
-- Name: make_partitions(date, integer); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_ops.make_partitions(first_day date, months integer) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  month timestamp;
  partition text;
begin
  for month in
    select generate_series(date_trunc('month', first_day::timestamp),
      date_trunc('month', first_day::timestamp) + make_interval(months => months), interval '1 month')
  loop
    partition := 'decision_' || to_char(month, 'YYYY_MM');
    continue when to_regclass('holdfast.' || partition) is not null;
    execute format(
      'create table holdfast.%I partition of holdfast.decision for values from (%L) to (%L)', partition,
      month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
    execute format('alter table holdfast.%I enable row level security', partition);
    execute format('alter table holdfast.%I force row level security', partition);
    return next partition;
  end loop;
end $$;


ALTER FUNCTION holdfast_ops.make_partitions(first_day date, months integer) OWNER TO holdfast_owner;

--
-- Name: prune_snapshots(integer); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.prune_snapshots(kept integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  pruned bigint;
begin
  delete from holdfast.snapshot s using holdfast.app_environment e
    where s.tenant_id = e.tenant_id and s.app_id = e.app_id and s.environment = e.environment
      and s.number <= e.snapshot_number - greatest(kept, 20)
      and not exists (
        select from holdfast.snapshot_acknowledgement a
        where a.tenant_id = s.tenant_id and a.app_id = s.app_id and a.environment = s.environment
          and a.number = s.number);
  get diagnostics pruned = row_count;
  return pruned;
end $$;


ALTER FUNCTION holdfast_ops.prune_snapshots(kept integer) OWNER TO holdfast_definer;

--
-- Name: purge_idempotency_records(timestamp with time zone); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.purge_idempotency_records(before timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  purged bigint;
begin
  -- Whoever calls: what a caller may still repeat stays.
  delete from holdfast.idempotency_record r where r.created_at < least(before, clock_timestamp() - interval '1 hour');
  get diagnostics purged = row_count;
  return purged;
end $$;


ALTER FUNCTION holdfast_ops.purge_idempotency_records(before timestamp with time zone) OWNER TO holdfast_definer;

--
-- Name: purge_profile_changes(timestamp with time zone, integer); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.purge_profile_changes(before timestamp with time zone, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  oldest_kept timestamptz := least(before, clock_timestamp() - interval '1 hour');
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
  purged bigint;
  last_purged bigint;
begin
  with oldest as (
    select h.changed_xid, h.change_number, h.changed_at from holdfast_hot.profile_change h
    where h.changed_xid < horizon
    order by h.changed_xid, h.change_number limit most
  ), gone as (
    delete from holdfast_hot.profile_change h using oldest o
    where h.changed_xid = o.changed_xid and h.change_number = o.change_number and o.changed_at < oldest_kept
    returning h.changed_xid
  )
  select count(*), max(g.changed_xid::text::bigint) into purged, last_purged from gone g;
  if purged > 0 then
    update holdfast_hot.profile_change_floor f set kept_from = greatest(f.kept_from, last_purged + 1);
  end if;
  return purged;
end $$;


ALTER FUNCTION holdfast_ops.purge_profile_changes(before timestamp with time zone, most integer) OWNER TO holdfast_definer;

--
-- Name: purge_sync_history(timestamp with time zone, integer); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.purge_sync_history(before timestamp with time zone, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  oldest_kept timestamptz := least(before, clock_timestamp() - interval '7 days');
  calls bigint;
  runs bigint;
begin
  delete from holdfast.apple_call c
    where (c.tenant_id, c.app_id, c.environment, c.call_id) in (
      select o.tenant_id, o.app_id, o.environment, o.call_id from holdfast.apple_call o
      where o.started_at < oldest_kept order by o.started_at limit most);
  get diagnostics calls = row_count;
  delete from holdfast.sync_run r
    where (r.tenant_id, r.app_id, r.environment, r.run_id) in (
      select o.tenant_id, o.app_id, o.environment, o.run_id from holdfast.sync_run o
      where o.finished_at < oldest_kept order by o.finished_at limit most);
  get diagnostics runs = row_count;
  return calls + runs;
end $$;


ALTER FUNCTION holdfast_ops.purge_sync_history(before timestamp with time zone, most integer) OWNER TO holdfast_definer;

--
-- Name: sync_backlog(); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.sync_backlog() RETURNS TABLE(due bigint, oldest_seconds double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query select count(*),
    coalesce(extract(epoch from max(clock_timestamp() - s.next_run_at)), 0)::double precision
    from holdfast.sync_state s
    where s.next_run_at <= clock_timestamp() and (s.leased_until is null or s.leased_until < clock_timestamp());
end $$;


ALTER FUNCTION holdfast_ops.sync_backlog() OWNER TO holdfast_definer;

--
-- Name: tenants(); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.tenants() RETURNS TABLE(tenant_id uuid, name text, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query select t.tenant_id, t.name, t.created_at from holdfast.tenant t order by t.tenant_id;
end $$;


ALTER FUNCTION holdfast_ops.tenants() OWNER TO holdfast_definer;

--
-- Name: waiting_folds(); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_ops.waiting_folds() RETURNS TABLE(tenant_id uuid, app_id uuid, environment text, received_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query
    with recursive waiting as (
      (select n.tenant_id, n.app_id, n.environment, n.received_at from holdfast.notification n
        where n.folded_at is null
        order by n.tenant_id, n.app_id, n.environment, n.arrival_number limit 1)
      union all
      select next.tenant_id, next.app_id, next.environment, next.received_at from waiting w
      cross join lateral (
        select n.tenant_id, n.app_id, n.environment, n.received_at from holdfast.notification n
        where n.folded_at is null
          and (n.tenant_id, n.app_id, n.environment) > (w.tenant_id, w.app_id, w.environment)
        order by n.tenant_id, n.app_id, n.environment, n.arrival_number limit 1
      ) next
    )
    select w.tenant_id, w.app_id, w.environment, w.received_at from waiting w;
end $$;


ALTER FUNCTION holdfast_ops.waiting_folds() OWNER TO holdfast_definer;

--
-- Name: allowed_apps(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.allowed_apps() RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
  key uuid := holdfast_sec.api_key();
begin
  return array(
    select a.app_id from holdfast.api_key_app a where a.tenant_id = tenant and a.api_key_id = key
    union
    select a.app_id from holdfast.app a
    join holdfast.api_key_client c using (tenant_id, client_id)
    where c.tenant_id = tenant and c.api_key_id = key);
end $$;


ALTER FUNCTION holdfast_sec.allowed_apps() OWNER TO holdfast_definer;

--
-- Name: allowed_clients(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.allowed_clients() RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
  key uuid := holdfast_sec.api_key();
begin
  return array(select c.client_id from holdfast.api_key_client c where c.tenant_id = tenant and c.api_key_id = key);
end $$;


ALTER FUNCTION holdfast_sec.allowed_clients() OWNER TO holdfast_definer;

--
-- Name: api_key(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.api_key() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform holdfast_sec.tenant();
  return nullif(current_setting('holdfast.api_key_id', true), '')::uuid;
end $$;


ALTER FUNCTION holdfast_sec.api_key() OWNER TO holdfast_definer;

--
-- Name: claimed_app(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.claimed_app() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  app text := current_setting('holdfast.claimed_app', true);
begin
  if app is null or app = '' or current_setting('holdfast.claimed_app_mac', true)
    is distinct from holdfast_sec.mac('claimed app of ' || holdfast_sec.tenant(), app)
  then
    raise exception 'no lease was shown in this transaction' using errcode = '42501';
  end if;
  return app::uuid;
end $$;


ALTER FUNCTION holdfast_sec.claimed_app() OWNER TO holdfast_definer;

--
-- Name: client_of(uuid); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.client_of(wanted_app uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
begin
  return (select a.client_id from holdfast.app a where a.tenant_id = tenant and a.app_id = wanted_app);
end $$;


ALTER FUNCTION holdfast_sec.client_of(wanted_app uuid) OWNER TO holdfast_definer;

--
-- Name: enter_endpoint(bytea); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.enter_endpoint(wanted_hash bytea) RETURNS TABLE(tenant_id uuid, app_id uuid, environment text, bundle_id text, app_apple_id bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  found_endpoint record;
  shown text;
begin
  select e.tenant_id, e.app_id, e.environment, a.bundle_id, a.app_apple_id into found_endpoint
    from holdfast.endpoint e
    join holdfast.app a on a.tenant_id = e.tenant_id and a.app_id = e.app_id
    where e.token_hash = wanted_hash and e.retired_at is null
    limit 1;
  if not found then return; end if;
  shown := found_endpoint.app_id::text || '/' || found_endpoint.environment;
  perform holdfast_sec.set_context(found_endpoint.tenant_id, null);
  perform set_config('holdfast.shown_endpoint', shown, true);
  perform set_config('holdfast.shown_endpoint_mac',
    holdfast_sec.mac('endpoint of ' || found_endpoint.tenant_id, shown), true);
  return query select found_endpoint.tenant_id, found_endpoint.app_id, found_endpoint.environment,
    found_endpoint.bundle_id, found_endpoint.app_apple_id;
end $$;


ALTER FUNCTION holdfast_sec.enter_endpoint(wanted_hash bytea) OWNER TO holdfast_definer;

--
-- Name: enter_fold(uuid, uuid, text, bigint, interval); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.enter_fold(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if lease not between interval '100 milliseconds' and interval '1 hour' then
    raise exception 'a lease lasts 100 milliseconds to 1 hour' using errcode = '22023';
  end if;
  update holdfast.fold_lease l set leased_until = clock_timestamp() + lease
    where l.tenant_id = wanted_tenant and l.app_id = wanted_app and l.environment = wanted_environment
      and l.lease_token = wanted_token and l.leased_until >= clock_timestamp();
  if not found then return false; end if;
  perform holdfast_sec.set_context(wanted_tenant, null);
  perform set_config('holdfast.claimed_app', wanted_app::text, true);
  perform set_config('holdfast.claimed_app_mac',
    holdfast_sec.mac('claimed app of ' || wanted_tenant, wanted_app::text), true);
  return true;
end $$;


ALTER FUNCTION holdfast_sec.enter_fold(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval) OWNER TO holdfast_definer;

--
-- Name: enter_job(uuid, uuid, uuid, timestamp with time zone); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.enter_job(wanted_tenant uuid, wanted_job uuid, wanted_lease uuid, at_time timestamp with time zone) RETURNS TABLE(app_id uuid, api_key_id uuid, api_key_name text, scopes text[], is_limited boolean, expires_at timestamp with time zone, requests_per_minute integer, kind text, input bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  held record;
begin
  select j.tenant_id, j.api_key_id into held from holdfast.job j
    where j.tenant_id = wanted_tenant and j.job_id = wanted_job and j.state = 'running'
      and j.lease_token = wanted_lease
    for update;
  if not found then return; end if;
  perform holdfast_sec.set_context(held.tenant_id, held.api_key_id);
  return query
    select j.app_id, j.api_key_id, k.name, case when k.revoked_at is null
        and (k.expires_at is null or k.expires_at > at_time) then k.scopes else '{}'::text[] end, k.is_limited, k.expires_at,
      t.requests_per_minute, j.kind, j.input
    from holdfast.job j
    join holdfast.api_key k using (tenant_id, api_key_id)
    join holdfast.tenant t using (tenant_id)
    where j.tenant_id = wanted_tenant and j.job_id = wanted_job;
end $$;


ALTER FUNCTION holdfast_sec.enter_job(wanted_tenant uuid, wanted_job uuid, wanted_lease uuid, at_time timestamp with time zone) OWNER TO holdfast_definer;

--
-- Name: enter_key(bytea, timestamp with time zone); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.enter_key(wanted_hash bytea, at_time timestamp with time zone) RETURNS TABLE(tenant_id uuid, api_key_id uuid, name text, scopes text[], is_limited boolean, expires_at timestamp with time zone, requests_per_minute integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  found_key record;
begin
  select k.tenant_id, k.api_key_id, k.name, k.scopes, k.is_limited, k.expires_at, t.requests_per_minute into found_key
    from holdfast.api_key k
    join holdfast.tenant t on t.tenant_id = k.tenant_id
    where k.secret_hash = wanted_hash and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > at_time)
    limit 1;
  if not found then return; end if;
  perform holdfast_sec.set_context(found_key.tenant_id, found_key.api_key_id);
  return query select found_key.tenant_id, found_key.api_key_id, found_key.name, found_key.scopes,
    found_key.is_limited, found_key.expires_at, found_key.requests_per_minute;
end $$;


ALTER FUNCTION holdfast_sec.enter_key(wanted_hash bytea, at_time timestamp with time zone) OWNER TO holdfast_definer;

--
-- Name: enter_sync(uuid, uuid, text, bigint, interval); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.enter_sync(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval) RETURNS TABLE(change_number bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  held record;
begin
  if lease not between interval '100 milliseconds' and interval '1 hour' then
    raise exception 'a lease lasts 100 milliseconds to 1 hour' using errcode = '22023';
  end if;
  update holdfast.sync_state s set leased_until = clock_timestamp() + lease
    where s.tenant_id = wanted_tenant and s.app_id = wanted_app and s.environment = wanted_environment
      and s.lease_token = wanted_token and s.leased_until >= clock_timestamp()
    returning s.change_number into held;
  if not found then return; end if;
  perform holdfast_sec.set_context(wanted_tenant, null);
  perform set_config('holdfast.claimed_app', wanted_app::text, true);
  perform set_config('holdfast.claimed_app_mac',
    holdfast_sec.mac('claimed app of ' || wanted_tenant, wanted_app::text), true);
  return query select held.change_number;
end $$;


ALTER FUNCTION holdfast_sec.enter_sync(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval) OWNER TO holdfast_definer;

--
-- Name: enter_tenant(uuid); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.enter_tenant(tenant uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform holdfast_sec.set_context(tenant, null);
end $$;


ALTER FUNCTION holdfast_sec.enter_tenant(tenant uuid) OWNER TO holdfast_definer;

--
-- Name: forget_files(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.forget_files() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  delete from holdfast.image_file f
    where (f.tenant_id, f.sha256) in (select g.tenant_id, g.sha256 from gone g)
      and not exists (select from holdfast.image i where i.tenant_id = f.tenant_id and i.sha256 = f.sha256);
  return null;
end $$;


ALTER FUNCTION holdfast_sec.forget_files() OWNER TO holdfast_definer;

--
-- Name: hurry_sync(text); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.hurry_sync(wanted_environment text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
  app uuid := holdfast_sec.claimed_app();
begin
  -- It counts as a change: whoever is at work there looks again. What was refused there for lack of it may be tried.
  update holdfast.sync_state s
    set next_run_at = least(s.next_run_at, clock_timestamp()), change_number = s.change_number + 1,
      url_refused_at = null, url_refusal_code = null
    where s.tenant_id = tenant and s.app_id = app and s.environment = wanted_environment;
  return found;
end $$;


ALTER FUNCTION holdfast_sec.hurry_sync(wanted_environment text) OWNER TO holdfast_definer;

--
-- Name: is_limited(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.is_limited() RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
  key uuid := holdfast_sec.api_key();
begin
  -- A role that answers the world and no key: a bug, so it sees nothing.
  if key is null then return session_user = 'holdfast_gateway'; end if;
  return coalesce((select k.is_limited from holdfast.api_key k where k.tenant_id = tenant and k.api_key_id = key), true);
end $$;


ALTER FUNCTION holdfast_sec.is_limited() OWNER TO holdfast_definer;

--
-- Name: leave_fold(text, bigint); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.leave_fold(wanted_environment text, wanted_token bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
  app uuid := holdfast_sec.claimed_app();
begin
  update holdfast.fold_lease l set leased_until = null
    where l.tenant_id = tenant and l.app_id = app and l.environment = wanted_environment
      and l.lease_token = wanted_token and l.leased_until is not null;
  return found;
end $$;


ALTER FUNCTION holdfast_sec.leave_fold(wanted_environment text, wanted_token bigint) OWNER TO holdfast_definer;

--
-- Name: leave_sync(text, bigint, bigint, interval); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.leave_sync(wanted_environment text, wanted_token bigint, known_change bigint, wait interval) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
  app uuid := holdfast_sec.claimed_app();
begin
  update holdfast.sync_state s
    set leased_until = null,
      next_run_at = clock_timestamp() + case when s.change_number = known_change then wait else interval '0' end
    where s.tenant_id = tenant and s.app_id = app and s.environment = wanted_environment
      and s.lease_token = wanted_token and s.leased_until is not null;
  return found;
end $$;


ALTER FUNCTION holdfast_sec.leave_sync(wanted_environment text, wanted_token bigint, known_change bigint, wait interval) OWNER TO holdfast_definer;

--
-- Name: mac(text, text); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.mac(tenant text, api_key text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  key bytea;
begin
  select value into strict key from holdfast_sec.secret;
  return encode(sha256(key || convert_to(tenant || '/' || api_key || '/' || pg_backend_pid()::text || '/'
    || extract(epoch from transaction_timestamp())::text, 'UTF8') || key), 'hex');
end $$;


ALTER FUNCTION holdfast_sec.mac(tenant text, api_key text) OWNER TO holdfast_definer;

--
-- Name: named_apps(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.named_apps() RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
  key uuid := holdfast_sec.api_key();
begin
  return array(select a.app_id from holdfast.api_key_app a where a.tenant_id = tenant and a.api_key_id = key);
end $$;


ALTER FUNCTION holdfast_sec.named_apps() OWNER TO holdfast_definer;

--
-- Name: note_key_use(uuid[], uuid[], timestamp with time zone[]); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.note_key_use(tenants uuid[], keys uuid[], times timestamp with time zone[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  -- In one order, so that two gateways do not wait for each other.
  perform from holdfast.api_key k
    where (k.tenant_id, k.api_key_id) in (select * from unnest(tenants, keys))
    order by k.tenant_id, k.api_key_id for no key update;
  update holdfast.api_key k set last_used_at = greatest(k.last_used_at, u.used_at)
  from unnest(tenants, keys, times) as u (tenant_id, api_key_id, used_at)
  where k.tenant_id = u.tenant_id and k.api_key_id = u.api_key_id and isfinite(u.used_at);
end $$;


ALTER FUNCTION holdfast_sec.note_key_use(tenants uuid[], keys uuid[], times timestamp with time zone[]) OWNER TO holdfast_definer;

--
-- Name: note_profile_changes(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.note_profile_changes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if tg_op = 'DELETE' then
    -- What goes with its app is nobody's any more, and an app may have had millions.
    insert into holdfast_hot.profile_change (tenant_id, app_id, environment, original_transaction_id)
      select c.tenant_id, c.app_id, c.environment, c.original_transaction_id from changed c
      join holdfast.app_environment e using (tenant_id, app_id, environment);
  else
    insert into holdfast_hot.profile_change (tenant_id, app_id, environment, original_transaction_id)
      select c.tenant_id, c.app_id, c.environment, c.original_transaction_id from changed c;
  end if;
  return null;
end $$;


ALTER FUNCTION holdfast_sec.note_profile_changes() OWNER TO holdfast_definer;

--
-- Name: protect(regclass); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_sec.protect(protected regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('drop policy if exists migration on %s', protected);
  execute format('create policy migration on %s to holdfast_owner using (true) with check (true)', protected);
  execute format('drop policy if exists tenant on %s', protected);
  execute format(
    'create policy tenant on %s to holdfast_operator, holdfast_gateway '
    'using (tenant_id = (select holdfast_sec.tenant())) '
    'with check (tenant_id = (select holdfast_sec.tenant()))', protected);
  execute format('grant select, insert, update, delete on %s to holdfast_operator, holdfast_gateway', protected);
end $$;


ALTER FUNCTION holdfast_sec.protect(protected regclass) OWNER TO holdfast_owner;

--
-- Name: protect_app(regclass); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_sec.protect_app(protected regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  execute format(
    'create policy allowed_apps on %s as restrictive to holdfast_gateway '
    'using (not (select holdfast_sec.is_limited()) or app_id = any ((select holdfast_sec.allowed_apps())::uuid[])) '
    'with check (not (select holdfast_sec.is_limited()) or app_id = any ((select holdfast_sec.allowed_apps())::uuid[]))',
    protected);
end $$;


ALTER FUNCTION holdfast_sec.protect_app(protected regclass) OWNER TO holdfast_owner;

--
-- Name: protect_sync(regclass, text); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_sec.protect_sync(protected regclass, privileges text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  execute format(
    'create policy sync on %s to holdfast_sync using (tenant_id = (select holdfast_sec.tenant())) '
    'with check (tenant_id = (select holdfast_sec.tenant()))', protected);
  execute format(
    'create policy claimed_app on %s as restrictive to holdfast_sync '
    'using (app_id = (select holdfast_sec.claimed_app())) '
    'with check (app_id = (select holdfast_sec.claimed_app()))', protected);
  execute format('grant %s on %s to holdfast_sync', privileges, protected);
end $$;


ALTER FUNCTION holdfast_sec.protect_sync(protected regclass, privileges text) OWNER TO holdfast_owner;

--
-- Name: refuse_change(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_sec.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception '% is append-only', tg_table_name using errcode = '42501';
end $$;


ALTER FUNCTION holdfast_sec.refuse_change() OWNER TO holdfast_owner;

--
-- Name: set_context(uuid, uuid); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.set_context(tenant uuid, api_key uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform set_config('holdfast.tenant_id', tenant::text, true);
  perform set_config('holdfast.api_key_id', coalesce(api_key::text, ''), true);
  perform set_config('holdfast.context_mac', holdfast_sec.mac(tenant::text, coalesce(api_key::text, '')), true);
end $$;


ALTER FUNCTION holdfast_sec.set_context(tenant uuid, api_key uuid) OWNER TO holdfast_definer;

--
-- Name: shown_endpoint(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.shown_endpoint() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  shown text := current_setting('holdfast.shown_endpoint', true);
begin
  if shown is null or shown = '' then return null; end if;
  if current_setting('holdfast.shown_endpoint_mac', true)
    is distinct from holdfast_sec.mac('endpoint of ' || holdfast_sec.tenant(), shown)
  then
    raise exception 'the endpoint of this transaction was not set by Holdfast' using errcode = '42501';
  end if;
  return shown;
end $$;


ALTER FUNCTION holdfast_sec.shown_endpoint() OWNER TO holdfast_definer;

--
-- Name: tenant(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.tenant() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant text := current_setting('holdfast.tenant_id', true);
begin
  if tenant is null or tenant = '' then
    raise exception 'no tenant is set for this transaction' using errcode = '42501';
  end if;
  if current_setting('holdfast.context_mac', true)
    is distinct from holdfast_sec.mac(tenant, coalesce(current_setting('holdfast.api_key_id', true), ''))
  then
    raise exception 'the tenant of this transaction was not set by Holdfast' using errcode = '42501';
  end if;
  return tenant::uuid;
end $$;


ALTER FUNCTION holdfast_sec.tenant() OWNER TO holdfast_definer;

--
-- Name: tenant_usage(timestamp with time zone); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_sec.tenant_usage(at_time timestamp with time zone) RETURNS TABLE(clients bigint, apps bigint, api_keys bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  tenant uuid := holdfast_sec.tenant();
begin
  return query select
    (select count(*) from holdfast.client c where c.tenant_id = tenant),
    (select count(*) from holdfast.app a where a.tenant_id = tenant),
    (select count(*) from holdfast.api_key k where k.tenant_id = tenant and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > at_time));
end $$;


ALTER FUNCTION holdfast_sec.tenant_usage(at_time timestamp with time zone) OWNER TO holdfast_definer;



--
-- Name: api_key; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.api_key (
    tenant_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    is_limited boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by jsonb NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_key_created_by_is_object CHECK ((jsonb_typeof(created_by) = 'object'::text)),
    CONSTRAINT api_key_hash_size CHECK ((length(secret_hash) = 32)),
    CONSTRAINT api_key_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT api_key_scopes_count CHECK (((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 32)))
);

ALTER TABLE ONLY holdfast.api_key FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.api_key OWNER TO holdfast_owner;

--
-- Name: COLUMN api_key.is_limited; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.api_key.is_limited IS 'Whether the key sees the clients and apps named for it only; it stays limited when the last of them is deleted.';


--
-- Name: api_key_app; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.api_key_app (
    tenant_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    app_id uuid NOT NULL
);

ALTER TABLE ONLY holdfast.api_key_app FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.api_key_app OWNER TO holdfast_owner;

--
-- Name: api_key_client; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.api_key_client (
    tenant_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    client_id uuid NOT NULL
);

ALTER TABLE ONLY holdfast.api_key_client FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.api_key_client OWNER TO holdfast_owner;

--
-- Name: app; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.app (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    client_id uuid NOT NULL,
    name text NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    app_apple_id bigint NOT NULL,
    default_locale text NOT NULL COLLATE pg_catalog."C",
    apple_id_salt bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL COLLATE pg_catalog."C",
    is_stopped boolean DEFAULT false NOT NULL,
    performance_test_transaction_id text COLLATE pg_catalog."C",
    app_store_connect_layer text DEFAULT 'none'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT app_apple_id_positive CHECK ((app_apple_id > 0)),
    CONSTRAINT app_bundle_id_length CHECK (((length(bundle_id) >= 1) AND (length(bundle_id) <= 155))),
    CONSTRAINT app_default_locale_length CHECK (((length(default_locale) >= 2) AND (length(default_locale) <= 35))),
    CONSTRAINT app_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT app_performance_test_transaction_form CHECK ((performance_test_transaction_id ~ '^[0-9]{1,64}$'::text)),
    CONSTRAINT app_salt_size CHECK ((length(apple_id_salt) = 32)),
    CONSTRAINT app_store_connect_layer_known CHECK ((app_store_connect_layer = ANY (ARRAY['none'::text, 'declared'::text, 'imported'::text]))),
    CONSTRAINT app_time_zone_length CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64)))
);

ALTER TABLE ONLY holdfast.app FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.app OWNER TO holdfast_owner;

--
-- Name: COLUMN app.apple_id_salt; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.app.apple_id_salt IS 'Part of every identifier we choose at Apple, so that no other tool or tenant of the same app chooses it too.';


--
-- Name: COLUMN app.is_stopped; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.app.is_stopped IS 'Real-time answers are refused at once, so that Apple shows its next layer.';


--
-- Name: COLUMN app.performance_test_transaction_id; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.app.performance_test_transaction_id IS 'An original transaction id of an active subscription that was bought in the sandbox: Apple tests with it.';


--
-- Name: COLUMN app.app_store_connect_layer; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.app.app_store_connect_layer IS 'Whether a retention message was made in App Store Connect, as far as the agency says.';


--
-- Name: app_environment; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.app_environment (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    snapshot_number bigint DEFAULT 0 NOT NULL,
    CONSTRAINT app_environment_known CHECK ((environment = ANY (ARRAY['Production'::text, 'Sandbox'::text]))),
    CONSTRAINT app_environment_number_rises CHECK ((snapshot_number >= 0))
);

ALTER TABLE ONLY holdfast.app_environment FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.app_environment OWNER TO holdfast_owner;

--
-- Name: app_store_connect_message; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.app_store_connect_message (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    message_identifier uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by jsonb NOT NULL,
    sandbox_display_confirmed_at timestamp with time zone,
    confirmed_by jsonb,
    CONSTRAINT app_store_connect_message_confirmed_by_is_object CHECK ((jsonb_typeof(confirmed_by) = 'object'::text)),
    CONSTRAINT app_store_connect_message_confirmed_by_somebody CHECK (((sandbox_display_confirmed_at IS NULL) = (confirmed_by IS NULL))),
    CONSTRAINT app_store_connect_message_created_by_is_object CHECK ((jsonb_typeof(created_by) = 'object'::text)),
    CONSTRAINT app_store_connect_message_name_length CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

ALTER TABLE ONLY holdfast.app_store_connect_message FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.app_store_connect_message OWNER TO holdfast_owner;

--
-- Name: COLUMN app_store_connect_message.sandbox_display_confirmed_at; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.app_store_connect_message.sandbox_display_confirmed_at IS 'When somebody said that a sandbox device showed it.';


--
-- Name: apple_call; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.apple_call (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    call_id uuid NOT NULL,
    run_id uuid,
    endpoint text NOT NULL COLLATE pg_catalog."C",
    apple_id uuid,
    product_id text COLLATE pg_catalog."C",
    locale text COLLATE pg_catalog."C",
    body_sha256 bytea,
    lease_token bigint NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    status integer,
    apple_code integer,
    apple_message text,
    outcome text COLLATE pg_catalog."C",
    CONSTRAINT apple_call_endpoint_length CHECK (((length(endpoint) >= 1) AND (length(endpoint) <= 64))),
    CONSTRAINT apple_call_finished_has_outcome CHECK (((finished_at IS NULL) = (outcome IS NULL))),
    CONSTRAINT apple_call_message_limit CHECK ((length(apple_message) <= 500))
);

ALTER TABLE ONLY holdfast.apple_call FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.apple_call OWNER TO holdfast_owner;

--
-- Name: COLUMN apple_call.finished_at; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.apple_call.finished_at IS 'Null while the call is under way, and for ever where its worker was lost.';


--
-- Name: apple_default; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.apple_default (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    locale text NOT NULL COLLATE pg_catalog."C",
    apple_id uuid,
    is_uncertain boolean NOT NULL,
    former_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    read_at timestamp with time zone,
    refused_id uuid,
    refused_at timestamp with time zone,
    refusal_code integer,
    CONSTRAINT apple_default_locale_length CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
    CONSTRAINT apple_default_product_length CHECK (((length(product_id) >= 1) AND (length(product_id) <= 255)))
);

ALTER TABLE ONLY holdfast.apple_default FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.apple_default OWNER TO holdfast_owner;

--
-- Name: TABLE apple_default; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON TABLE holdfast.apple_default IS 'Apple''s default messages as we last knew them; no foreign key to what the agency may remove meanwhile.';


--
-- Name: apple_object; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.apple_object (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    apple_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    state_at timestamp with time zone NOT NULL,
    is_ours boolean DEFAULT true NOT NULL,
    presence text DEFAULT 'listed'::text NOT NULL COLLATE pg_catalog."C",
    content_digest bytea,
    generation integer DEFAULT 0 NOT NULL,
    content jsonb,
    images uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    attempted_at timestamp with time zone,
    uncertain_since timestamp with time zone,
    uploaded_at timestamp with time zone,
    listed_at timestamp with time zone,
    decided_at timestamp with time zone,
    absent_since timestamp with time zone,
    unnamed_since timestamp with time zone,
    superseded_at timestamp with time zone,
    refused_at timestamp with time zone,
    refusal_code integer,
    CONSTRAINT apple_object_digest_size CHECK ((length(content_digest) = 32)),
    CONSTRAINT apple_object_generation_positive CHECK ((generation >= 0)),
    CONSTRAINT apple_object_images_count CHECK ((cardinality(images) <= 6)),
    CONSTRAINT apple_object_kind_known CHECK ((kind = ANY (ARRAY['image'::text, 'message'::text]))),
    CONSTRAINT apple_object_presence_known CHECK ((presence = ANY (ARRAY['uncertain'::text, 'uploaded'::text, 'listed'::text, 'withdrawing'::text, 'gone'::text, 'refused'::text]))),
    CONSTRAINT apple_object_state_length CHECK (((length(state) >= 1) AND (length(state) <= 64)))
);

ALTER TABLE ONLY holdfast.apple_object FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.apple_object OWNER TO holdfast_owner;

--
-- Name: COLUMN apple_object.content; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.apple_object.content IS 'The text as it was sent, for people: Apple never shows it again.';


--
-- Name: COLUMN apple_object.images; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.apple_object.images IS 'Pictures that a message of ours shows, by their identifiers at Apple.';


--
-- Name: COLUMN apple_object.decided_at; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.apple_object.decided_at IS 'When a list first showed another state than PENDING.';


--
-- Name: message_placement; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.message_placement (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    message_id uuid NOT NULL,
    locale text NOT NULL COLLATE pg_catalog."C",
    apple_id uuid NOT NULL
);

ALTER TABLE ONLY holdfast.message_placement FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.message_placement OWNER TO holdfast_owner;

--
-- Name: approved_placement; Type: VIEW; Schema: holdfast; Owner: holdfast_owner
--

CREATE VIEW holdfast.approved_placement WITH (security_invoker='true') AS
 SELECT p.tenant_id,
    p.app_id,
    p.environment,
    p.message_id,
    p.locale,
    p.apple_id
   FROM (holdfast.message_placement p
     CROSS JOIN LATERAL ( SELECT o_1.images
           FROM holdfast.apple_object o_1
          WHERE ((o_1.tenant_id = p.tenant_id) AND (o_1.app_id = p.app_id) AND (o_1.environment = p.environment) AND (o_1.apple_id = p.apple_id) AND (o_1.state = 'APPROVED'::text) AND (o_1.presence = ANY (ARRAY['uploaded'::text, 'listed'::text])) AND (o_1.superseded_at IS NULL))
         OFFSET 0) o)
  WHERE (NOT (EXISTS ( SELECT
           FROM unnest(o.images) shown(apple_id)
          WHERE (0 = ( SELECT count(*) AS count
                   FROM holdfast.apple_object i
                  WHERE ((i.tenant_id = p.tenant_id) AND (i.app_id = p.app_id) AND (i.environment = p.environment) AND (i.apple_id = shown.apple_id) AND (i.state = 'APPROVED'::text) AND (i.presence = ANY (ARRAY['uploaded'::text, 'listed'::text])) AND (i.superseded_at IS NULL)))))));


ALTER TABLE holdfast.approved_placement OWNER TO holdfast_owner;

--
-- Name: audit_event; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.audit_event (
    tenant_id uuid NOT NULL,
    audit_event_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_kind text NOT NULL COLLATE pg_catalog."C",
    actor_id text NOT NULL COLLATE pg_catalog."C",
    actor_name text,
    api_key_id uuid,
    address text COLLATE pg_catalog."C",
    request_id text COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    resource_type text NOT NULL COLLATE pg_catalog."C",
    resource_id text NOT NULL,
    app_id uuid,
    changes jsonb NOT NULL,
    CONSTRAINT audit_event_actor_known CHECK ((actor_kind = ANY (ARRAY['apiKey'::text, 'operator'::text, 'job'::text, 'responder'::text, 'sync'::text, 'worker'::text]))),
    CONSTRAINT audit_event_changes_is_object CHECK ((jsonb_typeof(changes) = 'object'::text)),
    CONSTRAINT audit_event_lengths CHECK (((length(actor_id) <= 200) AND (length(address) <= 64) AND (length(request_id) <= 64) AND (length(action) <= 64) AND (length(resource_type) <= 64) AND (length(resource_id) <= 600)))
);

ALTER TABLE ONLY holdfast.audit_event FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.audit_event OWNER TO holdfast_owner;

--
-- Name: TABLE audit_event; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON TABLE holdfast.audit_event IS 'No foreign key to the app: what was done to a deleted app stays known.';


--
-- Name: COLUMN audit_event.api_key_id; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.audit_event.api_key_id IS 'The key in whose name it was done, also by a job; the gateway can write no other than the one it shows.';


--
-- Name: billing_plan; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.billing_plan (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    billing_plan_type text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT billing_plan_type_length CHECK (((length(billing_plan_type) >= 1) AND (length(billing_plan_type) <= 64)))
);

ALTER TABLE ONLY holdfast.billing_plan FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.billing_plan OWNER TO holdfast_owner;

--
-- Name: billing_plan_price; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.billing_plan_price (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    billing_plan_type text NOT NULL COLLATE pg_catalog."C",
    storefront text NOT NULL COLLATE pg_catalog."C",
    amount_milliunits bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT billing_plan_price_amount_positive CHECK ((amount_milliunits >= 0)),
    CONSTRAINT billing_plan_price_currency_form CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT billing_plan_price_storefront_form CHECK ((storefront ~ '^[A-Z]{3}$'::text))
);

ALTER TABLE ONLY holdfast.billing_plan_price FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.billing_plan_price OWNER TO holdfast_owner;

--
-- Name: bullet; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.bullet (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    message_id uuid NOT NULL,
    locale text NOT NULL COLLATE pg_catalog."C",
    ordinal smallint NOT NULL,
    text text NOT NULL,
    image_id uuid NOT NULL,
    alt_text text NOT NULL,
    CONSTRAINT bullet_alt_text_limit CHECK ((length(alt_text) <= 150)),
    CONSTRAINT bullet_ordinal_limit CHECK (((ordinal >= 0) AND (ordinal <= 4))),
    CONSTRAINT bullet_text_limit CHECK (((length(text) >= 1) AND (length(text) <= 66)))
);

ALTER TABLE ONLY holdfast.bullet FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.bullet OWNER TO holdfast_owner;

--
-- Name: call_budget; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.call_budget (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    endpoint text NOT NULL COLLATE pg_catalog."C",
    spoken_for bigint DEFAULT 0 NOT NULL,
    not_before timestamp with time zone,
    CONSTRAINT call_budget_endpoint_length CHECK (((length(endpoint) >= 1) AND (length(endpoint) <= 64)))
);

ALTER TABLE ONLY holdfast.call_budget FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.call_budget OWNER TO holdfast_owner;

--
-- Name: COLUMN call_budget.spoken_for; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.call_budget.spoken_for IS 'Microseconds since 1970, in real time, up to which calls are spoken for.';


--
-- Name: client; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.client (
    tenant_id uuid NOT NULL,
    client_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT client_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY holdfast.client FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.client OWNER TO holdfast_owner;

--
-- Name: credential; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.credential (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    issuer_id text NOT NULL COLLATE pg_catalog."C",
    public_key bytea NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone,
    activated_at timestamp with time zone,
    check_wanted_at timestamp with time zone,
    CONSTRAINT credential_issuer_id_length CHECK (((length(issuer_id) >= 1) AND (length(issuer_id) <= 64))),
    CONSTRAINT credential_key_id_length CHECK (((length(key_id) >= 1) AND (length(key_id) <= 64))),
    CONSTRAINT credential_public_key_size CHECK (((length(public_key) >= 1) AND (length(public_key) <= 1024))),
    CONSTRAINT credential_sealed_size CHECK (((length(sealed) >= 1) AND (length(sealed) <= 4096)))
);

ALTER TABLE ONLY holdfast.credential FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.credential OWNER TO holdfast_owner;

--
-- Name: COLUMN credential.sealed; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.credential.sealed IS 'The In-App Purchase key, sealed to the platform''s public key and bound to this row. Opened by the responder only.';


--
-- Name: COLUMN credential.activated_at; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.credential.activated_at IS 'When it became the live key; null while it stands by.';


--
-- Name: COLUMN credential.check_wanted_at; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.credential.check_wanted_at IS 'Since when the agency wants to know what the key may do: answered by a check that is not older.';


--
-- Name: credential_check; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.credential_check (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    verdict text NOT NULL COLLATE pg_catalog."C",
    status integer,
    apple_code integer,
    checked_at timestamp with time zone NOT NULL,
    CONSTRAINT credential_check_verdict_known CHECK ((verdict = ANY (ARRAY['works'::text, 'keyRefused'::text, 'noAccess'::text])))
);

ALTER TABLE ONLY holdfast.credential_check FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.credential_check OWNER TO holdfast_owner;

--
-- Name: TABLE credential_check; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON TABLE holdfast.credential_check IS 'What Apple last said to a call made with this key.';


--
-- Name: decision; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.decision (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    signed_date timestamp with time zone NOT NULL,
    request_identifier uuid NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    fallback_reason text COLLATE pg_catalog."C",
    rule_id uuid,
    locale_asked text NOT NULL COLLATE pg_catalog."C",
    locale_served text COLLATE pg_catalog."C",
    message_identifier uuid,
    alternate_product_id text COLLATE pg_catalog."C",
    billing_plan_type text COLLATE pg_catalog."C",
    offer_identifier text COLLATE pg_catalog."C",
    snapshot_number bigint NOT NULL,
    duration_microseconds bigint NOT NULL,
    experiment_id uuid,
    arm text COLLATE pg_catalog."C",
    is_holdout boolean DEFAULT false NOT NULL,
    profile_source text COLLATE pg_catalog."C",
    inputs bytea,
    signature_version smallint,
    degraded text COLLATE pg_catalog."C",
    verify_microseconds bigint,
    lookup_microseconds bigint,
    decide_microseconds bigint,
    sign_microseconds bigint,
    CONSTRAINT decision_arm_length CHECK (((length(arm) >= 1) AND (length(arm) <= 100))),
    CONSTRAINT decision_degraded_length CHECK (((length(degraded) >= 1) AND (length(degraded) <= 64))),
    CONSTRAINT decision_duration_positive CHECK ((duration_microseconds >= 0)),
    CONSTRAINT decision_environment_known CHECK ((environment = ANY (ARRAY['Production'::text, 'Sandbox'::text]))),
    CONSTRAINT decision_fallback_has_no_message CHECK (((kind = 'fallback'::text) = (message_identifier IS NULL))),
    CONSTRAINT decision_fallback_has_reason CHECK (((kind = 'fallback'::text) = (fallback_reason IS NOT NULL))),
    CONSTRAINT decision_inputs_limit CHECK (((length(inputs) >= 1) AND (length(inputs) <= 2048))),
    CONSTRAINT decision_kind_known CHECK ((kind = ANY (ARRAY['message'::text, 'switchPlan'::text, 'promotionalOffer'::text, 'defaultMessage'::text, 'appStoreConnectMessage'::text, 'fallback'::text]))),
    CONSTRAINT decision_profile_source_known CHECK ((profile_source = ANY (ARRAY['notNeeded'::text, 'memory'::text, 'database'::text, 'absent'::text, 'unavailable'::text]))),
    CONSTRAINT decision_signature_version_positive CHECK ((signature_version > 0)),
    CONSTRAINT decision_steps_positive CHECK ((LEAST(verify_microseconds, lookup_microseconds, decide_microseconds, sign_microseconds) >= 0))
)
PARTITION BY RANGE (signed_date);

ALTER TABLE ONLY holdfast.decision FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.decision OWNER TO holdfast_owner;

--
-- Name: TABLE decision; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON TABLE holdfast.decision IS 'No foreign key to the app: a decision spooled before its app was deleted must not hold up those after it.';


--
-- Name: COLUMN decision.inputs; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.decision.inputs IS 'What the decision was taken from, in compact form, so that it can be explained later.';


--
-- Name: default_message; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.default_message (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    locale text NOT NULL COLLATE pg_catalog."C",
    message_id uuid NOT NULL
);

ALTER TABLE ONLY holdfast.default_message FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.default_message OWNER TO holdfast_owner;

--
-- Name: discount_budget_spent; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.discount_budget_spent (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    month date NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    spent_milliunits bigint NOT NULL,
    CONSTRAINT discount_budget_spent_currency_form CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT discount_budget_spent_month_begins CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
    CONSTRAINT discount_budget_spent_positive CHECK ((spent_milliunits >= 0))
);

ALTER TABLE ONLY holdfast.discount_budget_spent FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.discount_budget_spent OWNER TO holdfast_owner;

--
-- Name: COLUMN discount_budget_spent.month; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.discount_budget_spent.month IS 'Its first day, in the app''s time zone.';


--
-- Name: endpoint; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.endpoint (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    endpoint_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    token_sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone,
    CONSTRAINT endpoint_token_hash_size CHECK ((length(token_hash) = 32)),
    CONSTRAINT endpoint_token_sealed_size CHECK (((length(token_sealed) >= 1) AND (length(token_sealed) <= 1024)))
);

ALTER TABLE ONLY holdfast.endpoint FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.endpoint OWNER TO holdfast_owner;

--
-- Name: COLUMN endpoint.token_sealed; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.endpoint.token_sealed IS 'The token itself, sealed to the platform''s public key, for the sync that tells Apple the URL.';


--
-- Name: fold_lease; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.fold_lease (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    lease_token bigint DEFAULT 0 NOT NULL,
    leased_until timestamp with time zone,
    leased_by text,
    claimed_at timestamp with time zone,
    CONSTRAINT fold_lease_worker_length CHECK (((length(leased_by) >= 1) AND (length(leased_by) <= 100)))
);

ALTER TABLE ONLY holdfast.fold_lease FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.fold_lease OWNER TO holdfast_owner;

--
-- Name: governor_counter; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.governor_counter (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    offers_taken integer DEFAULT 0 NOT NULL,
    last_offer_at timestamp with time zone,
    escalation_level integer DEFAULT 0 NOT NULL,
    CONSTRAINT governor_counter_level_positive CHECK ((escalation_level >= 0)),
    CONSTRAINT governor_counter_offers_positive CHECK ((offers_taken >= 0)),
    CONSTRAINT governor_counter_original_transaction_id_length CHECK (((length(original_transaction_id) >= 1) AND (length(original_transaction_id) <= 64)))
)
WITH (fillfactor='85');

ALTER TABLE ONLY holdfast.governor_counter FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.governor_counter OWNER TO holdfast_owner;

--
-- Name: idempotency_record; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.idempotency_record (
    tenant_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    status smallint,
    headers jsonb,
    body bytea,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT idempotency_record_body_limit CHECK ((length(body) <= 4194304)),
    CONSTRAINT idempotency_record_fingerprint_size CHECK ((length(fingerprint) = 32)),
    CONSTRAINT idempotency_record_key_length CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 128)))
);

ALTER TABLE ONLY holdfast.idempotency_record FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.idempotency_record OWNER TO holdfast_owner;

--
-- Name: image; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.image (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    image_id uuid NOT NULL,
    image_size text NOT NULL COLLATE pg_catalog."C",
    sha256 bytea NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    byte_count integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT image_pixels_positive CHECK (((width > 0) AND (height > 0) AND (byte_count > 0))),
    CONSTRAINT image_size_known CHECK ((image_size = ANY (ARRAY['FULL_SIZE'::text, 'BULLET_POINT'::text])))
);

ALTER TABLE ONLY holdfast.image FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.image OWNER TO holdfast_owner;

--
-- Name: image_file; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.image_file (
    tenant_id uuid NOT NULL,
    sha256 bytea NOT NULL,
    png bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT image_file_bytes_limit CHECK (((length(png) >= 1) AND (length(png) <= 20971520))),
    CONSTRAINT image_file_digest_of_bytes CHECK ((sha256 = sha256(png)))
);

ALTER TABLE ONLY holdfast.image_file FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.image_file OWNER TO holdfast_owner;

--
-- Name: image_placement; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.image_placement (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    image_id uuid NOT NULL,
    apple_id uuid NOT NULL
);

ALTER TABLE ONLY holdfast.image_placement FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.image_placement OWNER TO holdfast_owner;

--
-- Name: job; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.job (
    tenant_id uuid NOT NULL,
    job_id uuid NOT NULL,
    app_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    input bytea NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    done integer DEFAULT 0 NOT NULL,
    total integer,
    report bytea,
    failure jsonb,
    attempts smallint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    lease_token uuid,
    leased_until timestamp with time zone,
    claimed_at timestamp with time zone,
    CONSTRAINT job_finished_has_time CHECK (((state = ANY (ARRAY['succeeded'::text, 'failed'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT job_input_limit CHECK ((length(input) <= 4194304)),
    CONSTRAINT job_kind_length CHECK (((length(kind) >= 1) AND (length(kind) <= 64))),
    CONSTRAINT job_report_limit CHECK ((length(report) <= 16777216)),
    CONSTRAINT job_running_has_lease CHECK (((state = 'running'::text) = (lease_token IS NOT NULL))),
    CONSTRAINT job_state_known CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text])))
);

ALTER TABLE ONLY holdfast.job FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.job OWNER TO holdfast_owner;

--
-- Name: localization; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.localization (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    message_id uuid NOT NULL,
    locale text NOT NULL COLLATE pg_catalog."C",
    header text NOT NULL,
    body text NOT NULL,
    header_position text COLLATE pg_catalog."C",
    image_id uuid,
    alt_text text,
    CONSTRAINT localization_above_image_needs_image CHECK (((header_position <> 'ABOVE_IMAGE'::text) OR (image_id IS NOT NULL))),
    CONSTRAINT localization_alt_text_limit CHECK ((length(alt_text) <= 150)),
    CONSTRAINT localization_alt_text_with_image CHECK (((image_id IS NULL) = (alt_text IS NULL))),
    CONSTRAINT localization_body_limit CHECK (((length(body) >= 1) AND (length(body) <= 144))),
    CONSTRAINT localization_header_limit CHECK (((length(header) >= 1) AND (length(header) <= 66))),
    CONSTRAINT localization_header_position_known CHECK ((header_position = ANY (ARRAY['ABOVE_BODY'::text, 'ABOVE_IMAGE'::text]))),
    CONSTRAINT localization_locale_length CHECK (((length(locale) >= 2) AND (length(locale) <= 35)))
);

ALTER TABLE ONLY holdfast.localization FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.localization OWNER TO holdfast_owner;

--
-- Name: message; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.message (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    message_id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    show_until date,
    review_by date,
    CONSTRAINT message_kind_known CHECK ((kind = ANY (ARRAY['text'::text, 'switchPlan'::text, 'promotionalOffer'::text]))),
    CONSTRAINT message_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY holdfast.message FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.message OWNER TO holdfast_owner;

--
-- Name: COLUMN message.show_until; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.message.show_until IS 'After this day, in the app''s time zone, the content is stale; nothing is hidden by it.';


--
-- Name: COLUMN message.review_by; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.message.review_by IS 'By this day somebody is to look at the content again.';


--
-- Name: message_target; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.message_target (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    message_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY holdfast.message_target FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.message_target OWNER TO holdfast_owner;

--
-- Name: notification; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.notification (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    notification_uuid uuid NOT NULL,
    arrival_number bigint NOT NULL,
    signed_date timestamp with time zone NOT NULL,
    notification_type text NOT NULL COLLATE pg_catalog."C",
    subtype text COLLATE pg_catalog."C",
    original_transaction_id text COLLATE pg_catalog."C",
    app_transaction_id text COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    received_at timestamp with time zone NOT NULL,
    folded_at timestamp with time zone,
    fold_failure text COLLATE pg_catalog."C",
    signed_payload bytea NOT NULL,
    CONSTRAINT notification_app_transaction_id_length CHECK (((length(app_transaction_id) >= 1) AND (length(app_transaction_id) <= 64))),
    CONSTRAINT notification_failure_is_folded CHECK (((fold_failure IS NULL) OR (folded_at IS NOT NULL))),
    CONSTRAINT notification_failure_length CHECK (((length(fold_failure) >= 1) AND (length(fold_failure) <= 200))),
    CONSTRAINT notification_original_transaction_id_length CHECK (((length(original_transaction_id) >= 1) AND (length(original_transaction_id) <= 64))),
    CONSTRAINT notification_payload_limit CHECK (((length(signed_payload) >= 1) AND (length(signed_payload) <= 262144))),
    CONSTRAINT notification_source_known CHECK ((source = ANY (ARRAY['pushed'::text, 'history'::text]))),
    CONSTRAINT notification_subtype_length CHECK (((length(subtype) >= 1) AND (length(subtype) <= 128))),
    CONSTRAINT notification_type_length CHECK (((length(notification_type) >= 1) AND (length(notification_type) <= 128)))
);

ALTER TABLE ONLY holdfast.notification FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.notification OWNER TO holdfast_owner;

--
-- Name: COLUMN notification.original_transaction_id; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.notification.original_transaction_id IS 'Null for what is about no transaction: tests, summaries, tokens of external purchases, consent taken back.';


--
-- Name: COLUMN notification.app_transaction_id; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.notification.app_transaction_id IS 'Whose app it is, where Apple says so: by it erasure finds what names no transaction.';


--
-- Name: COLUMN notification.folded_at; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.notification.folded_at IS 'When it went into its subscriber''s state; null while it waits.';


--
-- Name: COLUMN notification.fold_failure; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.notification.fold_failure IS 'Why it went into none: it is kept, and holds up nobody.';


--
-- Name: COLUMN notification.signed_payload; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.notification.signed_payload IS 'The compact JWS as it came: verified before it was kept, and to be verified again by whoever doubts it.';


--
-- Name: notification_arrival_number_seq; Type: SEQUENCE; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.notification ALTER COLUMN arrival_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME holdfast.notification_arrival_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: notification_history; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.notification_history (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    read_to timestamp with time zone,
    window_from timestamp with time zone,
    window_to timestamp with time zone,
    pagination_token text COLLATE pg_catalog."C",
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    read_at timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    CONSTRAINT notification_history_failures_positive CHECK ((failures >= 0)),
    CONSTRAINT notification_history_token_has_window CHECK (((pagination_token IS NULL) OR (window_from IS NOT NULL))),
    CONSTRAINT notification_history_token_length CHECK (((length(pagination_token) >= 1) AND (length(pagination_token) <= 8192))),
    CONSTRAINT notification_history_window_is_some_time CHECK ((window_from < window_to)),
    CONSTRAINT notification_history_window_is_whole CHECK (((window_from IS NULL) = (window_to IS NULL)))
);

ALTER TABLE ONLY holdfast.notification_history FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.notification_history OWNER TO holdfast_owner;

--
-- Name: COLUMN notification_history.due_at; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.notification_history.due_at IS 'When it is to be looked into again.';


--
-- Name: COLUMN notification_history.read_at; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.notification_history.read_at IS 'When a reading last came to its end.';


--
-- Name: offer; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.offer (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    offer_identifier text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    offer_mode text COLLATE pg_catalog."C",
    period text COLLATE pg_catalog."C",
    period_count integer,
    customer_eligibilities text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT offer_eligibilities_count CHECK ((cardinality(customer_eligibilities) <= 16)),
    CONSTRAINT offer_identifier_length CHECK (((length(offer_identifier) >= 1) AND (length(offer_identifier) <= 255))),
    CONSTRAINT offer_kind_known CHECK ((kind = ANY (ARRAY['promotional'::text, 'retention'::text, 'winBack'::text]))),
    CONSTRAINT offer_mode_length CHECK (((length(offer_mode) >= 1) AND (length(offer_mode) <= 64))),
    CONSTRAINT offer_period_count_limit CHECK (((period_count >= 1) AND (period_count <= 60))),
    CONSTRAINT offer_period_known CHECK ((period ~ '^P([1-9][0-9]?[DWMY])$'::text))
);

ALTER TABLE ONLY holdfast.offer FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.offer OWNER TO holdfast_owner;

--
-- Name: offer_price; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.offer_price (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    offer_identifier text NOT NULL COLLATE pg_catalog."C",
    storefront text NOT NULL COLLATE pg_catalog."C",
    amount_milliunits bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT offer_price_amount_positive CHECK ((amount_milliunits >= 0)),
    CONSTRAINT offer_price_currency_form CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT offer_price_storefront_form CHECK ((storefront ~ '^[A-Z]{3}$'::text))
);

ALTER TABLE ONLY holdfast.offer_price FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.offer_price OWNER TO holdfast_owner;

--
-- Name: performance_test; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.performance_test (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    test_id uuid NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    requested_by jsonb NOT NULL,
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    own_load jsonb,
    apple_request_id text COLLATE pg_catalog."C",
    config jsonb,
    result jsonb,
    failure jsonb,
    polled_at timestamp with time zone,
    polls integer DEFAULT 0 NOT NULL,
    CONSTRAINT performance_test_finished_has_time CHECK (((state = ANY (ARRAY['passed'::text, 'failed'::text, 'notRun'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT performance_test_request_length CHECK (((length(apple_request_id) >= 1) AND (length(apple_request_id) <= 200))),
    CONSTRAINT performance_test_state_known CHECK ((state = ANY (ARRAY['queued'::text, 'ownLoad'::text, 'running'::text, 'passed'::text, 'failed'::text, 'notRun'::text]))),
    CONSTRAINT performance_test_transaction_form CHECK ((transaction_id ~ '^[0-9]{1,64}$'::text))
);

ALTER TABLE ONLY holdfast.performance_test FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.performance_test OWNER TO holdfast_owner;

--
-- Name: COLUMN performance_test.state; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.performance_test.state IS 'failed: Apple''s test ended with FAIL. notRun: it never came to an end of Apple''s; failure says why.';


--
-- Name: product; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.product (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    subscription_group text NOT NULL COLLATE pg_catalog."C",
    period text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT product_group_length CHECK (((length(subscription_group) >= 1) AND (length(subscription_group) <= 255))),
    CONSTRAINT product_id_length CHECK (((length(product_id) >= 1) AND (length(product_id) <= 255))),
    CONSTRAINT product_period_known CHECK ((period ~ '^P([1-9][0-9]?[DWMY])$'::text))
);

ALTER TABLE ONLY holdfast.product FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.product OWNER TO holdfast_owner;

--
-- Name: profile; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.profile (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    body bytea NOT NULL,
    as_of timestamp with time zone NOT NULL,
    CONSTRAINT profile_body_limit CHECK (((length(body) >= 1) AND (length(body) <= 1024))),
    CONSTRAINT profile_original_transaction_id_length CHECK (((length(original_transaction_id) >= 1) AND (length(original_transaction_id) <= 64)))
)
WITH (fillfactor='85');

ALTER TABLE ONLY holdfast.profile FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.profile OWNER TO holdfast_owner;

--
-- Name: COLUMN profile.body; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.profile.body IS 'The compact form; its first byte is its version.';


--
-- Name: COLUMN profile.as_of; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.profile.as_of IS 'Up to when what is known went into it.';


--
-- Name: publication; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.publication (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    publication_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    published_at timestamp with time zone NOT NULL,
    published_by jsonb NOT NULL,
    snapshot_number bigint NOT NULL,
    CONSTRAINT publication_by_is_object CHECK ((jsonb_typeof(published_by) = 'object'::text))
);

ALTER TABLE ONLY holdfast.publication FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.publication OWNER TO holdfast_owner;

--
-- Name: COLUMN publication.snapshot_number; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.publication.snapshot_number IS 'The first snapshot that holds these rules.';


--
-- Name: rule_set; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.rule_set (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    version integer NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by jsonb NOT NULL,
    CONSTRAINT rule_set_created_by_is_object CHECK ((jsonb_typeof(created_by) = 'object'::text)),
    CONSTRAINT rule_set_is_object CHECK ((jsonb_typeof(body) = 'object'::text)),
    CONSTRAINT rule_set_version_positive CHECK ((version > 0))
);

ALTER TABLE ONLY holdfast.rule_set FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.rule_set OWNER TO holdfast_owner;

--
-- Name: rule_set_draft; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.rule_set_draft (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    body jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT rule_set_draft_is_object CHECK ((jsonb_typeof(body) = 'object'::text))
);

ALTER TABLE ONLY holdfast.rule_set_draft FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.rule_set_draft OWNER TO holdfast_owner;

--
-- Name: rule_set_publication; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.rule_set_publication (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    published_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY holdfast.rule_set_publication FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.rule_set_publication OWNER TO holdfast_owner;

--
-- Name: snapshot; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.snapshot (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    body bytea NOT NULL,
    sha256 bytea NOT NULL,
    built_at timestamp with time zone NOT NULL,
    CONSTRAINT snapshot_body_limit CHECK (((length(body) >= 1) AND (length(body) <= 8388608))),
    CONSTRAINT snapshot_digest_size CHECK ((length(sha256) = 32)),
    CONSTRAINT snapshot_number_positive CHECK ((number > 0))
);

ALTER TABLE ONLY holdfast.snapshot FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.snapshot OWNER TO holdfast_owner;

--
-- Name: snapshot_acknowledgement; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.snapshot_acknowledgement (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    responder text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    acknowledged_at timestamp with time zone NOT NULL,
    CONSTRAINT snapshot_acknowledgement_responder_length CHECK (((length(responder) >= 1) AND (length(responder) <= 100)))
);

ALTER TABLE ONLY holdfast.snapshot_acknowledgement FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.snapshot_acknowledgement OWNER TO holdfast_owner;

--
-- Name: sync_run; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.sync_run (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    trigger text NOT NULL COLLATE pg_catalog."C",
    requested_by jsonb NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    reads integer DEFAULT 0 NOT NULL,
    writes integer DEFAULT 0 NOT NULL,
    result jsonb,
    CONSTRAINT sync_run_by_is_object CHECK ((jsonb_typeof(requested_by) = 'object'::text)),
    CONSTRAINT sync_run_finished_has_time CHECK (((state = 'finished'::text) = (finished_at IS NOT NULL))),
    CONSTRAINT sync_run_result_is_object CHECK ((jsonb_typeof(result) = 'object'::text)),
    CONSTRAINT sync_run_state_known CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'finished'::text]))),
    CONSTRAINT sync_run_trigger_known CHECK ((trigger = ANY (ARRAY['request'::text, 'schedule'::text])))
);

ALTER TABLE ONLY holdfast.sync_run FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.sync_run OWNER TO holdfast_owner;

--
-- Name: sync_state; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.sync_state (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    lease_token bigint DEFAULT 0 NOT NULL,
    leased_until timestamp with time zone,
    leased_by text,
    claimed_at timestamp with time zone,
    next_run_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    change_number bigint DEFAULT 0 NOT NULL,
    images_listed_at timestamp with time zone,
    messages_listed_at timestamp with time zone,
    doubted_at timestamp with time zone,
    images_full_at timestamp with time zone,
    messages_full_at timestamp with time zone,
    url_kind text COLLATE pg_catalog."C",
    url_endpoint_id uuid,
    url_is_uncertain boolean DEFAULT false NOT NULL,
    url_read_at timestamp with time zone,
    url_refused_at timestamp with time zone,
    url_refusal_code integer,
    may_replace_url boolean DEFAULT false NOT NULL,
    pause_reason text COLLATE pg_catalog."C",
    paused_until timestamp with time zone,
    pause_credential_id uuid,
    failures integer DEFAULT 0 NOT NULL,
    retry_at timestamp with time zone,
    access text DEFAULT 'unknown'::text NOT NULL COLLATE pg_catalog."C",
    access_at timestamp with time zone,
    access_requested_at timestamp with time zone,
    CONSTRAINT sync_state_access_known CHECK ((access = ANY (ARRAY['unknown'::text, 'none'::text, 'granted'::text]))),
    CONSTRAINT sync_state_own_url_is_known CHECK (((NOT (url_kind IS DISTINCT FROM 'own'::text)) = (url_endpoint_id IS NOT NULL))),
    CONSTRAINT sync_state_pause_known CHECK ((pause_reason = ANY (ARRAY['keyRefused'::text, 'noAccess'::text]))),
    CONSTRAINT sync_state_url_known CHECK ((url_kind = ANY (ARRAY['none'::text, 'own'::text, 'foreign'::text]))),
    CONSTRAINT sync_state_worker_length CHECK (((length(leased_by) >= 1) AND (length(leased_by) <= 100)))
);

ALTER TABLE ONLY holdfast.sync_state FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.sync_state OWNER TO holdfast_owner;

--
-- Name: tenant; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.tenant (
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    requests_per_minute integer DEFAULT 600 NOT NULL,
    client_limit integer DEFAULT 500 NOT NULL,
    app_limit integer DEFAULT 1000 NOT NULL,
    api_key_limit integer DEFAULT 500 NOT NULL,
    CONSTRAINT tenant_limits_positive CHECK ((LEAST(requests_per_minute, client_limit, app_limit, api_key_limit) > 0)),
    CONSTRAINT tenant_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY holdfast.tenant FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.tenant OWNER TO holdfast_owner;

--
-- Name: profile_change; Type: TABLE; Schema: holdfast_hot; Owner: holdfast_owner
--

CREATE TABLE holdfast_hot.profile_change (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    changed_xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    change_number bigint NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY holdfast_hot.profile_change FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast_hot.profile_change OWNER TO holdfast_owner;

--
-- Name: TABLE profile_change; Type: COMMENT; Schema: holdfast_hot; Owner: holdfast_owner
--

COMMENT ON TABLE holdfast_hot.profile_change IS 'Written by triggers, read by definer functions; nobody else reaches it. No foreign key: a row says what may be gone.';


--
-- Name: profile_change_change_number_seq; Type: SEQUENCE; Schema: holdfast_hot; Owner: holdfast_owner
--

ALTER TABLE holdfast_hot.profile_change ALTER COLUMN change_number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME holdfast_hot.profile_change_change_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: profile_change_floor; Type: TABLE; Schema: holdfast_hot; Owner: holdfast_owner
--

CREATE TABLE holdfast_hot.profile_change_floor (
    is_only boolean DEFAULT true NOT NULL,
    kept_from bigint DEFAULT 0 NOT NULL,
    CONSTRAINT profile_change_floor_is_one_row CHECK (is_only)
);


ALTER TABLE holdfast_hot.profile_change_floor OWNER TO holdfast_owner;

--
-- Name: responder; Type: TABLE; Schema: holdfast_hot; Owner: holdfast_owner
--

CREATE TABLE holdfast_hot.responder (
    responder text NOT NULL COLLATE pg_catalog."C",
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT responder_name_length CHECK (((length(responder) >= 1) AND (length(responder) <= 100)))
);


ALTER TABLE holdfast_hot.responder OWNER TO holdfast_owner;

--
-- Name: TABLE responder; Type: COMMENT; Schema: holdfast_hot; Owner: holdfast_owner
--

COMMENT ON TABLE holdfast_hot.responder IS 'Of the platform, not of a tenant: who answers, and when it last said so.';


--
-- Name: secret; Type: TABLE; Schema: holdfast_sec; Owner: holdfast_owner
--

CREATE TABLE holdfast_sec.secret (
    is_only boolean DEFAULT true NOT NULL,
    value bytea NOT NULL,
    CONSTRAINT secret_is_one_row CHECK (is_only),
    CONSTRAINT secret_size CHECK ((length(value) = 32))
);


ALTER TABLE holdfast_sec.secret OWNER TO holdfast_owner;

--
-- Name: holdfast_migration; Type: TABLE; Schema: public; Owner: holdfast_migrator
--

CREATE TABLE public.holdfast_migration (
    name text NOT NULL COLLATE pg_catalog."C",
    checksum bytea NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT holdfast_migration_checksum_check CHECK ((length(checksum) = 32))
);


ALTER TABLE public.holdfast_migration OWNER TO holdfast_migrator;

--
-- Name: api_key_app api_key_app_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key_app
    ADD CONSTRAINT api_key_app_pkey PRIMARY KEY (tenant_id, api_key_id, app_id);


--
-- Name: api_key_client api_key_client_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key_client
    ADD CONSTRAINT api_key_client_pkey PRIMARY KEY (tenant_id, api_key_id, client_id);


--
-- Name: api_key api_key_hash_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key
    ADD CONSTRAINT api_key_hash_unique UNIQUE (tenant_id, secret_hash);


--
-- Name: api_key api_key_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (tenant_id, api_key_id);


--
-- Name: app app_apple_id_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app
    ADD CONSTRAINT app_apple_id_unique UNIQUE (tenant_id, app_apple_id);


--
-- Name: app app_bundle_id_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app
    ADD CONSTRAINT app_bundle_id_unique UNIQUE (tenant_id, bundle_id);


--
-- Name: app_environment app_environment_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app_environment
    ADD CONSTRAINT app_environment_pkey PRIMARY KEY (tenant_id, app_id, environment);


--
-- Name: app app_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (tenant_id, app_id);


--
-- Name: app_store_connect_message app_store_connect_message_name_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app_store_connect_message
    ADD CONSTRAINT app_store_connect_message_name_unique UNIQUE (tenant_id, app_id, name);


--
-- Name: app_store_connect_message app_store_connect_message_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app_store_connect_message
    ADD CONSTRAINT app_store_connect_message_pkey PRIMARY KEY (tenant_id, app_id, message_identifier);


--
-- Name: apple_call apple_call_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.apple_call
    ADD CONSTRAINT apple_call_pkey PRIMARY KEY (tenant_id, app_id, environment, call_id);


--
-- Name: apple_default apple_default_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.apple_default
    ADD CONSTRAINT apple_default_pkey PRIMARY KEY (tenant_id, app_id, environment, product_id, locale);


--
-- Name: apple_object apple_object_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.apple_object
    ADD CONSTRAINT apple_object_pkey PRIMARY KEY (tenant_id, app_id, environment, apple_id);


--
-- Name: audit_event audit_event_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.audit_event
    ADD CONSTRAINT audit_event_pkey PRIMARY KEY (tenant_id, audit_event_id);


--
-- Name: billing_plan billing_plan_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.billing_plan
    ADD CONSTRAINT billing_plan_pkey PRIMARY KEY (tenant_id, app_id, product_id, billing_plan_type);


--
-- Name: billing_plan_price billing_plan_price_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.billing_plan_price
    ADD CONSTRAINT billing_plan_price_pkey PRIMARY KEY (tenant_id, app_id, product_id, billing_plan_type, storefront);


--
-- Name: bullet bullet_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.bullet
    ADD CONSTRAINT bullet_pkey PRIMARY KEY (tenant_id, app_id, message_id, locale, ordinal);


--
-- Name: call_budget call_budget_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.call_budget
    ADD CONSTRAINT call_budget_pkey PRIMARY KEY (tenant_id, app_id, environment, endpoint);


--
-- Name: client client_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.client
    ADD CONSTRAINT client_pkey PRIMARY KEY (tenant_id, client_id);


--
-- Name: credential_check credential_check_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.credential_check
    ADD CONSTRAINT credential_check_pkey PRIMARY KEY (tenant_id, app_id, credential_id, environment);


--
-- Name: credential credential_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.credential
    ADD CONSTRAINT credential_pkey PRIMARY KEY (tenant_id, app_id, credential_id);


--
-- Name: decision decision_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (tenant_id, app_id, environment, signed_date, request_identifier);


--
-- Name: default_message default_message_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.default_message
    ADD CONSTRAINT default_message_pkey PRIMARY KEY (tenant_id, app_id, environment, product_id, locale);


--
-- Name: discount_budget_spent discount_budget_spent_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.discount_budget_spent
    ADD CONSTRAINT discount_budget_spent_pkey PRIMARY KEY (tenant_id, app_id, environment, month, currency);


--
-- Name: endpoint endpoint_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.endpoint
    ADD CONSTRAINT endpoint_pkey PRIMARY KEY (tenant_id, app_id, environment, endpoint_id);


--
-- Name: endpoint endpoint_token_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.endpoint
    ADD CONSTRAINT endpoint_token_unique UNIQUE (tenant_id, token_hash);


--
-- Name: fold_lease fold_lease_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.fold_lease
    ADD CONSTRAINT fold_lease_pkey PRIMARY KEY (tenant_id, app_id, environment);


--
-- Name: governor_counter governor_counter_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.governor_counter
    ADD CONSTRAINT governor_counter_pkey PRIMARY KEY (tenant_id, app_id, environment, original_transaction_id);


--
-- Name: idempotency_record idempotency_record_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.idempotency_record
    ADD CONSTRAINT idempotency_record_pkey PRIMARY KEY (tenant_id, api_key_id, idempotency_key);


--
-- Name: image image_content_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image
    ADD CONSTRAINT image_content_unique UNIQUE (tenant_id, app_id, sha256, image_size);


--
-- Name: image_file image_file_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image_file
    ADD CONSTRAINT image_file_pkey PRIMARY KEY (tenant_id, sha256);


--
-- Name: image image_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image
    ADD CONSTRAINT image_pkey PRIMARY KEY (tenant_id, app_id, image_id);


--
-- Name: image_placement image_placement_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image_placement
    ADD CONSTRAINT image_placement_pkey PRIMARY KEY (tenant_id, app_id, environment, image_id);


--
-- Name: job job_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (tenant_id, job_id);


--
-- Name: localization localization_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.localization
    ADD CONSTRAINT localization_pkey PRIMARY KEY (tenant_id, app_id, message_id, locale);


--
-- Name: message message_name_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message
    ADD CONSTRAINT message_name_unique UNIQUE (tenant_id, app_id, name);


--
-- Name: message message_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (tenant_id, app_id, message_id);


--
-- Name: message_placement message_placement_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_placement
    ADD CONSTRAINT message_placement_pkey PRIMARY KEY (tenant_id, app_id, environment, message_id, locale);


--
-- Name: message_target message_target_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_target
    ADD CONSTRAINT message_target_pkey PRIMARY KEY (tenant_id, app_id, environment, message_id);


--
-- Name: notification_history notification_history_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.notification_history
    ADD CONSTRAINT notification_history_pkey PRIMARY KEY (tenant_id, app_id, environment);


--
-- Name: notification notification_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.notification
    ADD CONSTRAINT notification_pkey PRIMARY KEY (tenant_id, app_id, environment, notification_uuid);


--
-- Name: offer offer_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.offer
    ADD CONSTRAINT offer_pkey PRIMARY KEY (tenant_id, app_id, product_id, offer_identifier);


--
-- Name: offer_price offer_price_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.offer_price
    ADD CONSTRAINT offer_price_pkey PRIMARY KEY (tenant_id, app_id, product_id, offer_identifier, storefront);


--
-- Name: performance_test performance_test_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.performance_test
    ADD CONSTRAINT performance_test_pkey PRIMARY KEY (tenant_id, app_id, test_id);


--
-- Name: product product_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (tenant_id, app_id, product_id);


--
-- Name: profile profile_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.profile
    ADD CONSTRAINT profile_pkey PRIMARY KEY (tenant_id, app_id, environment, original_transaction_id);


--
-- Name: publication publication_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.publication
    ADD CONSTRAINT publication_pkey PRIMARY KEY (tenant_id, app_id, publication_id);


--
-- Name: rule_set_draft rule_set_draft_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_draft
    ADD CONSTRAINT rule_set_draft_pkey PRIMARY KEY (tenant_id, app_id);


--
-- Name: rule_set rule_set_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set
    ADD CONSTRAINT rule_set_pkey PRIMARY KEY (tenant_id, app_id, version);


--
-- Name: rule_set_publication rule_set_publication_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_publication
    ADD CONSTRAINT rule_set_publication_pkey PRIMARY KEY (tenant_id, app_id, environment);


--
-- Name: snapshot_acknowledgement snapshot_acknowledgement_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.snapshot_acknowledgement
    ADD CONSTRAINT snapshot_acknowledgement_pkey PRIMARY KEY (tenant_id, app_id, environment, responder);


--
-- Name: snapshot snapshot_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.snapshot
    ADD CONSTRAINT snapshot_pkey PRIMARY KEY (tenant_id, app_id, environment, number);


--
-- Name: sync_run sync_run_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.sync_run
    ADD CONSTRAINT sync_run_pkey PRIMARY KEY (tenant_id, app_id, environment, run_id);


--
-- Name: sync_state sync_state_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.sync_state
    ADD CONSTRAINT sync_state_pkey PRIMARY KEY (tenant_id, app_id, environment);


--
-- Name: tenant tenant_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.tenant
    ADD CONSTRAINT tenant_pkey PRIMARY KEY (tenant_id);


--
-- Name: profile_change_floor profile_change_floor_pkey; Type: CONSTRAINT; Schema: holdfast_hot; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast_hot.profile_change_floor
    ADD CONSTRAINT profile_change_floor_pkey PRIMARY KEY (is_only);


--
-- Name: responder responder_pkey; Type: CONSTRAINT; Schema: holdfast_hot; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast_hot.responder
    ADD CONSTRAINT responder_pkey PRIMARY KEY (responder);


--
-- Name: secret secret_pkey; Type: CONSTRAINT; Schema: holdfast_sec; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast_sec.secret
    ADD CONSTRAINT secret_pkey PRIMARY KEY (is_only);


--
-- Name: holdfast_migration holdfast_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: holdfast_migrator
--

ALTER TABLE ONLY public.holdfast_migration
    ADD CONSTRAINT holdfast_migration_pkey PRIMARY KEY (name);


--
-- Name: api_key_by_hash; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX api_key_by_hash ON holdfast.api_key USING btree (secret_hash);


--
-- Name: apple_call_by_age; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX apple_call_by_age ON holdfast.apple_call USING btree (started_at);


--
-- Name: apple_call_by_run; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX apple_call_by_run ON holdfast.apple_call USING btree (tenant_id, run_id) WHERE (run_id IS NOT NULL);


--
-- Name: audit_event_by_action; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX audit_event_by_action ON holdfast.audit_event USING btree (tenant_id, action, audit_event_id DESC);


--
-- Name: audit_event_of_app; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX audit_event_of_app ON holdfast.audit_event USING btree (tenant_id, app_id, audit_event_id DESC);


--
-- Name: bullet_by_image; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX bullet_by_image ON holdfast.bullet USING btree (tenant_id, app_id, image_id);


--
-- Name: credential_one_live; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE UNIQUE INDEX credential_one_live ON holdfast.credential USING btree (tenant_id, app_id) WHERE ((retired_at IS NULL) AND (activated_at IS NOT NULL));


--
-- Name: credential_one_standby; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE UNIQUE INDEX credential_one_standby ON holdfast.credential USING btree (tenant_id, app_id) WHERE ((retired_at IS NULL) AND (activated_at IS NULL));


--
-- Name: discount_budget_spent_by_month; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX discount_budget_spent_by_month ON holdfast.discount_budget_spent USING btree (month);


--
-- Name: endpoint_by_hash; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX endpoint_by_hash ON holdfast.endpoint USING btree (token_hash) WHERE (retired_at IS NULL);


--
-- Name: idempotency_record_by_age; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX idempotency_record_by_age ON holdfast.idempotency_record USING btree (tenant_id, created_at);


--
-- Name: image_by_file; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX image_by_file ON holdfast.image USING btree (tenant_id, sha256);


--
-- Name: job_claimed; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX job_claimed ON holdfast.job USING btree (tenant_id, claimed_at DESC) WHERE (claimed_at IS NOT NULL);


--
-- Name: job_waiting; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX job_waiting ON holdfast.job USING btree (tenant_id, created_at, job_id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));


--
-- Name: localization_by_image; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX localization_by_image ON holdfast.localization USING btree (tenant_id, app_id, image_id) WHERE (image_id IS NOT NULL);


--
-- Name: notification_by_date; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX notification_by_date ON holdfast.notification USING btree (tenant_id, app_id, environment, signed_date, notification_uuid);


--
-- Name: notification_by_type; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX notification_by_type ON holdfast.notification USING btree (tenant_id, app_id, environment, notification_type, signed_date, notification_uuid);


--
-- Name: notification_of_customer; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX notification_of_customer ON holdfast.notification USING btree (tenant_id, app_id, environment, app_transaction_id) WHERE ((original_transaction_id IS NULL) AND (app_transaction_id IS NOT NULL));


--
-- Name: notification_of_subscriber; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX notification_of_subscriber ON holdfast.notification USING btree (tenant_id, app_id, environment, original_transaction_id, signed_date, notification_uuid) WHERE (original_transaction_id IS NOT NULL);


--
-- Name: notification_waiting; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX notification_waiting ON holdfast.notification USING btree (tenant_id, app_id, environment, arrival_number) WHERE (folded_at IS NULL);


--
-- Name: performance_test_open; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE UNIQUE INDEX performance_test_open ON holdfast.performance_test USING btree (tenant_id, app_id) WHERE (state = ANY (ARRAY['queued'::text, 'ownLoad'::text, 'running'::text]));


--
-- Name: sync_run_by_age; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX sync_run_by_age ON holdfast.sync_run USING btree (finished_at) WHERE (finished_at IS NOT NULL);


--
-- Name: sync_run_open; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE UNIQUE INDEX sync_run_open ON holdfast.sync_run USING btree (tenant_id, app_id, environment, state) WHERE (state <> 'finished'::text);


--
-- Name: sync_state_due; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE INDEX sync_state_due ON holdfast.sync_state USING btree (next_run_at);


--
-- Name: profile_change_in_order; Type: INDEX; Schema: holdfast_hot; Owner: holdfast_owner
--

CREATE INDEX profile_change_in_order ON holdfast_hot.profile_change USING btree (changed_xid, change_number);


--
-- Name: audit_event append_only; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON holdfast.audit_event FOR EACH STATEMENT EXECUTE FUNCTION holdfast_sec.refuse_change();


--
-- Name: governor_counter governor_counter_added; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER governor_counter_added AFTER INSERT ON holdfast.governor_counter REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION holdfast_sec.note_profile_changes();


--
-- Name: governor_counter governor_counter_changed; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER governor_counter_changed AFTER UPDATE ON holdfast.governor_counter REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION holdfast_sec.note_profile_changes();


--
-- Name: governor_counter governor_counter_removed; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER governor_counter_removed AFTER DELETE ON holdfast.governor_counter REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION holdfast_sec.note_profile_changes();


--
-- Name: image last_image_gone; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER last_image_gone AFTER DELETE ON holdfast.image REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION holdfast_sec.forget_files();


--
-- Name: profile profile_added; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER profile_added AFTER INSERT ON holdfast.profile REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION holdfast_sec.note_profile_changes();


--
-- Name: profile profile_changed; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER profile_changed AFTER UPDATE ON holdfast.profile REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION holdfast_sec.note_profile_changes();


--
-- Name: profile profile_removed; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER profile_removed AFTER DELETE ON holdfast.profile REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION holdfast_sec.note_profile_changes();


--
-- Name: app_environment snapshot_built; Type: TRIGGER; Schema: holdfast; Owner: holdfast_owner
--

CREATE TRIGGER snapshot_built AFTER DELETE OR UPDATE OF snapshot_number ON holdfast.app_environment FOR EACH STATEMENT EXECUTE FUNCTION holdfast_hot.tell_responders();


--
-- Name: api_key_app api_key_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key_app
    ADD CONSTRAINT api_key_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: api_key_app api_key_app_key_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key_app
    ADD CONSTRAINT api_key_app_key_exists FOREIGN KEY (tenant_id, api_key_id) REFERENCES holdfast.api_key(tenant_id, api_key_id) ON DELETE CASCADE;


--
-- Name: api_key_client api_key_client_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key_client
    ADD CONSTRAINT api_key_client_exists FOREIGN KEY (tenant_id, client_id) REFERENCES holdfast.client(tenant_id, client_id) ON DELETE CASCADE;


--
-- Name: api_key_client api_key_client_key_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key_client
    ADD CONSTRAINT api_key_client_key_exists FOREIGN KEY (tenant_id, api_key_id) REFERENCES holdfast.api_key(tenant_id, api_key_id) ON DELETE CASCADE;


--
-- Name: api_key api_key_tenant_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.api_key
    ADD CONSTRAINT api_key_tenant_exists FOREIGN KEY (tenant_id) REFERENCES holdfast.tenant(tenant_id);


--
-- Name: app app_client_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app
    ADD CONSTRAINT app_client_exists FOREIGN KEY (tenant_id, client_id) REFERENCES holdfast.client(tenant_id, client_id);


--
-- Name: app_environment app_environment_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app_environment
    ADD CONSTRAINT app_environment_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: app_store_connect_message app_store_connect_message_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app_store_connect_message
    ADD CONSTRAINT app_store_connect_message_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: apple_call apple_call_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.apple_call
    ADD CONSTRAINT apple_call_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: apple_default apple_default_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.apple_default
    ADD CONSTRAINT apple_default_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: apple_object apple_object_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.apple_object
    ADD CONSTRAINT apple_object_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: billing_plan_price billing_plan_price_plan_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.billing_plan_price
    ADD CONSTRAINT billing_plan_price_plan_exists FOREIGN KEY (tenant_id, app_id, product_id, billing_plan_type) REFERENCES holdfast.billing_plan(tenant_id, app_id, product_id, billing_plan_type) ON DELETE CASCADE;


--
-- Name: billing_plan billing_plan_product_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.billing_plan
    ADD CONSTRAINT billing_plan_product_exists FOREIGN KEY (tenant_id, app_id, product_id) REFERENCES holdfast.product(tenant_id, app_id, product_id) ON DELETE CASCADE;


--
-- Name: bullet bullet_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.bullet
    ADD CONSTRAINT bullet_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: bullet bullet_image_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.bullet
    ADD CONSTRAINT bullet_image_exists FOREIGN KEY (tenant_id, app_id, image_id) REFERENCES holdfast.image(tenant_id, app_id, image_id);


--
-- Name: bullet bullet_localization_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.bullet
    ADD CONSTRAINT bullet_localization_exists FOREIGN KEY (tenant_id, app_id, message_id, locale) REFERENCES holdfast.localization(tenant_id, app_id, message_id, locale) ON DELETE CASCADE;


--
-- Name: call_budget call_budget_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.call_budget
    ADD CONSTRAINT call_budget_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: client client_tenant_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.client
    ADD CONSTRAINT client_tenant_exists FOREIGN KEY (tenant_id) REFERENCES holdfast.tenant(tenant_id);


--
-- Name: credential credential_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.credential
    ADD CONSTRAINT credential_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: credential_check credential_check_credential_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.credential_check
    ADD CONSTRAINT credential_check_credential_exists FOREIGN KEY (tenant_id, app_id, credential_id) REFERENCES holdfast.credential(tenant_id, app_id, credential_id) ON DELETE CASCADE;


--
-- Name: default_message default_message_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.default_message
    ADD CONSTRAINT default_message_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: default_message default_message_localization_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.default_message
    ADD CONSTRAINT default_message_localization_exists FOREIGN KEY (tenant_id, app_id, message_id, locale) REFERENCES holdfast.localization(tenant_id, app_id, message_id, locale);


--
-- Name: default_message default_message_product_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.default_message
    ADD CONSTRAINT default_message_product_exists FOREIGN KEY (tenant_id, app_id, product_id) REFERENCES holdfast.product(tenant_id, app_id, product_id) ON DELETE CASCADE;


--
-- Name: discount_budget_spent discount_budget_spent_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.discount_budget_spent
    ADD CONSTRAINT discount_budget_spent_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: endpoint endpoint_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.endpoint
    ADD CONSTRAINT endpoint_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: fold_lease fold_lease_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.fold_lease
    ADD CONSTRAINT fold_lease_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: governor_counter governor_counter_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.governor_counter
    ADD CONSTRAINT governor_counter_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: idempotency_record idempotency_record_key_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.idempotency_record
    ADD CONSTRAINT idempotency_record_key_exists FOREIGN KEY (tenant_id, api_key_id) REFERENCES holdfast.api_key(tenant_id, api_key_id);


--
-- Name: image image_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image
    ADD CONSTRAINT image_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: image image_file_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image
    ADD CONSTRAINT image_file_exists FOREIGN KEY (tenant_id, sha256) REFERENCES holdfast.image_file(tenant_id, sha256);


--
-- Name: image_file image_file_tenant_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image_file
    ADD CONSTRAINT image_file_tenant_exists FOREIGN KEY (tenant_id) REFERENCES holdfast.tenant(tenant_id);


--
-- Name: image_placement image_placement_image_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image_placement
    ADD CONSTRAINT image_placement_image_exists FOREIGN KEY (tenant_id, app_id, image_id) REFERENCES holdfast.image(tenant_id, app_id, image_id) ON DELETE CASCADE;


--
-- Name: image_placement image_placement_object_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image_placement
    ADD CONSTRAINT image_placement_object_exists FOREIGN KEY (tenant_id, app_id, environment, apple_id) REFERENCES holdfast.apple_object(tenant_id, app_id, environment, apple_id) ON DELETE CASCADE;


--
-- Name: job job_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.job
    ADD CONSTRAINT job_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: job job_key_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.job
    ADD CONSTRAINT job_key_exists FOREIGN KEY (tenant_id, api_key_id) REFERENCES holdfast.api_key(tenant_id, api_key_id);


--
-- Name: localization localization_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.localization
    ADD CONSTRAINT localization_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: localization localization_image_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.localization
    ADD CONSTRAINT localization_image_exists FOREIGN KEY (tenant_id, app_id, image_id) REFERENCES holdfast.image(tenant_id, app_id, image_id);


--
-- Name: localization localization_message_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.localization
    ADD CONSTRAINT localization_message_exists FOREIGN KEY (tenant_id, app_id, message_id) REFERENCES holdfast.message(tenant_id, app_id, message_id) ON DELETE CASCADE;


--
-- Name: message message_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message
    ADD CONSTRAINT message_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: message_placement message_placement_localization_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_placement
    ADD CONSTRAINT message_placement_localization_exists FOREIGN KEY (tenant_id, app_id, message_id, locale) REFERENCES holdfast.localization(tenant_id, app_id, message_id, locale) ON DELETE CASCADE;


--
-- Name: message_placement message_placement_object_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_placement
    ADD CONSTRAINT message_placement_object_exists FOREIGN KEY (tenant_id, app_id, environment, apple_id) REFERENCES holdfast.apple_object(tenant_id, app_id, environment, apple_id) ON DELETE CASCADE;


--
-- Name: message_target message_target_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_target
    ADD CONSTRAINT message_target_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: message_target message_target_message_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_target
    ADD CONSTRAINT message_target_message_exists FOREIGN KEY (tenant_id, app_id, message_id) REFERENCES holdfast.message(tenant_id, app_id, message_id) ON DELETE CASCADE;


--
-- Name: notification notification_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.notification
    ADD CONSTRAINT notification_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: notification_history notification_history_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.notification_history
    ADD CONSTRAINT notification_history_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: offer_price offer_price_offer_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.offer_price
    ADD CONSTRAINT offer_price_offer_exists FOREIGN KEY (tenant_id, app_id, product_id, offer_identifier) REFERENCES holdfast.offer(tenant_id, app_id, product_id, offer_identifier) ON DELETE CASCADE;


--
-- Name: offer offer_product_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.offer
    ADD CONSTRAINT offer_product_exists FOREIGN KEY (tenant_id, app_id, product_id) REFERENCES holdfast.product(tenant_id, app_id, product_id) ON DELETE CASCADE;


--
-- Name: performance_test performance_test_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.performance_test
    ADD CONSTRAINT performance_test_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: product product_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.product
    ADD CONSTRAINT product_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: profile profile_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.profile
    ADD CONSTRAINT profile_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: publication publication_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.publication
    ADD CONSTRAINT publication_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: publication publication_version_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.publication
    ADD CONSTRAINT publication_version_exists FOREIGN KEY (tenant_id, app_id, version) REFERENCES holdfast.rule_set(tenant_id, app_id, version) ON DELETE CASCADE;


--
-- Name: rule_set rule_set_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set
    ADD CONSTRAINT rule_set_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: rule_set_draft rule_set_draft_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_draft
    ADD CONSTRAINT rule_set_draft_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: rule_set_publication rule_set_publication_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_publication
    ADD CONSTRAINT rule_set_publication_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: rule_set_publication rule_set_publication_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_publication
    ADD CONSTRAINT rule_set_publication_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: rule_set_publication rule_set_publication_version_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_publication
    ADD CONSTRAINT rule_set_publication_version_exists FOREIGN KEY (tenant_id, app_id, version) REFERENCES holdfast.rule_set(tenant_id, app_id, version);


--
-- Name: snapshot_acknowledgement snapshot_acknowledgement_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.snapshot_acknowledgement
    ADD CONSTRAINT snapshot_acknowledgement_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: snapshot snapshot_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.snapshot
    ADD CONSTRAINT snapshot_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: sync_run sync_run_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.sync_run
    ADD CONSTRAINT sync_run_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: sync_state sync_state_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.sync_state
    ADD CONSTRAINT sync_state_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: snapshot_acknowledgement acknowledging; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY acknowledging ON holdfast.snapshot_acknowledgement TO holdfast_definer USING (true) WITH CHECK (true);


--
-- Name: app allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.app AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (client_id = ANY (( SELECT holdfast_sec.allowed_clients() AS allowed_clients)::uuid[])) OR (app_id = ANY (( SELECT holdfast_sec.named_apps() AS named_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR ((client_id = ANY (( SELECT holdfast_sec.allowed_clients() AS allowed_clients)::uuid[])) AND COALESCE((holdfast_sec.client_of(app_id) = ANY (( SELECT holdfast_sec.allowed_clients() AS allowed_clients)::uuid[])), true)) OR ((app_id = ANY (( SELECT holdfast_sec.named_apps() AS named_apps)::uuid[])) AND (client_id = holdfast_sec.client_of(app_id)))));


--
-- Name: app_environment allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.app_environment AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: app_store_connect_message allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.app_store_connect_message AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: apple_call allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.apple_call AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: apple_default allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.apple_default AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: apple_object allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.apple_object AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: audit_event allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.audit_event AS RESTRICTIVE FOR SELECT TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: billing_plan allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.billing_plan AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: billing_plan_price allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.billing_plan_price AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: bullet allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.bullet AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: call_budget allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.call_budget AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: credential allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.credential AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: credential_check allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.credential_check AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: decision allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.decision AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: default_message allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.default_message AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: discount_budget_spent allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.discount_budget_spent AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: endpoint allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.endpoint AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: fold_lease allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.fold_lease AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: governor_counter allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.governor_counter AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: image allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.image AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: image_file allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.image_file AS RESTRICTIVE FOR SELECT TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (EXISTS ( SELECT
   FROM holdfast.image i
  WHERE ((i.tenant_id = image_file.tenant_id) AND (i.sha256 = image_file.sha256))))));


--
-- Name: image_placement allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.image_placement AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: job allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.job AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: localization allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.localization AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: message allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.message AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: message_placement allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.message_placement AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: message_target allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.message_target AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: notification allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.notification AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])) OR ((((app_id)::text || '/'::text) || environment) = ( SELECT holdfast_sec.shown_endpoint() AS shown_endpoint))));


--
-- Name: notification_history allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.notification_history AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: offer allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.offer AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: offer_price allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.offer_price AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: performance_test allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.performance_test AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: product allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.product AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: profile allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.profile AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: publication allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.publication AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: rule_set allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.rule_set AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: rule_set_draft allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.rule_set_draft AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: rule_set_publication allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.rule_set_publication AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: snapshot allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.snapshot AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: snapshot_acknowledgement allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.snapshot_acknowledgement AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: sync_run allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.sync_run AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: sync_state allowed_apps; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_apps ON holdfast.sync_state AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (app_id = ANY (( SELECT holdfast_sec.allowed_apps() AS allowed_apps)::uuid[]))));


--
-- Name: client allowed_clients; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY allowed_clients ON holdfast.client AS RESTRICTIVE TO holdfast_gateway USING (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (client_id = ANY (( SELECT holdfast_sec.allowed_clients() AS allowed_clients)::uuid[])))) WITH CHECK (((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)) OR (client_id = ANY (( SELECT holdfast_sec.allowed_clients() AS allowed_clients)::uuid[]))));


--
-- Name: api_key; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.api_key ENABLE ROW LEVEL SECURITY;

--
-- Name: api_key_app; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.api_key_app ENABLE ROW LEVEL SECURITY;

--
-- Name: api_key_client; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.api_key_client ENABLE ROW LEVEL SECURITY;

--
-- Name: app; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.app ENABLE ROW LEVEL SECURITY;

--
-- Name: app_environment; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.app_environment ENABLE ROW LEVEL SECURITY;

--
-- Name: app_store_connect_message; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.app_store_connect_message ENABLE ROW LEVEL SECURITY;

--
-- Name: apple_call; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.apple_call ENABLE ROW LEVEL SECURITY;

--
-- Name: apple_default; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.apple_default ENABLE ROW LEVEL SECURITY;

--
-- Name: apple_object; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.apple_object ENABLE ROW LEVEL SECURITY;

--
-- Name: audit_event; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.audit_event ENABLE ROW LEVEL SECURITY;

--
-- Name: billing_plan; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.billing_plan ENABLE ROW LEVEL SECURITY;

--
-- Name: billing_plan_price; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.billing_plan_price ENABLE ROW LEVEL SECURITY;

--
-- Name: bullet; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.bullet ENABLE ROW LEVEL SECURITY;

--
-- Name: call_budget; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.call_budget ENABLE ROW LEVEL SECURITY;

--
-- Name: app claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.app AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: app_environment claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.app_environment AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: app_store_connect_message claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.app_store_connect_message AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: apple_call claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.apple_call AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: apple_default claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.apple_default AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: apple_object claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.apple_object AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: audit_event claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.audit_event AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: billing_plan claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.billing_plan AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: bullet claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.bullet AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: call_budget claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.call_budget AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: credential claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.credential AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: credential_check claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.credential_check AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: default_message claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.default_message AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: endpoint claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.endpoint AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: image claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.image AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: image_file claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.image_file AS RESTRICTIVE FOR SELECT TO holdfast_sync USING ((EXISTS ( SELECT
   FROM holdfast.image i
  WHERE ((i.tenant_id = image_file.tenant_id) AND (i.sha256 = image_file.sha256)))));


--
-- Name: image_placement claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.image_placement AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: localization claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.localization AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: message claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.message AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: message_placement claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.message_placement AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: message_target claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.message_target AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: notification claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.notification AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: notification_history claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.notification_history AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: offer claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.offer AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: performance_test claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.performance_test AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: product claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.product AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: rule_set claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.rule_set AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: rule_set_publication claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.rule_set_publication AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: snapshot claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.snapshot AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: snapshot_acknowledgement claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.snapshot_acknowledgement AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: sync_run claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.sync_run AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: sync_state claimed_app; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claimed_app ON holdfast.sync_state AS RESTRICTIVE TO holdfast_sync USING ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app))) WITH CHECK ((app_id = ( SELECT holdfast_sec.claimed_app() AS claimed_app)));


--
-- Name: fold_lease claiming; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claiming ON holdfast.fold_lease TO holdfast_definer USING (true) WITH CHECK (true);


--
-- Name: job claiming; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claiming ON holdfast.job TO holdfast_definer USING (true) WITH CHECK (true);


--
-- Name: notification claiming; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claiming ON holdfast.notification FOR SELECT TO holdfast_definer USING (true);


--
-- Name: sync_state claiming; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY claiming ON holdfast.sync_state TO holdfast_definer USING (true) WITH CHECK (true);


--
-- Name: client; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.client ENABLE ROW LEVEL SECURITY;

--
-- Name: credential; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.credential ENABLE ROW LEVEL SECURITY;

--
-- Name: credential_check; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.credential_check ENABLE ROW LEVEL SECURITY;

--
-- Name: decision; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.decision ENABLE ROW LEVEL SECURITY;

--
-- Name: default_message; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.default_message ENABLE ROW LEVEL SECURITY;

--
-- Name: discount_budget_spent; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.discount_budget_spent ENABLE ROW LEVEL SECURITY;

--
-- Name: endpoint; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.endpoint ENABLE ROW LEVEL SECURITY;

--
-- Name: api_key entering; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY entering ON holdfast.api_key TO holdfast_definer USING (true) WITH CHECK (true);


--
-- Name: api_key_app entering; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY entering ON holdfast.api_key_app FOR SELECT TO holdfast_definer USING (true);


--
-- Name: api_key_client entering; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY entering ON holdfast.api_key_client FOR SELECT TO holdfast_definer USING (true);


--
-- Name: app entering; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY entering ON holdfast.app FOR SELECT TO holdfast_definer USING (true);


--
-- Name: client entering; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY entering ON holdfast.client FOR SELECT TO holdfast_definer USING (true);


--
-- Name: endpoint entering; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY entering ON holdfast.endpoint FOR SELECT TO holdfast_definer USING (true);


--
-- Name: tenant entering; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY entering ON holdfast.tenant FOR SELECT TO holdfast_definer USING (true);


--
-- Name: app_environment feed; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY feed ON holdfast.app_environment FOR SELECT TO holdfast_definer USING (true);


--
-- Name: snapshot feed; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY feed ON holdfast.snapshot FOR SELECT TO holdfast_definer USING (true);


--
-- Name: fold_lease; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.fold_lease ENABLE ROW LEVEL SECURITY;

--
-- Name: image forgetting; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY forgetting ON holdfast.image FOR SELECT TO holdfast_definer USING (true);


--
-- Name: image_file forgetting; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY forgetting ON holdfast.image_file TO holdfast_definer USING (true) WITH CHECK (false);


--
-- Name: governor_counter; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.governor_counter ENABLE ROW LEVEL SECURITY;

--
-- Name: notification_history hurrying; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY hurrying ON holdfast.notification_history TO holdfast_definer USING (true) WITH CHECK (true);


--
-- Name: idempotency_record; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.idempotency_record ENABLE ROW LEVEL SECURITY;

--
-- Name: image; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.image ENABLE ROW LEVEL SECURITY;

--
-- Name: image_file; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.image_file ENABLE ROW LEVEL SECURITY;

--
-- Name: image_placement; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.image_placement ENABLE ROW LEVEL SECURITY;

--
-- Name: job; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.job ENABLE ROW LEVEL SECURITY;

--
-- Name: localization; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.localization ENABLE ROW LEVEL SECURITY;

--
-- Name: message; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.message ENABLE ROW LEVEL SECURITY;

--
-- Name: message_placement; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.message_placement ENABLE ROW LEVEL SECURITY;

--
-- Name: message_target; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.message_target ENABLE ROW LEVEL SECURITY;

--
-- Name: api_key migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.api_key TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: api_key_app migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.api_key_app TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: api_key_client migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.api_key_client TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: app migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.app TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: app_environment migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.app_environment TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: app_store_connect_message migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.app_store_connect_message TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: apple_call migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.apple_call TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: apple_default migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.apple_default TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: apple_object migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.apple_object TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: audit_event migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.audit_event TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: billing_plan migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.billing_plan TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: billing_plan_price migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.billing_plan_price TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: bullet migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.bullet TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: call_budget migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.call_budget TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: client migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.client TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: credential migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.credential TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: credential_check migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.credential_check TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: decision migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.decision TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: default_message migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.default_message TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: discount_budget_spent migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.discount_budget_spent TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: endpoint migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.endpoint TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: fold_lease migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.fold_lease TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: governor_counter migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.governor_counter TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: idempotency_record migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.idempotency_record TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: image migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.image TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: image_file migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.image_file TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: image_placement migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.image_placement TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: job migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.job TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: localization migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.localization TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: message migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.message TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: message_placement migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.message_placement TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: message_target migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.message_target TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: notification migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.notification TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: notification_history migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.notification_history TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: offer migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.offer TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: offer_price migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.offer_price TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: performance_test migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.performance_test TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: product migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.product TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: profile migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.profile TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: publication migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.publication TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: rule_set migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.rule_set TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: rule_set_draft migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.rule_set_draft TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: rule_set_publication migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.rule_set_publication TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: snapshot migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.snapshot TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: snapshot_acknowledgement migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.snapshot_acknowledgement TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: sync_run migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.sync_run TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: sync_state migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.sync_state TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: tenant migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.tenant TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: notification; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.notification ENABLE ROW LEVEL SECURITY;

--
-- Name: notification_history; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.notification_history ENABLE ROW LEVEL SECURITY;

--
-- Name: discount_budget_spent noting; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY noting ON holdfast.discount_budget_spent FOR SELECT TO holdfast_definer USING (true);


--
-- Name: governor_counter noting; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY noting ON holdfast.governor_counter FOR SELECT TO holdfast_definer USING (true);


--
-- Name: profile noting; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY noting ON holdfast.profile FOR SELECT TO holdfast_definer USING (true);


--
-- Name: offer; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.offer ENABLE ROW LEVEL SECURITY;

--
-- Name: offer_price; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.offer_price ENABLE ROW LEVEL SECURITY;

--
-- Name: idempotency_record own; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY own ON holdfast.idempotency_record AS RESTRICTIVE TO holdfast_gateway USING ((api_key_id = ( SELECT holdfast_sec.api_key() AS api_key))) WITH CHECK ((api_key_id = ( SELECT holdfast_sec.api_key() AS api_key)));


--
-- Name: job own_changes; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY own_changes ON holdfast.job AS RESTRICTIVE FOR UPDATE TO holdfast_gateway USING ((api_key_id = ( SELECT holdfast_sec.api_key() AS api_key))) WITH CHECK ((api_key_id = ( SELECT holdfast_sec.api_key() AS api_key)));


--
-- Name: audit_event own_name; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY own_name ON holdfast.audit_event AS RESTRICTIVE FOR INSERT TO holdfast_gateway WITH CHECK (((actor_kind = ANY (ARRAY['apiKey'::text, 'job'::text])) AND (api_key_id = ( SELECT holdfast_sec.api_key() AS api_key))));


--
-- Name: job own_name; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY own_name ON holdfast.job AS RESTRICTIVE FOR INSERT TO holdfast_gateway WITH CHECK (((api_key_id = ( SELECT holdfast_sec.api_key() AS api_key)) AND (state = 'queued'::text) AND (attempts = 0)));


--
-- Name: performance_test; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.performance_test ENABLE ROW LEVEL SECURITY;

--
-- Name: product; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.product ENABLE ROW LEVEL SECURITY;

--
-- Name: profile; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.profile ENABLE ROW LEVEL SECURITY;

--
-- Name: snapshot pruning; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY pruning ON holdfast.snapshot FOR DELETE TO holdfast_definer USING (true);


--
-- Name: publication; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.publication ENABLE ROW LEVEL SECURITY;

--
-- Name: apple_call purging; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY purging ON holdfast.apple_call TO holdfast_definer USING (true) WITH CHECK (false);


--
-- Name: idempotency_record purging; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY purging ON holdfast.idempotency_record TO holdfast_definer USING (true) WITH CHECK (false);


--
-- Name: sync_run purging; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY purging ON holdfast.sync_run TO holdfast_definer USING (true) WITH CHECK (false);


--
-- Name: performance_test queued_only; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY queued_only ON holdfast.performance_test AS RESTRICTIVE FOR INSERT TO holdfast_gateway, holdfast_operator WITH CHECK ((state = 'queued'::text));


--
-- Name: sync_run queued_only; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY queued_only ON holdfast.sync_run AS RESTRICTIVE FOR INSERT TO holdfast_gateway, holdfast_operator WITH CHECK (((state = 'queued'::text) AND (trigger = 'request'::text)));


--
-- Name: api_key revoked_stays; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY revoked_stays ON holdfast.api_key AS RESTRICTIVE FOR UPDATE TO holdfast_gateway, holdfast_operator USING ((revoked_at IS NULL)) WITH CHECK (true);


--
-- Name: rule_set; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.rule_set ENABLE ROW LEVEL SECURITY;

--
-- Name: rule_set_draft; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.rule_set_draft ENABLE ROW LEVEL SECURITY;

--
-- Name: rule_set_publication; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.rule_set_publication ENABLE ROW LEVEL SECURITY;

--
-- Name: notification shown_endpoint; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY shown_endpoint ON holdfast.notification AS RESTRICTIVE FOR INSERT TO holdfast_gateway WITH CHECK (((((app_id)::text || '/'::text) || environment) = ( SELECT holdfast_sec.shown_endpoint() AS shown_endpoint)));


--
-- Name: snapshot; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.snapshot ENABLE ROW LEVEL SECURITY;

--
-- Name: snapshot_acknowledgement; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.snapshot_acknowledgement ENABLE ROW LEVEL SECURITY;

--
-- Name: app sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.app TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: app_environment sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.app_environment TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: app_store_connect_message sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.app_store_connect_message TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: apple_call sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.apple_call TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: apple_default sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.apple_default TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: apple_object sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.apple_object TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: audit_event sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.audit_event TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: billing_plan sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.billing_plan TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: bullet sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.bullet TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: call_budget sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.call_budget TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: credential sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.credential TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: credential_check sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.credential_check TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: default_message sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.default_message TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: endpoint sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.endpoint TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: image sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.image TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: image_file sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.image_file TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: image_placement sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.image_placement TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: localization sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.localization TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: message sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.message TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: message_placement sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.message_placement TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: message_target sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.message_target TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: notification sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.notification TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: notification_history sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.notification_history TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: offer sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.offer TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: performance_test sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.performance_test TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: product sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.product TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: rule_set sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.rule_set TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: rule_set_publication sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.rule_set_publication TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: snapshot sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.snapshot TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: snapshot_acknowledgement sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.snapshot_acknowledgement TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: sync_run sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.sync_run TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: sync_state sync; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY sync ON holdfast.sync_state TO holdfast_sync USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: sync_run; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.sync_run ENABLE ROW LEVEL SECURITY;

--
-- Name: sync_state; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.sync_state ENABLE ROW LEVEL SECURITY;

--
-- Name: api_key tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.api_key TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: api_key_app tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.api_key_app TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: api_key_client tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.api_key_client TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: app tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.app TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: app_environment tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.app_environment TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: app_store_connect_message tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.app_store_connect_message TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: apple_call tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.apple_call TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: apple_default tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.apple_default TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: apple_object tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.apple_object TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: audit_event tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.audit_event TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: billing_plan tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.billing_plan TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: billing_plan_price tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.billing_plan_price TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: bullet tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.bullet TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: call_budget tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.call_budget TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: client tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.client TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: credential tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.credential TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: credential_check tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.credential_check TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: decision tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.decision TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: default_message tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.default_message TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: discount_budget_spent tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.discount_budget_spent TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: endpoint tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.endpoint TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: fold_lease tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.fold_lease TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: governor_counter tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.governor_counter TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: idempotency_record tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.idempotency_record TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: image tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.image TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: image_file tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.image_file TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: image_placement tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.image_placement TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: job tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.job TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: localization tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.localization TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: message tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.message TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: message_placement tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.message_placement TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: message_target tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.message_target TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: notification tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.notification TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: notification_history tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.notification_history TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: offer tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.offer TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: offer_price tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.offer_price TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: performance_test tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.performance_test TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: product tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.product TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: profile tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.profile TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: publication tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.publication TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: rule_set tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.rule_set TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: rule_set_draft tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.rule_set_draft TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: rule_set_publication tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.rule_set_publication TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: snapshot tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.snapshot TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: snapshot_acknowledgement tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.snapshot_acknowledgement TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: sync_run tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.sync_run TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: sync_state tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.sync_state TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: tenant; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.tenant ENABLE ROW LEVEL SECURITY;

--
-- Name: tenant tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.tenant TO holdfast_gateway, holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: decision tenant_insert; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant_insert ON holdfast.decision FOR INSERT TO holdfast_responder WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: api_key unlimited; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY unlimited ON holdfast.api_key AS RESTRICTIVE TO holdfast_gateway USING ((NOT ( SELECT holdfast_sec.is_limited() AS is_limited))) WITH CHECK ((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)));


--
-- Name: api_key_app unlimited; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY unlimited ON holdfast.api_key_app AS RESTRICTIVE TO holdfast_gateway USING ((NOT ( SELECT holdfast_sec.is_limited() AS is_limited))) WITH CHECK ((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)));


--
-- Name: api_key_client unlimited; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY unlimited ON holdfast.api_key_client AS RESTRICTIVE TO holdfast_gateway USING ((NOT ( SELECT holdfast_sec.is_limited() AS is_limited))) WITH CHECK ((NOT ( SELECT holdfast_sec.is_limited() AS is_limited)));


--
-- Name: profile_change migration; Type: POLICY; Schema: holdfast_hot; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast_hot.profile_change TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: profile_change noting; Type: POLICY; Schema: holdfast_hot; Owner: holdfast_owner
--

CREATE POLICY noting ON holdfast_hot.profile_change TO holdfast_definer USING (true) WITH CHECK (true);


--
-- Name: profile_change; Type: ROW SECURITY; Schema: holdfast_hot; Owner: holdfast_owner
--

ALTER TABLE holdfast_hot.profile_change ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA holdfast; Type: ACL; Schema: -; Owner: holdfast_owner
--

GRANT USAGE ON SCHEMA holdfast TO holdfast_operator;
GRANT USAGE ON SCHEMA holdfast TO holdfast_responder;
GRANT USAGE ON SCHEMA holdfast TO holdfast_definer;
GRANT USAGE ON SCHEMA holdfast TO holdfast_gateway;
GRANT USAGE ON SCHEMA holdfast TO holdfast_sync;


--
-- Name: SCHEMA holdfast_hot; Type: ACL; Schema: -; Owner: holdfast_owner
--

GRANT USAGE ON SCHEMA holdfast_hot TO holdfast_responder;
GRANT ALL ON SCHEMA holdfast_hot TO holdfast_definer;
GRANT USAGE ON SCHEMA holdfast_hot TO holdfast_gateway;
GRANT USAGE ON SCHEMA holdfast_hot TO holdfast_operator;
GRANT USAGE ON SCHEMA holdfast_hot TO holdfast_sync;


--
-- Name: SCHEMA holdfast_ops; Type: ACL; Schema: -; Owner: holdfast_owner
--

GRANT USAGE ON SCHEMA holdfast_ops TO holdfast_migrator;
GRANT USAGE ON SCHEMA holdfast_ops TO holdfast_gateway;
GRANT USAGE ON SCHEMA holdfast_ops TO holdfast_operator;
GRANT ALL ON SCHEMA holdfast_ops TO holdfast_definer;
GRANT USAGE ON SCHEMA holdfast_ops TO holdfast_sync;


--
-- Name: SCHEMA holdfast_sec; Type: ACL; Schema: -; Owner: holdfast_owner
--

GRANT USAGE ON SCHEMA holdfast_sec TO holdfast_operator;
GRANT USAGE ON SCHEMA holdfast_sec TO holdfast_responder;
GRANT ALL ON SCHEMA holdfast_sec TO holdfast_definer;
GRANT USAGE ON SCHEMA holdfast_sec TO holdfast_gateway;
GRANT USAGE ON SCHEMA holdfast_sec TO holdfast_sync;


--
-- Name: FUNCTION acknowledge(responder_name text, at_time timestamp with time zone, tenants uuid[], apps uuid[], environments text[], numbers bigint[]); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.acknowledge(responder_name text, at_time timestamp with time zone, tenants uuid[], apps uuid[], environments text[], numbers bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.acknowledge(responder_name text, at_time timestamp with time zone, tenants uuid[], apps uuid[], environments text[], numbers bigint[]) TO holdfast_responder;


--
-- Name: FUNCTION discount_budgets(from_month date); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.discount_budgets(from_month date) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.discount_budgets(from_month date) TO holdfast_responder;


--
-- Name: FUNCTION live_responders(since timestamp with time zone); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.live_responders(since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.live_responders(since timestamp with time zone) TO holdfast_gateway;
GRANT ALL ON FUNCTION holdfast_hot.live_responders(since timestamp with time zone) TO holdfast_operator;
GRANT ALL ON FUNCTION holdfast_hot.live_responders(since timestamp with time zone) TO holdfast_sync;


--
-- Name: FUNCTION profile(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_transaction text); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.profile(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_transaction text) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.profile(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_transaction text) TO holdfast_responder;


--
-- Name: FUNCTION profile_changes(since_transaction bigint, since_number bigint, most integer); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.profile_changes(since_transaction bigint, since_number bigint, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.profile_changes(since_transaction bigint, since_number bigint, most integer) TO holdfast_responder;


--
-- Name: FUNCTION recent_profiles(wanted_tenant uuid, wanted_app uuid, wanted_environment text, below text, most integer); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.recent_profiles(wanted_tenant uuid, wanted_app uuid, wanted_environment text, below text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.recent_profiles(wanted_tenant uuid, wanted_app uuid, wanted_environment text, below text, most integer) TO holdfast_responder;


--
-- Name: FUNCTION snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint) TO holdfast_responder;


--
-- Name: FUNCTION snapshot_heads(); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.snapshot_heads() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.snapshot_heads() TO holdfast_responder;


--
-- Name: FUNCTION tell_responders(); Type: ACL; Schema: holdfast_hot; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_hot.tell_responders() FROM PUBLIC;


--
-- Name: FUNCTION claim_fold(worker text, lease interval, per_tenant integer); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.claim_fold(worker text, lease interval, per_tenant integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.claim_fold(worker text, lease interval, per_tenant integer) TO holdfast_operator;


--
-- Name: FUNCTION claim_job(lease interval, attempts_limit integer); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.claim_job(lease interval, attempts_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.claim_job(lease interval, attempts_limit integer) TO holdfast_gateway;


--
-- Name: FUNCTION claim_sync(worker text, lease interval, per_tenant integer); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.claim_sync(worker text, lease interval, per_tenant integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.claim_sync(worker text, lease interval, per_tenant integer) TO holdfast_sync;


--
-- Name: FUNCTION hurry_notification_history(); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.hurry_notification_history() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.hurry_notification_history() TO holdfast_gateway;


--
-- Name: FUNCTION make_partitions(first_day date, months integer); Type: ACL; Schema: holdfast_ops; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_ops.make_partitions(first_day date, months integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.make_partitions(first_day date, months integer) TO holdfast_migrator;


--
-- Name: FUNCTION prune_snapshots(kept integer); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.prune_snapshots(kept integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.prune_snapshots(kept integer) TO holdfast_gateway;


--
-- Name: FUNCTION purge_idempotency_records(before timestamp with time zone); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.purge_idempotency_records(before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.purge_idempotency_records(before timestamp with time zone) TO holdfast_gateway;


--
-- Name: FUNCTION purge_profile_changes(before timestamp with time zone, most integer); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.purge_profile_changes(before timestamp with time zone, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.purge_profile_changes(before timestamp with time zone, most integer) TO holdfast_gateway;


--
-- Name: FUNCTION purge_sync_history(before timestamp with time zone, most integer); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.purge_sync_history(before timestamp with time zone, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.purge_sync_history(before timestamp with time zone, most integer) TO holdfast_sync;


--
-- Name: FUNCTION sync_backlog(); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.sync_backlog() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.sync_backlog() TO holdfast_sync;


--
-- Name: FUNCTION tenants(); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.tenants() TO holdfast_operator;


--
-- Name: FUNCTION waiting_folds(); Type: ACL; Schema: holdfast_ops; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_ops.waiting_folds() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.waiting_folds() TO holdfast_operator;


--
-- Name: FUNCTION allowed_apps(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.allowed_apps() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.allowed_apps() TO holdfast_gateway;


--
-- Name: FUNCTION allowed_clients(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.allowed_clients() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.allowed_clients() TO holdfast_gateway;


--
-- Name: FUNCTION api_key(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.api_key() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.api_key() TO holdfast_gateway;


--
-- Name: FUNCTION claimed_app(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.claimed_app() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.claimed_app() TO holdfast_sync;
GRANT ALL ON FUNCTION holdfast_sec.claimed_app() TO holdfast_operator;


--
-- Name: FUNCTION client_of(wanted_app uuid); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.client_of(wanted_app uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.client_of(wanted_app uuid) TO holdfast_gateway;


--
-- Name: FUNCTION enter_endpoint(wanted_hash bytea); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.enter_endpoint(wanted_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.enter_endpoint(wanted_hash bytea) TO holdfast_gateway;


--
-- Name: FUNCTION enter_fold(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.enter_fold(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.enter_fold(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval) TO holdfast_operator;


--
-- Name: FUNCTION enter_job(wanted_tenant uuid, wanted_job uuid, wanted_lease uuid, at_time timestamp with time zone); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.enter_job(wanted_tenant uuid, wanted_job uuid, wanted_lease uuid, at_time timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.enter_job(wanted_tenant uuid, wanted_job uuid, wanted_lease uuid, at_time timestamp with time zone) TO holdfast_gateway;


--
-- Name: FUNCTION enter_key(wanted_hash bytea, at_time timestamp with time zone); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.enter_key(wanted_hash bytea, at_time timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.enter_key(wanted_hash bytea, at_time timestamp with time zone) TO holdfast_gateway;


--
-- Name: FUNCTION enter_sync(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.enter_sync(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.enter_sync(wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval) TO holdfast_sync;


--
-- Name: FUNCTION enter_tenant(tenant uuid); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.enter_tenant(tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.enter_tenant(tenant uuid) TO holdfast_operator;
GRANT ALL ON FUNCTION holdfast_sec.enter_tenant(tenant uuid) TO holdfast_responder;


--
-- Name: FUNCTION forget_files(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.forget_files() FROM PUBLIC;


--
-- Name: FUNCTION hurry_sync(wanted_environment text); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.hurry_sync(wanted_environment text) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.hurry_sync(wanted_environment text) TO holdfast_sync;


--
-- Name: FUNCTION is_limited(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.is_limited() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.is_limited() TO holdfast_gateway;


--
-- Name: FUNCTION leave_fold(wanted_environment text, wanted_token bigint); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.leave_fold(wanted_environment text, wanted_token bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.leave_fold(wanted_environment text, wanted_token bigint) TO holdfast_operator;


--
-- Name: FUNCTION leave_sync(wanted_environment text, wanted_token bigint, known_change bigint, wait interval); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.leave_sync(wanted_environment text, wanted_token bigint, known_change bigint, wait interval) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.leave_sync(wanted_environment text, wanted_token bigint, known_change bigint, wait interval) TO holdfast_sync;


--
-- Name: FUNCTION mac(tenant text, api_key text); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.mac(tenant text, api_key text) FROM PUBLIC;


--
-- Name: FUNCTION named_apps(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.named_apps() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.named_apps() TO holdfast_gateway;


--
-- Name: FUNCTION note_key_use(tenants uuid[], keys uuid[], times timestamp with time zone[]); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.note_key_use(tenants uuid[], keys uuid[], times timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.note_key_use(tenants uuid[], keys uuid[], times timestamp with time zone[]) TO holdfast_gateway;


--
-- Name: FUNCTION note_profile_changes(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.note_profile_changes() FROM PUBLIC;


--
-- Name: FUNCTION protect(protected regclass); Type: ACL; Schema: holdfast_sec; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_sec.protect(protected regclass) FROM PUBLIC;


--
-- Name: FUNCTION protect_app(protected regclass); Type: ACL; Schema: holdfast_sec; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_sec.protect_app(protected regclass) FROM PUBLIC;


--
-- Name: FUNCTION protect_sync(protected regclass, privileges text); Type: ACL; Schema: holdfast_sec; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_sec.protect_sync(protected regclass, privileges text) FROM PUBLIC;


--
-- Name: FUNCTION refuse_change(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_sec.refuse_change() FROM PUBLIC;


--
-- Name: FUNCTION set_context(tenant uuid, api_key uuid); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.set_context(tenant uuid, api_key uuid) FROM PUBLIC;


--
-- Name: FUNCTION shown_endpoint(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.shown_endpoint() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.shown_endpoint() TO holdfast_gateway;


--
-- Name: FUNCTION tenant(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.tenant() TO holdfast_operator;
GRANT ALL ON FUNCTION holdfast_sec.tenant() TO holdfast_responder;
GRANT ALL ON FUNCTION holdfast_sec.tenant() TO holdfast_gateway;
GRANT ALL ON FUNCTION holdfast_sec.tenant() TO holdfast_sync;


--
-- Name: FUNCTION tenant_usage(at_time timestamp with time zone); Type: ACL; Schema: holdfast_sec; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_sec.tenant_usage(at_time timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.tenant_usage(at_time timestamp with time zone) TO holdfast_gateway;
GRANT ALL ON FUNCTION holdfast_sec.tenant_usage(at_time timestamp with time zone) TO holdfast_operator;


--
-- Name: TABLE api_key; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT ON TABLE holdfast.api_key TO holdfast_operator;
GRANT INSERT ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.api_key TO holdfast_definer;


--
-- Name: COLUMN api_key.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(tenant_id) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(tenant_id) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.api_key_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(api_key_id) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(api_key_id) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.name; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(name),UPDATE(name) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(name),UPDATE(name) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.scopes; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(scopes) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(scopes) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.is_limited; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(is_limited) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(is_limited) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.created_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(created_at) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(created_at) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.created_by; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(created_by) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(created_by) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.expires_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(expires_at),UPDATE(expires_at) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(expires_at),UPDATE(expires_at) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.revoked_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE holdfast.api_key TO holdfast_operator;


--
-- Name: COLUMN api_key.last_used_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(last_used_at) ON TABLE holdfast.api_key TO holdfast_gateway;
GRANT SELECT(last_used_at) ON TABLE holdfast.api_key TO holdfast_operator;
GRANT UPDATE(last_used_at) ON TABLE holdfast.api_key TO holdfast_definer;


--
-- Name: TABLE api_key_app; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.api_key_app TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.api_key_app TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.api_key_app TO holdfast_definer;


--
-- Name: TABLE api_key_client; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.api_key_client TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.api_key_client TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.api_key_client TO holdfast_definer;


--
-- Name: TABLE app; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.app TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.app TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.app TO holdfast_definer;
GRANT SELECT ON TABLE holdfast.app TO holdfast_sync;


--
-- Name: TABLE app_environment; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.app_environment TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.app_environment TO holdfast_definer;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.app_environment TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.app_environment TO holdfast_sync;


--
-- Name: COLUMN app_environment.snapshot_number; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(snapshot_number) ON TABLE holdfast.app_environment TO holdfast_sync;


--
-- Name: TABLE app_store_connect_message; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.app_store_connect_message TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.app_store_connect_message TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.app_store_connect_message TO holdfast_sync;


--
-- Name: TABLE apple_call; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.apple_call TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.apple_call TO holdfast_gateway;
GRANT SELECT,INSERT ON TABLE holdfast.apple_call TO holdfast_sync;
GRANT DELETE ON TABLE holdfast.apple_call TO holdfast_definer;


--
-- Name: COLUMN apple_call.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(tenant_id) ON TABLE holdfast.apple_call TO holdfast_definer;


--
-- Name: COLUMN apple_call.app_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(app_id) ON TABLE holdfast.apple_call TO holdfast_definer;


--
-- Name: COLUMN apple_call.environment; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(environment) ON TABLE holdfast.apple_call TO holdfast_definer;


--
-- Name: COLUMN apple_call.call_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(call_id) ON TABLE holdfast.apple_call TO holdfast_definer;


--
-- Name: COLUMN apple_call.started_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(started_at) ON TABLE holdfast.apple_call TO holdfast_definer;


--
-- Name: COLUMN apple_call.finished_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(finished_at) ON TABLE holdfast.apple_call TO holdfast_sync;


--
-- Name: COLUMN apple_call.status; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(status) ON TABLE holdfast.apple_call TO holdfast_sync;


--
-- Name: COLUMN apple_call.apple_code; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(apple_code) ON TABLE holdfast.apple_call TO holdfast_sync;


--
-- Name: COLUMN apple_call.apple_message; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(apple_message) ON TABLE holdfast.apple_call TO holdfast_sync;


--
-- Name: COLUMN apple_call.outcome; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(outcome) ON TABLE holdfast.apple_call TO holdfast_sync;


--
-- Name: TABLE apple_default; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.apple_default TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.apple_default TO holdfast_gateway;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.apple_default TO holdfast_sync;


--
-- Name: TABLE apple_object; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.apple_object TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.apple_object TO holdfast_gateway;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.apple_object TO holdfast_sync;


--
-- Name: COLUMN apple_object.superseded_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(superseded_at) ON TABLE holdfast.apple_object TO holdfast_gateway;


--
-- Name: TABLE message_placement; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.message_placement TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.message_placement TO holdfast_gateway;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.message_placement TO holdfast_sync;


--
-- Name: TABLE approved_placement; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.approved_placement TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.approved_placement TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.approved_placement TO holdfast_sync;


--
-- Name: TABLE audit_event; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT ON TABLE holdfast.audit_event TO holdfast_operator;
GRANT SELECT,INSERT ON TABLE holdfast.audit_event TO holdfast_gateway;
GRANT INSERT ON TABLE holdfast.audit_event TO holdfast_sync;


--
-- Name: TABLE billing_plan; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.billing_plan TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.billing_plan TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.billing_plan TO holdfast_sync;


--
-- Name: TABLE billing_plan_price; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.billing_plan_price TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.billing_plan_price TO holdfast_gateway;


--
-- Name: TABLE bullet; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.bullet TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.bullet TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.bullet TO holdfast_sync;


--
-- Name: TABLE call_budget; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.call_budget TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.call_budget TO holdfast_gateway;
GRANT SELECT,INSERT ON TABLE holdfast.call_budget TO holdfast_sync;


--
-- Name: COLUMN call_budget.spoken_for; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(spoken_for) ON TABLE holdfast.call_budget TO holdfast_sync;


--
-- Name: COLUMN call_budget.not_before; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(not_before) ON TABLE holdfast.call_budget TO holdfast_sync;


--
-- Name: TABLE client; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.client TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.client TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.client TO holdfast_definer;


--
-- Name: TABLE credential; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.credential TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.credential TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.credential TO holdfast_sync;


--
-- Name: COLUMN credential.retired_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(retired_at) ON TABLE holdfast.credential TO holdfast_sync;


--
-- Name: COLUMN credential.activated_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(activated_at) ON TABLE holdfast.credential TO holdfast_sync;


--
-- Name: TABLE credential_check; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.credential_check TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.credential_check TO holdfast_gateway;
GRANT SELECT,INSERT ON TABLE holdfast.credential_check TO holdfast_sync;


--
-- Name: COLUMN credential_check.verdict; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(verdict) ON TABLE holdfast.credential_check TO holdfast_sync;


--
-- Name: COLUMN credential_check.status; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(status) ON TABLE holdfast.credential_check TO holdfast_sync;


--
-- Name: COLUMN credential_check.apple_code; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(apple_code) ON TABLE holdfast.credential_check TO holdfast_sync;


--
-- Name: COLUMN credential_check.checked_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(checked_at) ON TABLE holdfast.credential_check TO holdfast_sync;


--
-- Name: TABLE decision; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.decision TO holdfast_operator;
GRANT INSERT ON TABLE holdfast.decision TO holdfast_responder;
GRANT SELECT ON TABLE holdfast.decision TO holdfast_gateway;


--
-- Name: TABLE default_message; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.default_message TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.default_message TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.default_message TO holdfast_sync;


--
-- Name: TABLE discount_budget_spent; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.discount_budget_spent TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.discount_budget_spent TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.discount_budget_spent TO holdfast_definer;


--
-- Name: TABLE endpoint; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.endpoint TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.endpoint TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.endpoint TO holdfast_sync;


--
-- Name: COLUMN endpoint.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(tenant_id) ON TABLE holdfast.endpoint TO holdfast_definer;


--
-- Name: COLUMN endpoint.app_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(app_id) ON TABLE holdfast.endpoint TO holdfast_definer;


--
-- Name: COLUMN endpoint.environment; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(environment) ON TABLE holdfast.endpoint TO holdfast_definer;


--
-- Name: COLUMN endpoint.token_hash; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(token_hash) ON TABLE holdfast.endpoint TO holdfast_definer;


--
-- Name: COLUMN endpoint.retired_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(retired_at) ON TABLE holdfast.endpoint TO holdfast_definer;


--
-- Name: TABLE fold_lease; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.fold_lease TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.fold_lease TO holdfast_gateway;
GRANT SELECT,INSERT,UPDATE ON TABLE holdfast.fold_lease TO holdfast_definer;


--
-- Name: TABLE governor_counter; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.governor_counter TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.governor_counter TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.governor_counter TO holdfast_definer;


--
-- Name: TABLE idempotency_record; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.idempotency_record TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.idempotency_record TO holdfast_gateway;
GRANT DELETE ON TABLE holdfast.idempotency_record TO holdfast_definer;


--
-- Name: COLUMN idempotency_record.created_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(created_at) ON TABLE holdfast.idempotency_record TO holdfast_definer;


--
-- Name: TABLE image; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.image TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.image TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.image TO holdfast_sync;


--
-- Name: COLUMN image.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(tenant_id) ON TABLE holdfast.image TO holdfast_definer;


--
-- Name: COLUMN image.sha256; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(sha256) ON TABLE holdfast.image TO holdfast_definer;


--
-- Name: TABLE image_file; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT ON TABLE holdfast.image_file TO holdfast_operator;
GRANT SELECT,INSERT ON TABLE holdfast.image_file TO holdfast_gateway;
GRANT DELETE ON TABLE holdfast.image_file TO holdfast_definer;
GRANT SELECT ON TABLE holdfast.image_file TO holdfast_sync;


--
-- Name: COLUMN image_file.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(tenant_id) ON TABLE holdfast.image_file TO holdfast_definer;


--
-- Name: COLUMN image_file.sha256; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(sha256) ON TABLE holdfast.image_file TO holdfast_definer;


--
-- Name: TABLE image_placement; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.image_placement TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.image_placement TO holdfast_gateway;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.image_placement TO holdfast_sync;


--
-- Name: TABLE job; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.job TO holdfast_operator;
GRANT SELECT,UPDATE ON TABLE holdfast.job TO holdfast_definer;


--
-- Name: COLUMN job.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(tenant_id),INSERT(tenant_id) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.job_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(job_id),INSERT(job_id) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.app_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(app_id),INSERT(app_id) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.api_key_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(api_key_id),INSERT(api_key_id) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.kind; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(kind),INSERT(kind) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.input; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(input),INSERT(input) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.state; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(state),INSERT(state),UPDATE(state) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.done; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(done),UPDATE(done) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.total; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(total),INSERT(total),UPDATE(total) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.report; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(report),UPDATE(report) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.failure; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(failure),UPDATE(failure) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.attempts; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(attempts) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.created_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(created_at),INSERT(created_at) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.started_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(started_at) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.finished_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(finished_at),UPDATE(finished_at) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.lease_token; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(lease_token) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: COLUMN job.leased_until; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(leased_until) ON TABLE holdfast.job TO holdfast_gateway;


--
-- Name: TABLE localization; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.localization TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.localization TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.localization TO holdfast_sync;


--
-- Name: TABLE message; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.message TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.message TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.message TO holdfast_sync;


--
-- Name: TABLE message_target; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.message_target TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.message_target TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.message_target TO holdfast_sync;


--
-- Name: TABLE notification; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.notification TO holdfast_operator;
GRANT SELECT,INSERT,DELETE ON TABLE holdfast.notification TO holdfast_gateway;
GRANT INSERT ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(tenant_id) ON TABLE holdfast.notification TO holdfast_definer;
GRANT SELECT(tenant_id) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.app_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(app_id) ON TABLE holdfast.notification TO holdfast_definer;
GRANT SELECT(app_id) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.environment; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(environment) ON TABLE holdfast.notification TO holdfast_definer;
GRANT SELECT(environment) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.notification_uuid; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(notification_uuid) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.arrival_number; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(arrival_number) ON TABLE holdfast.notification TO holdfast_definer;


--
-- Name: COLUMN notification.signed_date; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(signed_date) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.notification_type; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(notification_type) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.subtype; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(subtype) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.original_transaction_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(original_transaction_id) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.source; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(source) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.received_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(received_at) ON TABLE holdfast.notification TO holdfast_definer;
GRANT SELECT(received_at) ON TABLE holdfast.notification TO holdfast_sync;


--
-- Name: COLUMN notification.folded_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT(folded_at) ON TABLE holdfast.notification TO holdfast_definer;


--
-- Name: TABLE notification_history; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.notification_history TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.notification_history TO holdfast_gateway;
GRANT SELECT,INSERT ON TABLE holdfast.notification_history TO holdfast_sync;
GRANT SELECT ON TABLE holdfast.notification_history TO holdfast_definer;


--
-- Name: COLUMN notification_history.read_to; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(read_to) ON TABLE holdfast.notification_history TO holdfast_sync;


--
-- Name: COLUMN notification_history.window_from; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(window_from) ON TABLE holdfast.notification_history TO holdfast_sync;


--
-- Name: COLUMN notification_history.window_to; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(window_to) ON TABLE holdfast.notification_history TO holdfast_sync;


--
-- Name: COLUMN notification_history.pagination_token; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(pagination_token) ON TABLE holdfast.notification_history TO holdfast_sync;


--
-- Name: COLUMN notification_history.due_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(due_at) ON TABLE holdfast.notification_history TO holdfast_sync;
GRANT UPDATE(due_at) ON TABLE holdfast.notification_history TO holdfast_definer;


--
-- Name: COLUMN notification_history.read_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(read_at) ON TABLE holdfast.notification_history TO holdfast_sync;


--
-- Name: COLUMN notification_history.failures; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(failures) ON TABLE holdfast.notification_history TO holdfast_sync;


--
-- Name: TABLE offer; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.offer TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.offer TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.offer TO holdfast_sync;


--
-- Name: TABLE offer_price; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.offer_price TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.offer_price TO holdfast_gateway;


--
-- Name: TABLE performance_test; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.performance_test TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.performance_test TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(tenant_id) ON TABLE holdfast.performance_test TO holdfast_gateway;
GRANT INSERT(tenant_id) ON TABLE holdfast.performance_test TO holdfast_operator;


--
-- Name: COLUMN performance_test.app_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(app_id) ON TABLE holdfast.performance_test TO holdfast_gateway;
GRANT INSERT(app_id) ON TABLE holdfast.performance_test TO holdfast_operator;


--
-- Name: COLUMN performance_test.test_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(test_id) ON TABLE holdfast.performance_test TO holdfast_gateway;
GRANT INSERT(test_id) ON TABLE holdfast.performance_test TO holdfast_operator;


--
-- Name: COLUMN performance_test.state; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(state) ON TABLE holdfast.performance_test TO holdfast_gateway;
GRANT INSERT(state) ON TABLE holdfast.performance_test TO holdfast_operator;
GRANT UPDATE(state) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.requested_by; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(requested_by) ON TABLE holdfast.performance_test TO holdfast_gateway;
GRANT INSERT(requested_by) ON TABLE holdfast.performance_test TO holdfast_operator;


--
-- Name: COLUMN performance_test.transaction_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(transaction_id) ON TABLE holdfast.performance_test TO holdfast_gateway;
GRANT INSERT(transaction_id) ON TABLE holdfast.performance_test TO holdfast_operator;


--
-- Name: COLUMN performance_test.created_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(created_at) ON TABLE holdfast.performance_test TO holdfast_gateway;
GRANT INSERT(created_at) ON TABLE holdfast.performance_test TO holdfast_operator;


--
-- Name: COLUMN performance_test.started_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(started_at) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.finished_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(finished_at) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.own_load; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(own_load) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.apple_request_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(apple_request_id) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.config; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(config) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.result; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(result) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.failure; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(failure) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.polled_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(polled_at) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: COLUMN performance_test.polls; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(polls) ON TABLE holdfast.performance_test TO holdfast_sync;


--
-- Name: TABLE product; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.product TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.product TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.product TO holdfast_sync;


--
-- Name: TABLE profile; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.profile TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.profile TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.profile TO holdfast_definer;


--
-- Name: TABLE publication; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT ON TABLE holdfast.publication TO holdfast_operator;
GRANT SELECT,INSERT ON TABLE holdfast.publication TO holdfast_gateway;


--
-- Name: TABLE rule_set; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT ON TABLE holdfast.rule_set TO holdfast_operator;
GRANT SELECT,INSERT ON TABLE holdfast.rule_set TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.rule_set TO holdfast_sync;


--
-- Name: TABLE rule_set_draft; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.rule_set_draft TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.rule_set_draft TO holdfast_gateway;


--
-- Name: TABLE rule_set_publication; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.rule_set_publication TO holdfast_operator;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.rule_set_publication TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.rule_set_publication TO holdfast_sync;


--
-- Name: TABLE snapshot; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT ON TABLE holdfast.snapshot TO holdfast_operator;
GRANT SELECT,DELETE ON TABLE holdfast.snapshot TO holdfast_definer;
GRANT SELECT,INSERT ON TABLE holdfast.snapshot TO holdfast_gateway;
GRANT SELECT,INSERT ON TABLE holdfast.snapshot TO holdfast_sync;


--
-- Name: TABLE snapshot_acknowledgement; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.snapshot_acknowledgement TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.snapshot_acknowledgement TO holdfast_gateway;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.snapshot_acknowledgement TO holdfast_definer;
GRANT SELECT ON TABLE holdfast.snapshot_acknowledgement TO holdfast_sync;


--
-- Name: TABLE sync_run; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.sync_run TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT SELECT,INSERT ON TABLE holdfast.sync_run TO holdfast_sync;
GRANT DELETE ON TABLE holdfast.sync_run TO holdfast_definer;


--
-- Name: COLUMN sync_run.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(tenant_id) ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT INSERT(tenant_id) ON TABLE holdfast.sync_run TO holdfast_operator;
GRANT SELECT(tenant_id) ON TABLE holdfast.sync_run TO holdfast_definer;


--
-- Name: COLUMN sync_run.app_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(app_id) ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT INSERT(app_id) ON TABLE holdfast.sync_run TO holdfast_operator;
GRANT SELECT(app_id) ON TABLE holdfast.sync_run TO holdfast_definer;


--
-- Name: COLUMN sync_run.environment; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(environment) ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT INSERT(environment) ON TABLE holdfast.sync_run TO holdfast_operator;
GRANT SELECT(environment) ON TABLE holdfast.sync_run TO holdfast_definer;


--
-- Name: COLUMN sync_run.run_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(run_id) ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT INSERT(run_id) ON TABLE holdfast.sync_run TO holdfast_operator;
GRANT SELECT(run_id) ON TABLE holdfast.sync_run TO holdfast_definer;


--
-- Name: COLUMN sync_run.trigger; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(trigger) ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT INSERT(trigger) ON TABLE holdfast.sync_run TO holdfast_operator;


--
-- Name: COLUMN sync_run.requested_by; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(requested_by) ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT INSERT(requested_by) ON TABLE holdfast.sync_run TO holdfast_operator;


--
-- Name: COLUMN sync_run.state; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(state) ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT INSERT(state) ON TABLE holdfast.sync_run TO holdfast_operator;
GRANT UPDATE(state) ON TABLE holdfast.sync_run TO holdfast_sync;


--
-- Name: COLUMN sync_run.created_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(created_at) ON TABLE holdfast.sync_run TO holdfast_gateway;
GRANT INSERT(created_at) ON TABLE holdfast.sync_run TO holdfast_operator;


--
-- Name: COLUMN sync_run.started_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(started_at) ON TABLE holdfast.sync_run TO holdfast_sync;


--
-- Name: COLUMN sync_run.finished_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(finished_at) ON TABLE holdfast.sync_run TO holdfast_sync;
GRANT SELECT(finished_at) ON TABLE holdfast.sync_run TO holdfast_definer;


--
-- Name: COLUMN sync_run.reads; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(reads) ON TABLE holdfast.sync_run TO holdfast_sync;


--
-- Name: COLUMN sync_run.writes; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(writes) ON TABLE holdfast.sync_run TO holdfast_sync;


--
-- Name: COLUMN sync_run.result; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(result) ON TABLE holdfast.sync_run TO holdfast_sync;


--
-- Name: TABLE sync_state; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.sync_state TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.sync_state TO holdfast_sync;
GRANT SELECT,UPDATE ON TABLE holdfast.sync_state TO holdfast_definer;


--
-- Name: COLUMN sync_state.tenant_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(tenant_id) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT INSERT(tenant_id) ON TABLE holdfast.sync_state TO holdfast_operator;


--
-- Name: COLUMN sync_state.app_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(app_id) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT INSERT(app_id) ON TABLE holdfast.sync_state TO holdfast_operator;


--
-- Name: COLUMN sync_state.environment; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT INSERT(environment) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT INSERT(environment) ON TABLE holdfast.sync_state TO holdfast_operator;


--
-- Name: COLUMN sync_state.next_run_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(next_run_at) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(next_run_at) ON TABLE holdfast.sync_state TO holdfast_operator;


--
-- Name: COLUMN sync_state.change_number; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(change_number) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(change_number) ON TABLE holdfast.sync_state TO holdfast_operator;


--
-- Name: COLUMN sync_state.images_listed_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(images_listed_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.messages_listed_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(messages_listed_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.doubted_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(doubted_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.images_full_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(images_full_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.messages_full_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(messages_full_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.url_kind; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(url_kind) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.url_endpoint_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(url_endpoint_id) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.url_is_uncertain; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(url_is_uncertain) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.url_read_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(url_read_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.url_refused_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(url_refused_at) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(url_refused_at) ON TABLE holdfast.sync_state TO holdfast_operator;
GRANT UPDATE(url_refused_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.url_refusal_code; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(url_refusal_code) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(url_refusal_code) ON TABLE holdfast.sync_state TO holdfast_operator;
GRANT UPDATE(url_refusal_code) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.may_replace_url; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(may_replace_url) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(may_replace_url) ON TABLE holdfast.sync_state TO holdfast_operator;
GRANT UPDATE(may_replace_url) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.pause_reason; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(pause_reason) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(pause_reason) ON TABLE holdfast.sync_state TO holdfast_operator;
GRANT UPDATE(pause_reason) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.paused_until; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(paused_until) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(paused_until) ON TABLE holdfast.sync_state TO holdfast_operator;
GRANT UPDATE(paused_until) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.pause_credential_id; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(pause_credential_id) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(pause_credential_id) ON TABLE holdfast.sync_state TO holdfast_operator;
GRANT UPDATE(pause_credential_id) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.failures; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(failures) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.retry_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(retry_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.access; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(access) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.access_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(access_at) ON TABLE holdfast.sync_state TO holdfast_sync;


--
-- Name: COLUMN sync_state.access_requested_at; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT UPDATE(access_requested_at) ON TABLE holdfast.sync_state TO holdfast_gateway;
GRANT UPDATE(access_requested_at) ON TABLE holdfast.sync_state TO holdfast_operator;


--
-- Name: TABLE tenant; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.tenant TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.tenant TO holdfast_gateway;
GRANT SELECT ON TABLE holdfast.tenant TO holdfast_definer;


--
-- Name: TABLE profile_change; Type: ACL; Schema: holdfast_hot; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE holdfast_hot.profile_change TO holdfast_definer;


--
-- Name: TABLE profile_change_floor; Type: ACL; Schema: holdfast_hot; Owner: holdfast_owner
--

GRANT SELECT,UPDATE ON TABLE holdfast_hot.profile_change_floor TO holdfast_definer;


--
-- Name: TABLE responder; Type: ACL; Schema: holdfast_hot; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast_hot.responder TO holdfast_definer;


--
-- Name: TABLE secret; Type: ACL; Schema: holdfast_sec; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast_sec.secret TO holdfast_definer;


--
-- Name: TABLE holdfast_migration; Type: ACL; Schema: public; Owner: holdfast_migrator
--

GRANT SELECT ON TABLE public.holdfast_migration TO PUBLIC;


--
-- Name: DEFAULT PRIVILEGES FOR FUNCTIONS; Type: DEFAULT ACL; Schema: -; Owner: holdfast_owner
--

ALTER DEFAULT PRIVILEGES FOR ROLE holdfast_owner REVOKE ALL ON FUNCTIONS  FROM PUBLIC;


--
-- PostgreSQL database dump complete
--


