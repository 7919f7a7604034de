import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// The sync's role sees and changes one app, for as long as its lease, also with SQL of its own.
@Suite(.database) struct SyncRoleTests {
    /// No worker needs to know who may do what, nor what was answered.
    private static let closed: Set<String> = [
        "api_key_app", "audit_event", "billing_plan_price", "decision", "discount_budget_spent",
        "fold_lease", "governor_counter", "job", "offer_price", "profile", "publication",
        "rule_set_draft",
    ]
    /// Of these it may change a row.
    private static let changed: Set<String> = [
        "app_environment", "apple_call", "apple_default", "apple_object", "call_budget",
        "credential", "credential_check",
        "image_placement", "message_placement", "notification_history", "performance_test",
        "sync_run", "sync_state",
    ]
    private static let removed: Set<String> = [
        "apple_default", "apple_object", "image_placement", "message_placement",
    ]

    private func tables(_ workers: SyncWorkers, with column: String) throws -> [String] {
        try workers.agencies.database.superuser.withConnection { connection in
            try connection.query(
                """
                select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
                where c.relnamespace = 'holdfast'::regnamespace and c.relkind in ('r', 'p')
                  and not c.relispartition and a.attname = \(column)
                order by 1
                """
            ).map { try $0.decode(at: 0) }
        }
    }

    private func filled() throws -> SyncWorkers {
        let workers = try SyncWorkers()
        try FilledTables.fill(workers.agencies.database)
        return workers
    }

    private func refusal(_ pool: Pool, _ sql: String) -> String? {
        do {
            try pool.withConnection { try $0.execute(script: sql) }
            return nil
        } catch {
            return (error as? PostgresError)?.sqlState
        }
    }

