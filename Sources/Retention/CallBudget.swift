/// How many calls to one endpoint of one app in one environment may still be made: Apple counts by
/// the hour, so a tenth of an hour's calls may go at once and the rest is spread evenly. Together
/// no span of an hour holds more than Apple allows.
///
/// Kept as the moment up to which calls are spoken for, which is one column of one row: whoever
/// holds the row's lock may take.
///
/// Source: developer.apple.com/documentation/retentionmessaging/identifying-rate-limits
package struct CallBudget: Hashable, Sendable {
    /// Calls an hour that Apple allows.
    package let callsPerHour: Int
    /// How long an hour of Apple's is: shorter where a simulator counts faster.
    package let hourMilliseconds: Int64

    package init(callsPerHour: Int, hourMilliseconds: Int64 = 3_600_000) {
        self.callsPerHour = max(10, callsPerHour)
        self.hourMilliseconds = max(1, hourMilliseconds)
    }

    /// Calls that may go at once.
    package var burst: Int { callsPerHour / 10 }

    /// Microseconds that one call takes of what is left beside the burst.
    private var spacing: Int64 {
        let hour = hourMilliseconds.multipliedReportingOverflow(by: 1_000)
        let steady = Int64(max(1, callsPerHour - burst))
        return ((hour.overflow ? .max : hour.partialValue) - 1) / steady + 1
    }

    package enum Decision: Hashable, Sendable {
        /// One call may be made; the new moment is to be kept.
        case granted(spokenFor: Int64)
        /// None before this moment.
        case later(microseconds: Int64)
    }

    /// Never further ahead than a whole burst: more comes of a clock that was ahead.
    private func started(_ spokenFor: Int64?, _ now: Int64) -> Int64 {
        let (farthest, isOver) = now.addingReportingOverflow(spacing * Int64(max(1, burst)))
        return min(max(spokenFor ?? now, now), isOver ? .max : farthest)
    }

    /// - Parameters:
    ///   - spokenFor: as the last grant said, in microseconds since 1970; `nil` before the first.
    ///   - now: real time in microseconds since 1970.
    package func take(spokenFor: Int64?, now: Int64) -> Decision {
        let start = started(spokenFor, now)
        let ahead = start - now
        let most = spacing * Int64(max(1, burst) - 1)
        guard ahead <= most else { return .later(microseconds: start - most) }
        return .granted(spokenFor: start + spacing)
    }

    /// How long `calls` take from now on, where `spokenFor` is spoken for.
    package func milliseconds(for calls: Int, spokenFor: Int64?, now: Int64) -> Int64 {
        let start = started(spokenFor, now)
        let (needed, isOver) = spacing.multipliedReportingOverflow(by: Int64(max(0, calls)))
        if isOver { return .max }
        let most = spacing * Int64(max(1, burst))
        return max(0, start - now + needed - most) / 1_000
    }
}
