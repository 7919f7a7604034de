// The queries of `CatalogLint`: each gives the names of offenders in one column. Our schemas are
// those whose names begin with `holdfast`.
internal import Postgres

extension CatalogRule {
    static let rowSecurityQuery: Query = """
        select 'table ' || c.oid::regclass from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%'
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
        where c.relkind in ('r', 'p') and not a.attisdropped
          and not (c.relrowsecurity and c.relforcerowsecurity)
        order by 1
        """

    /// A policy that names the owner or the definer holds for migrations and functions; the one of
    /// the migrator's membership is meant. All others compare the tenant and do nothing else.
    static let tenantPolicyQuery: Query = """
        with tables as (
          select c.oid, c.relacl, c.relowner from pg_class c
          join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%'
          join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
          where c.relkind in ('r', 'p') and not c.relispartition and not a.attisdropped
        ), outside as (
          select p.*, pg_get_expr(p.polqual, p.polrelid) as using_text,
            pg_get_expr(p.polwithcheck, p.polrelid) as check_text
          from pg_policy p join tables t on t.oid = p.polrelid
          where p.polpermissive and not p.polroles <@ array(
            select oid from pg_roles where rolname in ('holdfast_owner', 'holdfast_definer'))
        )
        select 'policy ' || o.polname || ' of table ' || o.polrelid::regclass from outside o
        where coalesce(o.using_text, o.check_text)
            <> '(tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))'
          or coalesce(o.check_text, o.using_text)
            <> '(tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))'
        union
        select 'table ' || t.oid::regclass || ' for role ' || r.rolname
        from tables t, aclexplode(t.relacl) g join pg_roles r on r.oid = g.grantee
        where g.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
          and g.grantee <> t.relowner and r.rolname <> 'holdfast_definer'
          and not exists (
            select from outside o where o.polrelid = t.oid and r.oid = any (o.polroles)
              and (o.polcmd = '*' or (o.polcmd = 'a' and g.privilege_type = 'INSERT')))
        order by 1
        """

    /// The list of landed migrations is the migrator's, who makes it before there is an owner.
    static let ownershipQuery: Query = """
        with logins as (select oid, rolname from pg_roles where rolcanlogin and not rolsuper)
        select 'role ' || l.rolname || ' as member of ' || m.rolname
        from logins l, pg_roles m
        where m.rolname in ('holdfast_owner', 'holdfast_definer')
          and pg_has_role(l.oid, m.oid, 'member') and l.rolname <> 'holdfast_migrator'
        union
        select 'relation ' || c.oid::regclass || ' of role ' || l.rolname
        from pg_class c join logins l on l.oid = c.relowner
        join pg_namespace n on n.oid = c.relnamespace
        where n.nspname not like 'pg\\_%' and c.relkind <> 'i'
          and c.oid is distinct from to_regclass('public.holdfast_migration')
        union
        select 'function ' || p.oid::regprocedure || ' of role ' || l.rolname
        from pg_proc p join logins l on l.oid = p.proowner
        union
        select 'schema ' || n.nspname || ' of role ' || l.rolname
        from pg_namespace n join logins l on l.oid = n.nspowner
        where n.nspname not like 'pg\\_%'
        union
        select 'database ' || d.datname || ' of role ' || l.rolname
        from pg_database d join logins l on l.oid = d.datdba
        where d.datname = current_database()
        order by 1
        """

    static let strongRoleQuery: Query = """
        select 'role ' || rolname from pg_roles
        where rolname like 'holdfast\\_%'
          and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication
            or (rolname in ('holdfast_owner', 'holdfast_definer') and rolcanlogin))
        order by 1
        """

    static let invokerViewQuery: Query = """
        select 'view ' || c.oid::regclass from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%'
        where c.relkind = 'v'
          and not coalesce(c.reloptions && array['security_invoker=true', 'security_invoker=on'],
            false)
        order by 1
        """

    /// Partitions are the owner's, so only its own function can make them.
    static let definerQuery: Query = """
        select 'function ' || p.oid::regprocedure from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace
        where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema')
          and (n.nspname not like 'holdfast%'
            or not coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp'], false)
            or exists (
              select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
              where g.grantee = 0)
            or pg_get_userbyid(p.proowner) <> case
              when n.nspname = 'holdfast_ops' and p.proname = 'make_partitions'
              then 'holdfast_owner' else 'holdfast_definer' end)
        order by 1
        """

