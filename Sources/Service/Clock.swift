private import Glibc
private import Synchronization

/// Milliseconds from somewhere. Business time comes from one; leases, deadlines and waits use real
/// time instead.
package struct Clock: Sendable {
    /// Milliseconds since 1970-01-01 UTC; of `uptime`, since the process began to count.
    package let now: @Sendable () -> Int64

    package init(now: @escaping @Sendable () -> Int64) { self.now = now }

    package static let system = Clock {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds from somewhere, that only rise, also while the machine sleeps. By hand, since a
    /// `Duration` divides in 128 bits and each answer asks several times.
    static var risingNanoseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Since the process began to count; it only rises, also while the machine sleeps.
    package static let uptime: Clock = {
        let start = risingNanoseconds
        return Clock { (risingNanoseconds - start) / 1_000_000 }
    }()

    /// Always the same instant.
    package static func fixed(milliseconds: Int64) -> Clock { Clock { milliseconds } }
}

/// A clock that moves only when told to.
package final class ManualClock: Sendable {
    private let milliseconds: Mutex<Int64>

    package init(milliseconds: Int64) { self.milliseconds = Mutex(milliseconds) }

    package var clock: Clock { Clock { self.milliseconds.withLock { $0 } } }

    package func set(milliseconds: Int64) { self.milliseconds.withLock { $0 = milliseconds } }

    package func advance(milliseconds: Int64) { self.milliseconds.withLock { $0 += milliseconds } }
}
