import Retention
import TestSupport
import Testing

/// A simulation that finds nothing proves something only if it would find what is wrong: each bug
/// must be caught within the seeds of a usual run, by one of the complaints that are about it.
@Suite struct PlantedSyncBugTests {
    private static let threads = 2

    private struct Catch: Sendable {
        let bug: PlantedSyncBug
        let seed: UInt64
        let complaint: Complaint?
    }

    private static func hunt(_ bug: PlantedSyncBug) -> Catch {
        for seed in 0..<SyncSeeds.usual {
            if let complaint = SyncSimulation(seed: seed, workings: bug.workings).run() {
                return Catch(bug: bug, seed: seed, complaint: complaint)
            }
        }
        return Catch(bug: bug, seed: SyncSeeds.usual, complaint: nil)
    }

    @Test func `each planted bug is caught by what it does wrong`() throws {
        let bugs = PlantedSyncBug.all
        let parts = (0..<Self.threads).map { first in
            ParallelWork {
                stride(from: first, to: bugs.count, by: Self.threads).map { Self.hunt(bugs[$0]) }
            }
        }
        let caught = try parts.flatMap { try $0.value(within: .seconds(3_600)) }
        for found in caught {
            let isRight = found.complaint.map { found.bug.complaints.contains($0.kind) } ?? false
            let complaint = found.complaint?.description ?? "none"
            #expect(isRight, "\(found.bug.name), seed \(found.seed): \(complaint)")
        }
        let latest = caught.map(\.seed).max() ?? 0
        try Promise.kept(
            "sync-planted-bugs", "\(caught.count) bugs, the last one caught by seed \(latest)")
    }
}
