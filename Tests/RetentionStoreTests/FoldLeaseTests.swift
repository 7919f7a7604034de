import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// What waits is lent to one worker at a time, fairly, and folded once.
@Suite(.database) struct FoldLeaseTests {
    private static let long: Duration = .seconds(600)
    private static let short: Duration = .milliseconds(200)

    private func add(
        _ count: Int, to key: AppEnvironment, of agency: SampleAgency, _ agencies: Agencies
    ) throws -> [UUID] {
        let all = (0..<count).map { number in
            NewNotification(
                notificationUUID: UUID(), notificationType: "DID_RENEW",
                signedDate: Instant(milliseconds: Agencies.now.milliseconds - Int64(number)),
                originalTransactionId: "\(number % 3)", signedPayload: [UInt8(number % 256)])
        }
        try agencies.change(agency) { transaction in
            for one in all { try transaction.recordNotifications([one], from: .pushed, at: key) }
        }
        return all.map(\.notificationUUID)
    }

    private func claim(
        _ agencies: Agencies, for duration: Duration = long, perTenant: Int32 = 100
    ) throws -> FoldLease? {
        try agencies.store.claimFold(
            .workerUpkeep, worker: "w", for: duration, perTenant: perTenant)
    }

    private func work<R>(
        _ agencies: Agencies, _ lease: FoldLease, for duration: Duration = long,
        _ body: (TenantTransaction) throws -> R
    ) throws -> R {
        try agencies.store.transaction(holding: lease, for: duration, at: Agencies.now, body)
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do { try body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    @Test func `what waits is folded in the order of arrival, and once`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        #expect(try claim(agencies) == nil)
        #expect(try agencies.store.foldBacklog(.workerUpkeep).apps == 0)
        let all = try add(5, to: key, of: agencies.first, agencies)
        let backlog = try agencies.store.foldBacklog(.workerUpkeep)
        #expect(backlog.apps == 1 && backlog.oldestReceivedAt == Agencies.now)
        let lease = try #require(try claim(agencies))
        #expect(lease.tenant == agencies.first.scope.tenant && lease.key == key)
        #expect(try claim(agencies) == nil)
        try work(agencies, lease) { transaction in
            let waiting = try transaction.listWaitingNotifications(at: key, limit: 3)
            #expect(waiting.map(\.notificationUUID) == Array(all.prefix(3)))
            #expect(waiting.map(\.signedPayload) == [[0], [1], [2]])
            let failure = FoldFailure(
                notificationUUID: all[2], reason: String(repeating: "x", count: 300))
            try transaction.markFolded(Array(all.prefix(2)), failures: [failure], at: key)
            let found = try #require(try transaction.findNotification(all[2], at: key))
            #expect(found.notification.foldFailure?.count == FoldFailure.reasonLimit)
            #expect(found.notification.foldedAt == Agencies.now)
        }
        try work(agencies, lease) { transaction in
            // Newest signature first came last: what is known of one is in Apple's order.
            let facts = try transaction.listAllNotifications(of: "0", at: key)
            #expect(facts.map(\.notificationUUID) == [all[3], all[0]])
            let left = try transaction.listWaitingNotifications(at: key, limit: 9)
            #expect(left.map(\.notificationUUID) == Array(all.suffix(2)))
            try transaction.markFolded(all, at: key)
            #expect(try transaction.listWaitingNotifications(at: key, limit: 9).isEmpty)
            let found = try #require(try transaction.findNotification(all[2], at: key))
            #expect(found.notification.foldFailure != nil, "folded before, so left as it was")
            try transaction.releaseFold(lease)
        }
        #expect(try claim(agencies) == nil)
        _ = try add(1, to: key, of: agencies.first, agencies)
        let next = try #require(try claim(agencies))
        #expect(next.token > lease.token)
    }

    /// PG-05: frozen for longer than its lease, then thawed.
    @Test func `whoever was replaced can do nothing more`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let all = try add(2, to: key, of: agencies.first, agencies)
        let old = try #require(try claim(agencies, for: Self.short))
        var new: FoldLease?
        #expect(
            try becomesTrue {
                new = try claim(agencies); return new != nil
            })
        let lease = try #require(new)
        let isLost = code {
            try work(agencies, old) { try $0.markFolded(all, at: key) }
        }
        #expect(isLost == .leaseLost)
        try work(agencies, lease) {
            #expect(try $0.listWaitingNotifications(at: key, limit: 9).count == 2)
            try $0.releaseFold(lease)
        }
        #expect(code { try work(agencies, lease) { _ in } } == .leaseLost)
        let foreign = agencies.second
        for wrong in [
            FoldLease(tenant: foreign.scope.tenant, key: key, token: lease.token),
            FoldLease(tenant: lease.tenant, key: agencies.first.keys[1], token: lease.token),
            FoldLease(tenant: lease.tenant, key: key, token: lease.token + 1),
        ] { #expect(code { try work(agencies, wrong) { _ in } } == .leaseLost) }
    }

