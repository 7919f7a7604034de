import AppleSync
import Foundation
import Retention
import RetentionStore
import Simulator
import Synchronization
import TestSupport
import Testing

/// A worker dies at any step, Apple fails in every way, people edit meanwhile: in the end Apple has
/// what is wanted, once each.
@Suite(.database) struct KillTests {
    struct Killed: Error {}

    private static let batches = 20
    private static let seedsOfBatch = 10

    @Test(arguments: 0..<batches)
    func `whatever happens, Apple has what is wanted in the end`(batch: Int) throws {
        let stage = try SyncStage()
        var story = Story()
        for seed in batch * Self.seedsOfBatch..<(batch + 1) * Self.seedsOfBatch {
            try run(seed: UInt64(seed), stage, &story)
        }
        let counts = stage.simulator.apiCallCounts
        #expect(counts.overLimit == 0)
        #expect(story.kills > Self.seedsOfBatch, "or nothing was tried")
        #expect(story.faults > Self.seedsOfBatch)
        if batch == 0 {
            try Promise.kept(
                "sync-killed",
                "\(Self.batches * Self.seedsOfBatch) seeds, \(story.kills) kills and "
                    + "\(story.faults) faults in the first \(Self.seedsOfBatch)")
        }
    }

    /// What happened, so that a run in which nothing did is no proof.
    private struct Story {
        var kills = 0
        var faults = 0
    }

    private func run(seed: UInt64, _ stage: SyncStage, _ story: inout Story) throws {
        let dice = Dice(seed: seed)
        let app = try stage.makeApp(Int64(seed) + 1)
        try stage.simulator.setReview(
            ReviewScript(standard: ReviewScript.approve(afterMilliseconds: 30)),
            appAppleId: app.appAppleId, environment: .production)
        try stage.simulator.setFaults(Self.faults(seed), seed: seed)
        try app.promote()
        // Sooner or later each of the points; 1 in 12.
        let worker = try stage.worker { options in
            options.reached = { _ in if dice.roll(12) { throw Killed() } }
        }
        for round in 0..<8 {
            for _ in 0..<12 where !(try survives(worker)) {
                story.kills += 1
                try stage.expireLeases()
            }
            if round % 2 == 1 { try edit(app, dice) }
        }
        story.faults += app.calls().count { $0.fault != nil }
        try stage.simulator.setFaults([])
        try stage.expireLeases()
        let healthy = try stage.worker()
        let isConverged = try stage.work(healthy) {
            try app.isConverged(.sandbox) && app.lacksOnlyATest()
        }
        let plans = (try app.plan(.sandbox), try app.plan(.production))
        #expect(isConverged, "seed \(seed): \(plans)")
        try app.expectAppleHasWhatIsWanted(.sandbox, "seed \(seed)")
        try app.expectAppleHasWhatIsWanted(.production, urls: 0, "seed \(seed)")
        expectNothingForbidden(app, seed)
    }

    /// Apple's own refusals of a wrong order; the simulator is as strict.
    private func expectNothingForbidden(_ app: SyncedApp, _ seed: UInt64) {
        let forbidden: Set = [4_030_017, 4_030_018, 4_030_019, 4_030_026, 4_000_216, 4_000_161]
        let met = app.calls().compactMap(\.errorCode).filter(forbidden.contains)
        #expect(met.isEmpty, "seed \(seed): \(met)")
    }

    private func survives(_ worker: SyncWorker) throws -> Bool {
        do {
            _ = try worker.workOnce()
            return true
        } catch is Killed {
            return false
        }
    }

    private func edit(_ app: SyncedApp, _ dice: Dice) throws {
        let words = dice.roll(3) ? "Thanks" : "Thanks \(dice.number(3))"
        try app.change { transaction in
            try transaction.updateLocalization(
                Localization(locale: "en-US", header: words, body: "For all of it."),
                of: app.thanks, app: app.app)
        }
    }

    private static func faults(_ seed: UInt64) -> [Fault] {
        [
            Fault(.cut, probability: 0.06, applies: true),
            Fault(.reset, probability: 0.04, applies: false),
            Fault(.internalError, probability: 0.04),
            Fault(.html, probability: 0.02, status: 502),
            Fault(.emptyBody, probability: 0.03),
            Fault(.truncatedJSON, probability: 0.03),
            Fault(.tooManyRequests, probability: 0.02, milliseconds: 20),
            Fault(.listLag, probability: 0.2, milliseconds: 200),
        ]
    }
}

/// Chance that is the same for the same seed.
final class Dice: Sendable {
    private let state: Mutex<UInt64>

    init(seed: UInt64) {
        state = Mutex(seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    }

    /// One time in so many.
    func roll(_ sides: UInt64) -> Bool { number(sides) == 0 }

    func number(_ below: UInt64) -> UInt64 {
        state.withLock { state in
            state = state &+ 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return (mixed ^ (mixed >> 31)) % below
        }
    }
}
