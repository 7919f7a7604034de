import AppleSync
import Foundation
import Postgres
import Retention
import RetentionStore
import Simulator
import TestSupport
import Testing

/// Several workers at one time on several apps; each dies now and then, leases are taken from those
/// that live, Apple fails, people edit.
@Suite(.database) struct CrowdTests {
    @Test func `what a worker with a fast clock wrote makes no other ask all the time`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        try stage.simulator.setFaults([
            Fault(.reset, endpoint: .uploadImage, environment: .sandbox, times: 1, applies: false)
        ])
        let worker = try stage.worker { options in
            options.reached = { if $0 == .concluded { throw KillTests.Killed() } }
        }
        for _ in 0..<4 {
            try? app.change { try $0.wakeSync(app.key(.sandbox)) }
            do { _ = try worker.workOnce() } catch is KillTests.Killed { try stage.expireLeases() }
        }
        _ = try stage.superuser.withConnection {
            try $0.query(
                "update holdfast.sync_state set doubted_at = clock_timestamp() + interval '5 min'")
        }
        _ = try stage.superuser.withConnection {
            try $0.query(
                """
                update holdfast.apple_object set attempted_at = attempted_at + interval '5 min',
                  uncertain_since = uncertain_since + interval '5 min'
                where presence = 'uncertain'
                """)
        }
        let healthy = try stage.worker()
        #expect(
            try stage.work(healthy, within: .seconds(10)) { try app.isConverged(.sandbox) })
        let lists = app.calls(.sandbox).count { $0.path.hasSuffix("/list") }
        #expect(lists < 16, "\(lists)")
        try app.expectAppleHasWhatIsWanted(.sandbox)
    }

    @Test(arguments: 0..<4)
    func `workers that are robbed of their leases do no harm`(seed: Int) throws {
        let stage = try SyncStage()
        let dice = Dice(seed: UInt64(seed) + 100)
        let apps = try (1...4).map { try stage.makeApp(Int64($0)) }
        for app in apps {
            try stage.simulator.setReview(
                ReviewScript(standard: ReviewScript.approve(afterMilliseconds: 50)),
                appAppleId: app.appAppleId, environment: .production)
            try app.promote()
        }
        try stage.simulator.setFaults(
            [
                Fault(.cut, probability: 0.05, applies: true),
                Fault(.reset, probability: 0.05, applies: true),
                Fault(.hang, probability: 0.02, applies: true, milliseconds: 300),
                Fault(.internalError, probability: 0.05),
                Fault(.listLag, probability: 0.3, milliseconds: 200),
            ], seed: UInt64(seed))
        let isDone = Done()
        let threads = try (0..<3).map { _ in
            let worker = try stage.worker(
                { options in
                    options.leasesOfTenant = 2
                    options.reached = { _ in
                        if dice.roll(20) { throw KillTests.Killed() }
                        if dice.roll(20) { _ = becomesTrue(within: .milliseconds(100)) { false } }
                    }
                }, timeout: .milliseconds(200))
            return ParallelWork {
                while !isDone.isSet {
                    do { _ = try worker.workOnce() } catch is KillTests.Killed {}
                }
            }
        }
        for round in 0..<60 {
            _ = becomesTrue(within: .milliseconds(100)) { false }
            if dice.roll(2) { try stage.expireLeases() }
            guard dice.roll(3) else { continue }
            let app = apps[Int(dice.number(4))]
            try app.change { transaction in
                try transaction.updateLocalization(
                    Localization(
                        locale: "en-US", header: "Thanks \(dice.number(3))", body: "\(round % 2)"),
                    of: app.thanks, app: app.app)
            }
        }
        isDone.set()
        for thread in threads { _ = try thread.value() }
        try stage.simulator.setFaults([])
        try stage.expireLeases()
        let healthy = try stage.worker()
        let isConverged = try stage.work(healthy) {
            try apps.allSatisfy { try $0.isConverged(.sandbox) && $0.lacksOnlyATest() }
        }
        #expect(isConverged)
        for app in apps {
            try app.expectAppleHasWhatIsWanted(.sandbox)
            try app.expectAppleHasWhatIsWanted(.production, urls: 0)
            let met = app.calls().compactMap(\.errorCode)
            let forbidden: Set = [4_030_017, 4_030_018, 4_030_019, 4_030_026, 4_000_216]
            #expect(!met.contains(where: forbidden.contains), "\(met)")
        }
        #expect(stage.simulator.apiCallCounts.overLimit == 0)
    }
}
