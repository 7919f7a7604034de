import Foundation
import Migrations
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// What the migrations made, asked of PostgreSQL's own catalog. Each query lists offenders.
@Suite(.database) struct CatalogTests {
    private func offenders(_ query: Query) throws -> [String] {
        try Database.current().superuser.withConnection { connection in
            try connection.query(query).map { try $0.decode(at: 0) }
        }
    }

    @Test func `every table is under forced row security`() throws {
        let tables = try offenders(
            """
            select relname from pg_class where relnamespace = 'holdfast'::regnamespace
              and relkind in ('r', 'p')
            """)
        #expect(tables.count > 20)
        #expect(
            try offenders(
                """
                select relname from pg_class where relnamespace = 'holdfast'::regnamespace
                  and relkind in ('r', 'p') and not (relrowsecurity and relforcerowsecurity)
                """
            ).isEmpty)
    }

    @Test func `every key and foreign key begins with the tenant`() throws {
        #expect(
            try offenders(
                """
                select conname from pg_constraint c
                join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
                where c.connamespace = 'holdfast'::regnamespace and c.contype in ('p', 'u', 'f')
                  and a.attname <> 'tenant_id'
                """
            ).isEmpty)
        #expect(
            try offenders(
                """
                select c.relname from pg_index i
                join pg_class c on c.oid = i.indexrelid
                join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
                where c.relnamespace = 'holdfast'::regnamespace and i.indisunique
                  and a.attname <> 'tenant_id'
                """
            ).isEmpty)
    }

    @Test func `partitions are there for two years and grant nothing`() throws {
        let partitions = try offenders(
            """
            select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'holdfast.decision'::regclass
            """)
        #expect(partitions.count == 26)
        #expect(
            try offenders(
                """
                select c.relname from pg_class c, aclexplode(c.relacl) acl
                where c.relispartition and c.relnamespace = 'holdfast'::regnamespace
                  and acl.grantee <> c.relowner
                """
            ).isEmpty)
    }

    @Test func `functions that cross tenants are pinned, owned apart, and not PUBLIC's`() throws {
        let definers = try offenders(
            """
            select p.proname from pg_proc p
            where p.prosecdef and p.pronamespace::regnamespace::text like 'holdfast%'
            """)
        #expect(
            Set(definers) == [
                "make_partitions", "tenant_usage", "snapshot_heads", "snapshot_body", "acknowledge",
                "live_responders", "tenants", "claim_job", "purge_idempotency_records", "mac",
                "set_context", "tenant", "api_key", "enter_tenant", "enter_key", "enter_job",
                "note_key_use", "is_limited", "allowed_clients", "allowed_apps", "named_apps",
                "client_of", "forget_files", "prune_snapshots", "claim_sync", "sync_backlog",
                "purge_sync_history", "claimed_app", "enter_sync", "leave_sync", "hurry_sync",
                "profile", "recent_profiles", "profile_changes", "discount_budgets",
                "note_profile_changes", "purge_profile_changes", "enter_endpoint",
                "shown_endpoint", "claim_fold", "waiting_folds", "enter_fold", "leave_fold",
                "hurry_notification_history",
            ])
        #expect(
            try offenders(
                """
                select p.proname from pg_proc p
                where p.pronamespace::regnamespace::text like 'holdfast%'
                  and (not coalesce(p.proconfig::text, '') like '%search_path=pg_catalog, pg_temp%'
                    or has_function_privilege('public', p.oid, 'execute'))
                """
            ).isEmpty)
    }

    @Test func `PUBLIC and log-in roles have no more than they need`() throws {
        #expect(
            try offenders(
                """
                select nspname from pg_namespace
                where nspname like 'holdfast%' and has_schema_privilege('public', oid, 'usage')
                """
            ).isEmpty)
        #expect(
            try offenders(
                """
                select rolname from pg_roles where rolname like 'holdfast%'
                  and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)
                """
            ).isEmpty)
        #expect(
            try offenders(
                """
                select c.relname || ' ' || acl.privilege_type
                from pg_class c, aclexplode(c.relacl) acl
                where c.relnamespace = 'holdfast'::regnamespace
                  and acl.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER')
                  and acl.grantee <> c.relowner
                """
            ).isEmpty)
    }

    @Test func `the list of migrations is the folder's`() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: PackageRoot.path + "/Migrations"
        ).filter { $0.hasSuffix(".sql") }.map { String($0.dropLast(4)) }
        #expect(Schema.migrations.map(\.name) == files.sorted())
    }

    /// JWS-03: refused when it is saved, not at each request.
    @Test(arguments: [Int64(0), -1, Int64.min])
    func `an app without Apple's number cannot be saved`(appAppleId: Int64) throws {
        let agencies = try Agencies()
        let client = ClientID(UUID())
        let error = #expect(throws: PostgresError.self) {
            try agencies.change(agencies.first) { transaction in
                try transaction.createClient(Client(id: client, name: "x"))
                try transaction.createApp(
                    App(
                        id: AppID(UUID()), client: client, name: "x", bundleId: "x",
                        appAppleId: appAppleId, defaultLocale: "en-US"))
            }
        }
        #expect(error?.constraint == "app_apple_id_positive")
    }

    /// Every column of a decision, read back by SQL of the test's own.
    @Test func `a decision is stored as it was, once`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let (rule, message, request) = (RuleID(UUID()), UUID(), UUID())
        let record = DecisionRecord(
            key: key, signedDate: Agencies.now, requestIdentifier: request,
            decidedAt: Instant(milliseconds: Agencies.now.milliseconds + 7),
            originalTransactionId: "2000000000000001", productId: "monthly", localeAsked: "ja-JP",
            decision: Decision(
                answer: .alternateProduct(message, productId: "annual", billingPlanType: .monthly),
                rule: rule, localeServed: "ja"),
            snapshotNumber: 3, durationMicroseconds: 812)
        for _ in 0..<3 {
            try agencies.change(agencies.first) { try $0.recordDecisions([record, record]) }
        }
        let stored: String = try agencies.value(
            """
            select concat_ws(' ', count(*) over (), tenant_id, app_id, environment,
              (extract(epoch from signed_date) * 1000)::bigint, request_identifier,
              (extract(epoch from decided_at - signed_date) * 1000)::bigint,
              original_transaction_id, product_id, kind, rule_id, locale_asked, locale_served,
              message_identifier, alternate_product_id, billing_plan_type, snapshot_number,
              duration_microseconds) from holdfast.decision
            """)
        let expected: [String] = [
            "1", low(agencies.first.scope.tenant.uuid), low(key.app.uuid), "Production",
            String(Agencies.now.milliseconds), low(request), "7", "2000000000000001", "monthly",
            "switchPlan", low(rule.uuid), "ja-JP", "ja", low(message), "annual", "MONTHLY", "3",
            "812",
        ]
        #expect(stored == expected.joined(separator: " "))
    }

    private func low(_ uuid: UUID) -> String { uuid.uuidString.lowercased() }
}
