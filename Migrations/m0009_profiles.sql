-- What is known of a subscriber when the App Store asks: a profile made ahead of time, what offers were given, what the
-- month's discounts cost so far; the messages of App Store Connect; and with each decision, what it was taken from.
set local role holdfast_owner;

-- --- Profiles -----------------------------------------------------------------------------------------------------

-- One index, the key's, so that a new body lands beside the old one (HOT) and no index is written; the room for that is
-- left in each page. Not partitioned: every read and write has the whole key, and ten million rows are three gigabytes.
create table holdfast.profile (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  original_transaction_id text collate "C" not null,
  body bytea not null,
  as_of timestamptz not null,
  primary key (tenant_id, app_id, environment, original_transaction_id),
  constraint profile_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint profile_original_transaction_id_length check (length(original_transaction_id) between 1 and 64),
  constraint profile_body_limit check (length(body) between 1 and 1024)
) with (fillfactor = 85);
comment on column holdfast.profile.body is 'The compact form; its first byte is its version.';
comment on column holdfast.profile.as_of is 'Up to when what is known went into it.';
select holdfast_sec.protect('holdfast.profile');
select holdfast_sec.protect_app('holdfast.profile');

create table holdfast.governor_counter (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  original_transaction_id text collate "C" not null,
  offers_taken integer not null default 0,
  last_offer_at timestamptz,
  escalation_level integer not null default 0,
  primary key (tenant_id, app_id, environment, original_transaction_id),
  constraint governor_counter_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint governor_counter_original_transaction_id_length
    check (length(original_transaction_id) between 1 and 64),
  constraint governor_counter_offers_positive check (offers_taken >= 0),
  constraint governor_counter_level_positive check (escalation_level >= 0)
) with (fillfactor = 85);
select holdfast_sec.protect('holdfast.governor_counter');
select holdfast_sec.protect_app('holdfast.governor_counter');

create table holdfast.discount_budget_spent (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  month date not null,
  currency text collate "C" not null,
  spent_milliunits bigint not null,
  primary key (tenant_id, app_id, environment, month, currency),
  constraint discount_budget_spent_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint discount_budget_spent_month_begins check (extract(day from month) = 1),
  constraint discount_budget_spent_currency_form check (currency ~ '^[A-Z]{3}$'),
  constraint discount_budget_spent_positive check (spent_milliunits >= 0)
);
comment on column holdfast.discount_budget_spent.month is 'Its first day, in the app''s time zone.';
-- The responder reads this month's of all apps.
create index discount_budget_spent_by_month on holdfast.discount_budget_spent (month);
select holdfast_sec.protect('holdfast.discount_budget_spent');
select holdfast_sec.protect_app('holdfast.discount_budget_spent');

-- --- Messages of App Store Connect --------------------------------------------------------------------------------

-- Made there, and named here so that rules may name them. Nobody can ask Apple whether one is shown: a person looks.
create table holdfast.app_store_connect_message (
  tenant_id uuid not null,
  app_id uuid not null,
  message_identifier uuid not null,
  name text not null,
  created_at timestamptz not null,
  created_by jsonb not null,
  sandbox_display_confirmed_at timestamptz,
  confirmed_by jsonb,
  primary key (tenant_id, app_id, message_identifier),
  constraint app_store_connect_message_name_unique unique (tenant_id, app_id, name),
  constraint app_store_connect_message_app_exists foreign key (tenant_id, app_id)
    references holdfast.app on delete cascade,
  constraint app_store_connect_message_name_length check (length(name) between 1 and 100),
  constraint app_store_connect_message_created_by_is_object check (jsonb_typeof(created_by) = 'object'),
  constraint app_store_connect_message_confirmed_by_is_object check (jsonb_typeof(confirmed_by) = 'object'),
  constraint app_store_connect_message_confirmed_by_somebody
    check ((sandbox_display_confirmed_at is null) = (confirmed_by is null))
);
comment on column holdfast.app_store_connect_message.sandbox_display_confirmed_at is
  'When somebody said that a sandbox device showed it.';
