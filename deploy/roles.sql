-- The roles of Holdfast. Roles belong to the whole cluster, so they are made here, once, by a
-- superuser; migrations only grant. Running it again changes nothing:
--   psql -v ON_ERROR_STOP=1 -f deploy/roles.sql
-- Then, for each database:
--   create database holdfast owner holdfast_owner;
--   revoke all on database holdfast from public;
--   grant connect on database holdfast to holdfast_migrator, holdfast_responder, holdfast_gateway,
--     holdfast_sync, holdfast_operator;
-- Passwords or peer and certificate maps are the operator's, and not in this file.
--
--   holdfast_owner      owns schemas and tables. Cannot log in: nothing that runs all day may drop
--                       a table.
--   holdfast_definer    owns the functions that look across tenants, and sees only what they need.
--   holdfast_migrator   logs in during a deployment only, as `holdfast migrate`.
--   holdfast_responder  answers Apple; calls functions, reads no table.
--   holdfast_gateway    the admin API; tenants' tables, only after showing a key or a lease.
--   holdfast_sync       asks Apple; tables of one app at a time, only after showing its lease.
--   holdfast_operator   the `holdfast` command; tenants' tables, always through row-level security.
begin;

-- One log-in role per task and never SET ROLE inside a running service: plans cached under one
-- role were once used under another (CVE-2023-2455), and a role that one can leave holds nothing.
do $$
declare
  name text;
begin
  foreach name in array array['holdfast_owner', 'holdfast_definer', 'holdfast_migrator',
                              'holdfast_responder', 'holdfast_gateway', 'holdfast_sync',
                              'holdfast_operator'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = name) then
      execute pg_catalog.format('create role %I', name);
    end if;
  end loop;
end $$;

-- Written out though most are defaults: whoever made a role by hand before gets the same. Nobody
-- may pass by row-level security, make roles or databases, or stream the cluster away.
alter role holdfast_owner
  nologin nosuperuser nobypassrls nocreaterole nocreatedb noreplication inherit;
alter role holdfast_definer
  nologin nosuperuser nobypassrls nocreaterole nocreatedb noreplication inherit;
alter role holdfast_migrator
  login nosuperuser nobypassrls nocreaterole nocreatedb noreplication inherit;
alter role holdfast_responder
  login nosuperuser nobypassrls nocreaterole nocreatedb noreplication inherit;
alter role holdfast_gateway
  login nosuperuser nobypassrls nocreaterole nocreatedb noreplication inherit;
alter role holdfast_sync
  login nosuperuser nobypassrls nocreaterole nocreatedb noreplication inherit;
alter role holdfast_operator
  login nosuperuser nobypassrls nocreaterole nocreatedb noreplication inherit;

-- What a migration makes belongs to the owner, who must be able to hand a function to the definer.
grant holdfast_owner to holdfast_migrator;
grant holdfast_definer to holdfast_owner;

-- An empty search path: a name is written with its schema or is PostgreSQL's own (pg_catalog is
-- always searched), so that an object planted in another schema is never met.
alter role holdfast_migrator  set search_path = '';
alter role holdfast_responder set search_path = '';
alter role holdfast_gateway   set search_path = '';
alter role holdfast_sync      set search_path = '';
alter role holdfast_operator  set search_path = '';

-- Someone's PGOPTIONS or a changed default must not turn the protection into an error or off.
alter role holdfast_migrator  set row_security = on;
alter role holdfast_responder set row_security = on;
alter role holdfast_gateway   set row_security = on;
alter role holdfast_sync      set row_security = on;
alter role holdfast_operator  set row_security = on;

-- The server's side of the deadlines, each below that of our programs (a test compares them), so
-- that a slow statement ends with an error and not with a lost connection. A migration may take
-- long, but must not queue behind a lock and hold up everybody who comes after it.
alter role holdfast_migrator  set statement_timeout = '9min';
alter role holdfast_migrator  set lock_timeout = '1s';
alter role holdfast_migrator  set idle_in_transaction_session_timeout = '60s';
-- A back-stop only: the App Store waits 700 ms, and the responder's own deadlines are far below.
-- The same role polls for snapshots and writes events in batches, which may take longer.
alter role holdfast_responder set statement_timeout = '2s';
alter role holdfast_responder set lock_timeout = '1s';
alter role holdfast_responder set idle_in_transaction_session_timeout = '5s';
-- An API request, and one step of a job.
alter role holdfast_gateway   set statement_timeout = '4s';
alter role holdfast_gateway   set lock_timeout = '1s';
alter role holdfast_gateway   set idle_in_transaction_session_timeout = '10s';
-- One step of a run; the calls to Apple are made between its transactions, never inside one.
alter role holdfast_sync      set statement_timeout = '4s';
alter role holdfast_sync      set lock_timeout = '1s';
alter role holdfast_sync      set idle_in_transaction_session_timeout = '10s';
-- People wait for these; a whole agency is loaded in one statement at times.
alter role holdfast_operator  set statement_timeout = '30s';
alter role holdfast_operator  set lock_timeout = '1s';
alter role holdfast_operator  set idle_in_transaction_session_timeout = '5s';

commit;
