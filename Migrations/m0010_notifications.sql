-- What the App Store tells of subscriptions: signed notifications, kept as they came before anybody understands them; who
-- folds them; and how far Apple's own history of them was read.
set local role holdfast_owner;

-- --- The inbox ----------------------------------------------------------------------------------------------------

-- Not partitioned. One notification is one row whenever and however it comes, so its identifier is the key; a partition
-- key would have to be part of that, and no time of a notification is known to be the same in each repeat. What is old
-- is deleted in steps.
create table holdfast.notification (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  notification_uuid uuid not null,
  -- Given before the commit: the order in which rows are taken up, and never a mark of how far somebody has read.
  arrival_number bigint not null generated always as identity,
  signed_date timestamptz not null,
  notification_type text collate "C" not null,
  subtype text collate "C",
  original_transaction_id text collate "C",
  app_transaction_id text collate "C",
  source text collate "C" not null,
  received_at timestamptz not null,
  folded_at timestamptz,
  fold_failure text collate "C",
  signed_payload bytea not null,
  primary key (tenant_id, app_id, environment, notification_uuid),
  constraint notification_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  -- Open: a type of tomorrow is kept like one of today.
  constraint notification_type_length check (length(notification_type) between 1 and 128),
  constraint notification_subtype_length check (length(subtype) between 1 and 128),
  constraint notification_original_transaction_id_length check (length(original_transaction_id) between 1 and 64),
  constraint notification_app_transaction_id_length check (length(app_transaction_id) between 1 and 64),
  constraint notification_source_known check (source in ('pushed', 'history')),
  constraint notification_failure_length check (length(fold_failure) between 1 and 200),
  constraint notification_failure_is_folded check (fold_failure is null or folded_at is not null),
  constraint notification_payload_limit check (length(signed_payload) between 1 and 262144)
);
comment on column holdfast.notification.signed_payload is
  'The compact JWS as it came: verified before it was kept, and to be verified again by whoever doubts it.';
comment on column holdfast.notification.original_transaction_id is
  'Null for what is about no transaction: tests, summaries, tokens of external purchases, consent taken back.';
comment on column holdfast.notification.app_transaction_id is
  'Whose app it is, where Apple says so: by it erasure finds what names no transaction.';
comment on column holdfast.notification.folded_at is 'When it went into its subscriber''s state; null while it waits.';
comment on column holdfast.notification.fold_failure is
  'Why it went into none: it is kept, and holds up nobody.';
create index notification_by_date on holdfast.notification
  (tenant_id, app_id, environment, signed_date, notification_uuid);
create index notification_by_type on holdfast.notification
  (tenant_id, app_id, environment, notification_type, signed_date, notification_uuid);
create index notification_of_subscriber on holdfast.notification
  (tenant_id, app_id, environment, original_transaction_id, signed_date, notification_uuid)
  where original_transaction_id is not null;
create index notification_of_customer on holdfast.notification (tenant_id, app_id, environment, app_transaction_id)
  where original_transaction_id is null and app_transaction_id is not null;
create index notification_waiting on holdfast.notification (tenant_id, app_id, environment, arrival_number)
  where folded_at is null;

-- The app and environment whose URL was called in this transaction, as `app/environment`; null where none was.
create function holdfast_sec.shown_endpoint() returns text
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
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

select holdfast_sec.protect('holdfast.notification');
-- As `protect_app`, and besides: whoever shows an endpoint's token, and no key, adds what is for that endpoint. It reads
-- nothing.
create policy allowed_apps on holdfast.notification as restrictive to holdfast_gateway
  using (not (select holdfast_sec.is_limited()) or app_id = any ((select holdfast_sec.allowed_apps())::uuid[]))
  with check (not (select holdfast_sec.is_limited()) or app_id = any ((select holdfast_sec.allowed_apps())::uuid[])
    or app_id::text || '/' || environment = (select holdfast_sec.shown_endpoint()));
-- No key adds any: a notification comes by its URL, or out of Apple's history.
create policy shown_endpoint on holdfast.notification as restrictive for insert to holdfast_gateway
  with check (app_id::text || '/' || environment = (select holdfast_sec.shown_endpoint()));
revoke update on holdfast.notification from holdfast_gateway;

-- --- By the token of an endpoint ----------------------------------------------------------------------------------

-- The token is looked up before its tenant is known. 256 random bits: nobody has another's.
create index endpoint_by_hash on holdfast.endpoint (token_hash) where retired_at is null;
create policy entering on holdfast.endpoint for select to holdfast_definer using (true);
grant select (tenant_id, app_id, environment, token_hash, retired_at) on holdfast.endpoint to holdfast_definer;

