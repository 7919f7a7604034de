-- Apps, what they sell, and the keys that sign for them. Apple's identifiers compare by bytes.
set local role holdfast_owner;

create table holdfast.app (
  tenant_id uuid not null,
  app_id uuid not null,
  client_id uuid not null,
  name text not null,
  bundle_id text collate "C" not null,
  app_apple_id bigint not null,
  default_locale text collate "C" not null,
  apple_id_salt bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, app_id),
  -- Not unique across tenants: nobody may squat on another agency's app.
  constraint app_bundle_id_unique unique (tenant_id, bundle_id),
  constraint app_apple_id_unique unique (tenant_id, app_apple_id),
  constraint app_client_exists foreign key (tenant_id, client_id) references holdfast.client,
  constraint app_name_length check (length(name) between 1 and 200),
  constraint app_bundle_id_length check (length(bundle_id) between 1 and 155),
  constraint app_apple_id_positive check (app_apple_id > 0),
  constraint app_default_locale_length check (length(default_locale) between 2 and 35),
  constraint app_salt_size check (length(apple_id_salt) = 32)
);
comment on column holdfast.app.apple_id_salt is
  'Part of every identifier we choose at Apple, so that no other tool or tenant of the same app chooses it too.';
select holdfast_sec.protect('holdfast.app');

-- One row an environment: the lock under which its snapshots are numbered.
create table holdfast.app_environment (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  snapshot_number bigint not null default 0,
  primary key (tenant_id, app_id, environment),
  constraint app_environment_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint app_environment_known check (environment in ('Production', 'Sandbox')),
  constraint app_environment_number_rises check (snapshot_number >= 0)
);
select holdfast_sec.protect('holdfast.app_environment');

create table holdfast.product (
  tenant_id uuid not null,
  app_id uuid not null,
  product_id text collate "C" not null,
  subscription_group text collate "C" not null,
  period text collate "C" not null,
  created_at timestamptz not null,
  primary key (tenant_id, app_id, product_id),
  constraint product_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint product_id_length check (length(product_id) between 1 and 255),
  constraint product_group_length check (length(subscription_group) between 1 and 255),
  constraint product_period_known check (period ~ '^P([1-9][0-9]?[DWMY])$')
);
select holdfast_sec.protect('holdfast.product');

create table holdfast.billing_plan (
  tenant_id uuid not null,
  app_id uuid not null,
  product_id text collate "C" not null,
  billing_plan_type text collate "C" not null,
  primary key (tenant_id, app_id, product_id, billing_plan_type),
  constraint billing_plan_product_exists foreign key (tenant_id, app_id, product_id)
    references holdfast.product on delete cascade,
  -- Apple's word, open: a plan Apple adds later needs no migration.
  constraint billing_plan_type_length check (length(billing_plan_type) between 1 and 64)
);
select holdfast_sec.protect('holdfast.billing_plan');

create table holdfast.offer (
  tenant_id uuid not null,
  app_id uuid not null,
  product_id text collate "C" not null,
  offer_identifier text collate "C" not null,
  kind text collate "C" not null,
  created_at timestamptz not null,
  primary key (tenant_id, app_id, product_id, offer_identifier),
  constraint offer_product_exists foreign key (tenant_id, app_id, product_id)
    references holdfast.product on delete cascade,
  constraint offer_identifier_length check (length(offer_identifier) between 1 and 255),
  constraint offer_kind_known check (kind in ('promotional', 'retention', 'winBack'))
);
select holdfast_sec.protect('holdfast.offer');

create table holdfast.credential (
  tenant_id uuid not null,
  app_id uuid not null,
  credential_id uuid not null,
  key_id text collate "C" not null,
  issuer_id text collate "C" not null,
  public_key bytea not null,
  sealed bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz,
  primary key (tenant_id, app_id, credential_id),
  constraint credential_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint credential_key_id_length check (length(key_id) between 1 and 64),
  constraint credential_issuer_id_length check (length(issuer_id) between 1 and 64),
  constraint credential_sealed_size check (length(sealed) between 1 and 4096),
  constraint credential_public_key_size check (length(public_key) between 1 and 1024)
);
comment on column holdfast.credential.sealed is
  'The In-App Purchase key, sealed to the platform''s public key and bound to this row. Opened by the responder only.';
create unique index credential_one_live on holdfast.credential (tenant_id, app_id) where retired_at is null;
select holdfast_sec.protect('holdfast.credential');

reset role;
