import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Service
import Synchronization
import TestSupport
import Testing

/// Long jobs hold nothing and nobody up, and are done once, whatever happens between their steps.
@Suite(.database) struct JobStepTests {
    /// Three slices of 2,000 and a rest, or more where the machine is slow.
    private static let copies: Int32 = 6_499
    private static let slice: Int64 = 2_000

    private let stage: DecidingStage
    private let job: String
    private var gateway: GatewayStage { stage.app.agency.stage }

    /// A replay that waits.
    init() throws {
        stage = try DecidingStage()
        let number = try stage.publish(stage.rules())
        try stage.decide(
            stage.subscriber(days: 400), of: "1", snapshot: number,
            as: Decision(
                answer: .alternateProduct(
                    try stage.placed(stage.app.plan, "de-DE"), productId: stage.app.yearly,
                    billingPlanType: nil), rule: try stage.rule(0), localeServed: "de-DE"))
        try stage.multiplyDecisions(by: Self.copies)
        stage.app.agency.stage.clock.advance(milliseconds: 1)
        let begun = try stage.app.agency.post(
            "\(stage.app.path)/replays", ["version": 1, "limit": 100_000])
        try #require(begun.status == 202, "\(begun.text)")
        job = try #require(begun.header("Location"))
    }

    @Test func whileAReplayRunsRespondersHearWhatChanged() throws {
        let responder = RetentionStore(pool: gateway.database.responder)
        let store = gateway.store
        let scope = Scope.operatorCommand(tenant: stage.app.agency.tenant)
        let (key, now) = (stage.key, gateway.now)
        let place = Mutex(try responder.profileChanges(.routing, since: nil, limit: 100).next)
        /// Of what this very call changes.
        let isHeard: @Sendable (String, Duration) throws -> Bool = { id, limit in
            let profile = StoredProfile(body: [1, 2], asOf: now)
            try store.transaction(scope, at: now) {
                try $0.upsertProfile(profile, of: id, at: key)
            }
            return try becomesTrue(within: limit) {
                let changes = try responder.profileChanges(
                    .routing, since: place.withLock { $0 }, limit: 100)
                place.withLock { $0 = changes.next }
                return changes.readings.contains {
                    $0.subscriber.originalTransactionId == id
                }
            }
        }
        let heard = Mutex<[Bool]>([])
        let heardInside = Mutex<Bool?>(nil)
        try gateway.jobs(
            betweenSteps: {
                let turn = heard.withLock { $0.count }
                let isTold = try isHeard("between-\(turn)", .seconds(60))
                heard.withLock { $0.append(isTold) }
            },
            beforeEnd: {
                let isTold = try isHeard("inside", .milliseconds(200))
                heardInside.withLock { $0 = isTold }
            }
        ).runWaiting()
        let turns = heard.withLock { $0 }
        #expect(turns.count >= 3 && turns.allSatisfy { $0 })
        // Why a step has to be short.
        #expect(heardInside.withLock { $0 } == false)
        try expectDone()
    }

    @Test func howFarAReplayHasComeIsShown() throws {
        let (agency, job) = (stage.app.agency, job)
        let shown = Mutex<[JSONTree]>([])
        try gateway.jobs(betweenSteps: {
            let now = try agency.get(job).json
            shown.withLock {
                $0.append(["state": now["state"] ?? .null, "progress": now["progress"] ?? .null])
            }
        }).runWaiting()
        let steps = shown.withLock { $0 }
        #expect(steps.allSatisfy { $0["state"] == "running" })
        #expect(steps.allSatisfy { $0["progress"]?["total"] == 6_500 })
        let done = [0] + steps.compactMap { $0["progress"]?["done"]?.number }
        #expect(done.count >= 4, "\(done)")
        #expect(zip(done, done.dropFirst()).allSatisfy { (1...Self.slice).contains($1 - $0) })
        try expectDone()
    }

    @Test func aSliceEndsWithItsTime() throws {
        let steps = Atomic<Int>(0)
        try gateway.jobs(
            limits: StepLimits(slice: .zero),
            betweenSteps: { steps.add(1, ordering: .relaxed) }
        ).runWaiting()
        // A page of 500 each.
        #expect(steps.load(ordering: .relaxed) >= 12)
        try expectDone()
    }

    /// However long all of it takes: a lease is of the step.
    @Test func eachStepTakesTheLeaseAnew() throws {
        let store = gateway.gatewayStore()
        let database = gateway.database
        let others = Mutex<[Bool]>([])
        let first = Mutex(true)
        try gateway.jobs(betweenSteps: {
            // What the first step's lease had left is used up; the next step's is whole.
            if first.withLock({ $0 }) {
                first.withLock { $0 = false }
                return try Self.leased(database, for: 1)
            }
            let isTaken = try store.claimJob(.gatewayUpkeep, leaseSeconds: 60) != nil
            others.withLock { $0.append(isTaken) }
            try Self.leased(database, for: 1)
        }).runWaiting()
        let taken = others.withLock { $0 }
        #expect(taken.count >= 2 && !taken.contains(true))
        try expectDone()
    }

