import Retention
import Testing

@Suite struct CallBudgetTests {
    private static let hour: Int64 = 3_600_000_000

    /// As many calls as the budget lets go in three hours, taken as soon as they may be.
    private func times(_ budget: CallBudget, start: Int64) -> [Int64] {
        var spokenFor: Int64?
        var now = start
        var times: [Int64] = []
        while now < start + 3 * Self.hour {
            switch budget.take(spokenFor: spokenFor, now: now) {
            case .granted(let until):
                spokenFor = until
                times.append(now)
            case .later(let microseconds): now = max(now + 1, microseconds)
            }
        }
        return times
    }

    @Test(arguments: [10, 11, 36, 360, 3_600])
    func `no span of an hour holds more than Apple allows`(callsPerHour: Int) {
        let times = times(CallBudget(callsPerHour: callsPerHour), start: 1_764_000_000_000_000)
        #expect(times.prefix(callsPerHour / 10).allSatisfy { $0 == times[0] })
        for index in times.indices.dropFirst(callsPerHour) {
            #expect(times[index] - times[index - callsPerHour] >= Self.hour)
        }
        // Nor is much left unused.
        #expect(times.count >= 3 * callsPerHour * 8 / 10)
    }

    @Test func `after a rest a burst may go again, and no more`() {
        let budget = CallBudget(callsPerHour: 360)
        var spokenFor: Int64?
        for hour in [Int64(1), 5] {
            var granted = 0
            while case .granted(let until) = budget.take(
                spokenFor: spokenFor, now: hour * Self.hour)
            {
                spokenFor = until
                granted += 1
            }
            #expect(granted == budget.burst)
        }
    }

    @Test func `a clock that was ahead for a while blocks nobody for longer than a burst`() {
        let budget = CallBudget(callsPerHour: 3_600)
        guard case .later(let until) = budget.take(spokenFor: 48 * Self.hour, now: Self.hour) else {
            Issue.record("granted")
            return
        }
        #expect(until - Self.hour <= Self.hour / 9)
    }

    @Test func `the time for calls is told`() {
        let budget = CallBudget(callsPerHour: 3_600)
        #expect(budget.milliseconds(for: 360, spokenFor: nil, now: 0) == 0)
        let half = budget.milliseconds(for: 2_000, spokenFor: nil, now: 0)
        #expect((1_800_000...1_830_000).contains(half))
        #expect(budget.milliseconds(for: .max, spokenFor: nil, now: 0) > 0)
    }

    @Test func `pauses grow, and stay`() {
        let limits = SyncLimits()
        #expect(
            (1...5).map { limits.retryDelay(failures: Int32($0)) }
                == [1_000, 5_000, 30_000, 30_000, 30_000])
        #expect(limits.retryDelay(failures: .min) == 1_000)
        let start = Instant(milliseconds: 0)
        let waits = [Int64(0), 20_000, 3_600_000].map {
            limits.reviewPoll(pendingSince: start, listedAt: start + $0)
        }
        #expect(waits == [5_000, 10_000, 900_000])
        #expect(Instant(milliseconds: .max) + 1 == Instant(milliseconds: .max))
        #expect(Instant(milliseconds: .min) + -1 == Instant(milliseconds: .min))
    }
}
