-- What agencies edit over the API: prices, offers in full, images per app, drafts and the history of publications,
-- the switch that stops an app's answers, and who serves which snapshot.
set local role holdfast_owner;

alter table holdfast.app
  add column time_zone text collate "C" not null default 'UTC',
  add column is_stopped boolean not null default false,
  add constraint app_time_zone_length check (length(time_zone) between 1 and 64);
comment on column holdfast.app.is_stopped is
  'Real-time answers are refused at once, so that Apple shows its next layer.';

create table holdfast.billing_plan_price (
  tenant_id uuid not null,
  app_id uuid not null,
  product_id text collate "C" not null,
  billing_plan_type text collate "C" not null,
  storefront text collate "C" not null,
  amount_milliunits bigint not null,
  currency text collate "C" not null,
  primary key (tenant_id, app_id, product_id, billing_plan_type, storefront),
  constraint billing_plan_price_plan_exists foreign key (tenant_id, app_id, product_id, billing_plan_type)
    references holdfast.billing_plan on delete cascade,
  constraint billing_plan_price_storefront_form check (storefront ~ '^[A-Z]{3}$'),
  constraint billing_plan_price_amount_positive check (amount_milliunits >= 0),
  constraint billing_plan_price_currency_form check (currency ~ '^[A-Z]{3}$')
);
select holdfast_sec.protect('holdfast.billing_plan_price');
select holdfast_sec.protect_app('holdfast.billing_plan_price');

-- Apple's words, open; null where nobody has said it yet.
alter table holdfast.offer
  add column offer_mode text collate "C",
  add column period text collate "C",
  add column period_count integer,
  add column customer_eligibilities text[] not null default '{}',
  add constraint offer_mode_length check (length(offer_mode) between 1 and 64),
  add constraint offer_period_known check (period ~ '^P([1-9][0-9]?[DWMY])$'),
  add constraint offer_period_count_limit check (period_count between 1 and 60),
  add constraint offer_eligibilities_count check (cardinality(customer_eligibilities) <= 16);

create table holdfast.offer_price (
  tenant_id uuid not null,
  app_id uuid not null,
  product_id text collate "C" not null,
  offer_identifier text collate "C" not null,
  storefront text collate "C" not null,
  amount_milliunits bigint not null,
  currency text collate "C" not null,
  primary key (tenant_id, app_id, product_id, offer_identifier, storefront),
  constraint offer_price_offer_exists foreign key (tenant_id, app_id, product_id, offer_identifier)
    references holdfast.offer on delete cascade,
  constraint offer_price_storefront_form check (storefront ~ '^[A-Z]{3}$'),
  constraint offer_price_amount_positive check (amount_milliunits >= 0),
  constraint offer_price_currency_form check (currency ~ '^[A-Z]{3}$')
);
select holdfast_sec.protect('holdfast.offer_price');
select holdfast_sec.protect_app('holdfast.offer_price');

-- --- Images belong to an app; their bytes are kept once per tenant ------------------------------------------------

-- Their names are needed for what comes instead.
alter table holdfast.image rename to image_of_tenant;
alter index holdfast.image_pkey rename to image_of_tenant_pkey;
alter index holdfast.image_content_unique rename to image_of_tenant_content_unique;

create table holdfast.image_file (
  tenant_id uuid not null,
  sha256 bytea not null,
  png bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, sha256),
  constraint image_file_tenant_exists foreign key (tenant_id) references holdfast.tenant,
  -- Whoever stored others' bytes under a digest would change the picture of everybody who uploads it later.
  constraint image_file_digest_of_bytes check (sha256 = sha256(png)),
  constraint image_file_bytes_limit check (length(png) between 1 and 20971520)
);

-- One row for each app that used an image. The first keeps the identifier, others get their own. What no app used has
-- no owner now, and goes.
create temporary table image_of_app on commit drop as
  with used as (
    select tenant_id, app_id, image_id from holdfast.localization where image_id is not null
    union select tenant_id, app_id, image_id from holdfast.bullet
    union select tenant_id, app_id, image_id from holdfast.image_placement
  )
  select tenant_id, app_id, image_id as old_id,
    case row_number() over (partition by tenant_id, image_id order by app_id)
      when 1 then image_id else gen_random_uuid() end as new_id
  from used;
insert into holdfast.image_file (tenant_id, sha256, png, created_at)
  select distinct on (i.tenant_id, i.sha256) i.tenant_id, sha256(i.png), i.png, i.created_at
  from holdfast.image_of_tenant i
  join image_of_app m on m.tenant_id = i.tenant_id and m.old_id = i.image_id
  order by i.tenant_id, i.sha256, i.created_at;

alter table holdfast.localization drop constraint localization_image_exists;
alter table holdfast.bullet drop constraint bullet_image_exists;
alter table holdfast.image_placement drop constraint image_placement_image_exists;

update holdfast.localization t set image_id = m.new_id from image_of_app m
  where (t.tenant_id, t.app_id, t.image_id) = (m.tenant_id, m.app_id, m.old_id) and m.new_id <> m.old_id;
