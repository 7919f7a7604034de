import Foundation
import Glibc
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// What a look-up says, and that it says it in time whatever becomes of the database.
@Suite(.database) struct ProfileLookupTests {
    @Test func `the first look-up asks the database, the next ones memory`() throws {
        let stage = try LookupStage()
        try stage.keep(stage.profile(7))
        let (first, second) = (stage.find(), stage.find())
        #expect(first == (.found(stage.profile(7), .zero), .database))
        #expect(second == (.found(stage.profile(7), .zero), .memory))
        #expect(stage.metrics.profileHits.value() == 1)
        #expect(stage.metrics.profileMisses.value() == 1)
        let text = String(decoding: stage.registry.openMetrics(), as: UTF8.self)
        #expect(text.contains("holdfast_profile_lookup_seconds_count 1\n"))
    }

    @Test func `what is found for a forged request is neither told nor remembered`() throws {
        let stage = try LookupStage()
        try stage.keep(stage.profile(7))
        #expect(stage.find(isGenuine: { false }) == (.unavailable, .unavailable))
        #expect(stage.lookup.table.counts.entries == 0)
        #expect(stage.find() == (.found(stage.profile(7), .zero), .database))
    }

    /// While PostgreSQL does not answer, a forger must not keep its look-ups busy.
    @Test func `a forged request pauses the asking also where the look-up fails`() throws {
        let time = ManualClock(milliseconds: 50_000)
        let stage = try LookupStage(
            url: "postgresql:///nowhere?host=/nonexistent&user=nobody", uptime: time.clock)
        #expect(stage.find(isGenuine: { false }).1 == .unavailable)
        for _ in 0..<20 { #expect(stage.find(isGenuine: { false }).1 == .unavailable) }
        // Five failures in a row would have opened the breaker.
        #expect(!stage.lookup.gate.isOpen)
    }

    /// The look-ups are counted by the metric of their times.
    @Test func `who forges makes us ask once, and from then on nobody is asked for unchecked`()
        throws
    {
        let time = ManualClock(milliseconds: 50_000)
        let stage = try LookupStage(uptime: time.clock)
        var lookups: String {
            let text = String(decoding: stage.registry.openMetrics(), as: UTF8.self)
            let name = "holdfast_profile_lookup_seconds_count "
            return text.split(separator: "\n").first { $0.hasPrefix(name) }.map(String.init) ?? ""
        }
        for _ in 0..<100 { #expect(stage.source("forged") != .database) }
        let before = lookups
        for number in 0..<100 {
            #expect(stage.find("forged-\(number)", isGenuine: { false }).1 == .unavailable)
        }
        #expect(before.hasSuffix(" 1") && lookups.hasSuffix(" 2"))
        // Genuine ones are answered meanwhile, checked first.
        try stage.keep(stage.profile(7))
        #expect(stage.source() == .database && lookups.hasSuffix(" 3"))
        time.advance(milliseconds: 10_001)
        #expect(stage.find("forged-late", isGenuine: { false }).1 == .unavailable)
        #expect(lookups.hasSuffix(" 4"))
    }

    @Test func `nobody known is absent, from the database and from memory`() throws {
        let stage = try LookupStage()
        #expect(stage.find() == (.absent, .absent))
        #expect(stage.find() == (.absent, .absent))
        #expect(stage.metrics.profileHits.value() == 1)
    }

    @Test func `counters come without a profile too`() throws {
        let stage = try LookupStage()
        let counters = GovernorCounters(
            offersTaken: 3, lastOfferAt: Instant(milliseconds: 5), escalationLevel: 1)
        try stage.change {
            try $0.upsertGovernorCounters(counters, of: LookupStage.id, at: stage.key)
        }
        for source in [ProfileSource.database, .memory] {
            #expect(stage.find() == (.found(nil, counters), source))
        }
    }

    @Test func `under load memory alone is asked`() throws {
        let stage = try LookupStage()
        try stage.keep(stage.profile(7))
        func find() -> ProfileSource {
            stage.lookup.find(
                tenant: stage.agency.scope.tenant, key: stage.key,
                originalTransactionId: LookupStage.id, mayAskDatabase: false
            ).1
        }
        #expect(find() == .unavailable)
        #expect(stage.metrics.profileUnavailable.value("overload") == 1)
        #expect(stage.source() == .database)
        #expect(find() == .memory)
    }

    @Test func `without a table every look-up asks the database`() throws {
        let stage = try LookupStage(mebibytes: 0)
        try stage.keep(stage.profile(7))
        #expect(stage.source() == .database)
        #expect(stage.source() == .database)
    }

    @Test func `an identifier too long for memory is asked for each time`() throws {
        let stage = try LookupStage()
        let id = String(repeating: "é", count: 40)
        try stage.keep(stage.profile(1), of: id)
        #expect(stage.source(id) == .database)
        #expect(stage.source(id) == .database)
    }

    @Test func `another tenant's, app's or environment's subscriber is not found`() throws {
        let stage = try LookupStage()
        try stage.keep(stage.profile(7))
        #expect(stage.source() == .database)
        let (tenant, id) = (stage.agency.scope.tenant, LookupStage.id)
        let otherEnvironment: StoreEnvironment =
            stage.key.environment == .production ? .sandbox : .production
        for (tenant, key) in [
            (TenantID(UUID()), stage.key),
            (tenant, AppEnvironment(app: AppID(UUID()), environment: stage.key.environment)),
            (tenant, AppEnvironment(app: stage.key.app, environment: otherEnvironment)),
        ] {
            let found = stage.lookup.find(tenant: tenant, key: key, originalTransactionId: id)
            #expect(found == (.absent, .absent))
        }
    }

    // MARK: - The database in trouble

    /// A lock that somebody holds makes every look-up wait.
    @Test func `a slow database is unavailable within the budget, then the breaker opens`() throws {
        let stage = try LookupStage(budget: .milliseconds(50))
        try stage.keep(stage.profile(7))
        #expect(becomesTrue { stage.source() == .memory })
        try Database.current().superuser.transaction { connection in
            try connection.execute(script: "lock table holdfast.profile in access exclusive mode")
            for _ in 0..<LookupGate.failuresLimit {
                let begin = ContinuousClock.now
                #expect(stage.find("2") == (.unavailable, .unavailable))
                #expect(ContinuousClock.now - begin < LookupStage.patience)
            }
            #expect(stage.lookup.gate.isOpen)
            #expect(stage.source("2") == .unavailable)
            // What is in memory needs no database.
            #expect(stage.source() == .memory)
        }
        #expect(stage.metrics.profileUnavailable.value("breakerOpen") >= 1)
        #expect(stage.metrics.profileUnavailable.value("deadlineExceeded") >= 1)
        #expect(becomesTrue { stage.source("2") == .absent })
        #expect(!stage.lookup.gate.isOpen)
    }

    @Test func `no more than the limit wait for a slow database`() throws {
        let stage = try LookupStage(limit: 2)
        try Database.current().superuser.transaction { connection in
            try connection.execute(script: "lock table holdfast.profile in access exclusive mode")
            let waiting = (0..<2).map { number in
                ParallelWork { stage.source("waiting \(number)") }
            }
            #expect(becomesTrue { stage.lookup.gate.inFlight == 2 })
            let begin = ContinuousClock.now
            for number in 0..<100 { #expect(stage.source("\(number)") == .unavailable) }
            #expect(ContinuousClock.now - begin < LookupStage.patience)
            #expect(stage.metrics.profileUnavailable.value("inFlight") == 100)
            try connection.execute(script: "rollback; begin")
            for work in waiting { #expect(try work.value() == .absent) }
        }
        #expect(stage.lookup.gate.inFlight == 0)
    }
}

/// The same with a server of the test's own, which is stopped, killed and started again.
@Suite struct ProfileLookupOutageTests {
    private struct Scene {
        let server: PrivatePostgres
        let stage: LookupStage
    }

    private func scene() throws -> Scene {
        let server = try makeOwnServer()
        try OwnDatabase.make(on: server)
        func pool(_ role: String) throws -> Pool {
            var settings = PoolSettings(url: server.url(database: OwnDatabase.name, role: role))
            settings.queryTimeout = .seconds(60)
            return try Pool(settings)
        }
        let stage = try LookupStage(
            url: server.url(database: OwnDatabase.name, role: "holdfast_responder"),
            budget: .milliseconds(200),
            agencyStore: RetentionStore(pool: try pool("holdfast_operator")),
            responderPool: try pool("holdfast_responder"))
        return Scene(server: server, stage: stage)
    }

    /// Each in time, until the breaker says no without asking.
    private func expectUnavailable(_ stage: LookupStage) {
        for number in 0..<20 {
            let begin = ContinuousClock.now
            #expect(stage.find("new \(number)") == (.unavailable, .unavailable))
            #expect(ContinuousClock.now - begin < LookupStage.patience)
        }
        #expect(stage.lookup.gate.isOpen)
    }

    @Test func `a stopped backend and a stopped server cost their budget and no more`() throws {
        let scene = try scene()
        defer { scene.server.remove() }
        let stage = scene.stage
        try stage.keep(stage.profile(7))
        #expect(becomesTrue { stage.source() == .memory })
        let backend = try stage.lookupPool.withConnection { $0.backendPID }
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        scene.server.send(.stop)
        expectUnavailable(stage)
        #expect(stage.source() == .memory)
        scene.server.send(.resume)
        kill(backend, SIGCONT)
        #expect(becomesTrue { stage.source("another") == .absent })
        #expect(!stage.lookup.gate.isOpen)
    }

    @Test func `a killed server is unavailable, and found again after its restart`() throws {
        let scene = try scene()
        defer { scene.server.remove() }
        let stage = scene.stage
        try stage.keep(stage.profile(7))
        try stage.feed.run()
        #expect(stage.source() == .memory)
        scene.server.send(.kill)
        #expect(becomesTrue { scene.server.pid == nil })
        expectUnavailable(stage)
        // The feed fails, and what is in memory stays as it is.
        #expect(throws: (any Error).self) { try stage.feed.run() }
        #expect(stage.source() == .memory)
        #expect(becomesTrue { (try? scene.server.start()) != nil })
        #expect(becomesTrue { stage.source("another") == .absent })
        #expect(becomesTrue { (try? stage.feed.run()) != nil })
        try stage.keep(stage.profile(8, at: 1))
        #expect(
            becomesTrue {
                try? stage.feed.run()
                return stage.find().0 == .found(stage.profile(8, at: 1), .zero)
            })
    }

    @Test func `a backend that is killed under a look-up is one failure`() throws {
        let scene = try scene()
        defer { scene.server.remove() }
        let stage = scene.stage
        #expect(becomesTrue { stage.source("1") == .absent })
        let backend = try stage.lookupPool.withConnection { $0.backendPID }
        kill(backend, SIGTERM)
        #expect(becomesTrue { kill(backend, 0) != 0 })
        #expect(becomesTrue { stage.source("2") == .absent })
    }
}
