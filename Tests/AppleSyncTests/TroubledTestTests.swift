import AppleSync
import Foundation
import HTTPServer
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import Simulator
import Synchronization
import TestSupport
import Testing

/// Performance tests that go wrong, and workers that have nothing to do.
@Suite(.database) struct BreakerPerformanceTests {
    private static let id = "2000000000000001"

    private func door() throws -> Server {
        try Server(ServerSettings(port: 0), handler: { _ in Response.empty(401) })
    }

    private func prepared(
        _ stage: SyncStage, _ outcomes: [PerformanceTestScript.Outcome],
        transaction: AppState.Transaction? = nil
    ) throws -> SyncedApp {
        let app = try stage.makeApp()
        var state = try app.apples(.sandbox)
        state.transactions = [
            transaction ?? AppState.Transaction(originalTransactionId: Self.id)
        ]
        try stage.simulator.set(state)
        try stage.simulator.setPerformanceTests(
            PerformanceTestScript(
                config: .init(
                    maxConcurrentRequests: 2, totalRequests: 4, totalDuration: 50,
                    responseTimeThreshold: 450, successRateThreshold: 97),
                outcomes: outcomes),
            appAppleId: app.appAppleId)
        return app
    }

    private func start(_ app: SyncedApp) throws -> PerformanceTestID {
        let id = PerformanceTestID.make(at: SyncStage.now)
        try app.change {
            try $0.createPerformanceTest(id, transactionId: Self.id, of: app.app)
        }
        return id
    }

    private func find(_ id: PerformanceTestID, _ app: SyncedApp) throws -> StoredPerformanceTest {
        try #require(try app.change { try $0.findPerformanceTest(id, of: app.app) })
    }

    private func end(
        _ id: PerformanceTestID, _ app: SyncedApp, _ stage: SyncStage, _ worker: SyncWorker
    ) throws -> StoredPerformanceTest {
        try stage.work(worker, within: .seconds(15)) { try !find(id, app).state.isOpen }
        return try find(id, app)
    }

