import Foundation
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// What the feed brings into memory, at the start and later.
@Suite(.database) struct ProfileFeedTests {
    /// Other tests' transactions hold the end of the log back for a moment.
    private func comes(_ stage: LookupStage, _ condition: () throws -> Bool) throws -> Bool {
        try becomesTrue {
            try stage.feed.run()
            return try condition()
        }
    }

    private func isInMemory(_ stage: LookupStage, _ id: String) -> Bool {
        let before = stage.metrics.profileHits.value()
        _ = stage.find(id)
        return stage.metrics.profileHits.value() == before + 1
    }

    @Test func `what there is at the start is in memory before anybody asks`() throws {
        let stage = try LookupStage()
        let many = (0..<2_500).map {
            NewProfile(originalTransactionId: "\(1_000 + $0)", profile: stage.profile(1))
        }
        let counters = GovernorCounters(offersTaken: 1, lastOfferAt: nil, escalationLevel: 0)
        try stage.change { transaction in
            try transaction.upsertProfiles(many, at: stage.key)
            try transaction.upsertGovernorCounters(counters, of: "1001", at: stage.key)
            try transaction.upsertProfile(stage.profile(2), of: "1001", at: stage.agency.keys[1])
        }
        #expect(stage.feed.delaysReadiness)
        try stage.feed.run()
        #expect(stage.feed.hasFilled)
        #expect(!stage.feed.delaysReadiness)
        #expect(stage.lookup.table.counts.entries == 2_501)
        #expect(stage.find("1000") == (.found(stage.profile(1), .zero), .memory))
        #expect(stage.find("1001") == (.found(stage.profile(1), counters), .memory))
        let other = stage.lookup.find(
            tenant: stage.agency.scope.tenant, key: stage.agency.keys[1],
            originalTransactionId: "1001")
        #expect(other == (.found(stage.profile(2), .zero), .memory))
        #expect(stage.metrics.profileEntries.series([]).value == 2_501)
        #expect(stage.metrics.profileBytes.series([]).value > 0)
        let age = try #require(stage.feed.ageSeconds)
        #expect(age < 60)
    }

    /// Requests come before the feed has a place in the log; what changes in between is in no page.
    @Test func `what was looked up before the first look at the log is not believed after it`()
        throws
    {
        let stage = try LookupStage()
        try stage.keep(stage.profile(1))
        #expect(stage.find() == (.found(stage.profile(1), .zero), .database))
        try stage.keep(stage.profile(2, at: 1))
        try stage.feed.run()
        #expect(stage.find().0 == .found(stage.profile(2, at: 1), .zero))
    }

    @Test func `a small memory is filled with the youngest subscriptions`() throws {
        let stage = try LookupStage(mebibytes: 1)
        let many = (0..<6_000).map {
            NewProfile(originalTransactionId: "\(10_000 + $0)", profile: stage.profile(1))
        }
        try stage.change { try $0.upsertProfiles(many, at: stage.key) }
        try stage.feed.run()
        #expect(stage.feed.hasFilled)
        let entries = stage.lookup.table.counts.entries
        #expect(entries > 1_000 && entries < 6_000)
        #expect(isInMemory(stage, "15999"))
        #expect(!isInMemory(stage, "10000"))
    }

    @Test func `changes arrive: new profiles, newer ones, counters, deletions`() throws {
        let stage = try LookupStage()
        try stage.keep(stage.profile(1))
        try stage.feed.run()
        #expect(stage.find() == (.found(stage.profile(1), .zero), .memory))

        try stage.keep(stage.profile(2, at: 1))
        #expect(try comes(stage) { stage.find().0 == .found(stage.profile(2, at: 1), .zero) })

        let counters = GovernorCounters(offersTaken: 9, lastOfferAt: nil, escalationLevel: 3)
        try stage.change {
            try $0.upsertGovernorCounters(counters, of: LookupStage.id, at: stage.key)
        }
        #expect(try comes(stage) { stage.find().0 == .found(stage.profile(2, at: 1), counters) })

        #expect(stage.find("new") == (.absent, .absent))
        try stage.keep(stage.profile(3), of: "new")
        #expect(
            try comes(stage) { stage.find("new") == (.found(stage.profile(3), .zero), .memory) })

        try stage.change { _ = try $0.deleteSubscriber(LookupStage.id, at: stage.key) }
        #expect(try comes(stage) { stage.find() == (.absent, .absent) })
        #expect(stage.metrics.profileChanges.value() >= 4)
    }

    @Test func `of an app that is not served here nothing is added`() throws {
        let stage = try LookupStage()
        try stage.feed.run()
        stage.apps.update(with: [], keeping: [])
        try stage.keep(stage.profile(1))
        let before = stage.metrics.profileChanges.value()
        #expect(try comes(stage) { stage.metrics.profileChanges.value() > before })
        #expect(stage.lookup.table.counts.entries == 0)
    }

    @Test func `after a gap everything is forgotten and read anew`() throws {
        let stage = try LookupStage()
        try stage.keep(stage.profile(1))
        try stage.feed.run()
        #expect(stage.source() == .memory)
        // Changed and purged while nobody looked.
        try stage.keep(stage.profile(2, at: 1))
        try Database.current().superuser.withConnection {
            try $0.execute(
                script: """
                    update holdfast_hot.profile_change set changed_at = now() - interval '2 hours'
                    """)
        }
        let gateway = RetentionStore(pool: try Database.current().gateway)
        let keeper = try Database.current().superuser
        #expect(
            try becomesTrue {
                _ = try gateway.purgeProfileChanges(.gatewayUpkeep, before: .now, limit: 1_000)
                return try keeper.withConnection {
                    try $0.query("select from holdfast_hot.profile_change").isEmpty
                }
            })
        #expect(
            try comes(stage) {
                stage.find() == (.found(stage.profile(2, at: 1), .zero), .memory)
            })
    }

    @Test func `a feed that is told to stop ends at once`() throws {
        let stage = try LookupStage()
        stage.stop.request()
        try stage.feed.run()
        #expect(!stage.feed.hasFilled)
    }
}