    static let strongGrantQuery: Query = """
        select g.privilege_type || ' on ' || c.oid::regclass || ' to ' || case g.grantee
          when 0 then 'PUBLIC' else pg_get_userbyid(g.grantee) end
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%',
          aclexplode(c.relacl) g
        where g.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER')
          and g.grantee <> c.relowner
        union
        select 'REFERENCES on a column of ' || c.oid::regclass
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%',
          aclexplode(a.attacl) g
        where g.privilege_type = 'REFERENCES'
        order by 1
        """

    static let foreignKeyQuery: Query = """
        with tables as (
          select a.attrelid, a.attnum from pg_attribute a
          where a.attname = 'tenant_id' and not a.attisdropped
        )
        select 'foreign key ' || k.conname || ' of ' || k.conrelid::regclass
        from pg_constraint k
        join pg_namespace n on n.oid = k.connamespace and n.nspname like 'holdfast%'
        left join tables f on f.attrelid = k.conrelid
        left join tables t on t.attrelid = k.confrelid
        where k.contype = 'f' and (f.attnum is not null or t.attnum is not null)
          and (k.conkey[1] is distinct from f.attnum or k.confkey[1] is distinct from t.attnum)
        order by 1
        """

    static let uniqueIndexQuery: Query = """
        select 'index ' || i.indexrelid::regclass from pg_index i
        join pg_class c on c.oid = i.indrelid
        join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%'
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
        where i.indisunique and i.indkey[0] <> a.attnum
        order by 1
        """

    static let partitionQuery: Query = """
        select 'partition ' || c.oid::regclass from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%'
        where c.relispartition and c.relkind in ('r', 'p')
          and (not (c.relrowsecurity and c.relforcerowsecurity)
            or exists (select from pg_policy p where p.polrelid = c.oid)
            or exists (select from aclexplode(c.relacl) g where g.grantee <> c.relowner)
            or exists (
              select from pg_attribute a, aclexplode(a.attacl) g where a.attrelid = c.oid))
        order by 1
        """

    static let materialisedViewQuery: Query = """
        select 'materialised view ' || c.oid::regclass from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'm' and n.nspname not like 'pg\\_%'
        order by 1
        """

    /// In `public` everybody may look, and read which migrations landed.
    static let publicGrantQuery: Query = """
        select g.privilege_type || ' on database ' || d.datname
        from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) g
        where d.datname = current_database() and g.grantee = 0
        union
        select g.privilege_type || ' on schema ' || n.nspname
        from pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) g
        where g.grantee = 0 and (n.nspname like 'holdfast%'
          or (n.nspname = 'public' and g.privilege_type = 'CREATE'))
        union
        select g.privilege_type || ' on ' || p.oid::regprocedure
        from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace and n.nspname like 'holdfast%',
          aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
        where g.grantee = 0
        union
        select g.privilege_type || ' on ' || c.oid::regclass
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%',
          aclexplode(c.relacl) g
        where g.grantee = 0
        union
        select g.privilege_type || ' on column ' || a.attname || ' of ' || a.attrelid::regclass
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        join pg_namespace n on n.oid = c.relnamespace and n.nspname like 'holdfast%',
          aclexplode(a.attacl) g
        where g.grantee = 0
        order by 1
        """

