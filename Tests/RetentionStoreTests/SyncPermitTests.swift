import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Calls of one app to one endpoint, whoever makes them: the database counts, by its own clock.
@Suite(.database) struct SyncPermitTests {
    private func spokenFor(_ workers: SyncWorkers) throws -> Int64 {
        try workers.agencies.value("select coalesce(max(spoken_for), 0) from holdfast.call_budget")
    }

    private func clock(_ workers: SyncWorkers) throws -> Int64 {
        let time: Timestamp = try workers.agencies.value("select clock_timestamp()")
        return time.microseconds
    }

    /// 40 calls an hour: 4 at once, and one each 100 s.
    @Test func `a burst goes at once, and the next one is told when`() throws {
        let workers = try SyncWorkers()
        let budget = CallBudget(callsPerHour: 40)
        let lease = try workers.lease(workers.production)
        func take(_ endpoint: AppleEndpoint = .uploadImage) throws -> Duration? {
            try workers.work(lease) { transaction, _ in
                try transaction.takePermit(endpoint, at: lease.key, of: budget)
            }
        }
        let before = try clock(workers)
        for _ in 0..<4 { #expect(try take() == nil) }
        let wait = try #require(try take())
        // An hour without its burst, in 36 steps: one is free again a step after the first went.
        #expect(wait > .seconds(90) && wait <= .seconds(100))
        let spoken = try workers.work(lease) { transaction, _ in
            try transaction.spokenFor(at: lease.key)
        }
        #expect(Set(spoken.keys) == [.uploadImage])
        let ahead = try #require(spoken[.uploadImage]) - before
        #expect(ahead >= 400_000_000 && ahead < 430_000_000)
        // What was refused took nothing.
        #expect(try take() != nil)
        #expect(try spokenFor(workers) == spoken[.uploadImage])
        // Each endpoint has a budget of its own.
        #expect(try take(.uploadMessage) == nil)
    }

    @Test func `a wait is over when it was said`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production)
        let budget = CallBudget(callsPerHour: 40, hourMilliseconds: 3_600)
        var waits: [Duration] = []
        var taken = 0
        let isDone = try becomesTrue {
            let wait = try workers.work(lease) { transaction, _ in
                try transaction.takePermit(.deleteImage, at: lease.key, of: budget)
            }
            if let wait { waits.append(wait) } else { taken += 1 }
            return taken == 6
        }
        #expect(isDone)
        #expect(waits.allSatisfy { $0 > .zero && $0 <= .milliseconds(100) })
    }

    /// Under the leases of both environments, so that only the budget's own row puts them in line.
    /// A burst of 10 and one each 5 ms.
    @Test func `workers together never exceed the burst and the rate`() throws {
        let workers = try SyncWorkers()
        let budget = CallBudget(callsPerHour: 100, hourMilliseconds: 450)
        let key = workers.production
        let leases = try [workers.lease(key), workers.lease(workers.sandbox)]
        let began = try clock(workers)
        let taken = try (0..<8).map { worker in
            ParallelWork {
                try (0..<30).count { _ in
                    try workers.work(leases[worker % 2]) { transaction, _ in
                        try transaction.takePermit(.uploadImage, at: key, of: budget)
                    } == nil
                }
            }
        }.map { try $0.value() }.reduce(0, +)
        let passed = try clock(workers) - began
        #expect(taken >= 10)
        #expect(taken <= 10 + Int(passed / 5_000))
        // Each grant moved it by one step, and none was lost.
        #expect(try spokenFor(workers) >= began + Int64(taken) * 5_000)
        #expect(try spokenFor(workers) <= began + passed + 10 * 5_000)
    }

    /// With an hour that does not pass meanwhile, not one more than the burst.
    @Test func `eight workers share one burst`() throws {
        let workers = try SyncWorkers()
        let budget = CallBudget(callsPerHour: 50)
        let key = workers.production
        let leases = try [workers.lease(key), workers.lease(workers.sandbox)]
        let taken = try (0..<8).map { worker in
            ParallelWork {
                try (0..<3).count { _ in
                    try workers.work(leases[worker % 2]) { transaction, _ in
                        try transaction.takePermit(.uploadImage, at: key, of: budget)
                    } == nil
                }
            }
        }.map { try $0.value() }.reduce(0, +)
        #expect(taken == 5)
    }
}