select holdfast_sec.protect('holdfast.app_store_connect_message');
select holdfast_sec.protect_app('holdfast.app_store_connect_message');
-- The sync builds snapshots too, and they name those that may be answered.
select holdfast_sec.protect_sync('holdfast.app_store_connect_message', 'select');

-- --- What a decision was taken from --------------------------------------------------------------------------------

alter table holdfast.decision
  add column experiment_id uuid,
  add column arm text collate "C",
  add column is_holdout boolean not null default false,
  add column profile_source text collate "C",
  add column inputs bytea,
  add column signature_version smallint,
  add column degraded text collate "C",
  add column verify_microseconds bigint,
  add column lookup_microseconds bigint,
  add column decide_microseconds bigint,
  add column sign_microseconds bigint,
  drop constraint decision_kind_known,
  add constraint decision_kind_known
    check (kind in ('message', 'switchPlan', 'promotionalOffer', 'defaultMessage', 'appStoreConnectMessage', 'fallback')),
  add constraint decision_arm_length check (length(arm) between 1 and 100),
  add constraint decision_profile_source_known
    check (profile_source in ('notNeeded', 'memory', 'database', 'absent', 'unavailable')),
  add constraint decision_inputs_limit check (length(inputs) between 1 and 2048),
  add constraint decision_signature_version_positive check (signature_version > 0),
  add constraint decision_degraded_length check (length(degraded) between 1 and 64),
  add constraint decision_steps_positive
    check (least(verify_microseconds, lookup_microseconds, decide_microseconds, sign_microseconds) >= 0);
comment on column holdfast.decision.inputs is
  'What the decision was taken from, in compact form, so that it can be explained later.';

-- --- What changed, for the responders' memory -----------------------------------------------------------------------

-- A log beside the tables and no column in them: an index on such a column would be written with every change of a
-- profile, and a row that is deleted could not tell. Kept for an hour or more; whoever was away longer begins anew.
create table holdfast_hot.profile_change (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  original_transaction_id text collate "C" not null,
  changed_xid xid8 not null default pg_current_xact_id(),
  change_number bigint not null generated always as identity,
  changed_at timestamptz not null default clock_timestamp()
);
create index profile_change_in_order on holdfast_hot.profile_change (changed_xid, change_number);
comment on table holdfast_hot.profile_change is
  'Written by triggers, read by definer functions; nobody else reaches it. No foreign key: a row says what may be gone.';
alter table holdfast_hot.profile_change enable row level security;
alter table holdfast_hot.profile_change force row level security;
create policy migration on holdfast_hot.profile_change to holdfast_owner using (true) with check (true);
create policy noting on holdfast_hot.profile_change to holdfast_definer using (true) with check (true);
grant select, insert, delete on holdfast_hot.profile_change to holdfast_definer;

-- From which transaction on nothing is missing from the log.
create table holdfast_hot.profile_change_floor (
  is_only boolean primary key default true,
  kept_from bigint not null default 0,
  constraint profile_change_floor_is_one_row check (is_only)
);
insert into holdfast_hot.profile_change_floor default values;
grant select, update on holdfast_hot.profile_change_floor to holdfast_definer;

create policy noting on holdfast.profile for select to holdfast_definer using (true);
create policy noting on holdfast.governor_counter for select to holdfast_definer using (true);
create policy noting on holdfast.discount_budget_spent for select to holdfast_definer using (true);
grant select on holdfast.profile, holdfast.governor_counter, holdfast.discount_budget_spent to holdfast_definer;

create function holdfast_sec.note_profile_changes() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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

create trigger profile_added after insert on holdfast.profile referencing new table as changed
  for each statement execute function holdfast_sec.note_profile_changes();
create trigger profile_changed after update on holdfast.profile referencing new table as changed
  for each statement execute function holdfast_sec.note_profile_changes();
create trigger profile_removed after delete on holdfast.profile referencing old table as changed
  for each statement execute function holdfast_sec.note_profile_changes();