-- Makes this transaction act for the app and environment of the live endpoint with this hash, as far as adding
-- notifications goes. No row: no such endpoint, or not any more.
create function holdfast_sec.enter_endpoint(wanted_hash bytea)
returns table (tenant_id uuid, app_id uuid, environment text, bundle_id text, app_apple_id bigint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- --- Who folds ----------------------------------------------------------------------------------------------------

-- One worker at a time folds the notifications of one app in one environment. A row is made by the first claim.
create table holdfast.fold_lease (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  -- In real time by the database's clock alone; the token only rises: whoever shows an older one has been replaced.
  lease_token bigint not null default 0,
  leased_until timestamptz,
  leased_by text,
  claimed_at timestamptz,
  primary key (tenant_id, app_id, environment),
  constraint fold_lease_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint fold_lease_worker_length check (length(leased_by) between 1 and 100)
);
select holdfast_sec.protect('holdfast.fold_lease');
select holdfast_sec.protect_app('holdfast.fold_lease');
revoke insert, update, delete on holdfast.fold_lease from holdfast_gateway, holdfast_operator;

create policy claiming on holdfast.fold_lease to holdfast_definer using (true) with check (true);
grant select, insert, update on holdfast.fold_lease to holdfast_definer;
create policy claiming on holdfast.notification for select to holdfast_definer using (true);
grant select (tenant_id, app_id, environment, arrival_number, received_at, folded_at) on holdfast.notification
  to holdfast_definer;

-- Each app and environment with notifications that wait, and since when the first of them does. Goes from one to the next
-- in the index: its cost follows the apps that wait, not the notifications.
create function holdfast_ops.waiting_folds()
returns table (tenant_id uuid, app_id uuid, environment text, received_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
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

-- Lends what waits: of the tenant with the fewest leases, among those of the one served longest ago; never more than
-- `per_tenant` of one tenant at a time. No wait for a row that somebody holds.
create function holdfast_ops.claim_fold(worker text, lease interval, per_tenant integer)
returns table (tenant_id uuid, app_id uuid, environment text, lease_token bigint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- The lease is the right to act for its app, and lasts anew from here. The row stays locked to the end of the
-- transaction. False: the lease is over, or another has it.
create function holdfast_sec.enter_fold(
  wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval
) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- Gives the lease of this transaction's app back: what waits there may be lent to anybody at once.
create function holdfast_sec.leave_fold(wanted_environment text, wanted_token bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant uuid := holdfast_sec.tenant();
  app uuid := holdfast_sec.claimed_app();
begin
  update holdfast.fold_lease l set leased_until = null
    where l.tenant_id = tenant and l.app_id = app and l.environment = wanted_environment
      and l.lease_token = wanted_token and l.leased_until is not null;
  return found;
end $$;

-- --- Apple's history ------------------------------------------------------------------------------------------------

-- How far Apple's history of notifications was read: what was signed before `read_to` is here, as far as Apple tells. A
-- reading under way has a window and, after its first page, Apple's token of the next.
create table holdfast.notification_history (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  read_to timestamptz,
  window_from timestamptz,
  window_to timestamptz,
  pagination_token text collate "C",
  -- Real time, as leases.
  due_at timestamptz not null default clock_timestamp(),
  read_at timestamptz,
  failures integer not null default 0,
  primary key (tenant_id, app_id, environment),
  constraint notification_history_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint notification_history_window_is_whole check ((window_from is null) = (window_to is null)),
  constraint notification_history_window_is_some_time check (window_from < window_to),
  constraint notification_history_token_has_window check (pagination_token is null or window_from is not null),
  constraint notification_history_token_length check (length(pagination_token) between 1 and 8192),
  constraint notification_history_failures_positive check (failures >= 0)
);
comment on column holdfast.notification_history.due_at is 'When it is to be looked into again.';
comment on column holdfast.notification_history.read_at is 'When a reading last came to its end.';
select holdfast_sec.protect('holdfast.notification_history');
select holdfast_sec.protect_app('holdfast.notification_history');
revoke insert, update, delete on holdfast.notification_history from holdfast_gateway, holdfast_operator;
select holdfast_sec.protect_sync('holdfast.notification_history', 'select, insert, update');
-- Whoever asks Apple adds what was missing, and sees what is here, not what is in it.
select holdfast_sec.protect_sync('holdfast.notification', 'insert, select (tenant_id, app_id, environment, '
  'notification_uuid, signed_date, notification_type, subtype, original_transaction_id, source, received_at)');

create policy hurrying on holdfast.notification_history to holdfast_definer using (true) with check (true);
grant select, update (due_at) on holdfast.notification_history to holdfast_definer;

-- Some notifications were not taken: every app's history is to be looked into at once. One without a row is due anyway.
create function holdfast_ops.hurry_notification_history() returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- --- Who acts -------------------------------------------------------------------------------------------------------

alter table holdfast.audit_event
  drop constraint audit_event_actor_known,
  add constraint audit_event_actor_known
    check (actor_kind in ('apiKey', 'operator', 'job', 'responder', 'sync', 'worker'));

grant execute on function holdfast_sec.shown_endpoint(), holdfast_sec.enter_endpoint(bytea),
  holdfast_ops.hurry_notification_history() to holdfast_gateway;
-- Operators act for any tenant; a worker's own role gets the same and no more.
grant execute on function holdfast_sec.claimed_app(), holdfast_ops.claim_fold(text, interval, integer),
  holdfast_ops.waiting_folds(), holdfast_sec.enter_fold(uuid, uuid, text, bigint, interval),
  holdfast_sec.leave_fold(text, bigint) to holdfast_operator;

do $$
declare
  given text;
begin
  foreach given in array array[
    'holdfast_sec.shown_endpoint()', 'holdfast_sec.enter_endpoint(bytea)', 'holdfast_ops.waiting_folds()',
    'holdfast_ops.claim_fold(text, interval, integer)',
    'holdfast_sec.enter_fold(uuid, uuid, text, bigint, interval)', 'holdfast_sec.leave_fold(text, bigint)',
    'holdfast_ops.hurry_notification_history()']
  loop
    execute format('alter function %s owner to holdfast_definer', given);
  end loop;
end $$;

reset role;
