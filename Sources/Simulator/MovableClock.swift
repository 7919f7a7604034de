import Service
import Synchronization

/// The clock that was handed in, and how far the simulator has been moved from it: weeks of a
/// subscriber base pass in minutes, and may begin in the past.
final class MovableClock: Sendable {
    /// What may be asked for: up to the year 9999, so that no sum of it is too large.
    static let times: ClosedRange<Int64> = 1...253_402_300_799_999

    private let base: Clock
    private let ahead = Mutex<Int64>(0)

    init(_ base: Clock) {
        self.base = base
    }

    var clock: Clock {
        Clock { self.base.now() + self.ahead.withLock { $0 } }
    }

    /// To that time, or not at all where it is past.
    func move(to milliseconds: Int64) {
        let now = base.now()
        ahead.withLock { $0 = max($0, milliseconds - now) }
    }

    /// To that time, before or behind.
    func set(to milliseconds: Int64) {
        let now = base.now()
        ahead.withLock { $0 = milliseconds - now }
    }
}
