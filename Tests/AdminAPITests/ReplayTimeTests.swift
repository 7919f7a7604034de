import AdminAPI
import Retention
import RetentionStore
import Service
import Synchronization
import TestSupport
import Testing

/// The largest replay there may be, in steps that are far from the end of their lease.
@Suite(.database) struct ReplayTimeTests {
    private static let decisions: Int64 = 100_000
    /// Of a step; a lease lasts 60 s. On this machine everything else runs meanwhile.
    private static let stepLimit: Duration = .seconds(20)
    private static let limit: Duration = .seconds(600)

    @Test func aHundredThousandDecisionsAreReplayedInShortSteps() throws {
        let stage = try DecidingStage()
        let agency = stage.app.agency
        let number = try stage.publish(stage.rules())
        try stage.decide(
            stage.subscriber(days: 400), of: "1", snapshot: number,
            as: Decision(
                answer: .alternateProduct(
                    try stage.placed(stage.app.plan, "de-DE"), productId: stage.app.yearly,
                    billingPlanType: nil), rule: try stage.rule(0), localeServed: "de-DE"))
        try stage.multiplyDecisions(by: Int32(Self.decisions) + 500)
        agency.stage.clock.advance(milliseconds: 1)
        let begun = try agency.post(
            "\(stage.app.path)/replays", ["version": 1, "limit": .integer(Self.decisions)])
        try #require(begun.status == 202, "\(begun.text)")

        let began = ContinuousClock.now
        let ends = Mutex<[ContinuousClock.Instant]>([])
        let note: @Sendable () -> Void = { ends.withLock { $0.append(.now) } }
        try agency.stage.jobs(betweenSteps: note, beforeEnd: note).runWaiting()
        let times = [began] + ends.withLock { $0 }
        let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .zero
        let whole = times[times.count - 1] - began

        let done = try agency.get(try #require(begun.header("Location"))).json
        #expect(done["state"] == "succeeded", "\(done)")
        #expect(done["report"]?["counts"]?["replayed"] == .integer(Self.decisions))
        #expect(times.count > 50)
        #expect(longest < Self.stepLimit, "\(longest)")
        #expect(whole < Self.limit, "\(whole)")
        try Promise.kept(
            "long-jobs",
            """
            \(Self.decisions) decisions in \(whole.components.seconds) s, \(times.count - 1) \
            steps, the longest \(Int64(longest / .milliseconds(1))) ms
            """)
    }
}
