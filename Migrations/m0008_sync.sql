-- Apple is to have what the agency wants: what is wanted where, what Apple has, who works on it, and what was asked of
-- Apple. One worker at a time works on one app in one environment, and only for as long as its lease.
set local role holdfast_owner;

grant usage on schema holdfast, holdfast_sec, holdfast_hot, holdfast_ops to holdfast_sync;

-- --- What is wanted -----------------------------------------------------------------------------------------------

-- Where a message is to be: in the sandbox from the start, in production once it was promoted.
create table holdfast.message_target (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  message_id uuid not null,
  created_at timestamptz not null,
  primary key (tenant_id, app_id, environment, message_id),
  constraint message_target_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint message_target_message_exists foreign key (tenant_id, app_id, message_id)
    references holdfast.message on delete cascade
);
select holdfast_sec.protect('holdfast.message_target');
select holdfast_sec.protect_app('holdfast.message_target');
insert into holdfast.message_target (tenant_id, app_id, environment, message_id, created_at)
  select m.tenant_id, m.app_id, e.environment, m.message_id, m.created_at from holdfast.message m
  join holdfast.app_environment e on e.tenant_id = m.tenant_id and e.app_id = m.app_id and e.environment = 'Sandbox'
  union
  select distinct p.tenant_id, p.app_id, p.environment, p.message_id, m.created_at
  from holdfast.message_placement p join holdfast.message m using (tenant_id, app_id, message_id);

alter table holdfast.message
  add column show_until date,
  add column review_by date;
comment on column holdfast.message.show_until is 'After this day, in the app''s time zone, the content is stale; nothing is hidden by it.';
comment on column holdfast.message.review_by is 'By this day somebody is to look at the content again.';

alter table holdfast.app
  add column performance_test_transaction_id text collate "C",
  add column app_store_connect_layer text collate "C" not null default 'none',
  add constraint app_performance_test_transaction_form check (performance_test_transaction_id ~ '^[0-9]{1,64}$'),
  add constraint app_store_connect_layer_known check (app_store_connect_layer in ('none', 'declared', 'imported'));
comment on column holdfast.app.performance_test_transaction_id is
  'An original transaction id of an active subscription that was bought in the sandbox: Apple tests with it.';
comment on column holdfast.app.app_store_connect_layer is
  'Whether a retention message was made in App Store Connect, as far as the agency says.';

-- A key that is stored may stand by until Apple has shown that it works; then it takes the live one's place.
alter table holdfast.credential
  add column activated_at timestamptz,
  add column check_wanted_at timestamptz;
update holdfast.credential set activated_at = created_at;
drop index holdfast.credential_one_live;
create unique index credential_one_live on holdfast.credential (tenant_id, app_id)
  where retired_at is null and activated_at is not null;
create unique index credential_one_standby on holdfast.credential (tenant_id, app_id)
  where retired_at is null and activated_at is null;
comment on column holdfast.credential.activated_at is 'When it became the live key; null while it stands by.';
comment on column holdfast.credential.check_wanted_at is
  'Since when the agency wants to know what the key may do: answered by a check that is not older.';
alter table holdfast.audit_event
  drop constraint audit_event_actor_known,
  add constraint audit_event_actor_known
    check (actor_kind in ('apiKey', 'operator', 'job', 'responder', 'sync'));

-- --- What Apple has -----------------------------------------------------------------------------------------------

alter table holdfast.apple_object
  add column is_ours boolean not null default true,
  add column presence text collate "C" not null default 'listed',
  add column content_digest bytea,
  add column generation integer not null default 0,
  add column content jsonb,
  add column images uuid[] not null default '{}',
  add column attempted_at timestamptz,
  add column uncertain_since timestamptz,
  add column uploaded_at timestamptz,
  add column listed_at timestamptz,
  add column decided_at timestamptz,
  add column absent_since timestamptz,
  add column unnamed_since timestamptz,
  add column superseded_at timestamptz,
  add column refused_at timestamptz,
  add column refusal_code integer,
  add constraint apple_object_presence_known
    check (presence in ('uncertain', 'uploaded', 'listed', 'withdrawing', 'gone', 'refused')),
  add constraint apple_object_digest_size check (length(content_digest) = 32),
  add constraint apple_object_generation_positive check (generation >= 0),
  add constraint apple_object_images_count check (cardinality(images) <= 6);