update holdfast.bullet t set image_id = m.new_id from image_of_app m
  where (t.tenant_id, t.app_id, t.image_id) = (m.tenant_id, m.app_id, m.old_id) and m.new_id <> m.old_id;
update holdfast.image_placement t set image_id = m.new_id from image_of_app m
  where (t.tenant_id, t.app_id, t.image_id) = (m.tenant_id, m.app_id, m.old_id) and m.new_id <> m.old_id;

create table holdfast.image (
  tenant_id uuid not null,
  app_id uuid not null,
  image_id uuid not null,
  image_size text collate "C" not null,
  sha256 bytea not null,
  width integer not null,
  height integer not null,
  byte_count integer not null,
  created_at timestamptz not null,
  primary key (tenant_id, app_id, image_id),
  constraint image_content_unique unique (tenant_id, app_id, sha256, image_size),
  constraint image_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint image_file_exists foreign key (tenant_id, sha256) references holdfast.image_file,
  constraint image_size_known check (image_size in ('FULL_SIZE', 'BULLET_POINT')),
  constraint image_pixels_positive check (width > 0 and height > 0 and byte_count > 0)
);
create index image_by_file on holdfast.image (tenant_id, sha256);
-- A PNG says its size in bytes 16 to 23; no side that was allowed needs more than two bytes. What is no PNG was never
-- looked at before, and is not to hold up a release: it counts as one pixel.
insert into holdfast.image
  select m.tenant_id, m.app_id, m.new_id, i.image_size, sha256(i.png),
    case when length(i.png) < 24 then 1
      else greatest(get_byte(i.png, 18) * 256 + get_byte(i.png, 19), 1) end,
    case when length(i.png) < 24 then 1
      else greatest(get_byte(i.png, 22) * 256 + get_byte(i.png, 23), 1) end,
    length(i.png), i.created_at
  from image_of_app m
  join holdfast.image_of_tenant i on i.tenant_id = m.tenant_id and i.image_id = m.old_id;
drop table holdfast.image_of_tenant;
alter table holdfast.localization add constraint localization_image_exists
  foreign key (tenant_id, app_id, image_id) references holdfast.image;
alter table holdfast.bullet add constraint bullet_image_exists
  foreign key (tenant_id, app_id, image_id) references holdfast.image;
-- Removing an image asks who shows it.
create index localization_by_image on holdfast.localization (tenant_id, app_id, image_id) where image_id is not null;
create index bullet_by_image on holdfast.bullet (tenant_id, app_id, image_id);
alter table holdfast.image_placement add constraint image_placement_image_exists
  foreign key (tenant_id, app_id, image_id) references holdfast.image on delete cascade;
-- An app goes with all it has: its texts in the same step as the images that they show, whatever order the checks have.
alter table holdfast.localization add constraint localization_app_exists
  foreign key (tenant_id, app_id) references holdfast.app on delete cascade;
alter table holdfast.bullet add constraint bullet_app_exists
  foreign key (tenant_id, app_id) references holdfast.app on delete cascade;
alter table holdfast.rule_set_publication add constraint rule_set_publication_app_exists
  foreign key (tenant_id, app_id) references holdfast.app on delete cascade;
select holdfast_sec.protect('holdfast.image');
select holdfast_sec.protect_app('holdfast.image');
select holdfast_sec.protect('holdfast.image_file');
revoke update, delete on holdfast.image_file from holdfast_gateway, holdfast_operator;
-- A limited key reaches the bytes of its apps' images only: the inner look is under its own row security.
create policy allowed_apps on holdfast.image_file as restrictive for select to holdfast_gateway
  using (not (select holdfast_sec.is_limited()) or exists (
    select from holdfast.image i where i.tenant_id = image_file.tenant_id and i.sha256 = image_file.sha256));

-- Bytes that no image has any more go with the last one, also when it went with its app. The key on `image_file` makes
-- whoever stores the same picture meanwhile wait, and try again.
create policy forgetting on holdfast.image_file to holdfast_definer using (true) with check (false);
create policy forgetting on holdfast.image for select to holdfast_definer using (true);
grant select (tenant_id, sha256), delete on holdfast.image_file to holdfast_definer;
grant select (tenant_id, sha256) on holdfast.image to holdfast_definer;
create function holdfast_sec.forget_files() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from holdfast.image_file f
    where (f.tenant_id, f.sha256) in (select g.tenant_id, g.sha256 from gone g)
      and not exists (select from holdfast.image i where i.tenant_id = f.tenant_id and i.sha256 = f.sha256);
  return null;
end $$;
create trigger last_image_gone after delete on holdfast.image referencing old table as gone
  for each statement execute function holdfast_sec.forget_files();

-- --- Defaults are what the agency wants; what Apple has is told by placements -------------------------------------

alter table holdfast.default_message
  drop constraint default_message_placed,
  add constraint default_message_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  add constraint default_message_localization_exists foreign key (tenant_id, app_id, message_id, locale)
    references holdfast.localization;

-- --- Rule sets: a draft, versions with their maker, the history of publications -----------------------------------

