import Foundation
import Retention
import TestSupport
import Testing

/// How many seeds a run of the tests tries; `deploy/soak` asks for more.
enum SyncSeeds {
    static let usual: UInt64 = 1_000
    static let count =
        ProcessInfo.processInfo.environment["HOLDFAST_SYNC_SEEDS"].flatMap(UInt64.init) ?? usual
}

@Suite struct SyncSimulationTests {
    private static let threads: UInt64 = 2
    /// Of how many failing seeds the history is shown, and how much of it.
    private static let shownSeeds = 3
    private static let shownLines = 400

    private struct Findings: Sendable {
        var happenings = Happenings()
        var failures: [UInt64: Complaint] = [:]
        var writes = 0
        var reads = 0

        mutating func add(_ other: Findings) {
            happenings.add(other.happenings)
            failures.merge(other.failures) { first, _ in first }
            writes += other.writes
            reads += other.reads
        }
    }

    private static func run(from first: UInt64) -> Findings {
        var findings = Findings()
        for seed in stride(from: first, to: SyncSeeds.count, by: Int(threads)) {
            let simulation = SyncSimulation(seed: seed, workings: Workings())
            if let complaint = simulation.run() { findings.failures[seed] = complaint }
            findings.happenings.add(simulation.allHappenings)
            findings.writes += simulation.checker.writes
            findings.reads += simulation.checker.reads
        }
        return findings
    }

    /// The same seed again, written down.
    private static func history(_ seed: UInt64) -> String {
        let simulation = SyncSimulation(seed: seed, workings: Workings(), keepsHistory: true)
        _ = simulation.run()
        return simulation.history.suffix(shownLines).joined(separator: "\n")
    }

    @Test func `each seed converges, in the right order and with few calls`() throws {
        let parts = (0..<Self.threads).map { first in
            ParallelWork { Self.run(from: first) }
        }
        var all = Findings()
        for part in parts { all.add(try part.value(within: .seconds(86_400))) }
        for (seed, complaint) in all.failures.sorted(by: { $0.key < $1.key })
            .prefix(Self.shownSeeds)
        {
            Issue.record("seed \(seed): \(complaint)\n\(Self.history(seed))")
        }
        #expect(all.failures.count == 0)
        // A run proves only what it went through.
        #expect(SyncSeeds.count < SyncSeeds.usual || all.happenings.missing == [])
        try Promise.kept(
            "sync-converges",
            "\(SyncSeeds.count) seeds, \(all.writes) writes and \(all.reads) reads, "
                + "\(Happening.allCases.count) kinds of faults and paths, each gone through")
    }

    @Test func `a seed has one history`() {
        #expect(Self.history(17) == Self.history(17))
        #expect(Self.history(17) != Self.history(18))
    }
}
