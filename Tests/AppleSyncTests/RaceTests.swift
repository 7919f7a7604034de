import AppStore
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

/// What changes while a call is under way, and answers that nobody foresaw.
@Suite(.database) struct RaceTests {
    /// Does something once, when a worker gets to a point for the n-th time.
    private final class Once: Sendable {
        private let count: Mutex<Int>
        private let point: SyncPoint
        private let body: @Sendable () throws -> Void
        init(
            _ point: SyncPoint, after: Int = 0, _ body: @escaping @Sendable () throws -> Void
        ) {
            self.point = point
            count = Mutex(after)
            self.body = body
        }
        func reach(_ at: SyncPoint) throws {
            guard at == point else { return }
            let now = count.withLock { count in
                count -= 1
                return count == -1
            }
            if now { try body() }
        }
    }

    @Test func `an endpoint is rotated and the old one retired at once`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker { $0.limits.urlAgeMilliseconds = 300 }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        let old = try #require(try app.apples(.sandbox).realtimeURL)
        _ = becomesTrue(within: .milliseconds(500)) { false }
        try app.change { transaction in
            let key = app.key(.sandbox)
            let former = try transaction.listEndpoints(at: key, after: nil, limit: 10)
            _ = try transaction.createEndpoint(
                .make(at: SyncStage.now), at: key, sealedTo: stage.platformKey.publicKey)
            for endpoint in former { try transaction.retireEndpoint(endpoint.id, at: key) }
        }
        #expect(
            try stage.work(worker, within: .seconds(5)) {
                try app.isConverged(.sandbox) && app.apples(.sandbox).realtimeURL != old
            }, app.comment())
    }

    @Test func `the last endpoint is retired, and Apple calls nobody`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker { $0.limits.urlAgeMilliseconds = 300 }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        _ = becomesTrue(within: .milliseconds(500)) { false }
        try app.change { transaction in
            let key = app.key(.sandbox)
            for endpoint in try transaction.listEndpoints(at: key, after: nil, limit: 10) {
                try transaction.retireEndpoint(endpoint.id, at: key)
            }
        }
        #expect(
            try stage.work(worker, within: .seconds(5)) {
                try app.apples(.sandbox).realtimeURL == nil
            }, app.comment())
    }

    @Test func `a key that comes while the old one is being refused is tried at once`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let key = try PrivateKey.generate()
        for environment in [StoreEnvironment.sandbox, .production] {
            var state = try app.apples(environment)
            state.offerKeys = [
                AppState.OfferKey(
                    keyId: "NEW", issuerId: "issuer",
                    publicKeyPEM: String(decoding: key.publicKey.pem(), as: UTF8.self))
            ]
            try stage.simulator.set(state)
        }
        let once = Once(.sent) {
            try app.change { transaction in
                if let live = try transaction.findLiveCredential(of: app.app) {
                    _ = try transaction.retireCredential(live.id, of: app.app)
                }
                try transaction.storeCredential(
                    InAppPurchaseKey(keyId: "NEW", issuerId: "issuer", key: key),
                    id: .make(at: SyncStage.now), of: app.app,
                    sealedTo: stage.platformKey.publicKey)
            }
        }
        let worker = try stage.worker {
            $0.limits.pauseMilliseconds = 900_000
            $0.reached = once.reach
        }
        #expect(
            try stage.work(worker, within: .seconds(5)) { try app.isConverged(.sandbox) },
            app.comment())
    }

    @Test func `a key that does not open makes no noise while a test waits`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker()
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        let id = PerformanceTestID.make(at: SyncStage.now)
        try app.change {
            try $0.createPerformanceTest(id, transactionId: "2000000000000001", of: app.app)
        }
        for state in ["ownLoad", "queued"] {
            _ = try stage.superuser.withConnection {
                try $0.query(
                    """
                    update holdfast.performance_test set state = \(state),
                      started_at = clock_timestamp()
                    """)
            }
            let other = try stage.worker(
                {
                    $0.limits.pauseMilliseconds = 60_000
                    $0.performanceTest.ownLoadLongest = .milliseconds(100)
                }, key: try PrivateKey.generate())
            let before = stage.lines.text.count(of: "signing_key_refused")
            let end = ContinuousClock.now + .seconds(2)
            try app.change { try $0.wakeSync(app.key(.sandbox)) }
            do {
                try stage.work(other, within: .seconds(3)) { ContinuousClock.now >= end }
            } catch { Issue.record("\(state): \(error)") }
            let lines = stage.lines.text.count(of: "signing_key_refused") - before
            #expect(lines < 10, "\(state): \(lines)")
            try stage.expireLeases()
        }
    }

    @Test(arguments: ["", "\\u0000", String(repeating: "X", count: 100), "NEW_WORD", "É́"])
    func `a state that Apple invents stops nothing`(word: String) throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let other = UUID().uuidString.uppercased()
        let apple = try Server(
            ServerSettings(port: 0),
            handler: { request in
                func json(_ text: String) -> Response { .json(200, Array(text.utf8)) }
                if request.path.hasSuffix("/message/list") {
                    return json(
                        """
                        {"messageIdentifiers":[{"messageIdentifier":"\(other)",\
                        "messageState":"\(word)"},{"messageIdentifier":"\(other.lowercased())",\
                        "messageState":"\(word)"},{"messageState":"APPROVED"}]}
                        """)
                }
                if request.path.hasSuffix("/image/list") { return json("{}") }
                if request.method == .get {
                    return .json(404, Array(#"{"errorCode":4040021}"#.utf8))
                }
                return .empty(200)
            })
        defer { apple.stop(drain: .zero) }
        let worker = SyncWorker(
            store: RetentionStore(pool: stage.syncPool),
            client: RetentionMessagingClient(
                hosts: try AppleHosts(
                    production: "http://127.0.0.1:\(apple.port)",
                    sandbox: "http://localhost:\(apple.port)"),
                now: { SyncStage.now }),
            keys: KeyRing(platformKey: stage.platformKey), options: SyncStage.options,
            clock: .system, log: Log(service: "test", sink: stage.lines.append),
            metrics: SyncMetrics(stage.metrics))
        for _ in 0..<6 { _ = try worker.workOnce() }
        let objects = try app.change {
            try $0.listAppleObjects(at: app.key(.sandbox), kind: .message, after: nil, limit: 10)
        }
        #expect(objects.contains { $0.object.id.uuidString == other })
    }

    @Test func `a picture goes away while it is uploaded`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let once = Once(.sent, after: 4) {
            try app.change { transaction in
                try transaction.deleteMessage(app.welcome, of: app.app)
                try transaction.deleteImage(app.picture, of: app.app)
                try transaction.deleteImage(app.bullet, of: app.app)
            }
        }
        let worker = try stage.worker { $0.reached = once.reach }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        // The message went with its pictures, in the middle of the work.
        #expect(try app.apples(.sandbox).messages.allSatisfy { !$0.header.hasPrefix("Stay") })
        try app.expectAppleHasWhatIsWanted(.sandbox)
    }

    @Test(arguments: 0..<16)
    func `an app goes away while it is worked on`(after: Int) throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let point = SyncPoint.allCases[after % SyncPoint.allCases.count]
        // What Apple approves may all be marked at one time, so that there is no second.
        let visit = point == .marked ? 0 : after / SyncPoint.allCases.count
        let once = Once(point, after: visit) {
            try app.change { try $0.deleteApp(app.app) }
        }
        let worker = try stage.worker { $0.reached = once.reach }
        let isGone = try stage.work(worker) {
            try app.change { try !$0.hasApp(app.app) }
        }
        #expect(try isGone && !worker.workOnce())
    }

    @Test func `a live text that Apple comes to reject is no more answered`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker { $0.limits.driftMilliseconds = 300 }
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        let thanks = try #require(
            try app.apples(.sandbox).messages.first { $0.header == "Thanks" })
        try stage.simulator.decide(
            thanks.messageIdentifier, .rejected, appAppleId: app.appAppleId, environment: .sandbox)
        let id = try #require(UUID(uuidString: thanks.messageIdentifier))
        #expect(
            try stage.work(worker, within: .seconds(5)) {
                try app.plan(.sandbox).problems == [.rejected(.message, id)]
            })
        let placed = try stage.superuser.withConnection {
            try $0.query("select from holdfast.approved_placement where apple_id = \(id)").count
        }
        #expect(placed == 0)
        #expect(try app.change { try $0.supersedeAppleObject(id, at: app.key(.sandbox)) })
        #expect(
            try stage.work(worker, within: .seconds(10)) { try app.isConverged(.sandbox) },
            app.comment())
        try app.expectAppleHasWhatIsWanted(.sandbox)
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

extension String {
    func count(of word: String) -> Int { components(separatedBy: word).count - 1 }
}
