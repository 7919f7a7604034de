internal import Glibc

/// A point on the monotonic clock after which nobody waits any more.
struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    init(after duration: Duration) {
        instant = ContinuousClock.now.advanced(by: duration)
    }

    var remaining: Duration {
        max(.zero, ContinuousClock.now.duration(to: instant))
    }

    /// Rounded up, so that a wait never turns into a busy loop in its last millisecond.
    var pollMilliseconds: Int32 {
        let (seconds, attoseconds) = remaining.components
        guard seconds < Int64(Int32.max) / 1_000 - 1 else { return Int32.max }
        let partial = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(seconds * 1_000 + partial)
    }
}

enum SocketState {
    case ready
    case expired
    case failed
}

/// Waits until the socket can be read or written (`POLLIN`, `POLLOUT`), or the deadline is past.
func awaitSocket(_ socket: Int32, _ events: Int16, until deadline: Deadline) -> SocketState {
    guard socket >= 0 else { return .failed }
    while true {
        var entry = pollfd(fd: socket, events: events, revents: 0)
        let milliseconds = deadline.pollMilliseconds
        let count = unsafe poll(&entry, 1, milliseconds)
        if count > 0 { return .ready }
        if count < 0 && errno != EINTR && errno != EAGAIN { return .failed }
        if count == 0 && milliseconds == 0 { return .expired }
    }
}

/// True if something waits on the socket right now: an answer, or the end of the connection.
func hasInput(_ socket: Int32) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) != 0
}
