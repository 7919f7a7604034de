import AppleSync
import Foundation
import Postgres
import Retention
import RetentionStore
import Signing
import Simulator
import TestSupport
import Testing

/// Apple has what the agency wants, with no more calls than it takes, and in Apple's order.
@Suite(.database) struct ConvergenceTests {
    @Test func `a new app's sandbox gets pictures, texts, defaults and URL, then nothing more`()
        throws
    {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker()
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        try app.expectAppleHasWhatIsWanted(.sandbox)
        // 2 pictures, 3 texts, 2 defaults, 1 URL.
        #expect(app.writes(.sandbox).count == 8)
        #expect(app.writes(.sandbox).allSatisfy { $0.status == 200 })
        #expect(app.writes(.production).isEmpty)
        #expect(app.writes(.sandbox).last?.endpoint == .configureRealtimeURL)
        let before = app.writes().count
        try app.change { transaction in
            _ = try transaction.requestSyncRun(.make(at: SyncStage.now), at: app.key(.sandbox))
        }
        while try worker.workOnce() {}
        #expect(app.writes().count == before, "nothing to do, no writing call")
        let runs = try app.change {
            try $0.listSyncRuns(at: app.key(.sandbox), before: nil, limit: 9)
        }
        let run = try #require(runs.first)
        #expect(run.state == .finished && run.trigger == .request && run.writes == 0)
        #expect(run.reads >= 2)
        try Promise.kept(
            "sync-writes",
            "\(before) things to bring there, \(before) writing calls; nothing to do, none")
    }

    @Test func `an edit goes up under a new identifier, moves the default, then the old one goes`()
        throws
    {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker()
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        let before = app.writes().count
        try app.change {
            try $0.updateLocalization(
                Localization(locale: "en-US", header: "Thank you", body: "Truly."),
                of: app.thanks, app: app.app)
        }
        #expect(
            try stage.work(worker) {
                try app.isConverged(.sandbox) && app.writes().count >= before + 4
            })
        try app.expectAppleHasWhatIsWanted(.sandbox)
        let writes = app.writes().dropFirst(before).map(\.endpoint)
        #expect(
            Array(writes) == [
                .uploadMessage, .configureDefaultMessage, .configureDefaultMessage,
                .deleteMessage,
            ])
        // Back again: the old identifier is spent.
        let old = try app.apples(.sandbox).messages.map(\.messageIdentifier)
        try app.change {
            try $0.updateLocalization(
                Localization(locale: "en-US", header: "Thanks", body: "For all of it."),
                of: app.thanks, app: app.app)
        }
        #expect(
            try stage.work(worker) {
                try app.isConverged(.sandbox) && app.writes().count >= before + 8
            })
        try app.expectAppleHasWhatIsWanted(.sandbox)
        #expect(try app.apples(.sandbox).messages.map(\.messageIdentifier) != old)
        let uploads = app.writes().filter { $0.endpoint == .uploadMessage }.map(\.identifier)
        #expect(Set(uploads).count == uploads.count, "no identifier twice")
    }

    @Test func `production waits for review, then for the test, and takes one call to promote`()
        throws
    {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker()
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        try app.promote()
        #expect(
            try stage.work(worker) { try app.plan(.production).pending.count == 5 })
        #expect(try app.apples(.production).defaults.isEmpty)
        let waiting = try app.plan(.production)
        #expect(waiting.steps.contains { $0.wait == .review })
        #expect(waiting.steps.contains { $0.wait == .performanceTest })
        try stage.simulator.decidePending(
            .approved, appAppleId: app.appAppleId, environment: .production)
        #expect(
            try stage.work(worker) {
                try app.apples(.production).defaults.count == 2
            })
        try app.expectAppleHasWhatIsWanted(.production, urls: 0)
        #expect(try app.plan(.production).problems == [.noPassingTest])
        #expect(app.calls(.production).allSatisfy { $0.errorCode == nil || $0.method == "GET" })
    }

    @Test func `a rejected text is told, its default stays unset, and what was sent is kept`()
        throws
    {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker()
        try stage.simulator.setReview(
            ReviewScript(standard: ReviewScript.reject()), appAppleId: app.appAppleId,
            environment: .sandbox)
        #expect(
            try stage.work(worker) {
                try app.plan(.sandbox).problems.contains { problem in
                    if case .rejected(.message, _) = problem { true } else { false }
                }
            })
        #expect(try app.apples(.sandbox).defaults.isEmpty)
        let sent = try app.apples(.sandbox).messages
        #expect(!sent.isEmpty && sent.allSatisfy { $0.messageState == .rejected })
        let before = app.writes().count
        // Also who asks for a fresh look does not have it sent again.
        _ = try app.change {
            try $0.requestSyncRun(.make(at: SyncStage.now), at: app.key(.sandbox))
        }
        while try worker.workOnce() {}
        #expect(app.writes().count == before, "a rejection is not met by sending it again")
    }

    @Test func `what other tools made is counted and never touched`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        var state = try app.apples(.sandbox)
        let foreign = UUID().uuidString.lowercased()
        state.messages = [
            AppState.Message(
                messageIdentifier: foreign, messageState: .approved, header: "Other",
                body: "Other")
        ]
        state.realtimeURL = "https://other.example/hook"
        try stage.simulator.set(state)
        let worker = try stage.worker()
        #expect(
            try stage.work(worker) {
                try app.plan(.sandbox).problems == [.foreignURL]
                    && app.apples(.sandbox).defaults.count == 2
            })
        #expect(try app.apples(.sandbox).realtimeURL == "https://other.example/hook")
        try app.change { try $0.allowURLReplacement(at: app.key(.sandbox)) }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        #expect(try app.apples(.sandbox).realtimeURL?.hasPrefix(SyncStage.publicOrigin) == true)
        #expect(try app.apples(.sandbox).messages.contains { $0.messageIdentifier == foreign })
        #expect(!app.writes().contains { $0.endpoint == .deleteMessage })
    }

    @Test func `no key, no call; a key that Apple refuses rests this app alone`() throws {
        let stage = try SyncStage()
        let (good, bad) = (try stage.makeApp(1), try stage.makeApp(2))
        var state = try bad.apples(.sandbox)
        state.offerKeys = []
        try stage.simulator.set(state)
        let worker = try stage.worker()
        #expect(try stage.work(worker) { try good.isConverged(.sandbox) })
        #expect(
            try stage.work(worker) { try bad.plan(.sandbox).problems.contains(.keyRefused) })
        #expect(try bad.apples(.sandbox).messages.isEmpty)
        try good.expectAppleHasWhatIsWanted(.sandbox)
        state.offerKeys = try bad.apples(.production).offerKeys
        try stage.simulator.set(state)
        #expect(try stage.work(worker) { try bad.isConverged(.sandbox) }, "asked again by itself")
        #expect(!stage.lines.text.contains("PRIVATE KEY"))
    }
}

