import AppleSync
import Foundation
import Postgres
import Retention
import RetentionStore
import Simulator
import TestSupport
import Testing

/// Our own load, then Apple's test, then production's URL; explained where it fails.
@Suite(.database) struct PerformanceTestTests {
    @Test func `after many PENDING and a FAIL comes a PASS, and production gets its URL`() throws {
        let stage = try SyncStage()
        let tested = try TestedApp(
            on: stage,
            [
                .init(.fail, pendingPolls: 30, successRate: 97, failures: ["TIMED_OUT": 3]),
                .init(.pass, pendingPolls: 2, successRate: 100),
            ], requests: 40)
        let app = tested.synced
        let worker = try stage.worker { $0.loadOrigin = tested.loadOrigin }
        try app.promote()
        try stage.simulator.setReview(
            ReviewScript(standard: ReviewScript.approve()), appAppleId: app.appAppleId,
            environment: .production)
        let failed = try tested.end(try tested.start(), by: worker)
        #expect(failed.state == .failed && failed.polls > 30)
        let result = String(decoding: failed.result ?? [], as: UTF8.self)
        #expect(result.contains("\"TIMED_OUT\": 3"))
        let own = String(decoding: failed.ownLoad ?? [], as: UTF8.self)
        #expect(own.contains("\"wouldPass\": true") && own.contains("\"requests\": 100"))
        #expect(try app.apples(.production).realtimeURL == nil)
        let passed = try tested.end(try tested.start(), by: worker)
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
        let tested = try TestedApp(on: stage, [])
        let worker = try stage.worker { $0.loadOrigin = tested.loadOrigin }
        let test = try tested.end(try tested.start(transaction: "1"), by: worker)
        #expect(test.state == .notRun)
        let failure = String(decoding: test.failure ?? [], as: UTF8.self)
        #expect(failure.contains("apple4000006"))
        // The one that did not run is no obstacle; the one that waits is.
        _ = try tested.start()
        #expect(throws: PostgresError.self, "two at one time") { _ = try tested.start() }
    }

    @Test func `our own load tells a wrong answer from none`() throws {
        let stage = try SyncStage()
        let tested = try TestedApp(on: stage, [.init(.pass)], loadAnswer: 404)
        let worker = try stage.worker { $0.loadOrigin = tested.loadOrigin }
        let test = try tested.end(try tested.start(), by: worker)
        let own = String(decoding: test.ownLoad ?? [], as: UTF8.self)
        #expect(own.contains("\"unexpected\": 100") && own.contains("\"wouldPass\": false"))
        #expect(test.state == .passed, "Apple's word counts")
    }
}