comment on column holdfast.apple_object.content is 'The text as it was sent, for people: Apple never shows it again.';
comment on column holdfast.apple_object.images is 'Pictures that a message of ours shows, by their identifiers at Apple.';
comment on column holdfast.apple_object.decided_at is 'When a list first showed another state than PENDING.';
-- What was placed before: the pictures of the text as it is now are the best that is known. One that is not placed there
-- stands for itself: Apple approved nothing of that name, so a text that was not served for it is not served now.
update holdfast.apple_object o set images = coalesce((
    select array_agg(distinct coalesce(i.apple_id, shown.image_id)) from holdfast.message_placement p
    join (
      select l.tenant_id, l.app_id, l.message_id, l.locale, l.image_id from holdfast.localization l
      where l.image_id is not null
      union all
      select b.tenant_id, b.app_id, b.message_id, b.locale, b.image_id from holdfast.bullet b
    ) shown using (tenant_id, app_id, message_id, locale)
    left join holdfast.image_placement i on (i.tenant_id, i.app_id, i.environment, i.image_id)
      = (p.tenant_id, p.app_id, p.environment, shown.image_id)
    where (p.tenant_id, p.app_id, p.environment, p.apple_id) = (o.tenant_id, o.app_id, o.environment, o.apple_id)
  ), '{}')
  where o.kind = 'message';
-- What Apple has is the sync's to say; operators place what a demo begins with. A key may have an object made anew.
revoke insert, update, delete on holdfast.apple_object, holdfast.image_placement, holdfast.message_placement
  from holdfast_gateway;
grant update (superseded_at) on holdfast.apple_object to holdfast_gateway;

-- The texts that may be shown: Apple approved them and every picture they show, and neither is being taken away. A text
-- that was edited goes on being shown as it was approved, with the pictures it had then.
create or replace view holdfast.approved_placement with (security_invoker = true) as
select p.tenant_id, p.app_id, p.environment, p.message_id, p.locale, p.apple_id
from holdfast.message_placement p
-- Each is looked up by its whole key (`offset 0`, and counted below), whatever is thought of the tables' sizes: right
-- after an app was filled a join by half the key would take minutes.
cross join lateral (
  select o.images from holdfast.apple_object o
  where o.tenant_id = p.tenant_id and o.app_id = p.app_id and o.environment = p.environment and o.apple_id = p.apple_id
    and o.state = 'APPROVED' and o.presence in ('uploaded', 'listed') and o.superseded_at is null
  offset 0
) o
where not exists (
  select from unnest(o.images) as shown (apple_id)
  where 0 = (
    select count(*) from holdfast.apple_object i
    where i.tenant_id = p.tenant_id and i.app_id = p.app_id and i.environment = p.environment
      and i.apple_id = shown.apple_id
      and i.state = 'APPROVED' and i.presence in ('uploaded', 'listed') and i.superseded_at is null
  )
);

create table holdfast.apple_default (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  product_id text collate "C" not null,
  locale text collate "C" not null,
  apple_id uuid,
  is_uncertain boolean not null,
  former_ids uuid[] not null default '{}',
  read_at timestamptz,
  refused_id uuid,
  refused_at timestamptz,
  refusal_code integer,
  primary key (tenant_id, app_id, environment, product_id, locale),
  constraint apple_default_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint apple_default_product_length check (length(product_id) between 1 and 255),
  constraint apple_default_locale_length check (length(locale) between 2 and 35)
);
comment on table holdfast.apple_default is 'Apple''s default messages as we last knew them; no foreign key to what the agency may remove meanwhile.';
select holdfast_sec.protect('holdfast.apple_default');
select holdfast_sec.protect_app('holdfast.apple_default');
revoke insert, update, delete on holdfast.apple_default from holdfast_gateway, holdfast_operator;