    /// Frozen for longer than its lease, say.
    @Test func whoLostTheLeaseBetweenStepsChangesNothing() throws {
        let (store, database) = (gateway.gatewayStore(), gateway.database)
        let taken = Mutex<JobLease?>(nil)
        try gateway.jobs(betweenSteps: {
            try Self.leased(database, for: -1)
            let lease = try store.claimJob(.gatewayUpkeep, leaseSeconds: 60)
            taken.withLock { $0 = lease }
        }).runWaiting()
        #expect(taken.withLock { $0 != nil })
        #expect(gateway.log.text.contains("job_lease_lost"))
        let running = try stage.app.agency.get(job).json
        #expect(running["state"] == "running" && running["report"] == .null, "\(running)")
        #expect(isOneSlice(running), "\(running)")
        // The other one dies as well.
        try Self.leased(database, for: -1)
        try gateway.jobs.runWaiting()
        try expectDone(attempts: 3)
    }

    @Test func whoIsToldToEndLeavesTheJobToOthersAtOnce() throws {
        let steps = Atomic<Int>(0)
        try gateway.jobs(betweenSteps: { steps.add(1, ordering: .relaxed) })
            .runWaiting(unless: { steps.load(ordering: .relaxed) == 2 })
        #expect(try stage.app.agency.get(job).json["state"] == "running")
        // No minute to wait.
        try gateway.jobs.runWaiting()
        try expectDone(attempts: 2)
    }

    @Test func aKeyThatIsRevokedBetweenStepsEndsTheReplay() throws {
        let agency = stage.app.agency
        let worker = try gateway.makeKey(of: agency)
        try gateway.jobs.runWaiting()
        let begun = try worker.post("\(stage.app.path)/replays", ["version": 1, "limit": 100_000])
        let key = try #require(APIKeyToken(Array(worker.token.utf8))?.id)
        let (store, now) = (gateway.store, gateway.now)
        try gateway.jobs(betweenSteps: {
            try store.transaction(.operatorCommand(tenant: agency.tenant), at: now) {
                _ = try $0.revokeAPIKey(key)
            }
        }).runWaiting()
        let ended = try agency.get(try #require(begun.header("Location"))).json
        #expect(ended["state"] == "failed" && ended["report"] == .null, "\(ended)")
        #expect(ended["error"]?["code"] == "scopeMissing")
        #expect(isOneSlice(ended), "\(ended)")
    }

    /// Its rows are gone, which must not look like the end of the list.
    @Test func anAppThatGoesBetweenStepsTakesTheReplayAlong() throws {
        let (app, agency) = (stage.app, stage.app.agency)
        try gateway.jobs(betweenSteps: {
            try app.change { try $0.deleteApp(app.id) }
        }).runWaiting()
        #expect(try agency.get(job).code == "notFound")
        #expect(gateway.log.text.contains("job_lease_lost"))
    }

    // MARK: - Work in one step

    @Test func anImportThatTakesTooLongStoresNothing() throws {
        try gateway.jobs.runWaiting()
        let app = stage.app
        let rows = (0..<3).map { row -> JSONTree in
            [
                "message": .string("imported \(row)"), "kind": "text", "locale": "de-DE",
                "header": "h", "body": "b",
            ]
        }
        let begun = try app.agency.post(
            "\(app.path)/localization-imports", ["rows": .array(rows)])
        try expectTooLong(begun)
        let names = try app.agency.all("\(app.path)/messages").compactMap { $0["name"]?.text }
        #expect(!names.contains { $0.hasPrefix("imported") })
    }

    @Test func aCopyThatTakesTooLongCopiesNothing() throws {
        try gateway.jobs.runWaiting()
        let target = try stage.app.agency.makeApp(number: 77)
        let id = try #require(target.split(separator: "/").last)
        let begun = try stage.app.agency.post(
            "\(stage.app.path)/copies", ["targetAppId": .string(String(id))])
        try expectTooLong(begun)
        #expect(try stage.app.agency.all("\(target)/messages").isEmpty)
    }

    private func expectTooLong(_ begun: TestAnswer) throws {
        try #require(begun.status == 202, "\(begun.text)")
        try gateway.jobs(limits: StepLimits(whole: .zero)).runWaiting()
        let ended = try stage.app.agency.get(try #require(begun.header("Location"))).json
        #expect(ended["state"] == "failed" && ended["report"] == .null, "\(ended)")
        #expect(ended["error"]?["code"] == "unavailable")
    }

    // MARK: - What came of it

    private static func leased(_ database: Database, for seconds: Int32) throws {
        try database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.job set leased_until = now() + make_interval(secs => \(seconds))
                where state = 'running'
                """)
        }
    }

    private func isOneSlice(_ job: JSONTree) -> Bool {
        (1...Self.slice).contains(job["progress"]?["done"]?.number ?? 0)
    }

    /// Each decision counted once, and told once.
    private func expectDone(attempts: Int16 = 1) throws {
        let done = try stage.app.agency.get(job).json
        #expect(done["state"] == "succeeded", "\(done)")
        let count = JSONTree.integer(Int64(Self.copies) + 1)
        #expect(done["progress"] == ["done": count, "total": count])
        #expect(done["report"]?["counts"]?["replayed"] == count)
        #expect(done["report"]?["before"]?["answers"]?["switchPlan"] == count)
        #expect(done["report"]?["after"]?["answers"]?["switchPlan"] == count)
        let tried = try gateway.database.superuser.withConnection { connection in
            try connection.query("select attempts from holdfast.job").first?
                .decode(Int16.self, at: 0)
        }
        #expect(tried == attempts)
    }
}
