import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Profiles, counters, budgets and the messages of App Store Connect as they are kept and read.
@Suite(.database) struct ProfileStoreTests {
    private static let id = "2000000000000001"

    private func profile(_ body: [UInt8], at milliseconds: Int64 = 0) -> StoredProfile {
        StoredProfile(
            body: body, asOf: Instant(milliseconds: Agencies.now.milliseconds + milliseconds))
    }

    private func counters(_ offers: Int32, _ last: Instant? = nil) -> GovernorCounters {
        GovernorCounters(offersTaken: offers, lastOfferAt: last, escalationLevel: 2)
    }

    private func read(_ agencies: Agencies, _ id: String = id) throws -> ProfileReading {
        let store = RetentionStore(pool: agencies.database.responder)
        let first = agencies.first
        return try store.profile(
            .routing,
            of: SubscriberKey(
                tenant: first.scope.tenant, key: first.keys[0], originalTransactionId: id))
    }

    @Test func `a newer profile takes the older one's place, an older one does not`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        try agencies.change(agencies.first) { transaction in
            try transaction.upsertProfile(profile([1, 1], at: 5), of: Self.id, at: key)
            try transaction.upsertProfile(profile([1, 9], at: 4), of: Self.id, at: key)
            #expect(
                try transaction.findProfile(of: Self.id, at: key) == profile([1, 1], at: 5))
            try transaction.upsertProfile(profile([1, 2], at: 6), of: Self.id, at: key)
            #expect(
                try transaction.findProfile(of: Self.id, at: key) == profile([1, 2], at: 6))
        }
    }

    @Test func `the same profiles again write nothing`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let many = (0..<100).map {
            NewProfile(originalTransactionId: "\($0)", profile: profile([1]))
        }
        for expected in [100, 0] {
            let written = try agencies.change(agencies.first) {
                try $0.upsertProfiles(many, at: key)
            }
            #expect(written == expected)
        }
        let counted = try agencies.change(agencies.first) { try $0.countProfiles(at: key) }
        #expect(counted == 100)
    }

    @Test func `the responder reads a profile, counters, both, or that there is nothing`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        #expect(try read(agencies) == .absent)
        let last = Instant(milliseconds: 1_750_000_000_123)
        try agencies.change(agencies.first) {
            try $0.upsertGovernorCounters(counters(3, last), of: Self.id, at: key)
        }
        #expect(try read(agencies) == .found(nil, counters(3, last)))
        try agencies.change(agencies.first) {
            try $0.upsertProfile(profile([1, 7]), of: Self.id, at: key)
        }
        #expect(try read(agencies) == .found(profile([1, 7]), counters(3, last)))
        try agencies.change(agencies.first) {
            _ = try $0.deleteGovernorCounters(of: Self.id, at: key)
        }
        #expect(try read(agencies) == .found(profile([1, 7]), .zero))
        try agencies.change(agencies.first) { _ = try $0.deleteSubscriber(Self.id, at: key) }
        #expect(try read(agencies) == .absent)
    }

    /// Two agencies hold the same app, and each app has two environments.
    @Test func `no part of a key can be another's`() throws {
        let agencies = try Agencies()
        let store = RetentionStore(pool: agencies.database.responder)
        let places = [agencies.first, agencies.second].flatMap { agency in
            agency.keys.map { (agency, $0) }
        }
        for (number, (agency, key)) in places.enumerated() {
            try agencies.change(agency) {
                try $0.upsertProfile(profile([1, UInt8(number)]), of: Self.id, at: key)
            }
        }
        for (number, (agency, key)) in places.enumerated() {
            let reading = try store.profile(
                .routing,
                of: SubscriberKey(
                    tenant: agency.scope.tenant, key: key, originalTransactionId: Self.id))
            #expect(reading == .found(profile([1, UInt8(number)]), .zero))
        }
        let mixed = SubscriberKey(
            tenant: agencies.second.scope.tenant, key: agencies.first.keys[0],
            originalTransactionId: Self.id)
        #expect(try store.profile(.routing, of: mixed) == .absent)
    }

    @Test func `profiles come in pages, the youngest subscriptions first`() throws {
        let agencies = try Agencies()
        let (tenant, key) = (agencies.first.scope.tenant, agencies.first.keys[0])
        let ids = (10..<35).map { "20000000000000\($0)" }
        try agencies.change(agencies.first) { transaction in
            try transaction.upsertProfiles(
                ids.map { NewProfile(originalTransactionId: $0, profile: profile([1])) }, at: key)
            try transaction.upsertGovernorCounters(counters(1), of: ids[3], at: key)
        }
        let store = RetentionStore(pool: agencies.database.responder)
        var read: [SubscriberReading] = []
        while true {
            let page = try store.recentProfiles(
                .routing, of: tenant, at: key,
                below: read.last?.subscriber.originalTransactionId, limit: 10)
            read += page
            if page.count < 10 { break }
        }
        #expect(read.map(\.subscriber.originalTransactionId) == ids.reversed())
        #expect(read[21].reading == .found(profile([1]), counters(1)))
        #expect(read[20].reading == .found(profile([1]), .zero))
    }

    @Test func `what an app spent is kept by month and currency, and read for all apps`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let (october, november) = (
            try #require(CalendarDay("2026-10-01")), try #require(CalendarDay("2026-11-01"))
        )
        try agencies.change(agencies.first) { transaction in
            for (month, currency, amount): (CalendarDay, String, Int64) in [
                (october, "USD", 5), (november, "USD", 7), (november, "EUR", 1),
                (november, "USD", 2),
            ] {
                try transaction.addDiscountBudgetSpent(
                    SpentBudget(month: month, currency: currency, spentMilliunits: amount), at: key)
            }
            let spent = try transaction.listDiscountBudgetsSpent(in: november, at: key)
            #expect(spent.map(\.currency) == ["EUR", "USD"])
            #expect(spent.map(\.spentMilliunits) == [1, 9])
        }
        let store = RetentionStore(pool: agencies.database.responder)
        let all = try store.discountBudgetsSpent(.routing, from: november)
        #expect(Set(all.map(\.spent.currency)) == ["EUR", "USD"])
        let place = AppPlace(tenant: agencies.first.scope.tenant, key: key)
        #expect(all.allSatisfy { $0.place == place })
        #expect(try store.discountBudgetsSpent(.routing, from: october).count == 3)
    }

    @Test(arguments: [
        ("2026-11-02", "USD", 1), ("2026-11-01", "usd", 1), ("2026-11-01", "USD", -1),
    ])
    func `a budget of no month, no currency or less than nothing is refused`(
        month: String, currency: String, amount: Int64
    ) throws {
        let agencies = try Agencies()
        let spent = SpentBudget(
            month: try #require(CalendarDay(month)), currency: currency, spentMilliunits: amount)
        let error = #expect(throws: PostgresError.self) {
            try agencies.change(agencies.first) {
                try $0.setDiscountBudgetSpent(spent, at: agencies.first.keys[0])
            }
        }
        #expect(error?.constraint?.hasPrefix("discount_budget_spent_") == true)
    }

    @Test(arguments: [0, 1_025]) func `a body of no or too many bytes is refused`(count: Int) throws
    {
        let agencies = try Agencies()
        let error = #expect(throws: PostgresError.self) {
            try agencies.change(agencies.first) {
                try $0.upsertProfile(
                    profile(Array(repeating: 1, count: count)), of: Self.id,
                    at: agencies.first.keys[0])
            }
        }
        #expect(error?.constraint == "profile_body_limit")
    }

    @Test func `a message of App Store Connect is named, confirmed once and removed`() throws {
        let agencies = try Agencies()
        let (app, id) = (agencies.first.keys[0].app, UUID())
        try agencies.change(agencies.first) {
            try $0.createAppStoreConnectMessage(id, name: "Spring", of: app)
        }
        let error = #expect(throws: PostgresError.self) {
            try agencies.change(agencies.first) {
                try $0.createAppStoreConnectMessage(UUID(), name: "Spring", of: app)
            }
        }
        #expect(error?.constraint == "app_store_connect_message_name_unique")
        try agencies.change(agencies.first) { transaction in
            let new = try #require(try transaction.findAppStoreConnectMessage(id, of: app))
            #expect(new.sandboxDisplayConfirmedAt == nil && new.confirmedBy == nil)
            #expect(new.createdBy.kind == "operator")
            try transaction.confirmAppStoreConnectMessage(id, of: app)
            let confirmed = try transaction.listAppStoreConnectMessages(of: app, limit: 9)
            #expect(confirmed.map(\.sandboxDisplayConfirmedAt) == [Agencies.now])
            #expect(confirmed.first?.confirmedBy?.kind == "operator")
            try transaction.deleteAppStoreConnectMessage(id, of: app)
            #expect(throws: StoreError.self) {
                try transaction.deleteAppStoreConnectMessage(id, of: app)
            }
        }
    }
}
