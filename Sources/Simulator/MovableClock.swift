import Service
import Synchronization

/// The clock that was handed in, and how far the simulator has been moved ahead of it: weeks of a
/// subscriber base pass in minutes.
final class MovableClock: Sendable {
    private let base: Clock
    private let ahead = Mutex<Int64>(0)

    init(_ base: Clock) {
        self.base = base
    }

    var clock: Clock {
        Clock { self.base.now() + self.ahead.withLock { $0 } }
    }

    /// To that time, or not at all where it is past. Time never goes back.
    func move(to milliseconds: Int64) {
        let now = base.now()
        ahead.withLock { $0 = max($0, milliseconds - now) }
    }
}
