import Foundation
import HTTPClient
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// What the feed takes in, and what it leaves alone.
@Suite(.database) struct SnapshotFeedTests {
    private func answeredHeader(_ stage: Stage, _ app: SimulatorApp) throws -> String {
        try Answered(stage.send(Asked(app), to: app)).header(in: app)
    }

    private func firstKey(_ stage: Stage) -> AppEnvironment { stage.agency.keys[0] }

    /// A state that Apple took back: the text must not be named any more.
    private func reject(_ header: String, _ stage: Stage, _ app: SimulatorApp) throws {
        let message = try #require(app.messages.first { $0.header == header })
        let identifier = try #require(UUID(uuidString: message.messageIdentifier))
        try stage.store.transaction(
            stage.agency.scope, at: Instant(milliseconds: stage.clock.clock.now())
        ) {
            try $0.setReviewState(.rejected, ofAppleObject: identifier, at: firstKey(stage))
        }
    }

    @Test func `a newer snapshot is served from the next poll on`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let before = "New in Tideline News this month"
        #expect(try answeredHeader(stage, app) == before)
        try reject(before, stage, app)
        #expect(try answeredHeader(stage, app) == before)
        try stage.feed.poll()
        #expect(try answeredHeader(stage, app) == "Thank you for being with us")
    }

    @Test func `a corrupt snapshot is refused and the last good one stays`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let before = try answeredHeader(stage, app)
        let served = stage.apps.count
        try reject(before, stage, app)
        try Database.current().superuser.withConnection {
            try $0.execute(
                script: """
                    update holdfast.snapshot set body = set_byte(body, 100, 0) where number = 2
                    """)
        }
        try stage.feed.poll()
        #expect(try answeredHeader(stage, app) == before)
        #expect(stage.metrics.snapshotRefused.value("checksumMismatch") == 1)
        // The other apps are served as before.
        #expect(stage.apps.count == served)
    }

    /// At every poll for as long as nobody mends it, it would bury all other lines.
    @Test func `a snapshot that stays refused is told and counted once, until it changes`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let before = try answeredHeader(stage, app)
        try reject(before, stage, app)
        func run(_ script: String) throws {
            try Database.current().superuser.withConnection { try $0.execute(script: script) }
        }
        func spoil(with byte: Int32) throws {
            try run(
                "update holdfast.snapshot set body = set_byte(body, 100, \(byte)) where number = 2")
        }
        func point(to number: Int) throws {
            try run(
                """
                update holdfast.app_environment e set snapshot_number = \(number)
                from holdfast.snapshot s where s.number = 2 and s.tenant_id = e.tenant_id
                  and s.app_id = e.app_id and s.environment = e.environment
                """)
        }
        func toldAfterPolls() throws -> Int {
            for _ in 0..<3 { try stage.feed.poll() }
            return stage.lines.count(of: "snapshot_refused")
        }
        let original: Int32 = try Database.current().superuser.withConnection {
            try $0.query("select get_byte(body, 100) from holdfast.snapshot where number = 2")[0]
                .decode(at: 0)
        }
        try spoil(with: 0)
        #expect(try toldAfterPolls() == 1)
        #expect(stage.metrics.snapshotRefused.value("checksumMismatch") == 1)
        // Another number is news; so is the same one after a while without.
        try point(to: 3)
        #expect(try toldAfterPolls() == 2)
        try point(to: 1)
        #expect(try toldAfterPolls() == 2)
        try point(to: 2)
        #expect(try toldAfterPolls() == 3)
        try spoil(with: original)
        #expect(try toldAfterPolls() == 3)
        #expect(try answeredHeader(stage, app) != before)
    }

    @Test func `an older number than the one in use is refused`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let before = try answeredHeader(stage, app)
        try reject(before, stage, app)
        try stage.feed.poll()
        try Database.current().superuser.withConnection {
            try $0.execute(
                script: """
                    update holdfast.app_environment set snapshot_number = 1
                    where snapshot_number = 2
                    """)
        }
        try stage.feed.poll()
        #expect(try answeredHeader(stage, app) == "Thank you for being with us")
        #expect(stage.metrics.snapshotRefused.value("older") == 1)
    }

    @Test func `another app's snapshot under this app's number is refused`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let before = try answeredHeader(stage, app)
        try reject(before, stage, app)
        try Database.current().superuser.withConnection {
            try $0.execute(
                script: """
                    update holdfast.snapshot s set body = o.body, sha256 = o.sha256
                    from holdfast.snapshot o
                    where s.number = 2 and o.number = 1 and o.app_id <> s.app_id
                    """)
        }
        try stage.feed.poll()
        #expect(try answeredHeader(stage, app) == before)
        #expect(stage.metrics.snapshotRefused.value("otherIdentity") == 1)
    }

    @Test func `an app that is gone is answered no more`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        #expect(try stage.send(Asked(app), to: app).status == 200)
        try Database.current().superuser.withConnection {
            try $0.execute(script: "update holdfast.app_environment set snapshot_number = 0")
        }
        try stage.feed.poll()
        let response = try stage.send(Asked(app), to: app)
        #expect(response.status == 404 && response.body.isEmpty)
    }

    @Test func `a token that two apps claim serves neither`() throws {
        let stage = try Stage()
        let (first, second) = (stage.agency.keys[0], stage.agency.keys[2])
        let heads = try RetentionStore(pool: Database.current().responder)
            .snapshotHeads(.routing)
        let served = heads.compactMap { stage.apps.find($0) }
        let one = try #require(served.first { $0.head.key == first })
        let other = try #require(served.first { $0.head.key == second })
        let stolen = Snapshot(
            tenant: other.snapshot.tenant, app: other.snapshot.app,
            environment: other.snapshot.environment, number: 9, bundleId: other.snapshot.bundleId,
            appAppleId: other.snapshot.appAppleId, defaultLocale: "en-US",
            endpointTokenHashes: one.snapshot.endpointTokenHashes, products: [], offers: [],
            messages: [], defaults: [], ruleSet: RuleSet(rules: []), signingKey: nil)
        stage.apps.update(
            with: [ServedApp(stolen, offerSigner: nil)], keeping: heads)
        let app = try stage.app(news)
        #expect(try stage.send(Asked(app), to: app).status == 404)
    }
}
