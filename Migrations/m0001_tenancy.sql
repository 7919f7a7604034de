-- Tenancy before any table: schemas, the tenant of a transaction, and what makes a table tenants' own.
set local role holdfast_owner;

create schema holdfast;        -- tables of tenants
create schema holdfast_sec;    -- who may see what
create schema holdfast_hot;    -- what the responder may call, and nothing else
create schema holdfast_ops;    -- what operators' commands call
comment on schema holdfast is 'Tables of tenants; every one under forced row-level security.';
comment on schema holdfast_sec is 'The tenant of a transaction, and the protection of tables.';
comment on schema holdfast_hot is 'Definer functions for the responder, the only way it reads across tenants.';
comment on schema holdfast_ops is 'Functions for migrations and operators: partitions.';

-- EXECUTE goes to PUBLIC by default; here every grant is written out.
alter default privileges for role holdfast_owner revoke execute on functions from public;

grant usage on schema holdfast, holdfast_sec to holdfast_operator, holdfast_responder, holdfast_definer;
grant usage on schema holdfast_hot to holdfast_responder;
grant usage, create on schema holdfast_hot to holdfast_definer;
grant usage on schema holdfast_ops to holdfast_migrator;

-- Raises instead of returning no rows: a forgotten tenant is a bug, not an empty list. After a
-- transaction with a local setting the value is '' on that connection, not null.
create function holdfast_sec.tenant() returns uuid
language plpgsql stable parallel restricted set search_path = pg_catalog, pg_temp as $$
declare
  setting text := current_setting('holdfast.tenant_id', true);
begin
  if setting is null or setting = '' then
    raise exception 'no tenant is set for this transaction' using errcode = '42501';
  end if;
  return setting::uuid;
end $$;
grant execute on function holdfast_sec.tenant() to holdfast_operator, holdfast_responder;

-- Makes a table tenants' own. Forced, so that not even its owner sees rows by accident; the owner's
-- policy is for migrations, which must see the rows they fill in.
create function holdfast_sec.protect(protected regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('create policy migration on %s to holdfast_owner using (true) with check (true)', protected);
  execute format(
    'create policy tenant on %s to holdfast_operator '
    'using (tenant_id = (select holdfast_sec.tenant())) '
    'with check (tenant_id = (select holdfast_sec.tenant()))', protected);
  execute format('grant select, insert, update, delete on %s to holdfast_operator', protected);
end $$;

create table holdfast.tenant (
  tenant_id uuid primary key,
  name text not null,
  created_at timestamptz not null,
  constraint tenant_name_length check (length(name) between 1 and 200)
);
select holdfast_sec.protect('holdfast.tenant');

create table holdfast.client (
  tenant_id uuid not null,
  client_id uuid not null,
  name text not null,
  created_at timestamptz not null,
  primary key (tenant_id, client_id),
  constraint client_tenant_exists foreign key (tenant_id) references holdfast.tenant,
  constraint client_name_length check (length(name) between 1 and 200)
);
select holdfast_sec.protect('holdfast.client');

reset role;
