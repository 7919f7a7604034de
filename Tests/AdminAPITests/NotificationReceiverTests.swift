import AdminAPI
import AppStore
import Foundation
import HTTPServer
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

@Suite(.database) struct NotificationReceiverTests {
    @Test func `a notification is kept as it came, and answered without a body`() throws {
        let notified = try NotifiedStage()
        let draft = NotificationDraft()
        let jws = try notified.signer.jws(draft)
        let answer = try notified.post(NotificationSigner.body(jws: jws))
        #expect(answer.status == 200 && answer.body.isEmpty)
        let kept = try #require(
            try notified.app.change { try $0.findNotification(draft.uuid, at: notified.key) })
        #expect(kept.signedPayload == Array(jws.utf8))
        #expect(kept.notification.notificationType == "DID_CHANGE_RENEWAL_STATUS")
        #expect(kept.notification.subtype == "AUTO_RENEW_DISABLED")
        #expect(kept.notification.originalTransactionId == draft.originalTransactionId)
        #expect(kept.notification.signedDate == notified.stage.now)
        #expect(kept.notification.receivedAt == notified.stage.now)
        #expect(kept.notification.source == .pushed && kept.notification.foldedAt == nil)
        #expect(!notified.stage.log.text.contains(draft.originalTransactionId))
        #expect(!notified.stage.log.text.contains(notified.token))
    }

    /// NOT-01.
    @Test func `eight copies at once are one, and so is a repeat`() throws {
        let notified = try NotifiedStage()
        let body = try notified.signer.body()
        let statuses = try (0..<8).map { _ in
            ParallelWork { try notified.post(body).status }
        }.map { try $0.value() }
        #expect(statuses == Array(repeating: 200, count: 8))
        #expect(try notified.post(body).status == 200)
        #expect(try notified.kept().count == 1)
    }

    /// Another agency may hold the same app, and gets its own.
    @Test func `each agency of an app has its own row`() throws {
        let first = try NotifiedStage()
        let agency = try first.stage.makeAgency()
        let client = ClientID.make(at: first.stage.now)
        let app = AppID.make(at: first.stage.now)
        let key = AppEnvironment(app: app, environment: .production)
        let token = try first.stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: first.stage.now
        ) { transaction in
            try transaction.createClient(Client(id: client, name: "c"))
            try transaction.createApp(
                App(
                    id: app, client: client, name: "a", bundleId: first.signer.bundleId,
                    appAppleId: first.signer.appAppleId, defaultLocale: "en-US"))
            return try transaction.createEndpoint(
                .make(at: transaction.now), at: key,
                sealedTo: first.stage.platformKey.publicKey)
        }
        let body = try first.signer.body()
        for token in [first.token, token] {
            #expect(try first.post(body, token: token).status == 200)
        }
        #expect(try first.kept().count == 1)
        let ofSecond = try first.stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: first.stage.now
        ) { try $0.listNotifications(at: key, limit: 9) }
        #expect(ofSecond.count == 1)
        #expect(try first.count() == 2)
    }

    @Test func `whatever is forged is 401, and nothing of it is kept`() throws {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let chain = try NotificationSigner.chain(at: now)
        func forged(_ bundleId: String, _ appAppleId: Int64) throws -> ForgedNotifications {
            try ForgedNotifications(
                NotificationSigner(
                    chain: chain, bundleId: bundleId, appAppleId: appAppleId, signedDate: now))
        }
        // Who is trusted is said before there is an app.
        let signers = try forged("com.example", 1).trusted
        let stage = try GatewayStage(trusting: [chain] + signers.dropFirst())
        let notified = try NotifiedStage(stage)
        let all = try forged(notified.signer.bundleId, notified.signer.appAppleId).all()
        for forgery in all {
            let answer = try notified.post(forgery.body)
            #expect(answer.status == 401 && answer.body.isEmpty, "\(forgery.name)")
        }
        #expect(try notified.count() == 0)
        #expect(try notified.post(try notified.signer.body()).status == 200)
        #expect(try notified.count() == 1)
        try Promise.kept("forged-notifications", "\(all.count) kinds, none kept")
    }

    @Test func `the sandbox's notifications never reach production, nor the reverse`() throws {
        let production = try NotifiedStage()
        let sandbox = try NotifiedStage(production.app, at: .sandbox)
        #expect(try production.post(try sandbox.signer.body()).status == 401)
        #expect(try sandbox.post(try production.signer.body()).status == 401)
        #expect(try production.count() == 0)
        try sandbox.deliver { $0.data["appAppleId"] = String?.none }
        #expect(try production.kept().isEmpty)
        #expect(try sandbox.kept().count == 1)
    }

    /// NOT-03.
    @Test func `what has no transaction or is of tomorrow is kept like any other`() throws {
        let notified = try NotifiedStage()
        let app =
            "\"appAppleId\":\(notified.signer.appAppleId),"
            + "\"bundleId\":\"\(notified.signer.bundleId)\""
        let absent = String?.none
        try notified.deliver {
            $0.outer = ["notificationType": "\"TEST\"", "subtype": absent]
            $0.data = ["signedTransactionInfo": absent, "signedRenewalInfo": absent]
        }
        try notified.deliver {
            $0.replaceData(
                by: "summary", "{\"environment\":\"Production\",\(app),\"failedCount\":2}")
        }
        try notified.deliver {
            $0.replaceData(by: "externalPurchaseToken", "{\"externalPurchaseId\":\"b\",\(app)}")
        }
        try notified.deliver {
            $0.outer = ["notificationType": "\"FUTURE_THING\"", "subtype": "\"NEVER_SEEN\""]
            $0.data["signedRenewalInfo"] = "null"
        }
        let kept = try notified.kept()
        #expect(Set(kept.map(\.notificationType)).isSuperset(of: ["TEST", "FUTURE_THING"]))
        #expect(kept.filter { $0.originalTransactionId == nil }.count == 3)
    }

    @Test func `nobody's, retired and misspelt tokens are 404`() throws {
        let notified = try NotifiedStage()
        let body = try notified.signer.body()
        let other = Base64URL.encode(randomBytes(32))
        for token in [other, "x", String(notified.token.dropLast()), notified.token + "A"] {
            #expect(try notified.post(body, token: token).status == 404, "\(token)")
        }
        #expect(try notified.stage.send("POST", "/notifications/", body: body).status == 404)
        try notified.app.change { transaction in
            for endpoint in try transaction.listEndpoints(
                at: notified.key, after: nil, limit: 9)
            { try transaction.retireEndpoint(endpoint.id, at: notified.key) }
        }
        #expect(try notified.post(body).status == 404)
        #expect(try notified.count() == 0)
    }

    @Test func `sizes and methods have their limits`() throws {
        let notified = try NotifiedStage()
        let filler = String(repeating: "x", count: NotificationReceiver.bodyBytesLimit)
        let large = Array("{\"signedPayload\":\"\(filler)\"}".utf8)
        #expect(try notified.post(large).status == 413)
        try notified.deliver {
            // Beyond any body of the real-time URL.
            $0.outer["more"] = "\"\(String(repeating: "x", count: 120_000))\""
        }
        let read = try notified.stage.send("GET", "/notifications/\(notified.token)")
        #expect(read.status == 405 && read.header("Allow") == "POST")
        #expect(try notified.count() == 1)
    }

    /// NOT-04: each of these is our own fault, so Apple is to ask again.
    @Test func `a database that is away, frozen or read-only is 503, and heals`() throws {
        let notified = try NotifiedStage()
        let request = Request(
            method: .post, target: "/notifications/\(notified.token)",
            body: try notified.signer.body())
        func status(_ settings: PoolSettings) throws -> Int {
            let pool = try Pool(settings)
            defer { pool.close() }
            let receiver = NotificationReceiver(
                store: RetentionStore(pool: pool), verifier: try notified.stage.verifier(),
                clock: notified.stage.clock.clock, log: Log(service: "t", sink: { _ in }),
                metrics: NotificationMetrics(Metrics()))
            return receiver.handler(otherwise: { _ in .empty(500) })(request).status
        }
        let away = "postgresql:///x?host=/nowhere&user=holdfast_gateway"
        #expect(try status(PoolSettings(url: away)) == 503)
        let url = try notified.stage.database.url(role: "holdfast_gateway")
        let superuser = notified.stage.database.superuser
        // Whoever waits for the lock is cut off by the role's time for it.
        try superuser.transaction { connection in
            _ = try connection.query("lock table holdfast.notification")
            #expect(try status(PoolSettings(url: url)) == 503)
        }
        let name = notified.stage.database.name
        try superuser.withConnection {
            try $0.execute(
                script: "alter database \(name) set default_transaction_read_only = on")
        }
        #expect(try status(PoolSettings(url: url)) == 503)
        try superuser.withConnection {
            try $0.execute(script: "alter database \(name) reset default_transaction_read_only")
        }
        #expect(try notified.count() == 0)
        #expect(try status(PoolSettings(url: url)) == 200)
        #expect(try notified.count() == 1)
    }

    @Test func `what was missed has Apple's history looked into, once`() throws {
        let notified = try NotifiedStage()
        let database = notified.stage.database
        func dueCount() throws -> Int64 {
            try database.superuser.withConnection { connection in
                let rows = try connection.query(
                    """
                    select count(*) from holdfast.notification_history
                    where due_at <= clock_timestamp()
                    """)
                return try #require(rows.first).decode(at: 0)
            }
        }
        func putOff() throws {
            try database.superuser.withConnection { connection in
                _ = try connection.query(
                    """
                    insert into holdfast.notification_history (tenant_id, app_id, environment,
                      due_at)
                    values (\(notified.app.agency.tenant.uuid), \(notified.app.id.uuid),
                      'Production', 'infinity')
                    on conflict (tenant_id, app_id, environment)
                      do update set due_at = 'infinity'
                    """)
            }
        }
        try putOff()
        // A start: nobody listened before.
        try notified.stage.receiver.hurryHistoriesIfMissed()
        #expect(try dueCount() == 1)
        try putOff()
        try notified.stage.receiver.hurryHistoriesIfMissed()
        #expect(try dueCount() == 0)
        try database.superuser.transaction { connection in
            _ = try connection.query("lock table holdfast.notification")
            #expect(try notified.post(try notified.signer.body()).status == 503)
        }
        try notified.stage.receiver.hurryHistoriesIfMissed()
        #expect(try dueCount() == 1)
    }
}

extension GatewayStage {
    fileprivate func verifier() throws -> SignedDataVerifier {
        SignedDataVerifier(anchors: TrustAnchors(roots: [try Certificate(der: chain.root)]))
    }
}