    @Test func `without a lease it gets an error, in every table`() throws {
        let workers = try filled()
        let tenant = workers.agencies.first.scope.tenant
        let before = try workers.agencies.digest(of: tenant)
        let tables = try tables(workers, with: "tenant_id")
        #expect(tables.count > 30)
        for table in tables {
            for sql in [
                "select * from holdfast.\(table)", "delete from holdfast.\(table)",
                "update holdfast.\(table) set tenant_id = tenant_id",
                "insert into holdfast.\(table) default values",
            ] {
                let state = refusal(workers.agencies.database.sync, sql)
                #expect(state == "42501", "\(sql)")
            }
        }
        #expect(
            refusal(workers.agencies.database.sync, "table holdfast.approved_placement") == "42501")
        #expect(try workers.agencies.digest(of: tenant) == before)
    }

    @Test func `with a lease it sees the rows of its app and no other, in every table`() throws {
        let workers = try filled()
        let lease = try workers.lease(workers.production)
        for table in try tables(workers, with: "app_id") {
            let rows = Query(unsafeSQL: "select distinct app_id from holdfast.\(table)")
            let there: Int = try workers.agencies.database.superuser.withConnection {
                try $0.query(rows).count
            }
            // Else the next line would say nothing.
            #expect(there > 1, "\(table)")
            if Self.closed.contains(table) {
                #expect(
                    try workers.attempt(lease, "select from holdfast.\(table)") == .forbidden,
                    "\(table)")
                continue
            }
            let seen = try workers.run(lease) { connection in
                try connection.query(rows).map { try $0.decode(UUID.self, at: 0) }
            }
            #expect(seen == [lease.key.app.uuid], "\(table)")
        }
        for table in ["api_key", "api_key_client", "client", "idempotency_record", "tenant"] {
            let attempt = try workers.attempt(lease, "select from holdfast.\(table)")
            #expect(attempt == .forbidden, "\(table)")
        }
        let files = try workers.run(lease) {
            try $0.query("select png from holdfast.image_file").count
        }
        #expect(files == 2)
    }

    @Test func `it changes and removes only what is Apple's, and only of its app`() throws {
        let workers = try filled()
        let lease = try workers.lease(workers.production)
        let app = lease.key.app.uuid
        let (first, second) = (workers.agencies.first, workers.agencies.second)
        let before = try workers.agencies.digest(of: second.scope.tenant)
        for table in try tables(workers, with: "app_id") {
            let foreign = try workers.attempt(
                lease, "delete from holdfast.\(table) where app_id <> '\(app)'")
            #expect(
                foreign == (Self.removed.contains(table) ? .changed(0) : .forbidden), "\(table)")
            for column in ["tenant_id", "app_id"] {
                let moved = try workers.attempt(
                    lease, "update holdfast.\(table) set \(column) = gen_random_uuid()")
                #expect(moved == .forbidden, "\(table).\(column)")
            }
            try expectWrites(table, workers, lease)
        }
        #expect(try workers.agencies.digest(of: second.scope.tenant) == before)
        let others: Int64 = try workers.agencies.value(
            """
            select count(*) from holdfast.apple_object
            where tenant_id = \(first.scope.tenant.uuid) and app_id <> \(app)
            """)
        #expect(others > 0)
    }

    /// Whether any column of the table may be written.
    private func expectWrites(
        _ table: String, _ workers: SyncWorkers, _ lease: SyncLease
    ) throws {
        let columns: [String] = try workers.agencies.value(
            """
            select coalesce(array_agg(attname::text), '{}') from pg_attribute
            where attrelid = ('holdfast.' || \(table))::regclass and attnum > 0
              and has_column_privilege('holdfast_sync', attrelid, attnum, 'update')
            """)
        #expect(columns.isEmpty != Self.changed.contains(table), "\(table)")
        guard let column = columns.first, !Self.removed.contains(table) else { return }
        let own = try workers.attempt(
            lease, "update holdfast.\(table) set \(column) = \(column)")
        let count: Int64 = try workers.agencies.value(
            Query(
                unsafeSQL: """
                    select count(*) from holdfast.\(table) where app_id = '\(lease.key.app.uuid)'
                    """))
        #expect(own == .changed(Int(count)), "\(table)")
    }

    @Test func `it gives nobody a lease, a text, a key or another's row`() throws {
        let workers = try filled()
        let lease = try workers.lease(workers.production)
        let app = lease.key.app.uuid
        let tenant = lease.tenant.uuid
        let other = workers.agencies.first.keys[2].app.uuid
        for sql in [
            "update holdfast.sync_state set lease_token = 9",
            "update holdfast.sync_state set leased_until = 'infinity'",
            "update holdfast.sync_state set leased_by = 'x'",
            "update holdfast.sync_state set claimed_at = null",
            "update holdfast.sync_state set next_run_at = '-infinity'",
            "update holdfast.sync_state set change_number = 0",
            "insert into holdfast.sync_state (tenant_id, app_id, environment) "
                + "values ('\(tenant)', '\(app)', 'Xcode')",
            "update holdfast.localization set body = 'x'", "update holdfast.bullet set text = 'x'",
            "update holdfast.message set name = 'x'", "update holdfast.app set bundle_id = 'x'",
            "update holdfast.credential set sealed = 'x'",
            "update holdfast.endpoint set token_sealed = 'x'",
            "update holdfast.default_message set locale = 'x'",
            "delete from holdfast.message_target",
            "update holdfast.sync_run set requested_by = '{}'",
            "update holdfast.apple_call set started_at = now()", "delete from holdfast.apple_call",
            "delete from holdfast.call_budget", "delete from holdfast.snapshot",
            "update holdfast.performance_test set transaction_id = '2'",
            "insert into holdfast.image_file values ('\(tenant)', sha256('x'), 'x', now())",
            "insert into holdfast.apple_default (tenant_id, app_id, environment, product_id, "
                + "locale, is_uncertain) "
                + "values ('\(tenant)', '\(other)', 'Sandbox', 'q', 'en', false)",
            "set role holdfast_operator", "select holdfast_sec.enter_tenant('\(tenant)')",
            "select holdfast_sec.set_context('\(tenant)', null)",
            "select holdfast_sec.mac('claimed app of \(tenant)', '\(other)')",
        ] {
            #expect(try workers.attempt(lease, sql) == .forbidden, "\(sql)")
        }
    }

    /// Names what another lease would open, with all that the first one set.
    @Test func `nobody forges the app of a lease`() throws {
        let workers = try filled()
        let lease = try workers.lease(workers.production)
        let foreign = workers.agencies.second
        let other = try workers.lease(foreign.keys[0], of: foreign)
        let names = [
            "holdfast.tenant_id", "holdfast.context_mac", "holdfast.claimed_app",
            "holdfast.claimed_app_mac",
        ]
        let known = try [lease, other].map { lease in
            try workers.run(lease) { connection in
                try names.map { name in
                    let rows = try connection.query("select current_setting(\(name))")
                    return try #require(rows.first).decode(String.self, at: 0)
                }
            }
        }
        let app = workers.agencies.first.keys[2].app.uuid.uuidString.lowercased()
        func state(_ values: [String], after first: SyncLease?, _ second: SyncLease? = nil)
            -> String?
        {
            do {
                try workers.agencies.database.sync.transaction { connection in
                    if let first { try workers.enter(first, connection) }
                    var live: [String] = []
                    for name in names {
                        let rows = try connection.query(
                            "select coalesce(current_setting(\(name), true), '')")
                        live.append(try #require(rows.first).decode(at: 0))
                    }
                    if let second { try workers.enter(second, connection) }
                    for (index, name) in names.enumerated() where values[index] != "-" {
                        let value = values[index] == "=" ? live[index] : values[index]
                        _ = try connection.query("select set_config(\(name), \(value), true)")
                    }
                    _ = try connection.query("select from holdfast.message")
                }
                return nil
            } catch {
                return (error as? PostgresError)?.sqlState
            }
        }
        #expect(state(["-", "-", "-", "-"], after: lease) == nil)
        #expect(state(known[0], after: nil) == "42501")
        for values in [
            known[0], ["-", "-", app, "-"], ["-", "-", known[1][2], known[1][3]],
            ["-", "-", "", "-"], ["-", "-", "-", ""], ["-", "-", "-", "x"],
            [known[1][0], "-", "-", "-"], [known[1][0], "-", known[1][2], "-"],
        ] {
            #expect(state(values, after: lease) == "42501", "\(values)")
        }
        // With two leases, the app of the one is not an app of the other's tenant.
        #expect(state(["=", "=", "-", "-"], after: lease, other) == "42501")
        #expect(state(["-", "-", "=", "="], after: lease, other) == "42501")
        #expect(state(["=", "=", "=", "="], after: lease, other) == nil)
    }

    @Test func `no other role claims, enters or leaves`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production)
        let database = workers.agencies.database
        let key = "'\(lease.tenant.uuid)', '\(lease.key.app.uuid)', 'Production', \(lease.token)"
        for pool in [database.operator, database.gateway, database.responder] {
            for sql in [
                "select holdfast_ops.claim_sync('x', interval '1 minute', 1)",
                "select holdfast_sec.enter_sync(\(key), interval '1 minute')",
                "select holdfast_sec.leave_sync('Production', 1, 0, interval '1 minute')",
                "select holdfast_sec.claimed_app()", "select holdfast_ops.sync_backlog()",
                "select holdfast_ops.purge_sync_history(now(), 1)",
            ] { #expect(refusal(pool, sql) == "42501", "\(sql)") }
        }
        for lease in ["99 milliseconds", "61 minutes"] {
            for sql in [
                "select holdfast_ops.claim_sync('x', interval '\(lease)', 1)",
                "select holdfast_sec.enter_sync(\(key), interval '\(lease)')",
            ] { #expect(refusal(database.sync, sql) == "22023", "\(sql)") }
        }
    }

    @Test func `an older, another's, an unknown and an expired token enter nothing`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production)
        let foreign = workers.agencies.second.scope.tenant
        let app = workers.agencies.first.keys[1]
        for wrong in [
            SyncLease(tenant: lease.tenant, key: lease.key, token: lease.token - 1),
            SyncLease(tenant: lease.tenant, key: lease.key, token: lease.token + 1),
            SyncLease(tenant: foreign, key: lease.key, token: lease.token),
            SyncLease(tenant: lease.tenant, key: app, token: lease.token),
            SyncLease(tenant: lease.tenant, key: workers.sandbox, token: lease.token),
        ] {
            #expect(workers.code { try workers.work(wrong) { _, _ in } } == .leaseLost)
        }
        try workers.work(lease) { _, _ in }
        try workers.work(lease, for: SyncWorkers.short) { _, _ in }
        let isOver = becomesTrue {
            let expired: Bool? = try? workers.agencies.value(
                """
                select leased_until < clock_timestamp() from holdfast.sync_state
                where lease_token = \(lease.token) and tenant_id = \(lease.tenant.uuid)
                  and leased_until is not null
                """)
            return expired ?? false
        }
        #expect(isOver)
        #expect(workers.code { try workers.work(lease) { _, _ in } } == .leaseLost)
    }

    /// Each function of a transaction, under the second agency's lease on the first's things.
    @Test func `under a lease nothing of another agency is changed`() throws {
        let workers = try SyncWorkers()
        let agencies = workers.agencies
        let isolation = IsolationTests()
        let attempts = try isolation.syncQuestions(agencies) + isolation.syncAttempts(agencies)
        let lease = try workers.lease(agencies.second.keys[0], of: agencies.second)
        let before = try agencies.digest(of: agencies.first.scope.tenant)
        for attempt in attempts {
            _ = try? workers.work(lease) { transaction, _ in try attempt.call(transaction) }
            let after = try agencies.digest(of: agencies.first.scope.tenant)
            #expect(after == before, "\(attempt.name)")
        }
    }

    @Test func `a key writes nothing of what Apple has, nor who works on it`() throws {
        let keys = try Keys()
        for part in [Keys.Part.all, .app] {
            let token = try keys.make(part)
            for sql in [
                "update holdfast.sync_state set lease_token = 9",
                "update holdfast.sync_state set leased_until = null",
                "update holdfast.sync_state set doubted_at = now()",
                "update holdfast.sync_state set url_kind = 'none'",
                "update holdfast.sync_state set access = 'granted'",
                "delete from holdfast.sync_state", "update holdfast.call_budget set spoken_for = 0",
                "delete from holdfast.call_budget", "delete from holdfast.apple_call",
                "update holdfast.apple_call set outcome = 'ok', finished_at = now()",
                "update holdfast.apple_object set is_ours = true",
                "update holdfast.apple_object set state = 'APPROVED'",
                "update holdfast.apple_object set presence = 'listed'",
                "delete from holdfast.apple_object", "delete from holdfast.image_placement",
                "delete from holdfast.message_placement", "delete from holdfast.apple_default",
                "update holdfast.apple_default set apple_id = null",
                "update holdfast.sync_run set state = 'running'", "delete from holdfast.sync_run",
                "update holdfast.performance_test set state = 'passed', finished_at = now()",
                "delete from holdfast.performance_test",
                "update holdfast.credential_check set verdict = 'works'",
                "delete from holdfast.credential_check",
            ] {
                let attempt = try keys.attempt(token, Query(unsafeSQL: sql))
                #expect(attempt == .forbidden, "\(part): \(sql)")
            }
            try expectQueuedOnly(keys, token)
        }
        let objects: Int64 = try keys.agencies.value(
            "select count(*) from holdfast.apple_object where app_id = \(keys.apps[0].uuid)")
        let anew: Query = "update holdfast.apple_object set superseded_at = now()"
        #expect(try keys.attempt(keys.make(.app), anew) == .changed(Int(objects)))
        #expect(try keys.attempt(keys.make(.nothing), anew) == .changed(0))
    }

    /// A key asks for a run or a test, and says no more.
    private func expectQueuedOnly(_ keys: Keys, _ token: APIKeyToken) throws {
        let (tenant, app) = (keys.agencies.first.scope.tenant.uuid, keys.apps[0].uuid)
        func run(_ trigger: String, _ state: String, _ app: UUID) throws -> Keys.Attempt {
            try keys.attempt(
                token,
                """
                insert into holdfast.sync_run (tenant_id, app_id, environment, run_id, trigger,
                  requested_by, state, created_at)
                values (\(tenant), \(app), 'Sandbox', gen_random_uuid(), \(trigger), '{}', \(state),
                  now())
                """)
        }
        try keys.agencies.database.superuser.withConnection {
            try $0.execute(
                script: "delete from holdfast.sync_run; delete from holdfast.performance_test")
        }
        #expect(try run("schedule", "queued", app) == .forbidden)
        #expect(try run("request", "running", app) == .forbidden)
        #expect(try run("request", "queued", app) == .changed(1))
        func test(_ state: String) throws -> Keys.Attempt {
            try keys.attempt(
                token,
                """
                insert into holdfast.performance_test (tenant_id, app_id, test_id, state,
                  requested_by, transaction_id, created_at)
                values (\(tenant), \(app), gen_random_uuid(), \(state), '{}', '1', now())
                """)
        }
        #expect(try test("passed") == .forbidden)
        #expect(try test("queued") == .changed(1))
    }
}
