import AppleSync
import Dispatch
import Foundation
import Postgres
import Retention
import RetentionStore
import Synchronization
import TestSupport
import Testing

/// A worker that stood still past its lease commits nothing, wherever it stood.
@Suite(.database) struct ZombieTests {
    /// Lets a worker stand still at one point, once.
    private final class Freezer: Sendable {
        private let point: SyncPoint
        private let isUsed = Mutex(false)
        let isFrozen = DispatchSemaphore(value: 0)
        let thaw = DispatchSemaphore(value: 0)

        init(at point: SyncPoint) {
            self.point = point
        }

        var hasFrozen: Bool { isUsed.withLock { $0 } }

        func reach(_ point: SyncPoint) {
            let isMine = isUsed.withLock { isUsed in
                guard point == self.point, !isUsed else { return false }
                isUsed = true
                return true
            }
            guard isMine else { return }
            isFrozen.signal()
            _ = thaw.wait(timeout: .now() + .seconds(120))
        }
    }

    private static let sendingLimit: Duration = .seconds(1)

    @Test(arguments: [SyncPoint.claimed, .loaded, .marked, .begun, .sent, .concluded, .finishing])
    func `another takes over, and the frozen one changes nothing when it thaws`(
        point: SyncPoint
    ) throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let freezer = Freezer(at: point)
        let zombie = try stage.worker { options in
            options.reached = { freezer.reach($0) }
            // What is older than this is not sent.
            options.sendingLimit = Self.sendingLimit
        }
        let work = ParallelWork { while !freezer.hasFrozen { _ = try zombie.workOnce() } }
        #expect(freezer.isFrozen.wait(timeout: .now() + .seconds(60)) == .success)
        let frozenAt = ContinuousClock.now
        try stage.expireLeases()
        let other = try stage.worker { $0.lease = .seconds(30) }
        #expect(try stage.work(other) { try app.isConverged(.sandbox) })
        #expect(becomesTrue { ContinuousClock.now - frozenAt > Self.sendingLimit })
        let before = try rows(stage, app)
        let calls = app.writes().count
        freezer.thaw.signal()
        _ = try work.value()
        #expect(try rows(stage, app) == before)
        // What it had sent before it froze is another's content too: harmless.
        #expect(app.writes().count == calls)
        try app.expectAppleHasWhatIsWanted(.sandbox)
    }

    /// All that the sync writes of the app, but for who holds which lease.
    private func rows(_ stage: SyncStage, _ app: SyncedApp) throws -> String {
        try stage.superuser.withConnection { connection in
            try connection.query(
                """
                select string_agg(t, '|' order by t) as rows from (
                  select o::text as t from holdfast.apple_object o where app_id = \(app.app.uuid)
                  union all select d::text from holdfast.apple_default d
                    where app_id = \(app.app.uuid)
                  union all select p::text from holdfast.message_placement p
                    where app_id = \(app.app.uuid)
                  union all select c::text from holdfast.apple_call c
                    where app_id = \(app.app.uuid)
                  union all select r::text from holdfast.sync_run r
                    where app_id = \(app.app.uuid)
                  union all select s.lease_token::text from holdfast.sync_state s
                    where app_id = \(app.app.uuid) and environment = 'Sandbox') as all_rows
                """
            ).first?.decode("rows") ?? ""
        }
    }
}
