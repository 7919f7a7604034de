import Foundation
import Retention
import Synchronization
import TestSupport
import Testing

/// How many seeds a run of the tests tries; `deploy/soak` asks for more.
enum SyncSeeds {
    static let usual: UInt64 = 1_000
    static let count =
        ProcessInfo.processInfo.environment["HOLDFAST_SYNC_SEEDS"].flatMap(UInt64.init) ?? usual
}

@Suite struct SyncSimulationTests {
    private static let historyLines = 2000

    struct Findings {
        var happenings = Happenings()
        var failures: [(seed: UInt64, complaint: Complaint)] = []
        var steps = 0
        var writes = 0
        var reads = 0
    }

    private func run(from first: UInt64, by stride: UInt64) -> Findings {
        var findings = Findings()
        for seed in Swift.stride(from: first, to: SyncSeeds.count, by: Int(stride)) {
            let simulation = SyncSimulation(seed: seed, workings: Workings())
            if let complaint = simulation.run() { findings.failures.append((seed, complaint)) }
            findings.happenings.add(simulation.allHappenings)
            findings.steps += simulation.steps
            findings.writes += simulation.checker.writes
            findings.reads += simulation.checker.reads
        }
        return findings
    }

    @Test func `each seed converges, in the right order and with few calls`() throws {
        let threads: UInt64 = 2
        let work = (0..<threads).map { first in
            ParallelWork { run(from: first, by: threads) }
        }
        var all = Findings()
        for part in work {
            let findings = try part.value(within: .seconds(86_400))
            all.happenings.add(findings.happenings)
            all.failures += findings.failures
            all.steps += findings.steps
            all.writes += findings.writes
            all.reads += findings.reads
        }
        print("steps \(all.steps) writes \(all.writes) reads \(all.reads) failures \(all.failures.count)")
        var kinds: [String: Int] = [:]
        for f in all.failures { kinds[f.complaint.kind.rawValue, default: 0] += 1 }
        print(kinds)
        for failure in all.failures.sorted(by: { $0.seed < $1.seed }).prefix(5) {
            let again = SyncSimulation(
                seed: failure.seed, workings: Workings(), keepsHistory: true)
            _ = again.run()
            let history = again.history.suffix(Self.historyLines).joined(separator: "\n")
            Issue.record("seed \(failure.seed): \(failure.complaint)\n\(history)")
        }
        #expect(all.happenings.missing.isEmpty)
    }
}
