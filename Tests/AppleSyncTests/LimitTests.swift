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

/// Limits, room, access and secrets.
@Suite(.database) struct LimitTests {
    private func addTexts(_ count: Int, _ app: SyncedApp) throws {
        try app.change { transaction in
            for number in 0..<count {
                let id = MessageID.make(at: SyncStage.now)
                try transaction.createMessage(id, name: "M\(number)", kind: .text, of: app.app)
                try transaction.createLocalization(
                    Localization(locale: "en-US", header: "H \(number)", body: "B"), of: id,
                    app: app.app)
            }
        }
    }

    @Test func `an hour of little is never overdrawn`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        try addTexts(150, app)
        try stage.simulator.setLimits(RateLimits(hourMilliseconds: 5_000))
        let workers = try (0..<2).map { _ in
            try stage.worker { $0.hourMilliseconds = 5_000 }
        }
        let isDone = Done()
        let threads = workers.map { worker in
            ParallelWork { while !isDone.isSet { _ = try worker.workOnce() } }
        }
        let isConverged = try becomesTrue(within: .seconds(40)) {
            try app.isConverged(.sandbox)
        }
        isDone.set()
        for thread in threads { _ = try thread.value() }
        #expect(isConverged, app.comment())
        #expect(stage.simulator.apiCallCounts.overLimit == 0)
    }

    @Test(arguments: Fault.RetryAfter.allCases)
    func `no Retry-After makes it call too soon or too often`(
        kind: Fault.RetryAfter
    ) throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        try stage.simulator.setFaults(
            [
                Fault(
                    .tooManyRequests, times: 40, probability: 0.4, milliseconds: 700,
                    retryAfter: kind)
            ], seed: 3)
        let worker = try stage.worker()
        let before = try stage.turns(of: worker, seconds: 5)
        #expect(before < 200, "\(kind) \(before) turns")
        #expect(stage.simulator.apiCallCounts.beforeRetryAfter == 0)
        let calls = app.calls().count
        #expect(calls < 80, "\(calls)")
        #expect(app.calls().contains { $0.errorCode == 4_290_000 }, "or nothing was refused")
    }

    @Test func `where Apple is full with others' it tells, and is idle`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        try stage.simulator.setLimits(RateLimits(imagesLimit: 3, messagesLimit: 4))
        var state = try app.apples(.sandbox)
        for number in 0..<4 {
            state.messages.append(
                AppState.Message(
                    messageIdentifier: UUID().uuidString, messageState: .approved,
                    header: "F\(number)", body: "F"))
        }
        try stage.simulator.set(state)
        let worker = try stage.worker { $0.limits.refusalMilliseconds = 3_600_000 }
        #expect(
            try stage.work(worker, within: .seconds(5)) {
                try app.plan(.sandbox).problems.contains {
                    if case .full(.message, _) = $0 { true } else { false }
                }
            }, app.comment())
        let calls = app.calls().count
        let turned = try stage.turns(of: worker, seconds: 2)
        #expect(turned < 20 && app.calls().count - calls < 10, "\(turned)")
        // Room is made by others; who asks for a run gets it.
        var later = try app.apples(.sandbox)
        later.messages.removeAll { $0.header.hasPrefix("F") }
        try stage.simulator.set(later)
        _ = try app.change {
            try $0.requestSyncRun(.make(at: SyncStage.now), at: app.key(.sandbox))
        }
        #expect(
            try stage.work(worker, within: .seconds(10)) { try app.isConverged(.sandbox) },
            app.comment())
    }

    @Test func `a full app gives up what it retired, and only once nobody serves it`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker { $0.limits.retirementMilliseconds = 3_600_000 }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        try stage.simulator.setLimits(RateLimits(messagesLimit: 3))
        // Alive, and serves nothing new.
        let responder = RetentionStore(pool: try Database.current().responder)
        try responder.acknowledge(.routing, [], by: "mute", at: SyncStage.now)
        try app.change {
            try $0.updateLocalization(
                Localization(locale: "en-US", header: "Other", body: "For all of it."),
                of: app.thanks, app: app.app)
            try $0.deleteLocalization("de-DE", of: app.welcome, app: app.app)
        }
        #expect(
            try stage.work(worker) { app.calls().contains { $0.errorCode == 4_030_016 } })
        _ = try stage.turns(of: worker, seconds: 2)
        #expect(!app.calls().contains { $0.method == "DELETE" }, app.comment())
        _ = try stage.superuser.withConnection {
            try $0.query(
                "update holdfast_hot.responder set seen_at = clock_timestamp() - interval '1 hour'")
        }
        #expect(
            try stage.work(worker, within: .seconds(20)) {
                try app.apples(.sandbox).messages.contains { $0.header == "Other" }
            }, app.comment())
    }

    @Test func `access goes and comes back`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker { $0.limits.pauseMilliseconds = 1_000 }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        var state = try app.apples(.sandbox)
        state.hasRetentionMessagingAccess = false
        try stage.simulator.set(state)
        try addTexts(2, app)
        let calls = app.calls(.sandbox).count
        let turned = try stage.turns(of: worker, seconds: 4)
        #expect(try app.plan(.sandbox).problems == [.noAccess])
        #expect(app.calls(.sandbox).count - calls < 10 && turned < 20, "\(turned)")
        state.hasRetentionMessagingAccess = true
        try stage.simulator.set(state)
        #expect(
            try stage.work(worker, within: .seconds(10)) { try app.isConverged(.sandbox) },
            app.comment())
    }

    @Test func `two thousand objects of others', hangs, and clocks that differ`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        var state = try app.apples(.sandbox)
        for number in 0..<1_990 {
            state.messages.append(
                AppState.Message(
                    messageIdentifier: UUID().uuidString, messageState: .approved,
                    header: "F\(number)", body: "F"))
        }
        try stage.simulator.set(state)
        try stage.simulator.setFaults([
            Fault(.hang, times: 3, probability: 0.2, milliseconds: 2_000),
            Fault(.clockOffset, milliseconds: -50_000),
        ])
        let worker = try stage.worker(timeout: .seconds(1))
        #expect(
            try stage.work(worker, within: .seconds(30)) { try app.isConverged(.sandbox) },
            app.comment())
        #expect(try app.apples(.sandbox).messages.count == 1_993)
        // Foreign ones are all listed again and again; nothing is written for them.
        try stage.simulator.setFaults([Fault(.clockOffset, milliseconds: 240_000)])
        _ = try app.change {
            try $0.requestSyncRun(.make(at: SyncStage.now), at: app.key(.sandbox))
        }
        #expect(
            try stage.work(worker, within: .seconds(30)) { try app.isConverged(.sandbox) },
            app.comment())
        #expect(stage.simulator.apiCallCounts.unauthenticated == 0)
    }

    @Test func `after a full run no secret is in a table, line or metric`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        try stage.simulator.setReview(
            ReviewScript(standard: ReviewScript.approve()), appAppleId: app.appAppleId,
            environment: .production)
        try stage.simulator.setFaults([
            Fault(.cut, probability: 0.1), Fault(.html, probability: 0.1),
            Fault(.truncatedJSON, probability: 0.1), Fault(.redirect, probability: 0.05),
        ])
        try app.promote()
        let worker = try stage.worker()
        #expect(
            try stage.work(worker, within: .seconds(20)) {
                try app.isConverged(.sandbox) && app.lacksOnlyATest()
            }, app.comment())
        let url = try #require(try app.apples(.sandbox).realtimeURL)
        let token = String(try #require(url.split(separator: "/").last))
        let dump: String = try stage.superuser.withConnection { connection in
            let rows = try connection.query(
                """
                select string_agg(query_to_xml(
                  format('select t::text as row from %I.%I t', table_schema, table_name),
                  true, false, '')::text, '') as dump
                from information_schema.tables
                where table_schema like 'holdfast%' and table_type = 'BASE TABLE'
                """)
            return try rows[0].decode("dump")
        }
        let metrics = String(decoding: stage.metrics.openMetrics(), as: UTF8.self)
        let shown = dump + stage.lines.text + metrics
        let hex = token.utf8.map { String(format: "%02x", $0) }.joined()
        for secret in [token, hex, "PRIVATE KEY", "eyJ", "Bearer"] {
            #expect(!shown.contains(secret), "\(secret)")
        }
        #expect(dump.contains("Stay en-US"))
    }
}
