// The C importer gives socket constants to whichever module included them first.
import CMicroHTTPD
import Dispatch
import Glibc
import Synchronization

/// One thread that shuts down the sockets of connections whose deadline has passed. The library
/// itself only knows inactivity, which one byte now and then outlives.
///
/// The library tells us that a connection ends before it closes the descriptor, and `forget` waits
/// for a sweep under way, so that a socket is never shut down after its number went to another.
final class Reaper: Sendable {
    /// A late connection is cut at most this much after its deadline.
    private static let sweepMilliseconds = 100

    private let watched = Mutex<[ObjectIdentifier: Deadline]>([:])
    private let stop = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let count: @Sendable (Refusal) -> Void

    init(count: @escaping @Sendable (Refusal) -> Void) { self.count = count }

    func watch(_ deadline: Deadline) {
        watched.withLock { $0[ObjectIdentifier(deadline)] = deadline }
    }

    func forget(_ deadline: Deadline) {
        watched.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(deadline)) }
    }

    func start() throws(ServerError) {
        let started = startThread { [self] in
            while stop.wait(timeout: .now() + .milliseconds(Reaper.sweepMilliseconds)) == .timedOut
            {
                sweep()
            }
            ended.signal()
        }
        guard started else {
            throw ServerError(
                code: .startFailed, message: "no thread to be had; raise the limit on processes")
        }
    }

    /// Returns when the thread no longer touches any socket.
    func end() {
        stop.signal()
        ended.wait()
    }

    private func sweep() {
        let now = Deadline.now()
        let late = watched.withLock { watched in
            let late = watched.values.filter { $0.passes(at: now) }
            // Counted first: the connection's thread changes the deadline as soon as it wakes.
            let count = late.count { !$0.isIdle }
            for deadline in late { _ = shutdown(deadline.socket, Int32(SHUT_RDWR)) }
            return count
        }
        for _ in 0..<late { count(.deadline) }
    }
}

/// Runs `body` on a detached thread of its own; false if the system has none left.
private func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let work = unsafe Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let result = unsafe pthread_create(
        &thread, nil,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
            }
            return nil
        }, work.toOpaque())
    guard result == 0 else {
        unsafe work.release()
        return false
    }
    pthread_detach(thread)
    return true
}