    private func turns(_ stage: SyncStage, _ worker: SyncWorker, _ seconds: Int) throws -> Int {
        var turns = 0
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if try worker.workOnce() {
                turns += 1
            } else {
                _ = becomesTrue(within: .milliseconds(5)) { false }
            }
        }
        return turns
    }

    @Test func `a test that stays PENDING for ever is given up, and not asked often`() throws {
        let stage = try SyncStage()
        let door = try door()
        defer { door.stop(drain: .zero) }
        let app = try prepared(stage, [.init(.pass, pendingPolls: 100_000)])
        let worker = try stage.worker {
            $0.loadOrigin = "http://127.0.0.1:\(door.port)"
            $0.performanceTest.longest = .seconds(4)
        }
        let test = try end(try start(app), app, stage, worker)
        #expect(test.state == .notRun && test.polls < 100)
        // Apple's goes on; the next of ours is put off, and given up.
        let next = try end(try start(app), app, stage, worker)
        #expect(next.state == .notRun)
        #expect(app.calls().contains { $0.errorCode == 4_000_213 })
    }

    @Test(arguments: [SyncPoint.begun, .sent, .concluded, .marked, .loaded, .finishing])
    func `a worker dies at each step of a test`(point: SyncPoint) throws {
        let stage = try SyncStage()
        let door = try door()
        defer { door.stop(drain: .zero) }
        let app = try prepared(
            stage,
            (0..<40).map { _ in .init(.pass, pendingPolls: 0, successRate: 100) })
        let healthy = try stage.worker { $0.loadOrigin = "http://127.0.0.1:\(door.port)" }
        #expect(try stage.work(healthy) { try app.isConverged(.sandbox) })
        let id = try start(app)
        let dice = Dice(seed: 5)
        let worker = try stage.worker { options in
            options.loadOrigin = "http://127.0.0.1:\(door.port)"
            options.reached = { if $0 == point, dice.roll(2) { throw KillTests.Killed() } }
        }
        for _ in 0..<20 {
            do { _ = try worker.workOnce() } catch is KillTests.Killed {
                try stage.expireLeases()
            }
        }
        #expect(try end(id, app, stage, healthy).state == .passed)
    }

    @Test func `Apple forgets a test, or refuses a shared subscription`() throws {
        let stage = try SyncStage()
        let door = try door()
        defer { door.stop(drain: .zero) }
        let app = try prepared(
            stage, [.init(.fail, failures: ["TIMED_OUT": 3]), .init(.pass, pendingPolls: 9_999)])
        let worker = try stage.worker { $0.loadOrigin = "http://127.0.0.1:\(door.port)" }
        #expect(try end(try start(app), app, stage, worker).state == .failed)
        let id = try start(app)
        #expect(try stage.work(worker) { try find(id, app).state == .running })
        _ = try stage.superuser.withConnection {
            try $0.query(
                """
                update holdfast.performance_test set apple_request_id = \(UUID().uuidString)
                where state = 'running'
                """)
        }
        #expect(
            try stage.work(worker, within: .seconds(10)) {
                let test = try find(id, app)
                return test.state == .notRun
                    && String(decoding: test.failure ?? [], as: UTF8.self).contains("forgotten")
            })
        var state = try app.apples(.sandbox)
        state.transactions = [
            AppState.Transaction(originalTransactionId: Self.id, isFamilyShared: true)
        ]
        try stage.simulator.set(state)
        let shared = try end(try start(app), app, stage, worker)
        #expect(shared.state == .notRun)
    }

    @Test func `a test waits idly for a foreign URL, a key, a rejected text`() throws {
        let stage = try SyncStage()
        let door = try door()
        defer { door.stop(drain: .zero) }
        let app = try prepared(stage, [.init(.pass)])
        var state = try app.apples(.sandbox)
        state.realtimeURL = "https://elsewhere.example/hook"
        try stage.simulator.set(state)
        let worker = try stage.worker {
            $0.loadOrigin = "http://127.0.0.1:\(door.port)"
            $0.performanceTest.retry = .seconds(1)
            $0.limits.refusalMilliseconds = 3_600_000
        }
        #expect(
            try stage.work(worker, within: .seconds(5)) {
                try app.plan(.sandbox).problems == [.foreignURL]
            })
        let id = try start(app)
        let calls = app.calls().count
        let foreign = try turns(stage, worker, 3)
        #expect(foreign < 20 && app.calls().count - calls < 6, "\(foreign)")
        #expect(try find(id, app).state == .queued)
        // No key at all.
        try app.change {
            if let live = try $0.findLiveCredential(of: app.app) {
                _ = try $0.retireCredential(live.id, of: app.app)
            }
        }
        let keyless = try turns(stage, worker, 2)
        #expect(keyless < 20, "\(keyless)")
    }

    @Test func `defaults that move to and fro end where they were put last`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let isDone = Done()
        let workers = try (0..<2).map { _ in try stage.worker() }
        let threads = workers.map { worker in
            ParallelWork { while !isDone.isSet { _ = try worker.workOnce() } }
        }
        let dice = Dice(seed: 9)
        for round in 0..<120 {
            try app.change { transaction in
                let product = SyncedApp.products[Int(dice.number(2))]
                let key = app.key(.sandbox)
                if dice.roll(4) {
                    try? transaction.deleteDefault(product: product, locale: "en-US", at: key)
                } else {
                    try transaction.setDefaultMessage(
                        round % 2 == 0 ? app.thanks : app.welcome, product: product,
                        locale: "en-US", at: key)
                }
                if dice.roll(10) {
                    try transaction.removeMessageTargets([app.thanks, app.welcome], at: key)
                }
                if dice.roll(10) {
                    _ = try transaction.addMessageTargets([app.thanks, app.welcome], at: key)
                }
            }
            _ = becomesTrue(within: .milliseconds(20)) { false }
        }
        try app.change {
            _ = try $0.addMessageTargets([app.thanks, app.welcome], at: app.key(.sandbox))
            for product in SyncedApp.products {
                try $0.setDefaultMessage(
                    app.welcome, product: product, locale: "en-US", at: app.key(.sandbox))
            }
        }
        let isConverged = try becomesTrue(within: .seconds(20)) { try app.isConverged(.sandbox) }
        isDone.set()
        for thread in threads { _ = try thread.value() }
        #expect(isConverged, "not converged")
        try app.expectAppleHasWhatIsWanted(.sandbox)
        let forbidden: Set = [4_030_017, 4_030_018, 4_030_019, 4_040_015]
        #expect(!app.calls().contains { forbidden.contains($0.errorCode ?? 0) })
    }
}
