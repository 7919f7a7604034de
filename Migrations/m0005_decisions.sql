-- One row a real-time request: what was decided, never what was shown. Monthly partitions by signedDate, which
-- is part of the key, so that a replay of the spool lands on the row it made the first time.
set local role holdfast_owner;

create table holdfast.decision (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  signed_date timestamptz not null,
  request_identifier uuid not null,
  decided_at timestamptz not null,
  original_transaction_id text collate "C" not null,
  product_id text collate "C" not null,
  kind text collate "C" not null,
  fallback_reason text collate "C",
  rule_id uuid,
  locale_asked text collate "C" not null,
  locale_served text collate "C",
  message_identifier uuid,
  alternate_product_id text collate "C",
  billing_plan_type text collate "C",
  offer_identifier text collate "C",
  snapshot_number bigint not null,
  duration_microseconds bigint not null,
  primary key (tenant_id, app_id, environment, signed_date, request_identifier),
  constraint decision_environment_known check (environment in ('Production', 'Sandbox')),
  constraint decision_kind_known
    check (kind in ('message', 'switchPlan', 'promotionalOffer', 'defaultMessage', 'fallback')),
  constraint decision_fallback_has_reason check ((kind = 'fallback') = (fallback_reason is not null)),
  constraint decision_fallback_has_no_message check ((kind = 'fallback') = (message_identifier is null)),
  constraint decision_duration_positive check (duration_microseconds >= 0)
) partition by range (signed_date);
comment on table holdfast.decision is
  'No foreign key to the app: a decision spooled before its app was deleted must not hold up those after it.';
select holdfast_sec.protect('holdfast.decision');

-- The responder adds rows of one tenant at a time and reads none.
create policy tenant_insert on holdfast.decision for insert to holdfast_responder
  with check (tenant_id = (select holdfast_sec.tenant()));
grant insert on holdfast.decision to holdfast_responder;

-- A partition is reached through its parent only: no grants, and row security without a policy, since a
-- partition queried by its own name does not ask the parent's.
create function holdfast_ops.make_partitions(first_day date, months integer) returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
revoke execute on function holdfast_ops.make_partitions(date, integer) from public;
grant execute on function holdfast_ops.make_partitions(date, integer) to holdfast_migrator;

reset role;
