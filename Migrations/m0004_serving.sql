-- What the responder serves from: rule sets with versions, endpoints, and numbered snapshots.
set local role holdfast_owner;

-- A version never changes; publishing points an environment at one.
create table holdfast.rule_set (
  tenant_id uuid not null,
  app_id uuid not null,
  version integer not null,
  body jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, app_id, version),
  constraint rule_set_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint rule_set_version_positive check (version > 0),
  constraint rule_set_is_object check (jsonb_typeof(body) = 'object')
);
select holdfast_sec.protect('holdfast.rule_set');

create table holdfast.rule_set_publication (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  version integer not null,
  published_at timestamptz not null,
  primary key (tenant_id, app_id, environment),
  constraint rule_set_publication_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint rule_set_publication_version_exists foreign key (tenant_id, app_id, version)
    references holdfast.rule_set
);
select holdfast_sec.protect('holdfast.rule_set_publication');

create table holdfast.endpoint (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  endpoint_id uuid not null,
  token_hash bytea not null,
  token_sealed bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz,
  primary key (tenant_id, app_id, environment, endpoint_id),
  constraint endpoint_token_unique unique (tenant_id, token_hash),
  constraint endpoint_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint endpoint_token_hash_size check (length(token_hash) = 32),
  constraint endpoint_token_sealed_size check (length(token_sealed) between 1 and 1024)
);
comment on column holdfast.endpoint.token_sealed is
  'The token itself, sealed to the platform''s public key, for the sync that tells Apple the URL.';
select holdfast_sec.protect('holdfast.endpoint');

create table holdfast.snapshot (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  number bigint not null,
  body bytea not null,
  sha256 bytea not null,
  built_at timestamptz not null,
  primary key (tenant_id, app_id, environment, number),
  constraint snapshot_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint snapshot_number_positive check (number > 0),
  constraint snapshot_body_limit check (length(body) between 1 and 8388608),
  constraint snapshot_digest_size check (length(sha256) = 32)
);
select holdfast_sec.protect('holdfast.snapshot');

-- The responder serves all tenants, so it reads snapshots across them; through these two functions only.
create policy feed on holdfast.snapshot for select to holdfast_definer using (true);
create policy feed on holdfast.app_environment for select to holdfast_definer using (true);
grant select on holdfast.snapshot, holdfast.app_environment to holdfast_definer;

create function holdfast_hot.snapshot_heads()
returns table (tenant_id uuid, app_id uuid, environment text, number bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select e.tenant_id, e.app_id, e.environment, e.snapshot_number
    from holdfast.app_environment e
    where e.snapshot_number > 0;
end $$;

create function holdfast_hot.snapshot_body(
  tenant uuid, app uuid, wanted_environment text, wanted_number bigint
)
returns table (body bytea, sha256 bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select s.body, s.sha256
    from holdfast.snapshot s
    where s.tenant_id = tenant and s.app_id = app
      and s.environment = wanted_environment and s.number = wanted_number;
end $$;

revoke execute on function holdfast_hot.snapshot_heads() from public;
revoke execute on function holdfast_hot.snapshot_body(uuid, uuid, text, bigint) from public;
grant execute on function holdfast_hot.snapshot_heads() to holdfast_responder;
grant execute on function holdfast_hot.snapshot_body(uuid, uuid, text, bigint) to holdfast_responder;
-- Owned by a role that sees these two tables and nothing else; given away last, for only an owner may grant.
alter function holdfast_hot.snapshot_heads() owner to holdfast_definer;
alter function holdfast_hot.snapshot_body(uuid, uuid, text, bigint) owner to holdfast_definer;

reset role;
