import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

/// The inbox: once each, found by date, type and subscriber, forgotten by subscriber.
@Suite(.database) struct NotificationStoreTests {
    private static func notification(
        _ number: Int, type: String = "DID_RENEW", of subscriber: String? = "1",
        customer: String? = nil, at milliseconds: Int64 = 0
    ) -> NewNotification {
        NewNotification(
            notificationUUID: uuid(number), notificationType: type, subtype: nil,
            signedDate: Instant(milliseconds: Agencies.now.milliseconds + milliseconds),
            originalTransactionId: subscriber, appTransactionId: customer,
            signedPayload: Array("payload \(number)".utf8))
    }

    private static func uuid(_ number: Int) -> UUID {
        UUID(uuidString: "00000000-0000-4000-8000-" + String(1_000_000_000_000 + number).suffix(12))
            ?? UUID()
    }

    private func count(_ agencies: Agencies, of agency: SampleAgency? = nil) throws -> Int64 {
        try agencies.value(
            """
            select count(*) from holdfast.notification
            where tenant_id = \((agency ?? agencies.first).scope.tenant.uuid)
            """)
    }

    @Test func `one is kept once, as it came first`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let first = Self.notification(1)
        let later = NewNotification(
            notificationUUID: first.notificationUUID, notificationType: "REFUND",
            signedDate: Agencies.now, signedPayload: [9])
        try agencies.change(agencies.first) { transaction in
            #expect(
                try transaction.recordNotifications([first, first], from: .pushed, at: key) == 1)
            #expect(
                try transaction.recordNotifications(
                    [later, Self.notification(2)], from: .history, at: key) == 1)
            #expect(try transaction.recordNotifications([], from: .history, at: key) == 0)
            let found = try #require(
                try transaction.findNotification(first.notificationUUID, at: key))
            #expect(found.notification.notificationType == "DID_RENEW")
            #expect(found.notification.source == .pushed)
            #expect(found.notification.receivedAt == Agencies.now)
            #expect(found.signedPayload == first.signedPayload)
        }
    }

    /// NOT-01: the same identifier in another environment, app or agency is another notification.
    @Test func `each app, environment and agency has its own`() throws {
        let agencies = try Agencies()
        let app = agencies.first.keys[0].app
        let all = [Self.notification(1)]
        try agencies.change(agencies.first) { transaction in
            for environment in StoreEnvironment.allCases {
                let key = AppEnvironment(app: app, environment: environment)
                let added = try transaction.recordNotifications(all, from: .pushed, at: key)
                #expect(added == 1)
            }
        }
        try agencies.change(agencies.second) {
            let added = try $0.recordNotifications(
                all, from: .pushed, at: agencies.second.keys[0])
            #expect(added == 1)
        }
        #expect(try count(agencies) == 2)
        #expect(try count(agencies, of: agencies.second) == 1)
    }

    @Test func `eight who add the same at once add it once`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let all = (0..<50).map { Self.notification($0) }
        let added = try (0..<8).map { worker in
            ParallelWork {
                try agencies.change(agencies.first) {
                    try $0.recordNotifications(
                        worker % 2 == 0 ? all : all.reversed(), from: .pushed, at: key)
                }
            }
        }.map { try $0.value() }
        #expect(added.reduce(0, +) == 50)
        #expect(try count(agencies) == 50)
    }

    /// Several of one millisecond, over pages of every size; newest first.
    @Test func `lists are walked once each`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let all = (0..<24).map { number in
            Self.notification(
                number, type: number % 3 == 0 ? "REFUND" : "DID_RENEW", of: "\(number % 2)",
                at: Int64(number / 5))
        }
        try agencies.change(agencies.first) {
            _ = try $0.recordNotifications(all.shuffled(), from: .pushed, at: key)
        }
        let newest = Array(all.reversed().map(\.notificationUUID))
        func walk(_ filter: NotificationFilter, limit: Int32) throws -> [UUID] {
            try agencies.change(agencies.first) { transaction in
                var found: [UUID] = []
                var place: NotificationPlace?
                while true {
                    let page = try transaction.listNotifications(
                        at: key, filter, after: place, limit: limit)
                    found += page.map(\.notificationUUID)
                    guard let last = page.last else { return found }
                    place = NotificationPlace(
                        signedDate: last.signedDate, notificationUUID: last.notificationUUID)
                }
            }
        }
        let byType = Set(all.filter { $0.notificationType == "REFUND" }.map(\.notificationUUID))
        let ofOne = Set(all.filter { $0.originalTransactionId == "1" }.map(\.notificationUUID))
        for limit: Int32 in [1, 3, 24, 100] {
            #expect(try walk(NotificationFilter(), limit: limit) == newest)
            #expect(
                try walk(NotificationFilter(notificationType: "REFUND"), limit: limit)
                    == newest.filter(byType.contains))
            #expect(
                try walk(NotificationFilter(originalTransactionId: "1"), limit: limit)
                    == newest.filter(ofOne.contains))
            #expect(
                try walk(
                    NotificationFilter(notificationType: "REFUND", originalTransactionId: "1"),
                    limit: limit) == newest.filter { ofOne.contains($0) && byType.contains($0) })
        }
    }

    @Test func `a subscriber is forgotten with what names the customer alone`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let all = [
            Self.notification(1, of: "1", customer: "c1"), Self.notification(2, of: "1"),
            Self.notification(3, type: "RESCIND_CONSENT", of: nil, customer: "c1"),
            Self.notification(4, type: "TEST", of: nil), Self.notification(5, of: "2"),
            Self.notification(6, type: "RESCIND_CONSENT", of: nil, customer: "c2"),
        ]
        try agencies.change(agencies.first) { transaction in
            _ = try transaction.recordNotifications(all, from: .pushed, at: key)
            #expect(try transaction.deleteNotifications(of: "1", at: key) == 3)
            let left = try transaction.listNotifications(at: key, limit: 9)
            #expect(
                Set(left.map(\.notificationUUID)) == [Self.uuid(4), Self.uuid(5), Self.uuid(6)])
        }
    }

    // MARK: - By the token of an endpoint

    private func endpoint(_ agencies: Agencies) throws -> (AppEnvironment, [UInt8]) {
        let key = agencies.first.keys[0]
        let token = try agencies.change(agencies.first) {
            try $0.createEndpoint(
                EndpointID(UUID()), at: key, sealedTo: agencies.platformKey.publicKey)
        }
        return (key, try #require(EndpointToken.hash(of: Array(token.utf8))))
    }

    @Test func `an endpoint's token finds its app, and adds for it alone`() throws {
        let agencies = try Agencies()
        let (key, hash) = try endpoint(agencies)
        let store = RetentionStore(pool: agencies.database.gateway)
        let target = try #require(try store.findNotificationTarget(.receiving, tokenHash: hash))
        #expect(target.tenant == agencies.first.scope.tenant && target.key == key)
        let app = try agencies.change(agencies.first) { try $0.getApp(key.app).app }
        #expect(target.bundleId == app.bundleId && target.appAppleId == app.appAppleId)
        let none = SHA256.digest(Array("x".utf8))
        #expect(try store.findNotificationTarget(.receiving, tokenHash: none) == nil)
        #expect(EndpointToken.hash(of: Array("short".utf8)) == nil)

        let all = [Self.notification(1)]
        let added = try store.transaction(presentingEndpoint: hash, at: Agencies.now) {
            transaction, target in
            try transaction.recordNotifications(all, from: .pushed, at: target.key)
        }
        #expect(added == 1)
        let sandbox = AppEnvironment(app: key.app, environment: .sandbox)
        for other in [sandbox, agencies.first.keys[1], agencies.second.keys[0]] {
            let error = #expect(throws: PostgresError.self) {
                try store.transaction(presentingEndpoint: hash, at: Agencies.now) {
                    transaction, _ in
                    try transaction.recordNotifications(all, from: .pushed, at: other)
                }
            }
            #expect(error?.sqlState == "42501", "\(other)")
        }
        // It reads nothing, not even what it added, and changes nothing.
        try store.transaction(presentingEndpoint: hash, at: Agencies.now) { transaction, _ in
            let seen = try transaction.listNotifications(at: key, limit: 9)
            let hasApp = try transaction.hasApp(key.app)
            let deleted = try transaction.deleteNotifications(of: "1", at: key)
            #expect(seen.isEmpty && !hasApp && deleted == 0)
        }
        #expect(try count(agencies) == 1)
        try agencies.change(agencies.first) { transaction in
            for endpoint in try transaction.listEndpoints(at: key, after: nil, limit: 9) {
                try transaction.retireEndpoint(endpoint.id, at: key)
            }
        }
        #expect(try store.findNotificationTarget(.receiving, tokenHash: hash) == nil)
        let error = #expect(throws: StoreError.self) {
            try store.transaction(presentingEndpoint: hash, at: Agencies.now) { _, _ in }
        }
        #expect(error?.code == .notFound)
    }

    /// The setting alone is no endpoint, with or without a key.
    @Test func `nobody forges the endpoint of a transaction, and a key adds none`() throws {
        let keys = try Keys()
        let agencies = keys.agencies
        let (key, hash) = try endpoint(agencies)
        let before = try count(agencies)
        let tenant = agencies.first.scope.tenant.uuid
        let insert: Query = """
            insert into holdfast.notification (tenant_id, app_id, environment, notification_uuid,
              signed_date, notification_type, source, received_at, signed_payload)
            values (\(tenant), \(key.app.uuid), \(key.environment.rawValue), \(UUID()), now(),
              'x', 'pushed', now(), 'x')
            """
        for part in Keys.Part.allCases {
            #expect(try keys.attempt(keys.make(part), insert) == .forbidden, "\(part)")
        }
        let forged = "\(key.app.uuid.uuidString.lowercased())/Sandbox"
        let error = #expect(throws: PostgresError.self) {
            try agencies.database.gateway.transaction { connection in
                _ = try connection.query("select * from holdfast_sec.enter_endpoint(\(hash))")
                _ = try connection.query(
                    "select set_config('holdfast.shown_endpoint', \(forged), true)")
                _ = try connection.query(insert)
            }
        }
        #expect(error?.sqlState == "42501")
        #expect(error?.message.contains("not set by Holdfast") == true)
        #expect(try count(agencies) == before)
    }
}