    /// Whoever logs in and is no superuser may call what is listed here; the migrator is a member
    /// of the owner and may call all.
    static let executionQuery: Query = """
        with allowed (role, name) as (values
          ('holdfast_operator', 'holdfast_sec.tenant'),
          ('holdfast_operator', 'holdfast_sec.enter_tenant'),
          ('holdfast_operator', 'holdfast_sec.tenant_usage'),
          ('holdfast_operator', 'holdfast_hot.live_responders'),
          ('holdfast_operator', 'holdfast_ops.tenants'),
          ('holdfast_operator', 'holdfast_sec.claimed_app'),
          ('holdfast_operator', 'holdfast_sec.enter_fold'),
          ('holdfast_operator', 'holdfast_sec.leave_fold'),
          ('holdfast_operator', 'holdfast_ops.claim_fold'),
          ('holdfast_operator', 'holdfast_ops.waiting_folds'),
          ('holdfast_responder', 'holdfast_sec.tenant'),
          ('holdfast_responder', 'holdfast_sec.enter_tenant'),
          ('holdfast_responder', 'holdfast_hot.snapshot_heads'),
          ('holdfast_responder', 'holdfast_hot.snapshot_body'),
          ('holdfast_responder', 'holdfast_hot.acknowledge'),
          ('holdfast_responder', 'holdfast_hot.profile'),
          ('holdfast_responder', 'holdfast_hot.recent_profiles'),
          ('holdfast_responder', 'holdfast_hot.profile_changes'),
          ('holdfast_responder', 'holdfast_hot.discount_budgets'),
          ('holdfast_gateway', 'holdfast_sec.tenant'),
          ('holdfast_gateway', 'holdfast_sec.api_key'),
          ('holdfast_gateway', 'holdfast_sec.is_limited'),
          ('holdfast_gateway', 'holdfast_sec.allowed_clients'),
          ('holdfast_gateway', 'holdfast_sec.allowed_apps'),
          ('holdfast_gateway', 'holdfast_sec.named_apps'),
          ('holdfast_gateway', 'holdfast_sec.client_of'),
          ('holdfast_gateway', 'holdfast_sec.enter_key'),
          ('holdfast_gateway', 'holdfast_sec.note_key_use'),
          ('holdfast_gateway', 'holdfast_sec.enter_job'),
          ('holdfast_gateway', 'holdfast_sec.tenant_usage'),
          ('holdfast_gateway', 'holdfast_hot.live_responders'),
          ('holdfast_gateway', 'holdfast_ops.claim_job'),
          ('holdfast_gateway', 'holdfast_ops.purge_idempotency_records'),
          ('holdfast_gateway', 'holdfast_ops.prune_snapshots'),
          ('holdfast_gateway', 'holdfast_ops.purge_profile_changes'),
          ('holdfast_gateway', 'holdfast_sec.shown_endpoint'),
          ('holdfast_gateway', 'holdfast_sec.enter_endpoint'),
          ('holdfast_gateway', 'holdfast_ops.hurry_notification_history'),
          ('holdfast_sync', 'holdfast_sec.tenant'),
          ('holdfast_sync', 'holdfast_sec.claimed_app'),
          ('holdfast_sync', 'holdfast_sec.enter_sync'),
          ('holdfast_sync', 'holdfast_sec.leave_sync'),
          ('holdfast_sync', 'holdfast_sec.hurry_sync'),
          ('holdfast_sync', 'holdfast_hot.live_responders'),
          ('holdfast_sync', 'holdfast_ops.claim_sync'),
          ('holdfast_sync', 'holdfast_ops.sync_backlog'),
          ('holdfast_sync', 'holdfast_ops.purge_sync_history'))
        select 'role ' || r.rolname || ' may call ' || p.oid::regprocedure
        from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace and n.nspname like 'holdfast%'
        cross join pg_roles r
        where p.prosecdef and r.rolcanlogin and not r.rolsuper
          and r.rolname <> 'holdfast_migrator'
          and has_function_privilege(r.oid, p.oid, 'execute')
          and not exists (
            select from allowed a
            where a.role = r.rolname and a.name = n.nspname || '.' || p.proname)
        order by 1
        """

    /// The audit takes events about apps that are gone, so it is restricted for reading.
    static let appPolicyQuery: Query = """
        select 'table ' || c.oid::regclass from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'holdfast'
        where c.relkind in ('r', 'p') and not c.relispartition
          and exists (
            select from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
              and a.attname in ('app_id', 'client_id'))
          and not exists (
            select from pg_policy p where p.polrelid = c.oid and not p.polpermissive
              and p.polroles @> array(
                select oid from pg_roles where rolname = 'holdfast_gateway')
              and p.polcmd = case c.relname when 'audit_event' then 'r' else '*' end::"char"
              and pg_get_expr(p.polqual, p.polrelid)
                like '%NOT ( SELECT holdfast_sec.is_limited()%'
              and coalesce(pg_get_expr(p.polwithcheck, p.polrelid),
                pg_get_expr(p.polqual, p.polrelid))
                like '%NOT ( SELECT holdfast_sec.is_limited()%')
        order by 1
        """
}