-- --- Who works on it ----------------------------------------------------------------------------------------------

create table holdfast.sync_state (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  -- A lease is measured in real time by the database's clock alone. Its token only rises: whoever shows an older one
  -- has been replaced.
  lease_token bigint not null default 0,
  leased_until timestamptz,
  leased_by text,
  claimed_at timestamptz,
  next_run_at timestamptz not null default clock_timestamp(),
  change_number bigint not null default 0,
  images_listed_at timestamptz,
  messages_listed_at timestamptz,
  doubted_at timestamptz,
  images_full_at timestamptz,
  messages_full_at timestamptz,
  url_kind text collate "C",
  url_endpoint_id uuid,
  url_is_uncertain boolean not null default false,
  url_read_at timestamptz,
  url_refused_at timestamptz,
  url_refusal_code integer,
  may_replace_url boolean not null default false,
  pause_reason text collate "C",
  paused_until timestamptz,
  pause_credential_id uuid,
  failures integer not null default 0,
  retry_at timestamptz,
  access text collate "C" not null default 'unknown',
  access_at timestamptz,
  access_requested_at timestamptz,
  primary key (tenant_id, app_id, environment),
  constraint sync_state_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint sync_state_url_known check (url_kind in ('none', 'own', 'foreign')),
  constraint sync_state_own_url_is_known check ((url_kind is not distinct from 'own') = (url_endpoint_id is not null)),
  constraint sync_state_pause_known check (pause_reason in ('keyRefused', 'noAccess')),
  constraint sync_state_access_known check (access in ('unknown', 'none', 'granted')),
  constraint sync_state_worker_length check (length(leased_by) between 1 and 100)
);
create index sync_state_due on holdfast.sync_state (next_run_at);
select holdfast_sec.protect('holdfast.sync_state');
select holdfast_sec.protect_app('holdfast.sync_state');
-- Whoever edits says that something changed; leases and what Apple has are the workers' own.
revoke insert, update, delete on holdfast.sync_state from holdfast_gateway, holdfast_operator;
grant insert (tenant_id, app_id, environment) on holdfast.sync_state to holdfast_gateway, holdfast_operator;
-- A new URL, or none, is not what Apple refused.
grant update (url_refused_at, url_refusal_code) on holdfast.sync_state to holdfast_gateway, holdfast_operator;
grant update (next_run_at, change_number, may_replace_url, access_requested_at, pause_reason, paused_until,
  pause_credential_id) on holdfast.sync_state to holdfast_gateway, holdfast_operator;
insert into holdfast.sync_state (tenant_id, app_id, environment)
  select tenant_id, app_id, environment from holdfast.app_environment;

create table holdfast.call_budget (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  endpoint text collate "C" not null,
  spoken_for bigint not null default 0,
  not_before timestamptz,
  primary key (tenant_id, app_id, environment, endpoint),
  constraint call_budget_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint call_budget_endpoint_length check (length(endpoint) between 1 and 64)
);
comment on column holdfast.call_budget.spoken_for is 'Microseconds since 1970, in real time, up to which calls are spoken for.';
select holdfast_sec.protect('holdfast.call_budget');
select holdfast_sec.protect_app('holdfast.call_budget');
revoke insert, update, delete on holdfast.call_budget from holdfast_gateway, holdfast_operator;

-- --- What was done ------------------------------------------------------------------------------------------------