create trigger governor_counter_added after insert on holdfast.governor_counter referencing new table as changed
  for each statement execute function holdfast_sec.note_profile_changes();
create trigger governor_counter_changed after update on holdfast.governor_counter referencing new table as changed
  for each statement execute function holdfast_sec.note_profile_changes();
create trigger governor_counter_removed after delete on holdfast.governor_counter referencing old table as changed
  for each statement execute function holdfast_sec.note_profile_changes();

-- --- What the responder reads ----------------------------------------------------------------------------------------

-- What is kept of one subscriber: no row where that is nothing. One of the two may be null.
create function holdfast_hot.profile(
  wanted_tenant uuid, wanted_app uuid, wanted_environment text, wanted_transaction text
)
returns table (body bytea, as_of timestamptz, offers_taken integer, last_offer_at timestamptz, escalation_level integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
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

-- For warming a responder's memory, app by app: the highest identifiers first, which are the youngest subscriptions.
-- `below` is the last one of the page before, null for the first page.
create function holdfast_hot.recent_profiles(
  wanted_tenant uuid, wanted_app uuid, wanted_environment text, below text, most integer
)
returns table (original_transaction_id text, body bytea, as_of timestamptz, offers_taken integer,
  last_offer_at timestamptz, escalation_level integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
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

-- What changed since a place in the log, all tenants', as it is now; and the next place, on every row and on one of its
-- own where nothing changed. Without a place: the place of now.
--
-- A place is a transaction and a number within it, and is never "the highest number so far": numbers are given when rows
-- are written, and rows are seen when their transaction commits. A transaction that began before another and commits
-- after it would have its rows below the highest number that a reader knows already, and they would never be read. So a
-- page ends below the oldest transaction still running (`pg_snapshot_xmin`): all below it have ended, whatever they wrote
-- is seen by now, and none of them will write any more.
create function holdfast_hot.profile_changes(since_transaction bigint, since_number bigint, most integer)
returns table (tenant_id uuid, app_id uuid, environment text, original_transaction_id text,
  body bytea, as_of timestamptz, offers_taken integer, last_offer_at timestamptz, escalation_level integer,
  next_transaction bigint, next_number bigint, has_more boolean, has_gap boolean, held_back_seconds double precision)
-- Right after a load the planner guesses high, and compiling would take longer than all the rest.
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
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

-- What the discounts of a month and the months after it cost so far, in every app.
create function holdfast_hot.discount_budgets(from_month date)
returns table (tenant_id uuid, app_id uuid, environment text, month date, currency text, spent_milliunits bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select b.tenant_id, b.app_id, b.environment, b.month, b.currency, b.spent_milliunits
    from holdfast.discount_budget_spent b
    where b.month >= from_month;
end $$;

-- Forgets changes before then, at most so many, oldest first; whoever has not read them finds a gap. What nobody could
-- have read yet stays: else whoever begins anew would find the same gap again.
create function holdfast_ops.purge_profile_changes(before timestamptz, most integer) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

grant execute on function holdfast_hot.profile(uuid, uuid, text, text),
  holdfast_hot.recent_profiles(uuid, uuid, text, text, integer),
  holdfast_hot.profile_changes(bigint, bigint, integer), holdfast_hot.discount_budgets(date) to holdfast_responder;
grant execute on function holdfast_ops.purge_profile_changes(timestamptz, integer) to holdfast_gateway;

do $$
declare
  given text;
begin
  foreach given in array array[
    'holdfast_sec.note_profile_changes()', 'holdfast_hot.profile(uuid, uuid, text, text)',
    'holdfast_hot.recent_profiles(uuid, uuid, text, text, integer)',
    'holdfast_hot.profile_changes(bigint, bigint, integer)', 'holdfast_hot.discount_budgets(date)',
    'holdfast_ops.purge_profile_changes(timestamptz, integer)']
  loop
    execute format('alter function %s owner to holdfast_definer', given);
  end loop;
end $$;

reset role;