/// The URL that Apple calls follows the app's endpoints.
@Suite(.database) struct URLTests {
    private func newEndpoint(_ app: SyncedApp) throws -> EndpointID {
        let id = EndpointID.make(at: SyncStage.now)
        try app.change {
            _ = try $0.createEndpoint(
                id, at: app.key(.sandbox), sealedTo: app.stage.platformKey.publicKey)
        }
        return id
    }

    private func retireAll(_ app: SyncedApp, but kept: EndpointID?) throws {
        try app.change { transaction in
            let all = try transaction.listEndpoints(at: app.key(.sandbox), after: nil, limit: 9)
            for endpoint in all where endpoint.id != kept {
                try transaction.retireEndpoint(endpoint.id, at: app.key(.sandbox))
            }
        }
    }

    @Test func `a retired endpoint's URL is ours still: it is replaced, or taken away`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        // So that the URL is read before it is changed, as after a minute.
        let worker = try stage.worker { $0.limits.urlAgeMilliseconds = 100 }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        let first = try #require(try app.apples(.sandbox).realtimeURL)
        let other = try newEndpoint(app)
        try retireAll(app, but: other)
        #expect(
            try stage.work(worker) {
                try app.isConverged(.sandbox) && app.apples(.sandbox).realtimeURL != first
            })
        #expect(try app.apples(.sandbox).realtimeURL?.hasPrefix(SyncStage.publicOrigin) == true)
        try retireAll(app, but: nil)
        #expect(try stage.work(worker) { try app.apples(.sandbox).realtimeURL == nil })
    }

    @Test func `a URL that Apple refused holds back no other`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let long = "https://" + String(repeating: "a", count: 250)
        let refusing = try stage.worker {
            $0.publicOrigin = long
            $0.limits.refusalMilliseconds = 3_600_000
        }
        #expect(
            try stage.work(refusing) {
                app.calls(.sandbox).contains { $0.errorCode == 4_000_215 }
            })
        let other = try newEndpoint(app)
        try retireAll(app, but: other)
        let worker = try stage.worker { $0.limits.refusalMilliseconds = 3_600_000 }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
    }
}