create table holdfast.sync_run (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  run_id uuid not null,
  trigger text collate "C" not null,
  requested_by jsonb not null,
  state text collate "C" not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  reads integer not null default 0,
  writes integer not null default 0,
  result jsonb,
  primary key (tenant_id, app_id, environment, run_id),
  constraint sync_run_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint sync_run_trigger_known check (trigger in ('request', 'schedule')),
  constraint sync_run_state_known check (state in ('queued', 'running', 'finished')),
  constraint sync_run_finished_has_time check ((state = 'finished') = (finished_at is not null)),
  constraint sync_run_by_is_object check (jsonb_typeof(requested_by) = 'object'),
  constraint sync_run_result_is_object check (jsonb_typeof(result) = 'object')
);
-- Those that wait or are under way; there are never more than two of a key: one of each.
create unique index sync_run_open on holdfast.sync_run (tenant_id, app_id, environment, state) where state <> 'finished';
select holdfast_sec.protect('holdfast.sync_run');
select holdfast_sec.protect_app('holdfast.sync_run');
revoke insert, update, delete on holdfast.sync_run from holdfast_gateway, holdfast_operator;
grant insert (tenant_id, app_id, environment, run_id, trigger, requested_by, state, created_at) on holdfast.sync_run
  to holdfast_gateway, holdfast_operator;
create policy queued_only on holdfast.sync_run as restrictive for insert to holdfast_gateway, holdfast_operator
  with check (state = 'queued' and trigger = 'request');

create table holdfast.apple_call (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  call_id uuid not null,
  run_id uuid,
  endpoint text collate "C" not null,
  apple_id uuid,
  product_id text collate "C",
  locale text collate "C",
  body_sha256 bytea,
  lease_token bigint not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  status integer,
  apple_code integer,
  apple_message text,
  outcome text collate "C",
  primary key (tenant_id, app_id, environment, call_id),
  constraint apple_call_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint apple_call_endpoint_length check (length(endpoint) between 1 and 64),
  constraint apple_call_message_limit check (length(apple_message) <= 500),
  constraint apple_call_finished_has_outcome check ((finished_at is null) = (outcome is null))
);
create index apple_call_by_age on holdfast.apple_call (started_at);
create index sync_run_by_age on holdfast.sync_run (finished_at) where finished_at is not null;
create index apple_call_by_run on holdfast.apple_call (tenant_id, run_id) where run_id is not null;
comment on column holdfast.apple_call.finished_at is 'Null while the call is under way, and for ever where its worker was lost.';
select holdfast_sec.protect('holdfast.apple_call');
select holdfast_sec.protect_app('holdfast.apple_call');
revoke insert, update, delete on holdfast.apple_call from holdfast_gateway, holdfast_operator;

create table holdfast.performance_test (
  tenant_id uuid not null,
  app_id uuid not null,
  test_id uuid not null,
  state text collate "C" not null,
  requested_by jsonb not null,
  transaction_id text collate "C" not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  own_load jsonb,
  apple_request_id text collate "C",
  config jsonb,
  result jsonb,
  failure jsonb,
  polled_at timestamptz,
  polls integer not null default 0,
  primary key (tenant_id, app_id, test_id),
  constraint performance_test_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint performance_test_state_known
    check (state in ('queued', 'ownLoad', 'running', 'passed', 'failed', 'notRun')),
  constraint performance_test_finished_has_time
    check ((state in ('passed', 'failed', 'notRun')) = (finished_at is not null)),
  constraint performance_test_request_length check (length(apple_request_id) between 1 and 200),
  constraint performance_test_transaction_form check (transaction_id ~ '^[0-9]{1,64}$')
);
comment on column holdfast.performance_test.state is
  'failed: Apple''s test ended with FAIL. notRun: it never came to an end of Apple''s; failure says why.';
create unique index performance_test_open on holdfast.performance_test (tenant_id, app_id)
  where state in ('queued', 'ownLoad', 'running');
select holdfast_sec.protect('holdfast.performance_test');
select holdfast_sec.protect_app('holdfast.performance_test');
revoke insert, update, delete on holdfast.performance_test from holdfast_gateway, holdfast_operator;
grant insert (tenant_id, app_id, test_id, state, requested_by, transaction_id, created_at) on holdfast.performance_test
  to holdfast_gateway, holdfast_operator;