    @Test func `agencies have their turns, and no more than the cap is lent of one`() throws {
        let agencies = try Agencies()
        let (first, second) = (agencies.first, agencies.second)
        for key in first.keys { _ = try add(2, to: key, of: first, agencies) }
        let held = try (0..<2).map { _ in try #require(try claim(agencies, perTenant: 2)) }
        #expect(Set(held.map(\.tenant)) == [first.scope.tenant])
        #expect(Set(held.map(\.key)).count == 2)
        #expect(try claim(agencies, perTenant: 2) == nil)
        _ = try add(1, to: second.keys[0], of: second, agencies)
        #expect(try claim(agencies, perTenant: 2)?.tenant == second.scope.tenant)
        try work(agencies, held[0]) { try $0.releaseFold(held[0]) }
        // The one that was never served comes before the one given back.
        let next = try #require(try claim(agencies, perTenant: 2))
        #expect(next.tenant == first.scope.tenant && !held.map(\.key).contains(next.key))
    }

    @Test func `eight workers never have the same app`() throws {
        let agencies = try Agencies()
        let keys =
            agencies.first.keys.map { (agencies.first, $0) }
            + agencies.second.keys.map { (agencies.second, $0) }
        for (agency, key) in keys { _ = try add(1, to: key, of: agency, agencies) }
        let claims = try (0..<8).map { _ in
            ParallelWork { try (0..<2).compactMap { _ in try claim(agencies) } }
        }.flatMap { try $0.value() }
        #expect(claims.count == keys.count)
        #expect(Set(claims.map { "\($0.tenant) \($0.key)" }).count == keys.count)
    }

    /// Its cost follows the apps that wait, not the notifications.
    @Test func `a claim among many notifications reads few`() throws {
        let agencies = try Agencies()
        let (key, tenant) = (agencies.first.keys[0], agencies.first.scope.tenant.uuid)
        try agencies.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.notification (tenant_id, app_id, environment,
                  notification_uuid, signed_date, notification_type, source, received_at,
                  signed_payload)
                select \(tenant), \(key.app.uuid), \(key.environment.rawValue),
                  gen_random_uuid(), now(), 'x', 'history', now(), 'x'
                from generate_series(1, 20000)
                """)
            try connection.execute(script: "analyze holdfast.notification")
        }
        let buffers: Int64 = try agencies.database.superuser.withConnection { connection in
            // The first one reads the catalog besides.
            _ = try connection.query("select * from holdfast_ops.waiting_folds()")
            let plan = try connection.query(
                """
                explain (analyze, buffers, format json)
                select * from holdfast_ops.waiting_folds()
                """)
            let text: JSON = try #require(plan.first).decode(at: 0)
            let parsed = try JSONSerialization.jsonObject(with: Data(text.bytes))
            let root = try #require((parsed as? [[String: Any]])?.first?["Plan"] as? [String: Any])
            return (root["Shared Hit Blocks"] as? Int64 ?? 0)
                + (root["Shared Read Blocks"] as? Int64 ?? 0)
        }
        #expect(buffers < 100, "\(buffers)")
        #expect(try claim(agencies)?.key == key)
    }

    @Test func `no other role claims, enters or leaves`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        _ = try add(1, to: key, of: agencies.first, agencies)
        let lease = try #require(try claim(agencies))
        let names = "'\(lease.tenant.uuid)', '\(key.app.uuid)', 'Production', \(lease.token)"
        let database = agencies.database
        for pool in [database.gateway, database.responder, database.sync] {
            for sql in [
                "select holdfast_ops.claim_fold('x', interval '1 minute', 1)",
                "select holdfast_ops.waiting_folds()",
                "select holdfast_sec.enter_fold(\(names), interval '1 minute')",
                "select holdfast_sec.leave_fold('Production', 1)",
            ] {
                let error = #expect(throws: PostgresError.self, "\(sql)") {
                    try pool.withConnection { try $0.execute(script: sql) }
                }
                #expect(error?.sqlState == "42501", "\(sql)")
            }
        }
    }
}

/// How far Apple's history was read: the sync's own notes.
@Suite(.database) struct NotificationHistoryTests {
    @Test func `a reading is taken up where it stopped, and hurried for all`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production)
        let key = lease.key
        let walk = NotificationHistoryProgress.Walk(
            from: Agencies.now, to: Instant(milliseconds: Agencies.now.milliseconds + 5),
            paginationToken: "page 2")
        let begun = NotificationHistoryProgress(
            readTo: Agencies.now, walk: walk, readAt: nil, failures: 2)
        let ended = NotificationHistoryProgress(
            readTo: walk.to, walk: nil, readAt: Agencies.now, failures: 0)
        func look() throws -> (progress: NotificationHistoryProgress, isDue: Bool) {
            try workers.work(lease) { transaction, _ in
                try transaction.findNotificationHistory(at: key)
            }
        }
        #expect(try look() == (NotificationHistoryProgress(), true))
        for progress in [begun, ended] {
            try workers.work(lease) { transaction, _ in
                try transaction.saveNotificationHistory(
                    progress, nextIn: SyncWorkers.hour, at: key)
            }
            #expect(try look() == (progress, false))
        }
        let gateway = RetentionStore(pool: workers.agencies.database.gateway)
        try gateway.hurryNotificationHistories(.gatewayUpkeep)
        #expect(try look() == (ended, true))
    }

    /// A page of Apple's history, some of which were pushed already.
    @Test func `the sync adds what was missing, and reads no payload`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production)
        let all = (0..<20).map { _ in
            NewNotification(
                notificationUUID: UUID(), notificationType: "DID_RENEW",
                signedDate: Agencies.now, originalTransactionId: "1", signedPayload: [1])
        }
        let agencies = workers.agencies
        try agencies.change(agencies.first) {
            _ = try $0.recordNotifications(Array(all.prefix(7)), from: .pushed, at: lease.key)
        }
        for added in [13, 0] {
            let count = try workers.work(lease) { transaction, _ in
                try transaction.recordNotifications(all, from: .history, at: lease.key)
            }
            #expect(count == added)
        }
        #expect(
            try workers.attempt(lease, "select signed_payload from holdfast.notification")
                == .forbidden)
        #expect(
            try workers.attempt(lease, "select signed_date from holdfast.notification")
                == .changed(20))
    }
}
