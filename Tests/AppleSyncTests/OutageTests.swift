import AppleSync
import Foundation
import Migrations
import Operator
import Postgres
import Retention
import RetentionStore
import Service
import Simulator
import Synchronization
import TestSupport
import Testing

/// The database is restarted, Apple is away, one agency has very much to do.
@Suite(.database) struct OutageTests {
    @Test func `while Apple is away it is asked seldom, and found again soon`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        // Ten minutes at a sixtieth: probes every 500 ms where they would be every 30 s.
        try stage.simulator.setFaults([Fault(.unavailable)])
        let worker = try stage.worker { $0.limits.retryMilliseconds = [20, 80, 500] }
        let end = ContinuousClock.now + .seconds(10)
        try stage.work(worker, within: .seconds(11)) { ContinuousClock.now >= end }
        let asked = app.calls().count
        // 10 s / 0.5 s, the first tries, and some for the second environment.
        #expect((10...60).contains(asked), "\(asked)")
        #expect(app.writes().isEmpty)
        try stage.simulator.setFaults([])
        let back = ContinuousClock.now
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        #expect(ContinuousClock.now - back < .seconds(10))
        try app.expectAppleHasWhatIsWanted(.sandbox)
    }

    @Test func `an Apple that hangs for one agency holds up no other`() throws {
        let stage = try SyncStage()
        let (slow, quick) = (try stage.makeApp(1), try stage.makeApp(2))
        try stage.simulator.setFaults([
            Fault(.hang, appAppleId: slow.appAppleId, applies: false, milliseconds: 8_000)
        ])
        let worker = try stage.worker { $0.leasesOfTenant = 1 }
        let isDone = Done()
        let threads = (0..<2).map { _ in
            ParallelWork { while !isDone.isSet { _ = try worker.workOnce() } }
        }
        #expect(becomesTrue(within: .seconds(5)) { !quick.calls().isEmpty })
        #expect(try becomesTrue(within: .seconds(20)) { try quick.isConverged(.sandbox) })
        isDone.set()
        for thread in threads { _ = try thread.value() }
    }

    @Test func `two thousand uploads of one agency delay another's first call by 5 s at most`()
        throws
    {
        let stage = try SyncStage()
        let (crowded, late) = (try stage.makeApp(1), try stage.makeApp(2))
        try crowded.change { transaction in
            for number in 0..<40 {
                let id = MessageID.make(at: SyncStage.now)
                try transaction.createMessage(
                    id, name: "M\(number)", kind: .text, of: crowded.app)
                for locale in Self.locales {
                    try transaction.createLocalization(
                        Localization(locale: locale, header: "H \(number)", body: "B \(locale)"),
                        of: id, app: crowded.app)
                }
            }
        }
        try stage.superuser.withConnection { connection in
            // The second agency comes when the first is under way.
            _ = try connection.query(
                """
                update holdfast.sync_state set next_run_at = clock_timestamp() + interval '1 hour'
                where app_id = \(late.app.uuid)
                """)
        }
        let worker = try stage.worker()
        let isDone = Done()
        let threads = (0..<2).map { _ in
            ParallelWork { while !isDone.isSet { _ = try worker.workOnce() } }
        }
        #expect(becomesTrue { crowded.writes().count > 5 })
        let start = ContinuousClock.now
        try late.change { try $0.wakeSync(late.key(.sandbox)) }
        #expect(becomesTrue { !late.calls().isEmpty })
        #expect(ContinuousClock.now - start < .seconds(5))
        isDone.set()
        for thread in threads { _ = try thread.value() }
        #expect(stage.simulator.apiCallCounts.overLimit == 0)
    }

    private static let locales = [
        "ar-SA", "ca", "zh-Hans", "zh-Hant", "hr", "cs", "da", "nl-NL", "en-AU", "en-CA", "en-GB",
        "en-US", "fi", "fr-FR", "fr-CA", "de-DE", "el", "he", "hi", "hu", "id", "it", "ja", "ko",
        "ms", "no", "pl", "pt-BR", "pt-PT", "ro", "ru", "sk", "es-MX", "es-ES", "sv", "th", "tr",
        "uk", "vi", "ta-IN", "te-IN", "ur-PK", "bn-BD", "gu-IN", "kn-IN", "ml-IN", "mr-IN",
        "or-IN", "pa-IN", "sl-SI",
    ]

    @Test func `PostgreSQL is restarted in the middle, and nothing is doubled`() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let pools = try OwnDatabase(server)
        let stage = try SyncStage(
            operator: pools.operator, sync: pools.sync, superuser: pools.superuser)
        let app = try stage.makeApp()
        let dice = Dice(seed: 7)
        let restarts = Mutex(0)
        let worker = try stage.worker { options in
            options.reached = { point in
                guard point == .sent || point == .begun, dice.roll(3) else { return }
                server.stop()
                try server.start()
                restarts.withLock { $0 += 1 }
            }
        }
        let isConverged = try becomesTrue {
            do {
                while try worker.workOnce() {}
                return try app.isConverged(.sandbox)
            } catch is PostgresError {
                try? stage.expireLeases()
                return false
            }
        }
        #expect(isConverged)
        #expect(restarts.withLock { $0 } > 0)
        try app.expectAppleHasWhatIsWanted(.sandbox)
    }
}

/// Set once, by one thread, read by others.
final class Done: Sendable {
    private let state = ManualClock(milliseconds: 0)

    var isSet: Bool { state.clock.now() != 0 }

    func set() { state.set(milliseconds: 1) }
}

/// A migrated database on a server of the test's own.
private struct OwnDatabase {
    let `operator`: Pool
    let sync: Pool
    let superuser: Pool

    init(_ server: PrivatePostgres) throws {
        let admin = try Pool(PoolSettings(url: server.url(), maximumConnections: 1))
        defer { admin.close() }
        try admin.withConnection { connection in
            for statement in [
                "create database holdfast owner holdfast_owner",
                "grant connect on database holdfast to holdfast_migrator, holdfast_operator, "
                    + "holdfast_responder, holdfast_gateway, holdfast_sync",
            ] { try connection.execute(script: statement) }
        }
        try Schema.migrate(
            url: server.url(database: "holdfast", role: "holdfast_migrator"),
            nowMilliseconds: Clock.system.now())
        func pool(_ role: String) throws -> Pool {
            try Pool(
                PoolSettings(
                    url: server.url(database: "holdfast", role: role), maximumConnections: 2))
        }
        `operator` = try pool("holdfast_operator")
        sync = try pool("holdfast_sync")
        superuser = try pool(PrivatePostgres.superuser)
    }
}