create policy queued_only on holdfast.performance_test as restrictive for insert to holdfast_gateway, holdfast_operator
  with check (state = 'queued');

create table holdfast.credential_check (
  tenant_id uuid not null,
  app_id uuid not null,
  credential_id uuid not null,
  environment text collate "C" not null,
  verdict text collate "C" not null,
  status integer,
  apple_code integer,
  checked_at timestamptz not null,
  primary key (tenant_id, app_id, credential_id, environment),
  constraint credential_check_credential_exists foreign key (tenant_id, app_id, credential_id)
    references holdfast.credential on delete cascade,
  constraint credential_check_verdict_known check (verdict in ('works', 'keyRefused', 'noAccess'))
);
comment on table holdfast.credential_check is 'What Apple last said to a call made with this key.';
select holdfast_sec.protect('holdfast.credential_check');
select holdfast_sec.protect_app('holdfast.credential_check');
revoke insert, update, delete on holdfast.credential_check from holdfast_gateway, holdfast_operator;

-- --- The workers' role: one app at a time, by its lease ---------------------------------------------------------

-- Which app this transaction's lease is for; signed like the tenant, and together with it.
create function holdfast_sec.claimed_app() returns uuid
language plpgsql stable parallel restricted security definer set search_path = pg_catalog, pg_temp as $$
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

