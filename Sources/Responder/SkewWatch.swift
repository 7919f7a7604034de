internal import Synchronization

/// How far Apple's clock is from ours, by the dates of requests that were found genuine. It is an
/// alarm: what is fresh is judged by our own clock, and no date is corrected.
///
/// A replayed request cannot shift the median of a hundred, nor can one slow network path.
package final class SkewWatch: Sendable {
    package static let requestsCount = 100
    /// Before so many requests nothing is told: a few may be replays.
    package static let requestsNeeded = 20
    /// Beyond it somebody should look at this machine's clock.
    package static let alarm: Duration = .seconds(5)

    private final class Cell: Sendable {
        let milliseconds = Atomic<Int64>(0)
    }

    private let cells = (0..<SkewWatch.requestsCount).map { _ in Cell() }
    private let seen = Atomic<UInt64>(0)

    package init() {}

    /// - Parameters: both in UNIX milliseconds.
    package func note(signedDate: Int64, arrivedAt: Int64) {
        let (skew, isOver) = arrivedAt.subtractingReportingOverflow(signedDate)
        guard !isOver else { return }
        let place = seen.wrappingAdd(1, ordering: .relaxed).oldValue % UInt64(cells.count)
        cells[Int(place)].milliseconds.store(skew, ordering: .relaxed)
    }

    /// Arrival after the signature, in the median: positive where our clock is ahead, or the way
    /// long. `nil` before there is enough to tell.
    package var median: Duration? {
        let count = min(seen.load(ordering: .relaxed), UInt64(cells.count))
        guard count >= Self.requestsNeeded else { return nil }
        let skews = cells.prefix(Int(count)).map { $0.milliseconds.load(ordering: .relaxed) }
        return .milliseconds(skews.sorted()[skews.count / 2])
    }

    package var isAlarming: Bool {
        guard let median else { return false }
        return median > Self.alarm || median < .zero - Self.alarm
    }
}
