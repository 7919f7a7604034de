import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// The log of changes: nothing is told twice for nothing, and nothing is ever missed.
///
/// Other tests' transactions run in the same cluster and hold the log's end back for a moment, so
/// what is to come is waited for.
@Suite(.database) struct ProfileChangeTests {
    private func profile(_ byte: UInt8) -> StoredProfile {
        StoredProfile(body: [1, byte], asOf: Instant(milliseconds: Int64(byte)))
    }

    private func subscriber(_ agencies: Agencies, _ id: String) -> SubscriberKey {
        SubscriberKey(
            tenant: agencies.first.scope.tenant, key: agencies.first.keys[0],
            originalTransactionId: id)
    }

    private struct Reader {
        let store: RetentionStore
        var place: ProfileChangePlace?
        var seen: [SubscriberReading] = []
        var pages = 0

        init(_ agencies: Agencies) throws {
            store = RetentionStore(pool: agencies.database.responder)
            place = try store.profileChanges(.routing, since: nil, limit: 10).next
        }

        mutating func read(limit: Int32 = 10) throws {
            while true {
                let page = try store.profileChanges(.routing, since: place, limit: limit)
                #expect(!page.hasGap)
                seen += page.readings
                place = page.next
                pages += 1
                if !page.hasMore { return }
            }
        }

        mutating func reads(_ count: Int, limit: Int32 = 10) throws -> Bool {
            let deadline = ContinuousClock.now + .seconds(60)
            while seen.count < count, ContinuousClock.now < deadline { try read(limit: limit) }
            return seen.count == count
        }
    }