create function holdfast_sec.protect_sync(protected regclass, privileges text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
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

do $$
declare
  protected regclass;
begin
  foreach protected in array array[
    'holdfast.app', 'holdfast.product', 'holdfast.billing_plan', 'holdfast.offer', 'holdfast.credential',
    'holdfast.image', 'holdfast.message', 'holdfast.localization', 'holdfast.bullet', 'holdfast.default_message',
    'holdfast.rule_set', 'holdfast.rule_set_publication', 'holdfast.endpoint', 'holdfast.snapshot_acknowledgement',
    'holdfast.message_target']::regclass[]
  loop
    perform holdfast_sec.protect_sync(protected, 'select');
  end loop;
  foreach protected in array array[
    'holdfast.apple_object', 'holdfast.image_placement', 'holdfast.message_placement', 'holdfast.apple_default']::regclass[]
  loop
    perform holdfast_sec.protect_sync(protected, 'select, insert, update, delete');
  end loop;
  perform holdfast_sec.protect_sync('holdfast.app_environment', 'select, update (snapshot_number)');
  perform holdfast_sec.protect_sync('holdfast.snapshot', 'select, insert');
  perform holdfast_sec.protect_sync('holdfast.call_budget', 'select, insert, update (spoken_for, not_before)');
  perform holdfast_sec.protect_sync('holdfast.sync_run',
    'select, insert, update (state, started_at, finished_at, reads, writes, result)');
  perform holdfast_sec.protect_sync('holdfast.apple_call',
    'select, insert, update (finished_at, status, apple_code, apple_message, outcome)');
  perform holdfast_sec.protect_sync('holdfast.credential_check',
    'select, insert, update (verdict, status, apple_code, checked_at)');
  perform holdfast_sec.protect_sync('holdfast.performance_test',
    'select, update (state, started_at, finished_at, own_load, apple_request_id, config, result, failure, polled_at, polls)');
  -- A lease and its token are given and taken back by functions alone.
  perform holdfast_sec.protect_sync('holdfast.sync_state',
    'select, update (images_listed_at, messages_listed_at, doubted_at, images_full_at, messages_full_at, url_kind, '
    'url_endpoint_id, url_is_uncertain, url_read_at, url_refused_at, url_refusal_code, pause_reason, paused_until, '
    'pause_credential_id, failures, retry_at, access, access_at, may_replace_url)');
  perform holdfast_sec.protect_sync('holdfast.audit_event', 'insert');
end $$;
-- A key that stood by takes the live one's place; nothing else of a key changes.
grant update (activated_at, retired_at) on holdfast.credential to holdfast_sync;
grant select on holdfast.approved_placement to holdfast_sync;
-- The bytes of the pictures of its app.
create policy sync on holdfast.image_file to holdfast_sync
  using (tenant_id = (select holdfast_sec.tenant())) with check (tenant_id = (select holdfast_sec.tenant()));
create policy claimed_app on holdfast.image_file as restrictive for select to holdfast_sync
  using (exists (
    select from holdfast.image i where i.tenant_id = image_file.tenant_id and i.sha256 = image_file.sha256));
grant select on holdfast.image_file to holdfast_sync;

create policy claiming on holdfast.sync_state to holdfast_definer using (true) with check (true);
grant select, update on holdfast.sync_state to holdfast_definer;

-- Lends what is due: of the tenant with the fewest leases, among those of the one served longest ago; never more than
-- `per_tenant` of one tenant at a time, so that an Apple that hangs for one agency holds up no other.
create function holdfast_ops.claim_sync(worker text, lease interval, per_tenant integer)
returns table (tenant_id uuid, app_id uuid, environment text, lease_token bigint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- The lease is the right to act for its app, and lasts anew from here. The row stays locked to the end of the
-- transaction. No row: the lease is over, or another has it.
create function holdfast_sec.enter_sync(
  wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_token bigint, lease interval
) returns table (change_number bigint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- Gives the lease of this transaction's app back. What changed since `known_change` is due at once, all else after `wait`.
create function holdfast_sec.leave_sync(
  wanted_environment text, wanted_token bigint, known_change bigint, wait interval
) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- Another environment of the leased app is due now: something there waited for what was done here.
create function holdfast_sec.hurry_sync(wanted_environment text) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- How long what is due has waited, over all tenants: for the metric.
create function holdfast_ops.sync_backlog() returns table (due bigint, oldest_seconds double precision)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select count(*),
    coalesce(extract(epoch from max(clock_timestamp() - s.next_run_at)), 0)::double precision
    from holdfast.sync_state s
    where s.next_run_at <= clock_timestamp() and (s.leased_until is null or s.leased_until < clock_timestamp());
end $$;

-- Runs and calls before then, at most so many of each, oldest first.
create function holdfast_ops.purge_sync_history(before timestamptz, most integer) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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
create policy purging on holdfast.apple_call to holdfast_definer using (true) with check (false);
grant select (tenant_id, app_id, environment, call_id, started_at), delete on holdfast.apple_call to holdfast_definer;
create policy purging on holdfast.sync_run to holdfast_definer using (true) with check (false);
grant select (tenant_id, app_id, environment, run_id, finished_at), delete on holdfast.sync_run to holdfast_definer;

grant execute on function holdfast_sec.tenant(), holdfast_sec.claimed_app(),
  holdfast_sec.enter_sync(uuid, uuid, text, bigint, interval),
  holdfast_sec.leave_sync(text, bigint, bigint, interval), holdfast_sec.hurry_sync(text), holdfast_hot.live_responders(timestamptz),
  holdfast_ops.claim_sync(text, interval, integer), holdfast_ops.sync_backlog(),
  holdfast_ops.purge_sync_history(timestamptz, integer) to holdfast_sync;
grant execute on function holdfast_sec.mac(text, text), holdfast_sec.set_context(uuid, uuid) to holdfast_definer;

do $$
declare
  given text;
begin
  foreach given in array array[
    'holdfast_sec.claimed_app()', 'holdfast_sec.enter_sync(uuid, uuid, text, bigint, interval)',
    'holdfast_sec.leave_sync(text, bigint, bigint, interval)', 'holdfast_sec.hurry_sync(text)',
    'holdfast_ops.claim_sync(text, interval, integer)', 'holdfast_ops.sync_backlog()',
    'holdfast_ops.purge_sync_history(timestamptz, integer)']
  loop
    execute format('alter function %s owner to holdfast_definer', given);
  end loop;
end $$;

reset role;
