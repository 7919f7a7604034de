import AppleSync
import Foundation
import Postgres
import Retention
import RetentionStore
import Simulator
import TestSupport
import Testing

/// Performance tests that go wrong, and those that wait.
@Suite(.database) struct TroubledTestTests {
    @Test func `a test that stays PENDING for ever is given up, and not asked often`() throws {
        let stage = try SyncStage()
        let tested = try TestedApp(on: stage, [.init(.pass, pendingPolls: 100_000)])
        let app = tested.synced
        let worker = try stage.worker {
            $0.loadOrigin = tested.loadOrigin
            $0.performanceTest.longest = .seconds(4)
        }
        let test = try tested.end(try tested.start(), by: worker, within: .seconds(15))
        #expect(test.state == .notRun && test.polls < 100)
        // Apple's goes on; the next of ours is put off, and given up.
        let next = try tested.end(try tested.start(), by: worker, within: .seconds(15))
        #expect(next.state == .notRun)
        #expect(app.calls().contains { $0.errorCode == 4_000_213 })
    }

    @Test(arguments: [SyncPoint.begun, .sent, .concluded, .loaded, .finishing])
    func `a worker dies at each step of a test`(point: SyncPoint) throws {
        let stage = try SyncStage()
        let tested = try TestedApp(
            on: stage,
            (0..<40).map { _ in .init(.pass, pendingPolls: 0, successRate: 100) })
        let app = tested.synced
        let healthy = try stage.worker { $0.loadOrigin = tested.loadOrigin }
        #expect(try stage.work(healthy) { try app.isConverged(.sandbox) })
        let id = try tested.start()
        let dice = Dice(seed: 5)
        let worker = try stage.worker { options in
            options.loadOrigin = tested.loadOrigin
            options.reached = { if $0 == point, dice.roll(2) { throw KillTests.Killed() } }
        }
        var kills = 0
        for _ in 0..<20 {
            do { _ = try worker.workOnce() } catch is KillTests.Killed {
                kills += 1
                try stage.expireLeases()
            }
        }
        #expect(kills > 0, "or nothing was tried")
        #expect(try tested.end(id, by: healthy, within: .seconds(15)).state == .passed)
    }

    @Test func `Apple forgets a test, or refuses a shared subscription`() throws {
        let stage = try SyncStage()
        let tested = try TestedApp(
            on: stage,
            [.init(.fail, failures: ["TIMED_OUT": 3]), .init(.pass, pendingPolls: 9_999)])
        let app = tested.synced
        let worker = try stage.worker { $0.loadOrigin = tested.loadOrigin }
        #expect(
            try tested.end(try tested.start(), by: worker, within: .seconds(15)).state == .failed)
        let id = try tested.start()
        #expect(try stage.work(worker) { try tested.find(id).state == .running })
        _ = try stage.superuser.withConnection {
            try $0.query(
                """
                update holdfast.performance_test set apple_request_id = \(UUID().uuidString)
                where state = 'running'
                """)
        }
        #expect(
            try stage.work(worker, within: .seconds(10)) {
                let test = try tested.find(id)
                return test.state == .notRun
                    && String(decoding: test.failure ?? [], as: UTF8.self).contains("forgotten")
            })
        var state = try app.apples(.sandbox)
        state.transactions = [
            AppState.Transaction(originalTransactionId: TestedApp.transaction, isFamilyShared: true)
        ]
        try stage.simulator.set(state)
        let shared = try tested.end(try tested.start(), by: worker, within: .seconds(15))
        #expect(shared.state == .notRun)
    }

    @Test func `a test waits idly for a foreign URL, a key, a rejected text`() throws {
        let stage = try SyncStage()
        let tested = try TestedApp(on: stage, [.init(.pass)])
        let app = tested.synced
        var state = try app.apples(.sandbox)
        state.realtimeURL = "https://elsewhere.example/hook"
        try stage.simulator.set(state)
        let worker = try stage.worker {
            $0.loadOrigin = tested.loadOrigin
            $0.performanceTest.retry = .seconds(1)
            $0.limits.refusalMilliseconds = 3_600_000
        }
        #expect(
            try stage.work(worker, within: .seconds(5)) {
                try app.plan(.sandbox).problems == [.foreignURL]
            })
        let id = try tested.start()
        let calls = app.calls().count
        let foreign = try stage.turns(of: worker, seconds: 3)
        #expect(foreign < 20 && app.calls().count - calls < 6, "\(foreign)")
        #expect(try tested.find(id).state == .queued)
        // No key at all.
        try app.change {
            if let live = try $0.findLiveCredential(of: app.app) {
                _ = try $0.retireCredential(live.id, of: app.app)
            }
        }
        let keyless = try stage.turns(of: worker, seconds: 2)
        #expect(keyless < 20, "\(keyless)")
    }

    @Test func `Apple forgets that a test passed, until another one passes`() throws {
        let stage = try SyncStage()
        let tested = try TestedApp(on: stage, [.init(.pass), .init(.pass)])
        let app = tested.synced
        try stage.simulator.setReview(
            ReviewScript(standard: ReviewScript.approve()), appAppleId: app.appAppleId,
            environment: .production)
        let worker = try stage.worker {
            $0.loadOrigin = tested.loadOrigin
            $0.limits.refusalMilliseconds = 3_600_000
        }
        #expect(try tested.end(try tested.start(), by: worker).state == .passed)
        var state = try app.apples(.sandbox)
        state.hasPassingTest = false
        try stage.simulator.set(state)
        try app.promote()
        #expect(
            try stage.work(worker, within: .seconds(15)) {
                app.calls(.production).contains { $0.errorCode == 4_030_026 }
            }, app.comment(.production))
        let turned = try stage.turns(of: worker, seconds: 2)
        #expect(turned < 20)
        #expect(app.calls(.production).filter { $0.errorCode == 4_030_026 }.count == 1)
        #expect(try tested.end(try tested.start(), by: worker).state == .passed)
        #expect(
            try stage.work(worker, within: .seconds(5)) { try app.isConverged(.production) },
            app.comment(.production))
    }
}
