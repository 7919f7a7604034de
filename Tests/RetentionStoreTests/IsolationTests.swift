import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

/// No agency sees or changes a row of another: through the store, and with plain SQL in its roles.
@Suite(.database) struct IsolationTests {
    typealias Attempt = (name: String, call: (TenantTransaction) throws -> Void)

    /// Every function of a transaction, called with the second agency's scope on the first's
    /// things.
    private func attempts(_ agencies: Agencies) throws -> [Attempt] {
        try appAttempts(agencies) + contentAttempts(agencies) + servingAttempts(agencies)
            + accessAttempts(agencies) + ruleAttempts(agencies) + contentChanges(agencies)
            + catalogAttempts(agencies) + syncAttempts(agencies) + readinessAttempts(agencies)
            + profileAttempts(agencies) + notificationAttempts(agencies)
    }

    private func appAttempts(_ agencies: Agencies) throws -> [Attempt] {
        let app = agencies.first.keys[0].app
        let tenant = agencies.first.scope.tenant.uuid
        let client: UUID = try agencies.value(
            "select client_id from holdfast.client where tenant_id = \(tenant)")
        let product = Product(
            productId: "x", subscriptionGroup: "x", period: "P1M", billingPlans: [.monthly])
        let offer = Offer(offerIdentifier: "x", productId: "x", kind: .promotional)
        let key = InAppPurchaseKey(keyId: "K", issuerId: "I", key: try PrivateKey.generate())
        let added = App(
            id: AppID(UUID()), client: ClientID(client), name: "x", bundleId: "x", appAppleId: 7,
            defaultLocale: "en-US")
        return [
            ("createTenant again", { try $0.createTenant(name: "x") }),
            ("createApp", { try $0.createApp(added) }),
            ("createProduct", { try $0.createProduct(product, of: app) }),
            ("createOffer", { try $0.createOffer(offer, of: app) }),
            (
                "storeCredential",
                {
                    try $0.storeCredential(
                        key, id: CredentialID(UUID()), of: app,
                        sealedTo: agencies.platformKey.publicKey)
                }
            ),
        ]
    }

    private func contentAttempts(_ agencies: Agencies) throws -> [Attempt] {
        let key = agencies.first.keys[0]
        let tenant = agencies.first.scope.tenant.uuid
        let messageId: UUID = try agencies.value(
            "select message_id from holdfast.message where tenant_id = \(tenant)")
        let imageId: UUID = try agencies.value(
            "select image_id from holdfast.image where tenant_id = \(tenant)")
        let object: UUID = try agencies.value(
            "select apple_id from holdfast.apple_object where tenant_id = \(tenant)")
        let (message, image) = (MessageID(messageId), ImageID(imageId))
        let text = Localization(locale: "fr-FR", header: "x", body: "x")
        let product = "com.example.tideline.plus.annual"
        let picture = NewImage(id: image, size: .fullSize, png: [1], width: 1, height: 1)
        return [
            ("storeImage", { _ = try $0.storeImage(picture, of: key.app) }),
            ("placeImage", { try $0.placeImage(image, at: key, state: .approved) }),
            (
                "createMessage",
                { try $0.createMessage(MessageID(UUID()), name: "x", kind: .text, of: key.app) }
            ),
            (
                "createLocalization",
                { try $0.createLocalization(text, of: message, app: key.app) }
            ),
            (
                "placeMessage",
                { try $0.placeMessage(message, locale: "en-US", at: key, state: .approved) }
            ),
            (
                "setReviewState",
                { try $0.setReviewState(.rejected, ofAppleObject: object, at: key) }
            ),
            (
                "setDefaultMessage",
                {
                    try $0.setDefaultMessage(message, product: product, locale: "en-US", at: key)
                }
            ),
        ]
    }

    private func servingAttempts(_ agencies: Agencies) throws -> [Attempt] {
        let key = agencies.first.keys[0]
        let platformKey = agencies.platformKey.publicKey
        return [
            (
                "createEndpoint",
                {
                    _ = try $0.createEndpoint(
                        EndpointID(UUID()), at: key, sealedTo: platformKey)
                }
            )
        ]
    }