alter table holdfast.rule_set
  add column created_by jsonb not null default '{"kind": "operator", "id": "holdfast", "name": null}',
  add constraint rule_set_created_by_is_object check (jsonb_typeof(created_by) = 'object');
alter table holdfast.rule_set alter column created_by drop default;

create table holdfast.rule_set_draft (
  tenant_id uuid not null,
  app_id uuid not null,
  body jsonb not null,
  updated_at timestamptz not null,
  primary key (tenant_id, app_id),
  constraint rule_set_draft_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint rule_set_draft_is_object check (jsonb_typeof(body) = 'object')
);
select holdfast_sec.protect('holdfast.rule_set_draft');
select holdfast_sec.protect_app('holdfast.rule_set_draft');

create table holdfast.publication (
  tenant_id uuid not null,
  app_id uuid not null,
  publication_id uuid not null,
  environment text collate "C" not null,
  version integer not null,
  published_at timestamptz not null,
  published_by jsonb not null,
  snapshot_number bigint not null,
  primary key (tenant_id, app_id, publication_id),
  constraint publication_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint publication_version_exists foreign key (tenant_id, app_id, version)
    references holdfast.rule_set on delete cascade,
  constraint publication_by_is_object check (jsonb_typeof(published_by) = 'object')
);
comment on column holdfast.publication.snapshot_number is 'The first snapshot that holds these rules.';
select holdfast_sec.protect('holdfast.publication');
select holdfast_sec.protect_app('holdfast.publication');
revoke update, delete on holdfast.publication from holdfast_gateway, holdfast_operator;

-- --- Who serves which snapshot -----------------------------------------------------------------------------------

create table holdfast_hot.responder (
  responder text collate "C" primary key,
  seen_at timestamptz not null,
  constraint responder_name_length check (length(responder) between 1 and 100)
);
comment on table holdfast_hot.responder is 'Of the platform, not of a tenant: who answers, and when it last said so.';

create table holdfast.snapshot_acknowledgement (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  responder text collate "C" not null,
  number bigint not null,
  acknowledged_at timestamptz not null,
  primary key (tenant_id, app_id, environment, responder),
  constraint snapshot_acknowledgement_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint snapshot_acknowledgement_responder_length check (length(responder) between 1 and 100)
);
select holdfast_sec.protect('holdfast.snapshot_acknowledgement');
select holdfast_sec.protect_app('holdfast.snapshot_acknowledgement');
revoke insert, update, delete on holdfast.snapshot_acknowledgement from holdfast_gateway, holdfast_operator;
create policy acknowledging on holdfast.snapshot_acknowledgement to holdfast_definer using (true) with check (true);
grant select, insert, update, delete on holdfast.snapshot_acknowledgement, holdfast_hot.responder to holdfast_definer;

-- A responder says what it serves now; nothing that is not in the list. Rows of deleted apps are passed over. `at_time`
-- is real time, like a lease.
create function holdfast_hot.acknowledge(
  responder_name text, at_time timestamptz, tenants uuid[], apps uuid[], environments text[], numbers bigint[]
) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

-- Those heard of since `since`: the ones that must serve a snapshot before it counts as served.
create function holdfast_hot.live_responders(since timestamptz) returns setof text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select r.responder from holdfast_hot.responder r where r.seen_at >= since order by 1;
end $$;

-- Wakes responders; they poll all the same. No payload: who listens learns that something changed, not whose.
create function holdfast_hot.tell_responders() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('holdfast_snapshots', '');
  return null;
end $$;
create trigger snapshot_built after update of snapshot_number or delete on holdfast.app_environment
  for each statement execute function holdfast_hot.tell_responders();

-- The last `kept` of each app and environment stay, and what somebody serves.
create function holdfast_ops.prune_snapshots(kept integer) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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
create policy pruning on holdfast.snapshot for delete to holdfast_definer using (true);
grant delete on holdfast.snapshot to holdfast_definer;
grant execute on function holdfast_ops.prune_snapshots(integer) to holdfast_gateway;
alter function holdfast_ops.prune_snapshots(integer) owner to holdfast_definer;

grant usage on schema holdfast_hot to holdfast_gateway, holdfast_operator;
grant execute on function holdfast_hot.acknowledge(text, timestamptz, uuid[], uuid[], text[], bigint[])
  to holdfast_responder;
grant execute on function holdfast_hot.live_responders(timestamptz) to holdfast_gateway, holdfast_operator;

-- --- Operators see which tenants there are -----------------------------------------------------------------------

create function holdfast_ops.tenants() returns table (tenant_id uuid, name text, created_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select t.tenant_id, t.name, t.created_at from holdfast.tenant t order by t.tenant_id;
end $$;
grant execute on function holdfast_ops.tenants() to holdfast_operator;

alter function holdfast_sec.forget_files() owner to holdfast_definer;
alter function holdfast_hot.acknowledge(text, timestamptz, uuid[], uuid[], text[], bigint[]) owner to holdfast_definer;
alter function holdfast_hot.live_responders(timestamptz) owner to holdfast_definer;
alter function holdfast_ops.tenants() owner to holdfast_definer;

reset role;
