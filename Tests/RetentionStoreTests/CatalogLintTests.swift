import Postgres
import RetentionStore
import TestSupport
import Testing

/// The lint has nothing to say of what the migrations made, and finds each thing planted into it.
@Suite(.database) struct CatalogLintTests {
    @Test func `a migrated database is clean, whoever asks`() throws {
        let database = try Database.current()
        for pool in [
            database.migrator, database.operator, database.responder, database.gateway,
            database.superuser,
        ] {
            let findings = try pool.withConnection { try CatalogLint.findings($0) }
            #expect(findings.map(\.description) == [])
            #expect(CatalogRefusal(findings) == nil)
        }
    }

    private struct Undone: Error {}

    /// What the rules say while `script` is done; undone afterwards, since roles are all tests'.
    private func findings(
        after script: String, oldestServer: Int32 = CatalogLint.oldestServer
    ) throws -> [CatalogFinding] {
        var found: [CatalogFinding] = []
        do {
            try Database.current().superuser.transaction { connection in
                try connection.execute(script: script)
                found = try CatalogLint.findings(connection, oldestServer: oldestServer)
                throw Undone()
            }
        } catch is Undone {}
        return found
    }

    private static let planted: [(CatalogRule, String)] = [
        (.rowSecurity, "create table holdfast.x (tenant_id uuid)"),
        (.rowSecurity, "alter table holdfast.app no force row level security"),
        (.rowSecurity, "alter table holdfast.app disable row level security"),
        (.tenantPolicy, "create policy x on holdfast.app to holdfast_gateway using (true)"),
        (.tenantPolicy, "create policy x on holdfast.app for select using (true)"),
        (.tenantPolicy, "drop policy tenant on holdfast.app"),
        (
            .tenantPolicy,
            """
            alter policy tenant on holdfast.app
              using (tenant_id = (select holdfast_sec.tenant()) or name = 'x')
            """
        ),
        (.tenantPolicy, "alter policy tenant on holdfast.app with check (true)"),
        (.tenantPolicy, "grant select on holdfast.app to holdfast_responder"),
        (.ownership, "grant holdfast_owner to holdfast_operator"),
        (.ownership, "grant holdfast_definer to holdfast_gateway"),
        (.ownership, "alter table holdfast.app owner to holdfast_operator"),
        (.ownership, "alter function holdfast_sec.tenant() owner to holdfast_gateway"),
        (.ownership, "create table public.x (); alter table public.x owner to holdfast_gateway"),
        (.ownership, "alter schema holdfast_hot owner to holdfast_responder"),
        (.strongRole, "alter role holdfast_gateway bypassrls"),
        (.strongRole, "alter role holdfast_operator superuser"),
        (.strongRole, "alter role holdfast_responder createrole"),
        (.strongRole, "alter role holdfast_owner login"),
        (.invokerView, "create view holdfast.x as select * from holdfast.app"),
        (.invokerView, "alter view holdfast.approved_placement set (security_invoker = false)"),
        (.definer, "alter function holdfast_sec.tenant() reset search_path"),
        (.definer, "alter function holdfast_sec.tenant() set search_path = public"),
        (.definer, "alter function holdfast_sec.tenant() owner to holdfast_owner"),
        (.definer, "grant execute on function holdfast_sec.tenant() to public"),
        (
            .definer,
            """
            create function public.x() returns int language sql security definer
              set search_path = pg_catalog, pg_temp as 'select 1'
            """
        ),
        (.strongGrant, "grant truncate on holdfast.app to holdfast_operator"),
        (.strongGrant, "grant references on holdfast.app to holdfast_gateway"),
        (.strongGrant, "grant trigger on holdfast.decision to holdfast_responder"),
        (.strongGrant, "grant references (app_id) on holdfast.app to holdfast_gateway"),
        (
            .foreignKey,
            """
            create table holdfast.x (tenant_id uuid, y uuid unique);
            alter table holdfast.app add foreign key (app_id) references holdfast.x (y)
            """
        ),
        (
            .foreignKey,
            """
            create table holdfast.x (tenant_id uuid, a uuid, b uuid, unique (a, b));
            alter table holdfast.app add foreign key (tenant_id, app_id)
              references holdfast.x (a, b)
            """
        ),
        (.uniqueIndex, "create unique index x on holdfast.app (bundle_id)"),
        (.uniqueIndex, "create unique index x on holdfast.app (app_id, tenant_id)"),
        (.uniqueIndex, "create unique index x on holdfast.app (lower(name), tenant_id)"),
        (.partition, "\(onPartition("grant select on %I to holdfast_operator"))"),
        (.partition, "\(onPartition("alter table %I disable row level security"))"),
        (.partition, "\(onPartition("create policy x on %I using (true)"))"),
        (.partition, "\(onPartition("grant select (kind) on %I to holdfast_gateway"))"),
        (.materialisedView, "create materialized view holdfast.x as select 1"),
        (.materialisedView, "create materialized view public.x as select 1"),
        (.publicGrant, "grant usage on schema holdfast to public"),
        (.publicGrant, "grant create on schema public to public"),
        (.publicGrant, "grant select on holdfast.app to public"),
        (.publicGrant, "grant select (name) on holdfast.app to public"),
        (.publicGrant, "grant execute on function holdfast_sec.protect(regclass) to public"),
        (.publicGrant, "create function holdfast_sec.x() returns int language sql as 'select 1'"),
        (
            .publicGrant,
            """
            do $$ begin
              execute format('grant temporary on database %I to public', current_database());
            end $$
            """
        ),
        (
            .execution,
            "grant execute on function holdfast_sec.enter_tenant(uuid) to holdfast_gateway"
        ),
        (.execution, "grant execute on function holdfast_sec.mac(text, text) to holdfast_operator"),
        (
            .execution,
            """
            create role holdfast_x login;
            grant execute on function holdfast_hot.snapshot_heads() to holdfast_x
            """
        ),
        (.appPolicy, "drop policy allowed_apps on holdfast.message"),
        (.appPolicy, "drop policy allowed_apps on holdfast.audit_event"),
        (.appPolicy, "drop policy allowed_clients on holdfast.client"),
        (.appPolicy, "alter policy allowed_apps on holdfast.image using (true)"),
        (.appPolicy, "alter policy allowed_apps on holdfast.image with check (true)"),
        (.appPolicy, "alter policy allowed_apps on holdfast.image to holdfast_operator"),
        (.appPolicy, "create table holdfast.x (tenant_id uuid, app_id uuid)"),
    ]

    private static func onPartition(_ statement: String) -> String {
        let named = statement.replacing("%I", with: "%s")
        return """
            do $$ begin
              execute format('\(named)', (select inhrelid::regclass from pg_inherits
                where inhparent = 'holdfast.decision'::regclass limit 1));
            end $$
            """
    }

    @Test func `each rule finds what is planted, and names it`() throws {
        for (rule, script) in Self.planted {
            let found = try findings(after: script)
            #expect(found.contains { $0.rule == rule }, "\(rule): \(script)")
            #expect(CatalogRefusal(found) != nil)
        }
        let old = try findings(after: "", oldestServer: 990_000)
        #expect(old.map(\.rule) == [.serverVersion])
        let met = Set(Self.planted.map(\.0)).union([.serverVersion])
        #expect(met == Set(CatalogRule.allCases))
        let named = try findings(after: "drop policy allowed_apps on holdfast.message")
        #expect(named.map(\.offender) == ["table holdfast.message"])
        try Promise.kept(
            "catalog-lint",
            "\(CatalogRule.allCases.count) rules, \(Self.planted.count) planted faults found")
    }
}