    @Test func `a profile, counters and a deletion are told as they are now`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        var reader = try Reader(agencies)
        let counters = GovernorCounters(offersTaken: 2, lastOfferAt: nil, escalationLevel: 0)
        try agencies.change(agencies.first) {
            try $0.upsertProfile(profile(1), of: "1", at: key)
        }
        #expect(try reader.reads(1))
        try agencies.change(agencies.first) {
            try $0.upsertGovernorCounters(counters, of: "1", at: key)
        }
        #expect(try reader.reads(2))
        try agencies.change(agencies.first) { _ = try $0.deleteSubscriber("1", at: key) }
        // Profile and counters, in one page or two.
        #expect(
            try becomesTrue {
                try reader.read(); return reader.seen.count >= 3
            })
        #expect(reader.seen.allSatisfy { $0.subscriber == subscriber(agencies, "1") })
        #expect(reader.seen[0].reading == .found(profile(1), .zero))
        #expect(reader.seen[1].reading == .found(profile(1), counters))
        #expect(reader.seen.last?.reading == .absent)
    }

    @Test func `what writes nothing tells nothing`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        var reader = try Reader(agencies)
        for byte: UInt8 in [5, 5, 4] {
            try agencies.change(agencies.first) {
                try $0.upsertProfile(profile(byte), of: "1", at: key)
            }
        }
        try agencies.change(agencies.first) {
            try $0.upsertProfile(profile(1), of: "2", at: key)
        }
        #expect(try reader.reads(2))
        #expect(Set(reader.seen.map(\.subscriber.originalTransactionId)) == ["1", "2"])
    }

    @Test func `many changes of one transaction come in pages, each once`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        var reader = try Reader(agencies)
        let ids = (0..<95).map { "\(1_000 + $0)" }
        try agencies.change(agencies.first) {
            try $0.upsertProfiles(
                ids.map { NewProfile(originalTransactionId: $0, profile: profile(1)) }, at: key)
        }
        #expect(try reader.reads(95))
        #expect(reader.pages >= 10)
        #expect(Set(reader.seen.map(\.subscriber.originalTransactionId)) == Set(ids))
    }

    /// By the highest number so far the first transaction's row would be lost.
    @Test func `a transaction that commits after a younger one is not missed`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        var reader = try Reader(agencies)
        try agencies.change(agencies.first) { slow in
            try slow.upsertProfile(profile(1), of: "slow", at: key)
            try agencies.change(agencies.first) {
                try $0.upsertProfile(profile(1), of: "fast", at: key)
            }
            for _ in 0..<3 { try reader.read() }
            // Neither: the younger one's row stands behind the older one's.
            #expect(reader.seen.isEmpty)
        }
        #expect(try reader.reads(2))
        #expect(Set(reader.seen.map(\.subscriber.originalTransactionId)) == ["slow", "fast"])
    }

    @Test func `writers at once are all told`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        var reader = try Reader(agencies)
        let writers = (0..<4).map { writer in
            ParallelWork {
                for round in 0..<50 {
                    try agencies.change(agencies.first) {
                        try $0.upsertProfile(profile(1), of: "\(writer)-\(round)", at: key)
                    }
                }
            }
        }
        let isWhole = try reader.reads(200)
        for writer in writers { try writer.value() }
        #expect(isWhole)
        #expect(Set(reader.seen.map(\.subscriber.originalTransactionId)).count == 200)
    }

    @Test func `an app that goes tells that its profiles are gone, and all of them go`() throws {
        let agencies = try Agencies()
        let (key, other) = (agencies.first.keys[0], agencies.second.keys[0])
        var reader = try Reader(agencies)
        try agencies.change(agencies.first) {
            try $0.upsertProfile(profile(1), of: "1", at: key)
        }
        #expect(try reader.reads(1))
        try agencies.change(agencies.first) { try $0.deleteApp(key.app) }
        try agencies.change(agencies.second) {
            try $0.upsertProfile(profile(1), of: "2", at: other)
        }
        #expect(try reader.reads(3))
        let later = reader.seen.dropFirst()
        #expect(Set(later.map(\.subscriber.originalTransactionId)) == ["1", "2"])
        #expect(
            later.first { $0.subscriber.originalTransactionId == "1" }?.reading == .absent)
        let left: Int64 = try agencies.value("select count(*) from holdfast.profile")
        #expect(left == 1)
    }

    @Test func `what was purged unread is a gap, what is younger than an hour stays`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let reader = try Reader(agencies)
        try agencies.change(agencies.first) {
            try $0.upsertProfile(profile(1), of: "1", at: key)
        }
        let gateway = RetentionStore(pool: agencies.database.gateway)
        let now = Instant(milliseconds: Agencies.now.milliseconds + 86_400_000)
        #expect(try gateway.purgeProfileChanges(.gatewayUpkeep, before: now, limit: 10) == 0)
        try agencies.database.superuser.withConnection {
            try $0.execute(
                script: """
                    update holdfast_hot.profile_change set changed_at = now() - interval '2 hours'
                    """)
        }
        #expect(
            try becomesTrue {
                try gateway.purgeProfileChanges(.gatewayUpkeep, before: now, limit: 10) == 1
            })
        let page = try reader.store.profileChanges(.routing, since: reader.place, limit: 10)
        #expect(page.hasGap)
        var anew = try Reader(agencies)
        try anew.read()
        #expect(anew.seen.isEmpty)
    }

    /// As after a restore from a dump: transactions are counted from below again.
    @Test func `a place that is ahead of the database is a gap`() throws {
        let agencies = try Agencies()
        let reader = try Reader(agencies)
        let ahead = try agencies.database.responder.withConnection { connection in
            let rows = try connection.query(
                """
                select next_transaction, has_gap
                from holdfast_hot.profile_changes(\(Int64(1) << 50), 7, 10)
                """)
            let row = try #require(rows.first)
            return (
                next: try row.decode(Int64.self, "next_transaction"),
                hasGap: try row.decode(Bool.self, "has_gap")
            )
        }
        #expect(ahead.hasGap)
        #expect(ahead.next < Int64(1) << 50)
        #expect(try !reader.store.profileChanges(.routing, since: reader.place, limit: 10).hasGap)
    }

    @Test func `nobody reaches the log but through its functions`() throws {
        let agencies = try Agencies()
        for pool in [
            agencies.database.operator, agencies.database.gateway, agencies.database.responder,
        ] {
            let error = #expect(throws: PostgresError.self) {
                try pool.withConnection {
                    try $0.execute(script: "select * from holdfast_hot.profile_change")
                }
            }
            #expect(error?.sqlState == "42501")
        }
    }
}
