import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Who gets into a tenant, and that nobody gets in by other ways.
@Suite(.database) struct AccessTests {
    private func tenants(_ keys: Keys, _ token: APIKeyToken) throws -> Set<UUID> {
        try keys.run(token) { connection in
            Set(
                try connection.query("select tenant_id from holdfast.message").map {
                    try $0.decode(UUID.self, at: 0)
                })
        }
    }

    private func refusal(_ keys: Keys, _ token: APIKeyToken, at now: Instant) -> StoreError.Code? {
        do {
            try keys.gateway.transaction(presenting: token.hash, at: now) { _, _ in }
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `a key enters its own tenant`() throws {
        let keys = try Keys()
        let token = try keys.make(.all, scopes: [.read(.apps), .write(.content)])
        #expect(try tenants(keys, token) == [keys.agencies.first.scope.tenant.uuid])
        try keys.gateway.transaction(presenting: token.hash, at: Agencies.now) {
            transaction, principal in
            #expect(transaction.scope.tenant == keys.agencies.first.scope.tenant)
            #expect(principal.key == token.id)
            #expect(principal.scopes == [.read(.apps), .write(.content)])
            #expect(!principal.isLimited)
        }
    }

    @Test func `a revoked, an expired and an unknown key are refused`() throws {
        let keys = try Keys()
        let now = Agencies.now
        let soon = Instant(milliseconds: now.milliseconds + 1_000)
        let token = try keys.make(.all, expiresAt: soon)
        #expect(refusal(keys, token, at: now) == nil)
        #expect(refusal(keys, token, at: soon) == .unauthenticated)
        try keys.agencies.change(keys.agencies.first) { try $0.revokeAPIKey(token.id) }
        #expect(refusal(keys, token, at: now) == .unauthenticated)
        #expect(refusal(keys, APIKeyToken.make(token.id), at: now) == .unauthenticated)
    }

    @Test func `a revoked key cannot be brought back`() throws {
        let keys = try Keys()
        let (admin, lost) = (try keys.make(.all), try keys.make(.all))
        try keys.agencies.change(keys.agencies.first) { try $0.revokeAPIKey(lost.id) }
        let revived = try keys.attempt(
            admin,
            """
            update holdfast.api_key set revoked_at = null, expires_at = null
            where api_key_id = \(lost.id.uuid)
            """)
        #expect(revived == .changed(0))
        #expect(refusal(keys, lost, at: Agencies.now) == .unauthenticated)
    }

    private static let contextSettings = [
        "holdfast.tenant_id", "holdfast.api_key_id", "holdfast.context_mac",
    ]

    /// Shows the key, and gives the values that the database set for it.
    private func enter(_ token: APIKeyToken, _ connection: Connection) throws -> [String] {
        let now = Timestamp(milliseconds: Agencies.now.milliseconds)
        _ = try connection.query("select holdfast_sec.enter_key(\(token.hash), \(now))::text")
        return try Self.contextSettings.map { name in
            let rows = try connection.query("select current_setting(\(name), true)")
            return try rows.first?.decode(at: 0) ?? ""
        }
    }

    /// Why the rows are not given when the settings have these values; nil where they are.
    private func refusal(_ pool: Pool, of values: [String], after token: APIKeyToken? = nil)
        -> String?
    {
        do {
            try pool.transaction { connection in
                if let token { _ = try enter(token, connection) }
                for (name, value) in zip(Self.contextSettings, values) {
                    _ = try connection.query("select set_config(\(name), \(value), true)")
                }
                _ = try connection.query("select tenant_id from holdfast.message")
            }
            return nil
        } catch {
            return (error as? PostgresError)?.sqlState
        }
    }

    /// The signature is of tenant, key, server process and transaction: with any of them changed it
    /// is worth nothing.
    @Test func `a context that the database did not sign is refused in every variant`() throws {
        let keys = try Keys()
        let (token, other) = (try keys.make(.all), try keys.make(.app))
        let foreign = keys.agencies.second.scope.tenant.uuid.uuidString.lowercased()
        var settings = PoolSettings(url: try keys.agencies.database.url(role: "holdfast_gateway"))
        settings.maximumConnections = 1
        // One connection, so that a later transaction differs in nothing but its time.
        let pool = try Pool(settings)
        defer { pool.close() }
        let known = try pool.transaction { try enter(token, $0) }
        let limited = try pool.transaction { try enter(other, $0) }
        for values in [
            [known[0], "", ""], [foreign, "", ""], known, [foreign, known[1], known[2]],
            [known[0], "", known[2]], [known[0], limited[1], known[2]],
            ["\(known[0])/\(known[1])", "", known[2]], [known[0], known[1], "x"],
        ] {
            #expect(refusal(pool, of: values) == "42501", "\(values)")
        }
        // Entered with the limited key, then dressed up as the other one, or as none.
        for key in [known[1], ""] {
            let mac = try #require(limited.last)
            #expect(refusal(pool, of: [limited[0], key], after: other) == "42501")
            #expect(refusal(pool, of: [limited[0], key, mac], after: other) == "42501")
        }
        // While the transaction that it was signed for is still open, in another process.
        try pool.transaction { connection in
            let live = try enter(token, connection)
            #expect(refusal(keys.agencies.database.gateway, of: live) == "42501")
        }
    }

    @Test func `after the commit nothing of the context is left`() throws {
        let keys = try Keys()
        let token = try keys.make(.all)
        var settings = PoolSettings(
            url: try keys.agencies.database.url(role: "holdfast_gateway"))
        settings.maximumConnections = 1
        let pool = try Pool(settings)
        defer { pool.close() }
        let store = RetentionStore(pool: pool)
        try store.transaction(presenting: token.hash, at: Agencies.now) { _, _ in }
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection { _ = try $0.query("select tenant_id from holdfast.message") }
        }
        #expect(error?.sqlState == "42501")
        #expect(pool.counts.leakedSettings == 0)
    }

    private static let forbidden = [
        "select secret_hash from holdfast.api_key", "select * from holdfast.api_key",
        "select value from holdfast_sec.secret", "select holdfast_sec.mac('a', 'b')",
        "select holdfast_sec.set_context(gen_random_uuid(), null)",
        "select holdfast_sec.enter_tenant(gen_random_uuid())",
        "select lease_token from holdfast.job", "select * from holdfast.job",
        "update holdfast.job set api_key_id = gen_random_uuid()",
        "update holdfast.audit_event set action = 'x'", "delete from holdfast.audit_event",
        "truncate holdfast.audit_event", "truncate holdfast.message", "truncate holdfast.decision",
        "insert into holdfast.decision select * from holdfast.decision",
        "update holdfast.decision set kind = 'message'", "delete from holdfast.decision",
        "update holdfast.tenant set requests_per_minute = 1", "delete from holdfast.api_key",
        "update holdfast.api_key set secret_hash = sha256('x')",
        "update holdfast.api_key set is_limited = false, scopes = '{}'",
        "update holdfast.rule_set set body = '{}'", "update holdfast.snapshot set number = 9",
        """
        insert into holdfast.snapshot_acknowledgement
        select * from holdfast.snapshot_acknowledgement
        """,
        "select * from holdfast_hot.responder", "select holdfast_hot.snapshot_heads()",
        "select holdfast_ops.tenants()", "select holdfast_ops.make_partitions('2030-01-01', 1)",
        "select holdfast_sec.protect('holdfast.app')", "create table holdfast.x ()",
        "create table public.x ()", "create temporary table x ()",
        "set session authorization holdfast_owner", "set role holdfast_owner",
    ]

    /// With a key shown, so that only the right to the thing itself is missing.
    @Test func `the gateway's role cannot reach beyond its rows`() throws {
        let keys = try Keys()
        let token = try keys.make(.all)
        for sql in Self.forbidden {
            #expect(try keys.attempt(token, Query(unsafeSQL: sql)) == .forbidden, "\(sql)")
        }
    }

    @Test func `audit events are written in the own name only`() throws {
        let keys = try Keys()
        let (token, other) = (try keys.make(.all), try keys.make(.app))
        func write(_ kind: String, _ key: UUID?) throws -> Keys.Attempt {
            try keys.attempt(
                token,
                """
                insert into holdfast.audit_event (tenant_id, audit_event_id, at, actor_kind,
                  actor_id, api_key_id, action, resource_type, resource_id, changes)
                values (holdfast_sec.tenant(), \(UUID()), now(), \(kind), 'x', \(key), 'x', 'x',
                  'x', '{}')
                """)
        }
        #expect(try write("apiKey", token.id.uuid) == .changed(1))
        #expect(try write("apiKey", other.id.uuid) == .forbidden)
        #expect(try write("apiKey", nil) == .forbidden)
        #expect(try write("operator", token.id.uuid) == .forbidden)
    }

    /// Also the migrator, who is a member of the owner, and a superuser by mistake.
    @Test func `nobody changes the audit`() throws {
        let keys = try Keys()
        let token = try keys.make(.all)
        let digest: Query = """
            select count(*) || ' ' || coalesce(md5(string_agg(e::text, ' ' order by e::text)), '')
            from holdfast.audit_event e
            """
        let before: String = try keys.agencies.value(digest)
        #expect(!before.hasPrefix("0 "))
        let changes = [
            "update holdfast.audit_event set action = 'x'", "delete from holdfast.audit_event",
            "truncate holdfast.audit_event",
        ]
        for sql in changes {
            try expectRefused(sql, keys)
            #expect(try keys.attempt(token, Query(unsafeSQL: sql)) == .forbidden, "\(sql)")
        }
        let after: String = try keys.agencies.value(digest)
        #expect(after == before)
        try Promise.kept(
            "audit-append-only", "\(changes.count) ways to change it, by 4 roles, refused")
    }

    private func expectRefused(_ sql: String, _ keys: Keys) throws {
        let database = keys.agencies.database
        for pool in [database.migrator, database.operator, database.superuser] {
            let error = #expect(throws: PostgresError.self) {
                try pool.transaction { connection in
                    if pool === database.operator {
                        let tenant = keys.agencies.first.scope.tenant.uuid
                        _ = try connection.query("select holdfast_sec.enter_tenant(\(tenant))")
                    }
                    _ = try connection.query(Query(unsafeSQL: sql))
                }
            }
            #expect(error?.sqlState == "42501", "\(sql)")
        }
    }

    @Test func `an app goes with all it has, and leaves no picture behind`() throws {
        let keys = try Keys()
        let tenant = keys.agencies.first.scope.tenant.uuid
        let before: Int64 = try keys.agencies.value("select count(*) from holdfast.image_file")
        for app in keys.apps {
            let gone = try keys.attempt(
                keys.make(.all), "delete from holdfast.app where app_id = \(app.uuid)")
            #expect(gone == .changed(1))
        }
        for table in try keys.tables(with: "app_id") {
            let left: Int64 = try keys.agencies.value(
                Query(
                    unsafeSQL:
                        "select count(*) from holdfast.\(table) where tenant_id = '\(tenant)'"))
            // What was decided and done stays known.
            #expect((left > 0) == ["audit_event", "decision"].contains(table), "\(table)")
        }
        let after: Int64 = try keys.agencies.value("select count(*) from holdfast.image_file")
        #expect(before - after == 2)
    }
}
