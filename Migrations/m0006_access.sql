-- Who acts: API keys, the signed tenant of a transaction, audit, idempotency, jobs. From here on no SQL can choose
-- a tenant by setting a variable: it must show a key, a lease, or be a role that may name a tenant.
set local role holdfast_owner;

grant usage on schema holdfast, holdfast_sec, holdfast_ops to holdfast_gateway;
grant usage on schema holdfast_ops to holdfast_operator;
grant usage, create on schema holdfast_sec, holdfast_ops to holdfast_definer;

-- The key of the signature below. One row, readable by the definer alone.
create table holdfast_sec.secret (
  is_only boolean primary key default true,
  value bytea not null,
  constraint secret_is_one_row check (is_only),
  constraint secret_size check (length(value) = 32)
);
insert into holdfast_sec.secret (value) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
grant select on holdfast_sec.secret to holdfast_definer;

-- Of tenant, key and this very transaction. The parts have fixed lengths or come last, and the secret stands on both
-- sides, so that nothing can be appended.
create function holdfast_sec.mac(tenant text, api_key text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  key bytea;
begin
  select value into strict key from holdfast_sec.secret;
  return encode(sha256(key || convert_to(tenant || '/' || api_key || '/' || pg_backend_pid()::text || '/'
    || extract(epoch from transaction_timestamp())::text, 'UTF8') || key), 'hex');
end $$;

-- Sets the tenant of this transaction, and signs it.
create function holdfast_sec.set_context(tenant uuid, api_key uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('holdfast.tenant_id', tenant::text, true);
  perform set_config('holdfast.api_key_id', coalesce(api_key::text, ''), true);
  perform set_config('holdfast.context_mac', holdfast_sec.mac(tenant::text, coalesce(api_key::text, '')), true);
end $$;

-- Raises instead of returning no rows: a forgotten tenant is a bug, not an empty list. After a transaction with a
-- local setting the value is '' on that connection, not null.
create or replace function holdfast_sec.tenant() returns uuid
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
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

-- The key in whose name this transaction acts; null for operators, the responder and jobs of operators.
create function holdfast_sec.api_key() returns uuid
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast_sec.tenant();
  return nullif(current_setting('holdfast.api_key_id', true), '')::uuid;
end $$;

-- For the roles that act for every tenant: operators' commands name it, the responder ships what it spooled.
create function holdfast_sec.enter_tenant(tenant uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast_sec.set_context(tenant, null);
end $$;

-- --- API keys ------------------------------------------------------------------------------------------------

create table holdfast.api_key (
  tenant_id uuid not null,
  api_key_id uuid not null,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  is_limited boolean not null,
  created_at timestamptz not null,
  created_by jsonb not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (tenant_id, api_key_id),
  constraint api_key_hash_unique unique (tenant_id, secret_hash),
  constraint api_key_tenant_exists foreign key (tenant_id) references holdfast.tenant,
  constraint api_key_name_length check (length(name) between 1 and 200),
  constraint api_key_hash_size check (length(secret_hash) = 32),
  constraint api_key_scopes_count check (cardinality(scopes) between 1 and 32),
  constraint api_key_created_by_is_object check (jsonb_typeof(created_by) = 'object')
);
comment on column holdfast.api_key.is_limited is
  'Whether the key sees the clients and apps named for it only; it stays limited when the last of them is deleted.';
-- A key is looked up before its tenant is known. 256 random bits: nobody has another's.
create index api_key_by_hash on holdfast.api_key (secret_hash);

create table holdfast.api_key_client (
  tenant_id uuid not null,
  api_key_id uuid not null,
  client_id uuid not null,
  primary key (tenant_id, api_key_id, client_id),
  constraint api_key_client_key_exists foreign key (tenant_id, api_key_id) references holdfast.api_key on delete cascade,
  constraint api_key_client_exists foreign key (tenant_id, client_id) references holdfast.client on delete cascade
);

create table holdfast.api_key_app (
  tenant_id uuid not null,
  api_key_id uuid not null,
  app_id uuid not null,
  primary key (tenant_id, api_key_id, app_id),
  constraint api_key_app_key_exists foreign key (tenant_id, api_key_id) references holdfast.api_key on delete cascade,
  constraint api_key_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade
);

-- Whether this transaction's key is limited to clients and apps.
create function holdfast_sec.is_limited() returns boolean
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant uuid := holdfast_sec.tenant();
  key uuid := holdfast_sec.api_key();
begin
  -- A role that answers the world and no key: a bug, so it sees nothing.
  if key is null then return session_user = 'holdfast_gateway'; end if;
  return coalesce((select k.is_limited from holdfast.api_key k where k.tenant_id = tenant and k.api_key_id = key), true);
end $$;

create function holdfast_sec.allowed_clients() returns uuid[]
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant uuid := holdfast_sec.tenant();
  key uuid := holdfast_sec.api_key();
begin
  return array(select c.client_id from holdfast.api_key_client c where c.tenant_id = tenant and c.api_key_id = key);
end $$;

-- The apps named for the key, and all of its clients'.
create function holdfast_sec.allowed_apps() returns uuid[]
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
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

-- The apps named for the key alone: what an app's row is checked against, beside its client.
create function holdfast_sec.named_apps() returns uuid[]
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant uuid := holdfast_sec.tenant();
  key uuid := holdfast_sec.api_key();
begin
  return array(select a.app_id from holdfast.api_key_app a where a.tenant_id = tenant and a.api_key_id = key);
end $$;

-- The client whose an app is before the statement that asks.
create function holdfast_sec.client_of(wanted_app uuid) returns uuid
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant uuid := holdfast_sec.tenant();
begin
  return (select a.client_id from holdfast.app a where a.tenant_id = tenant and a.app_id = wanted_app);
end $$;

-- Makes this transaction act in the name of the key with this hash. No row: no such key, or not any more.
create function holdfast_sec.enter_key(wanted_hash bytea, at_time timestamptz)
returns table (tenant_id uuid, api_key_id uuid, name text, scopes text[], is_limited boolean,
  expires_at timestamptz, requests_per_minute integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- When each key was last used: written now and then, by the gateway, for keys of many tenants at once.
create function holdfast_sec.note_key_use(tenants uuid[], keys uuid[], times timestamptz[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- In one order, so that two gateways do not wait for each other.
  perform from holdfast.api_key k
    where (k.tenant_id, k.api_key_id) in (select * from unnest(tenants, keys))
    order by k.tenant_id, k.api_key_id for no key update;
  update holdfast.api_key k set last_used_at = greatest(k.last_used_at, u.used_at)
  from unnest(tenants, keys, times) as u (tenant_id, api_key_id, used_at)
  where k.tenant_id = u.tenant_id and k.api_key_id = u.api_key_id and isfinite(u.used_at);
end $$;

-- How much the transaction's tenant has of what it has a quota of, whatever its key may see: a key for one client counts
-- against the whole tenant.
create function holdfast_sec.tenant_usage(at_time timestamptz)
returns table (clients bigint, apps bigint, api_keys bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant uuid := holdfast_sec.tenant();
begin
  return query select
    (select count(*) from holdfast.client c where c.tenant_id = tenant),
    (select count(*) from holdfast.app a where a.tenant_id = tenant),
    (select count(*) from holdfast.api_key k where k.tenant_id = tenant and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > at_time));
end $$;

-- --- Protection of tables, now with the gateway's role ----------------------------------------------------------

create or replace function holdfast_sec.protect(protected regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
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

-- Besides the tenant: rows of the apps that a limited key may see.
create function holdfast_sec.protect_app(protected regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format(
    'create policy allowed_apps on %s as restrictive to holdfast_gateway '
    'using (not (select holdfast_sec.is_limited()) or app_id = any ((select holdfast_sec.allowed_apps())::uuid[])) '
    'with check (not (select holdfast_sec.is_limited()) or app_id = any ((select holdfast_sec.allowed_apps())::uuid[]))',
    protected);
end $$;

do $$
declare
  protected regclass;
begin
  foreach protected in array array[
    'holdfast.client', 'holdfast.app', 'holdfast.app_environment', 'holdfast.product', 'holdfast.billing_plan',
    'holdfast.offer', 'holdfast.credential', 'holdfast.image', 'holdfast.message', 'holdfast.localization',
    'holdfast.bullet', 'holdfast.apple_object', 'holdfast.image_placement', 'holdfast.message_placement',
    'holdfast.default_message', 'holdfast.rule_set', 'holdfast.rule_set_publication', 'holdfast.endpoint',
    'holdfast.snapshot', 'holdfast.api_key', 'holdfast.api_key_client', 'holdfast.api_key_app', 'holdfast.tenant',
    'holdfast.decision']::regclass[]
  loop
    perform holdfast_sec.protect(protected);
  end loop;
  foreach protected in array array[
    'holdfast.app_environment', 'holdfast.product', 'holdfast.billing_plan', 'holdfast.offer', 'holdfast.credential',
    'holdfast.message', 'holdfast.localization', 'holdfast.bullet', 'holdfast.apple_object',
    'holdfast.image_placement', 'holdfast.message_placement', 'holdfast.default_message', 'holdfast.rule_set',
    'holdfast.rule_set_publication', 'holdfast.endpoint', 'holdfast.snapshot', 'holdfast.decision']::regclass[]
  loop
    perform holdfast_sec.protect_app(protected);
  end loop;
end $$;

create policy allowed_clients on holdfast.client as restrictive to holdfast_gateway
  using (not (select holdfast_sec.is_limited())
    or client_id = any ((select holdfast_sec.allowed_clients())::uuid[]))
  -- A key for some clients cannot make others.
  with check (not (select holdfast_sec.is_limited())
    or client_id = any ((select holdfast_sec.allowed_clients())::uuid[]));
create policy allowed_apps on holdfast.app as restrictive to holdfast_gateway
  using (not (select holdfast_sec.is_limited())
    or client_id = any ((select holdfast_sec.allowed_clients())::uuid[])
    or app_id = any ((select holdfast_sec.named_apps())::uuid[]))
  -- A key may move an app between its own clients. A key for one app may edit it, but not hand it to another client,
  -- nor take it to a client that is its own.
  with check (not (select holdfast_sec.is_limited())
    or (client_id = any ((select holdfast_sec.allowed_clients())::uuid[])
      and coalesce(holdfast_sec.client_of(app_id) = any ((select holdfast_sec.allowed_clients())::uuid[]), true))
    or (app_id = any ((select holdfast_sec.named_apps())::uuid[]) and client_id = holdfast_sec.client_of(app_id)));
-- A limited key could otherwise make itself an unlimited one.
create policy unlimited on holdfast.api_key as restrictive to holdfast_gateway
  using (not (select holdfast_sec.is_limited())) with check (not (select holdfast_sec.is_limited()));
create policy unlimited on holdfast.api_key_client as restrictive to holdfast_gateway
  using (not (select holdfast_sec.is_limited())) with check (not (select holdfast_sec.is_limited()));
create policy unlimited on holdfast.api_key_app as restrictive to holdfast_gateway
  using (not (select holdfast_sec.is_limited())) with check (not (select holdfast_sec.is_limited()));

grant select on holdfast.approved_placement to holdfast_gateway;
-- The hash goes in and is compared by `enter_key`; nobody reads it.
revoke select, update on holdfast.api_key from holdfast_gateway, holdfast_operator;
grant select (tenant_id, api_key_id, name, scopes, is_limited, created_at, created_by, expires_at, revoked_at,
  last_used_at) on holdfast.api_key to holdfast_gateway, holdfast_operator;
grant update (name, expires_at, revoked_at) on holdfast.api_key to holdfast_gateway, holdfast_operator;
-- A key that was used is never forgotten: the audit names it. One that was revoked never lives again.
revoke delete on holdfast.api_key from holdfast_gateway, holdfast_operator;
create policy revoked_stays on holdfast.api_key as restrictive for update to holdfast_gateway, holdfast_operator
  using (revoked_at is null) with check (true);
-- An agency does not change itself, nor what it did.
revoke insert, update, delete on holdfast.tenant from holdfast_gateway;
revoke insert, update, delete on holdfast.decision from holdfast_gateway;
revoke update, delete on holdfast.snapshot from holdfast_gateway, holdfast_operator;
revoke update, delete on holdfast.rule_set from holdfast_gateway, holdfast_operator;

-- What the functions above look at, across tenants.
create policy entering on holdfast.api_key to holdfast_definer using (true) with check (true);
create policy entering on holdfast.api_key_client for select to holdfast_definer using (true);
create policy entering on holdfast.api_key_app for select to holdfast_definer using (true);
create policy entering on holdfast.client for select to holdfast_definer using (true);
create policy entering on holdfast.app for select to holdfast_definer using (true);
create policy entering on holdfast.tenant for select to holdfast_definer using (true);
grant select, update (last_used_at) on holdfast.api_key to holdfast_definer;
grant select on holdfast.api_key_client, holdfast.api_key_app, holdfast.client, holdfast.app, holdfast.tenant to holdfast_definer;

-- --- Limits of a tenant ---------------------------------------------------------------------------------------

alter table holdfast.tenant
  add column requests_per_minute integer not null default 600,
  add column client_limit integer not null default 500,
  add column app_limit integer not null default 1000,
  add column api_key_limit integer not null default 500,
  add constraint tenant_limits_positive
    check (least(requests_per_minute, client_limit, app_limit, api_key_limit) > 0);

-- --- Audit ----------------------------------------------------------------------------------------------------

create table holdfast.audit_event (
  tenant_id uuid not null,
  audit_event_id uuid not null,
  at timestamptz not null,
  actor_kind text collate "C" not null,
  actor_id text collate "C" not null,
  actor_name text,
  api_key_id uuid,
  address text collate "C",
  request_id text collate "C",
  action text collate "C" not null,
  resource_type text collate "C" not null,
  resource_id text not null,
  app_id uuid,
  changes jsonb not null,
  primary key (tenant_id, audit_event_id),
  constraint audit_event_actor_known check (actor_kind in ('apiKey', 'operator', 'job', 'responder')),
  constraint audit_event_lengths check (length(actor_id) <= 200 and length(address) <= 64
    and length(request_id) <= 64 and length(action) <= 64 and length(resource_type) <= 64
    and length(resource_id) <= 600),
  constraint audit_event_changes_is_object check (jsonb_typeof(changes) = 'object')
);
create index audit_event_of_app on holdfast.audit_event (tenant_id, app_id, audit_event_id desc);
create index audit_event_by_action on holdfast.audit_event (tenant_id, action, audit_event_id desc);
comment on table holdfast.audit_event is
  'No foreign key to the app: what was done to a deleted app stays known.';
comment on column holdfast.audit_event.api_key_id is
  'The key in whose name it was done, also by a job; the gateway can write no other than the one it shows.';
select holdfast_sec.protect('holdfast.audit_event');
-- Not `protect_app`: a limited key writes down what it did to a client, or to an app that is gone by now.
create policy allowed_apps on holdfast.audit_event as restrictive for select to holdfast_gateway
  using (not (select holdfast_sec.is_limited()) or app_id = any ((select holdfast_sec.allowed_apps())::uuid[]));
create policy own_name on holdfast.audit_event as restrictive for insert to holdfast_gateway
  with check (actor_kind in ('apiKey', 'job') and api_key_id = (select holdfast_sec.api_key()));
revoke update, delete on holdfast.audit_event from holdfast_operator, holdfast_gateway;

-- Not even the owner changes history.
create function holdfast_sec.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = '42501';
end $$;
create trigger append_only before update or delete or truncate on holdfast.audit_event
  for each statement execute function holdfast_sec.refuse_change();

-- --- Idempotency ----------------------------------------------------------------------------------------------

-- Written in the transaction that has the effect: there is no effect without its record, and none twice.
create table holdfast.idempotency_record (
  tenant_id uuid not null,
  api_key_id uuid not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  status smallint,
  headers jsonb,
  body bytea,
  created_at timestamptz not null,
  primary key (tenant_id, api_key_id, idempotency_key),
  constraint idempotency_record_key_exists foreign key (tenant_id, api_key_id) references holdfast.api_key,
  constraint idempotency_record_key_length check (length(idempotency_key) between 1 and 128),
  constraint idempotency_record_fingerprint_size check (length(fingerprint) = 32),
  constraint idempotency_record_body_limit check (length(body) <= 4194304)
);
create index idempotency_record_by_age on holdfast.idempotency_record (tenant_id, created_at);
select holdfast_sec.protect('holdfast.idempotency_record');
create policy own on holdfast.idempotency_record as restrictive to holdfast_gateway
  using (api_key_id = (select holdfast_sec.api_key())) with check (api_key_id = (select holdfast_sec.api_key()));
create policy purging on holdfast.idempotency_record to holdfast_definer using (true) with check (false);
grant select (created_at), delete on holdfast.idempotency_record to holdfast_definer;

create function holdfast_ops.purge_idempotency_records(before timestamptz) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  purged bigint;
begin
  -- Whoever calls: what a caller may still repeat stays.
  delete from holdfast.idempotency_record r where r.created_at < least(before, clock_timestamp() - interval '1 hour');
  get diagnostics purged = row_count;
  return purged;
end $$;

-- --- Jobs: work that outlives its request -----------------------------------------------------------------------

create table holdfast.job (
  tenant_id uuid not null,
  job_id uuid not null,
  app_id uuid not null,
  api_key_id uuid not null,
  kind text collate "C" not null,
  input bytea not null,
  state text collate "C" not null,
  done integer not null default 0,
  total integer,
  report bytea,
  failure jsonb,
  attempts smallint not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  -- A lease is measured in real time by the database's clock alone, whatever business time is.
  lease_token uuid,
  leased_until timestamptz,
  claimed_at timestamptz,
  primary key (tenant_id, job_id),
  constraint job_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint job_key_exists foreign key (tenant_id, api_key_id) references holdfast.api_key,
  constraint job_kind_length check (length(kind) between 1 and 64),
  constraint job_input_limit check (length(input) <= 4194304),
  constraint job_report_limit check (length(report) <= 16777216),
  constraint job_state_known check (state in ('queued', 'running', 'succeeded', 'failed')),
  constraint job_running_has_lease check ((state = 'running') = (lease_token is not null)),
  constraint job_finished_has_time check ((state in ('succeeded', 'failed')) = (finished_at is not null))
);
create index job_waiting on holdfast.job (tenant_id, created_at, job_id) where state in ('queued', 'running');
create index job_claimed on holdfast.job (tenant_id, claimed_at desc) where claimed_at is not null;
select holdfast_sec.protect('holdfast.job');
select holdfast_sec.protect_app('holdfast.job');
-- A job acts in the name of its key. So a key makes jobs in its own name only, changes only those, and nobody reads a
-- lease: with another key's lease a limited key would enter as that key.
create policy own_name on holdfast.job as restrictive for insert to holdfast_gateway
  with check (api_key_id = (select holdfast_sec.api_key()) and state = 'queued' and attempts = 0);
create policy own_changes on holdfast.job as restrictive for update to holdfast_gateway
  using (api_key_id = (select holdfast_sec.api_key())) with check (api_key_id = (select holdfast_sec.api_key()));
revoke select, insert, update, delete on holdfast.job from holdfast_gateway;
grant select (tenant_id, job_id, app_id, api_key_id, kind, input, state, done, total, report, failure, attempts,
  created_at, started_at, finished_at) on holdfast.job to holdfast_gateway;
grant insert (tenant_id, job_id, app_id, api_key_id, kind, input, state, total, created_at) on holdfast.job
  to holdfast_gateway;
grant update (state, done, total, report, failure, finished_at, lease_token, leased_until) on holdfast.job
  to holdfast_gateway;
create policy claiming on holdfast.job to holdfast_definer using (true) with check (true);
grant select, update on holdfast.job to holdfast_definer;

-- Lends one waiting job, so that no tenant's queue holds up another's: of the tenant with the fewest running jobs,
-- among those of the one that was served longest ago. No wait for a row that somebody holds.
create function holdfast_ops.claim_job(lease interval, attempts_limit integer)
returns table (tenant_id uuid, job_id uuid, lease_token uuid, attempts smallint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- The lease is the right to act: for the job's tenant, within the limits of the key that started it. The row stays
-- locked to the end of the transaction, so no second worker can take the job meanwhile.
create function holdfast_sec.enter_job(wanted_tenant uuid, wanted_job uuid, wanted_lease uuid, at_time timestamptz)
returns table (app_id uuid, api_key_id uuid, api_key_name text, scopes text[], is_limited boolean,
  expires_at timestamptz, requests_per_minute integer, kind text, input bytea)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- --- Grants of functions; owners last, for only an owner may grant ------------------------------------------------

grant execute on function holdfast_sec.tenant() to holdfast_gateway, holdfast_definer;
grant execute on function holdfast_sec.api_key(), holdfast_sec.is_limited(), holdfast_sec.allowed_clients(),
  holdfast_sec.allowed_apps(), holdfast_sec.named_apps(), holdfast_sec.client_of(uuid)
  to holdfast_gateway, holdfast_definer;
grant execute on function holdfast_sec.enter_tenant(uuid) to holdfast_operator, holdfast_responder;
grant execute on function holdfast_sec.enter_key(bytea, timestamptz) to holdfast_gateway;
grant execute on function holdfast_sec.note_key_use(uuid[], uuid[], timestamptz[]) to holdfast_gateway;
grant execute on function holdfast_sec.enter_job(uuid, uuid, uuid, timestamptz) to holdfast_gateway;
grant execute on function holdfast_sec.tenant_usage(timestamptz) to holdfast_gateway, holdfast_operator;
grant execute on function holdfast_ops.claim_job(interval, integer) to holdfast_gateway;
grant execute on function holdfast_ops.purge_idempotency_records(timestamptz) to holdfast_gateway;

do $$
declare
  given text;
begin
  foreach given in array array[
    'holdfast_sec.mac(text, text)', 'holdfast_sec.set_context(uuid, uuid)', 'holdfast_sec.tenant()',
    'holdfast_sec.api_key()', 'holdfast_sec.enter_tenant(uuid)', 'holdfast_sec.is_limited()',
    'holdfast_sec.allowed_clients()', 'holdfast_sec.allowed_apps()', 'holdfast_sec.named_apps()',
    'holdfast_sec.client_of(uuid)', 'holdfast_sec.enter_key(bytea, timestamptz)', 'holdfast_sec.note_key_use(uuid[], uuid[], timestamptz[])',
    'holdfast_sec.enter_job(uuid, uuid, uuid, timestamptz)', 'holdfast_sec.tenant_usage(timestamptz)',
    'holdfast_ops.claim_job(interval, integer)',
    'holdfast_ops.purge_idempotency_records(timestamptz)']
  loop
    execute format('alter function %s owner to holdfast_definer', given);
  end loop;
end $$;

reset role;