    @Test func `every store function with the wrong scope is refused and changes nothing`() throws {
        let agencies = try Agencies()
        let attempts = try attempts(agencies)
        let before = try agencies.digest(of: agencies.first.scope.tenant)
        for attempt in attempts {
            #expect(throws: (any Error).self, "\(attempt.name)") {
                try agencies.change(agencies.second) { try attempt.call($0) }
            }
            #expect(try agencies.digest(of: agencies.first.scope.tenant) == before)
        }
    }

    /// What needs nothing that another agency has: called with the first's identifiers it makes
    /// the second's own things.
    private func additions(_ agencies: Agencies) throws -> [Attempt] {
        let key = agencies.first.keys[0]
        let tenant = agencies.first.scope.tenant.uuid
        let client: UUID = try agencies.value(
            "select client_id from holdfast.client where tenant_id = \(tenant)")
        let record = record(at: key)
        let own: [Attempt] = [
            ("createClient", { try $0.createClient(Client(id: ClientID(client), name: "x")) }),
            ("recordDecisions", { try $0.recordDecisions([record]) }),
            ("listDecisions", { _ = try $0.listDecisions(at: key, limit: 9) }),
        ]
        return try own + accessAdditions(agencies) + ruleAdditions(agencies)
            + contentQuestions(agencies) + catalogAdditions(agencies) + syncQuestions(agencies)
            + readinessQuestions(agencies) + appleObjectQuestions(agencies)
            + profileQuestions(agencies) + notificationQuestions(agencies)
    }

    private func record(at key: AppEnvironment) -> DecisionRecord {
        DecisionRecord(
            key: key, signedDate: Agencies.now, requestIdentifier: UUID(), decidedAt: Agencies.now,
            originalTransactionId: "1", productId: "p", localeAsked: "en",
            decision: Decision(answer: .fallback(.chosenByRule), rule: nil, localeServed: nil),
            snapshotNumber: 1, durationMicroseconds: 1)
    }

    @Test func `what adds under another scope adds nothing to the first agency`() throws {
        let agencies = try Agencies()
        try agencies.change(agencies.first) {
            try $0.recordDecisions([record(at: agencies.first.keys[0])])
        }
        let additions = try additions(agencies)
        let before = try agencies.digest(of: agencies.first.scope.tenant)
        for addition in additions {
            try agencies.change(agencies.second) { try addition.call($0) }
            #expect(
                try agencies.digest(of: agencies.first.scope.tenant) == before, "\(addition.name)")
        }
    }

    /// Whoever adds a function to a transaction adds it here.
    @Test func `every function of a transaction is tried with the wrong scope`() throws {
        let folder = "Sources/RetentionStore"
        var functions: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(
            atPath: "\(PackageRoot.path)/\(folder)")
        {
            let text = String(
                decoding: try PackageRoot.bytes(of: "\(folder)/\(name)"), as: UTF8.self)
            for part in text.split(separator: "extension TenantTransaction").dropFirst() {
                let body = part.split(separator: "\n}").first ?? ""
                for match in body.matches(of: /package func (\w+)/) {
                    functions.insert(String(match.output.1))
                }
            }
        }
        let agencies = try Agencies()
        let tried = try (attempts(agencies) + additions(agencies)).map {
            String($0.name.prefix { $0 != " " })
        }
        #expect(functions.count > 15)
        #expect(functions == Set(tried))
    }

    @Test func `what reads finds nothing of another agency`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        try agencies.change(agencies.first) { try $0.recordDecisions([record(at: key)]) }
        let own = try agencies.change(agencies.first) { try $0.listDecisions(at: key, limit: 9) }
        let other = try agencies.change(agencies.second) { try $0.listDecisions(at: key, limit: 9) }
        #expect(own.count == 1)
        #expect(other.isEmpty)
        let counted = try [agencies.first, agencies.second].map { agency in
            try agencies.change(agency) {
                try $0.countDecisions(at: key, DecisionSpan(), limit: 9)
            }
        }
        #expect(counted == [1, 0])
    }

    /// PG-01: no tenant set, with rows there: an error, not an empty list; and no way round it.
    @Test(arguments: [
        "select * from holdfast.message", "select * from holdfast.approved_placement",
        "update holdfast.app set name = 'x'", "delete from holdfast.decision",
        "select set_config('holdfast.tenant_id', '', false); select * from holdfast.tenant",
    ])
    func `without a tenant the operator's role gets an error`(sql: String) throws {
        let agencies = try Agencies()
        let error = #expect(throws: PostgresError.self) {
            try agencies.database.operator.withConnection { try $0.execute(script: sql) }
        }
        #expect(error?.sqlState == "42501")
    }

    /// The setting alone is not a tenant: nobody but the database can sign it.
    @Test func `a tenant set by hand is refused as forged`() throws {
        let agencies = try Agencies()
        let tenant = agencies.first.scope.tenant.uuid.uuidString
        for pool in [agencies.database.operator, agencies.database.gateway] {
            let error = #expect(throws: PostgresError.self) {
                try pool.transaction { connection in
                    _ = try connection.query(
                        "select set_config('holdfast.tenant_id', \(tenant), true)")
                    _ = try connection.query("select * from holdfast.message")
                }
            }
            #expect(error?.sqlState == "42501")
            #expect(error?.message.contains("not set by Holdfast") == true)
        }
    }

    @Test func `the responder's role has no table, and adds decisions of its tenant only`() throws {
        let agencies = try Agencies()
        for sql in [
            "select * from holdfast.message", "select * from holdfast.snapshot",
            "select * from holdfast.credential", "select * from holdfast.decision",
            "update holdfast.decision set kind = 'message'", "delete from holdfast.decision",
        ] {
            let error = #expect(throws: PostgresError.self) {
                try agencies.database.responder.withConnection { try $0.execute(script: sql) }
            }
            #expect(error?.sqlState == "42501", "\(sql)")
        }
        let now = Timestamp(milliseconds: Agencies.now.milliseconds)
        let (mine, other) = (agencies.first.scope.tenant.uuid, agencies.second.scope.tenant.uuid)
        let error = #expect(throws: PostgresError.self) {
            try agencies.database.responder.transaction { connection in
                _ = try connection.query("select holdfast_sec.enter_tenant(\(mine))")
                _ = try connection.query(
                    """
                    insert into holdfast.decision (tenant_id, app_id, environment, signed_date,
                      request_identifier, decided_at, original_transaction_id, product_id, kind,
                      fallback_reason, locale_asked, snapshot_number, duration_microseconds)
                    values (\(other), \(UUID()), 'Sandbox', \(now), \(UUID()),
                      \(now), '1', 'p', 'fallback', 'x', 'en', 1, 1)
                    """)
            }
        }
        #expect(error?.sqlState == "42501")
    }

    @Test func `a partition by its own name is closed to all`() throws {
        let agencies = try Agencies()
        let partition: String = try agencies.value(
            """
            select inhrelid::regclass::text from pg_inherits
            where inhparent = 'holdfast.decision'::regclass limit 1
            """)
        for pool in [agencies.database.operator, agencies.database.responder] {
            let error = #expect(throws: PostgresError.self) {
                try pool.withConnection { try $0.execute(script: "select * from \(partition)") }
            }
            #expect(error?.sqlState == "42501")
        }
    }

    /// Mixed traffic over a pool of two connections: each reads its own mark and no other.
    @Test func `pooled transactions never see another tenant's rows`() throws {
        let agencies = try Agencies()
        let url = try agencies.database.url(role: "holdfast_operator")
        var settings = PoolSettings(url: url, maximumConnections: 2)
        settings.acquireTimeout = .seconds(60)
        let pool = try Pool(settings)
        defer { pool.close() }
        let store = RetentionStore(pool: pool)
        let workers = (0..<4).map { worker in
            let agency = worker % 2 == 0 ? agencies.first : agencies.second
            return ParallelWork {
                for round in 0..<100 {
                    try? store.transaction(agency.scope, at: Agencies.now) { transaction in
                        try transaction.createClient(
                            Client(id: ClientID(UUID()), name: "w\(worker) r\(round)"))
                        if round % 3 == 0 { throw Interrupted() }
                    }
                }
            }
        }
        for worker in workers { _ = try worker.value() }
        for (agency, names) in [(agencies.first, ["w0", "w2"]), (agencies.second, ["w1", "w3"])] {
            let tenant = agency.scope.tenant.uuid
            let foreign: Int64 = try agencies.value(
                """
                select count(*) from holdfast.client where tenant_id = \(tenant)
                  and name like 'w%' and left(name, 2) <> all (\(names))
                """)
            let own: Int64 = try agencies.value(
                """
                select count(*) from holdfast.client where tenant_id = \(tenant)
                  and left(name, 2) = any (\(names))
                """)
            #expect(foreign == 0)
            #expect(own == 132)
        }
    }

    private struct Interrupted: Error {}
}
