import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// A key for some clients and apps sees and changes exactly those, in every table there is, also
/// with SQL of its own in the gateway's role.
@Suite(.database) struct LimitedKeyTests {
    /// A limited key sees nothing of these, not even of its own apps.
    private static let closed: Set<String> = ["api_key_app", "api_key_client"]

    private func identifiers(_ connection: Connection, _ query: Query) throws -> Set<UUID> {
        Set(try connection.query(query).map { try $0.decode(UUID.self, at: 0) })
    }

    @Test func `a key sees the rows of its apps and no other, in every table`() throws {
        let keys = try Keys()
        for part in Keys.Part.allCases { try expectOwnRows(part, keys) }
    }

    private func expectOwnRows(_ part: Keys.Part, _ keys: Keys) throws {
        let token = try keys.make(part)
        let tables = try keys.tables(with: "app_id")
        #expect(tables.count > 20)
        for table in tables {
            let rows = Query(unsafeSQL: "select distinct app_id from holdfast.\(table)")
            let there = try keys.agencies.database.superuser.withConnection {
                try identifiers($0, rows)
            }
            // Else the next line would say nothing.
            #expect(there.isSuperset(of: keys.apps.map(\.uuid)), "\(table)")
            let wanted =
                part != .all && Self.closed.contains(table) ? [] : keys.apps(of: part).map(\.uuid)
            let seen = try keys.run(token) { try identifiers($0, rows) }
            #expect(seen == Set(wanted), "\(table)")
        }
        let clients = try keys.run(token) {
            try identifiers($0, "select client_id from holdfast.client")
        }
        let wanted: [ClientID] =
            switch part {
            case .all: keys.clients
            case .client, .both: [keys.clients[2]]
            case .app, .nothing: []
            }
        #expect(clients == Set(wanted.map(\.uuid)))
    }

    @Test func `a key changes, removes and adds nothing of other apps`() throws {
        let keys = try Keys()
        for part in Keys.Part.allCases where part != .all {
            try expectOthersUntouched(part, keys)
        }
    }

    private func expectOthersUntouched(_ part: Keys.Part, _ keys: Keys) throws {
        let token = try keys.make(part)
        let foreign = keys.apps[1]
        let before = try keys.agencies.digest(of: keys.agencies.first.scope.tenant)
        for table in try keys.tables(with: "app_id") {
            let row: JSON = try keys.agencies.value(
                Query(
                    unsafeSQL: """
                        select to_jsonb(t) from holdfast.\(table) t
                        where app_id = '\(foreign.uuid)' limit 1
                        """))
            let literal = String(decoding: row.bytes, as: UTF8.self).replacing("'", with: "''")
            for statement in [
                "update holdfast.\(table) set app_id = app_id where app_id = '\(foreign.uuid)'",
                "delete from holdfast.\(table) where app_id = '\(foreign.uuid)'",
            ] {
                let attempt = try keys.attempt(token, Query(unsafeSQL: statement))
                #expect(attempt == .changed(0) || attempt == .forbidden, "\(statement)")
            }
            let added = try keys.attempt(
                token,
                Query(
                    unsafeSQL: """
                        insert into holdfast.\(table)
                        select * from jsonb_populate_record(null::holdfast.\(table), '\(literal)')
                        """))
            #expect(added == .forbidden, "\(table)")
            // An own row, given away: nothing to do where the key has none. An app that takes
            // another's place meets the primary key.
            let given = try keys.attempt(
                token,
                Query(unsafeSQL: "update holdfast.\(table) set app_id = '\(foreign.uuid)'"))
            let isTaken = table == "app" && given == .refused("23505")
            #expect(given == .forbidden || given == .changed(0) || isTaken, "\(table)")
        }
        #expect(try keys.agencies.digest(of: keys.agencies.first.scope.tenant) == before)
    }

    @Test func `a key writes to its own apps`() throws {
        let keys = try Keys()
        for (part, app) in [(Keys.Part.client, keys.apps[2]), (.app, keys.apps[0])] {
            try keys.gateway.transaction(presenting: keys.make(part).hash, at: Agencies.now) {
                transaction, principal in
                try transaction.createMessage(
                    MessageID(UUID()), name: "\(part)", kind: .text, of: app)
                try transaction.createProduct(
                    Product(
                        productId: "\(part)", subscriptionGroup: "g", period: "P1M",
                        billingPlans: [.monthly]), of: app)
                try transaction.recordAudit(
                    AuditEvent(
                        action: "x", resourceType: "x", resourceId: "x", app: nil,
                        changes: Array("{}".utf8)))
                #expect(principal.isLimited)
            }
        }
    }

