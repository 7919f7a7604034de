import Dispatch
import Synchronization

/// The point in time at which a connection's socket is shut down, shared by the connection's own
/// thread, which moves it at each step, and the `Reaper`, which reads it. An atomic and no lock: a
/// request on the hot path moves it several times.
final class Deadline: Sendable {
    private static let never = UInt64.max

    let socket: Int32
    private let expiry = Atomic<UInt64>(Deadline.never)
    private let idle = Atomic<Bool>(false)
    private let passed = Atomic<Bool>(false)

    init(socket: Int32, in duration: Duration) {
        self.socket = socket
        move(to: duration)
    }

    /// Counts anew, from now. `isIdle`: nothing is under way, so that its end is nobody's fault.
    func move(to duration: Duration, isIdle: Bool = false) {
        idle.store(isIdle, ordering: .relaxed)
        expiry.store(Deadline.now() &+ duration.nanoseconds, ordering: .relaxed)
    }

    /// Nothing is expected of the client at the moment.
    func suspend() { expiry.store(Deadline.never, ordering: .relaxed) }

    var isIdle: Bool { idle.load(ordering: .relaxed) }
    var isPassed: Bool { passed.load(ordering: .relaxed) }

    /// True once: the first time it is found to have passed.
    func passes(at now: UInt64) -> Bool {
        guard expiry.load(ordering: .relaxed) <= now else { return false }
        return !passed.exchange(true, ordering: .relaxed)
    }

    /// Monotonic nanoseconds.
    static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}

extension Duration {
    /// Never negative, never trapping: a duration beyond a century is a century.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        let bounded = UInt64(max(0, min(seconds, 3_155_760_000)))
        return bounded * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
