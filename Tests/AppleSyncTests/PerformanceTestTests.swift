import AppleSync
import Foundation
import HTTPServer
import Postgres
import Retention
import RetentionStore
import Simulator
import TestSupport
import Testing

/// Our own load, then Apple's test, then production's URL; explained where it fails.
@Suite(.database) struct PerformanceTestTests {
    /// Answers as the responder answers to what is not Apple's.
    private final class Door {
        let server: Server
        init(status: Int) throws {
            server = try Server(
                ServerSettings(port: 0), handler: { _ in Response.empty(status) })
        }
        deinit { server.stop(drain: .zero) }
        var origin: String { "http://127.0.0.1:\(server.port)" }
    }

    private func prepared(
        _ stage: SyncStage, _ outcomes: [PerformanceTestScript.Outcome]
    ) throws -> SyncedApp {
        let app = try stage.makeApp()
        var state = try app.apples(.sandbox)
        state.transactions = [AppState.Transaction(originalTransactionId: "2000000000000001")]
        try stage.simulator.set(state)
        try stage.simulator.setPerformanceTests(
            PerformanceTestScript(
                config: .init(
                    maxConcurrentRequests: 4, totalRequests: 40, totalDuration: 50,
                    responseTimeThreshold: 450, successRateThreshold: 97),
                outcomes: outcomes),
            appAppleId: app.appAppleId)
        return app
    }

    private func start(
        _ app: SyncedApp, transaction: String = "2000000000000001"
    ) throws -> PerformanceTestID {
        let id = PerformanceTestID.make(at: SyncStage.now)
        try app.change {
            try $0.createPerformanceTest(id, transactionId: transaction, of: app.app)
        }
        return id
    }

    private func ended(
        _ id: PerformanceTestID, _ app: SyncedApp, _ stage: SyncStage, _ worker: SyncWorker
    ) throws -> StoredPerformanceTest {
        try stage.work(worker) {
            try app.change { try $0.findPerformanceTest(id, of: app.app) }?.state.isOpen == false
        }
        return try #require(try app.change { try $0.findPerformanceTest(id, of: app.app) })
    }

    @Test func `after many PENDING and a FAIL comes a PASS, and production gets its URL`() throws {
        let stage = try SyncStage()
        let door = try Door(status: 401)
        let app = try prepared(
            stage,
            [
                .init(.fail, pendingPolls: 30, successRate: 97, failures: ["TIMED_OUT": 3]),
                .init(.pass, pendingPolls: 2, successRate: 100),
            ])
        let worker = try stage.worker { $0.loadOrigin = door.origin }
        try app.promote()
        try stage.simulator.setReview(
            ReviewScript(standard: ReviewScript.approve()), appAppleId: app.appAppleId,
            environment: .production)
        let failed = try ended(try start(app), app, stage, worker)
        #expect(failed.state == .failed && failed.polls > 30)
        let result = String(decoding: failed.result ?? [], as: UTF8.self)
        #expect(result.contains("\"TIMED_OUT\": 3"))
        let own = String(decoding: failed.ownLoad ?? [], as: UTF8.self)
        #expect(own.contains("\"wouldPass\": true") && own.contains("\"requests\": 100"))
        #expect(try app.apples(.production).realtimeURL == nil)
        let passed = try ended(try start(app), app, stage, worker)
        #expect(passed.state == .passed)
        // As Apple's last config said.
        let second = String(decoding: passed.ownLoad ?? [], as: UTF8.self)
        #expect(second.contains("\"requests\": 40") && second.contains("\"concurrency\": 4"))
        #expect(second.contains("\"thresholdMilliseconds\": 450"))
        #expect(try stage.work(worker) { try app.isConverged(.production) })
        let url = try #require(try app.apples(.production).realtimeURL)
        #expect(url.hasPrefix(SyncStage.publicOrigin))
        #expect(!app.calls(.production).contains { $0.errorCode == 4_030_026 })
        // The token is in no row, log or report.
        let token = try #require(url.split(separator: "/").last)
        #expect(!stage.lines.text.contains(token))
        #expect(!result.contains("realtime"))
    }

    @Test func `what Apple refuses is explained, and no other test is held up`() throws {
        let stage = try SyncStage()
        let door = try Door(status: 401)
        let app = try prepared(stage, [])
        let worker = try stage.worker { $0.loadOrigin = door.origin }
        let test = try ended(try start(app, transaction: "1"), app, stage, worker)
        #expect(test.state == .notRun)
        let failure = String(decoding: test.failure ?? [], as: UTF8.self)
        #expect(failure.contains("apple4000006"))
        #expect(
            throws: PostgresError.self, "two at one time",
            performing: {
                _ = try start(app)
                _ = try start(app)
            })
    }

    @Test func `our own load tells a wrong answer from none`() throws {
        let stage = try SyncStage()
        let door = try Door(status: 404)
        let app = try prepared(stage, [.init(.pass)])
        let worker = try stage.worker { $0.loadOrigin = door.origin }
        let test = try ended(try start(app), app, stage, worker)
        let own = String(decoding: test.ownLoad ?? [], as: UTF8.self)
        #expect(own.contains("\"unexpected\": 100") && own.contains("\"wouldPass\": false"))
        #expect(test.state == .passed, "Apple's word counts")
    }
}