    /// `keys.apps[0]` is of client 0; the other client is 2.
    @Test func `an app goes to another client only with a key for both clients`() throws {
        let keys = try Keys()
        func move(_ part: Keys.Part, _ app: AppID, to client: ClientID) throws -> Keys.Attempt {
            try keys.attempt(
                keys.make(part),
                "update holdfast.app set client_id = \(client.uuid) where app_id = \(app.uuid)")
        }
        let (own, other) = (keys.clients[0], keys.clients[2])
        #expect(try move(.app, keys.apps[0], to: other) == .forbidden)
        #expect(try move(.app, keys.apps[0], to: own) == .changed(1))
        #expect(try move(.client, keys.apps[2], to: own) == .forbidden)
        #expect(try move(.client, keys.apps[0], to: other) == .changed(0))
        #expect(try move(.both, keys.apps[0], to: other) == .forbidden)
        #expect(try move(.all, keys.apps[0], to: own) == .changed(1))
    }

    @Test func `a key makes clients for nobody, and apps for its clients only`() throws {
        let keys = try Keys()
        let tenant = keys.agencies.first.scope.tenant.uuid
        let bundle = "b\(UUID())"
        func add(_ part: Keys.Part, to client: ClientID) throws -> Keys.Attempt {
            try keys.attempt(
                keys.make(part),
                """
                insert into holdfast.app (tenant_id, app_id, client_id, name, bundle_id,
                  app_apple_id, default_locale, apple_id_salt, created_at)
                values (\(tenant), \(UUID()), \(client.uuid), 'x', \(bundle), 9, 'en',
                  sha256('x'), now())
                """)
        }
        for part in Keys.Part.allCases where part != .all {
            let made = try keys.attempt(
                keys.make(part),
                """
                insert into holdfast.client (tenant_id, client_id, name, created_at)
                values (\(tenant), \(UUID()), 'x', now())
                """)
            #expect(made == .forbidden)
            #expect(try add(part, to: keys.clients[0]) == .forbidden)
        }
        #expect(try add(.app, to: keys.clients[2]) == .forbidden)
        #expect(try add(.client, to: keys.clients[2]) == .changed(1))
    }

    @Test func `a limited key knows no keys and makes none`() throws {
        let keys = try Keys()
        for part in Keys.Part.allCases where part != .all {
            let token = try keys.make(part)
            try keys.run(token) { connection in
                for table in ["api_key", "api_key_client", "api_key_app"] {
                    let rows = try connection.query(
                        Query(unsafeSQL: "select tenant_id from holdfast.\(table)"))
                    #expect(rows.count == 0)
                }
            }
            let error = #expect(throws: PostgresError.self) {
                try keys.gateway.transaction(presenting: token.hash, at: Agencies.now) {
                    transaction, _ in
                    _ = try transaction.createAPIKey(
                        NewAPIKey(
                            id: .make(at: Agencies.now), name: "x", scopes: AccessScope.all,
                            clients: nil, apps: nil, expiresAt: nil))
                }
            }
            #expect(error?.sqlState == "42501")
        }
    }

    /// Its own apps' pictures, and not those of the others that the agency keeps.
    @Test func `a limited key reads the bytes of its own pictures`() throws {
        let keys = try Keys()
        let picture = NewImage(
            id: ImageID(UUID()), size: .fullSize, png: [7], width: 1, height: 1)
        try keys.agencies.change(keys.agencies.first) {
            _ = try $0.storeImage(picture, of: keys.apps[1])
        }
        func count(_ part: Keys.Part) throws -> Int {
            try keys.run(keys.make(part)) {
                try $0.query("select sha256 from holdfast.image_file").count
            }
        }
        #expect(try count(.all) == 3)
        #expect(try count(.app) == 2)
        #expect(try count(.nothing) == 0)
        #expect(try keys.attempt(keys.make(.app), "delete from holdfast.image_file") == .forbidden)
        // The same picture, stored with a key that cannot see who else has it.
        let again = NewImage(id: ImageID(UUID()), size: .fullSize, png: [7], width: 1, height: 1)
        try keys.gateway.transaction(presenting: keys.make(.app).hash, at: Agencies.now) {
            transaction, _ in
            let stored = try transaction.storeImage(again, of: keys.apps[0])
            let bytes = try transaction.imageFile(stored, of: keys.apps[0])
            #expect(bytes == [7])
        }
    }

    @Test func `a key whose last client is gone stays limited`() throws {
        let keys = try Keys()
        let token = try keys.make(.client)
        try keys.agencies.database.superuser.withConnection { connection in
            _ = try connection.query(
                "delete from holdfast.api_key_client where client_id = \(keys.clients[2].uuid)")
        }
        let seen = try keys.run(token) {
            try $0.query("select app_id from holdfast.app").count
        }
        #expect(seen == 0)
    }
}
