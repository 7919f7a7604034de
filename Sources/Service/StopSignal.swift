private import Dispatch
private import Glibc
private import Synchronization

/// The one request to stop: by SIGTERM, by SIGINT, or by the program itself.
///
/// Any number of threads wait for it without polling: the first request opens a turnstile, and
/// each waiter that passes holds it open for the next.
package final class StopSignal: Sendable {
    private struct State {
        var isRequested = false
        var observers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let turnstile = DispatchSemaphore(value: 0)

    /// One that only `request()` raises.
    package init() {}

    /// One that SIGTERM and SIGINT raise too; a second signal ends the process at once.
    ///
    /// To be called on the main thread before any other exists: the signals are blocked here and
    /// taken by a thread that does nothing else, and later threads inherit the block. So do child
    /// processes: whoever spawns one resets its mask (`POSIX_SPAWN_SETSIGMASK`). Nil when the
    /// system has no thread to give.
    package static func catchingSignals() -> StopSignal? {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe sigaddset(&signals, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let stop = StopSignal()
        let caught = signals
        let isStarted = NativeThread.start("signals") {
            _ = next(of: caught)
            stop.request()
            Glibc._exit(128 + next(of: caught))
        }
        return isStarted ? stop : nil
    }

    package var isRequested: Bool { state.withLock { $0.isRequested } }

    package func request() {
        let observers: [@Sendable () -> Void]? = state.withLock { state in
            guard !state.isRequested else { return nil }
            state.isRequested = true
            defer { state.observers = [] }
            return state.observers
        }
        guard let observers else { return }
        // Before the waiters go on, so that "stopping" is told before "stopped".
        for observer in observers { observer() }
        turnstile.signal()
    }

    /// Called once, on the thread that makes the request and before any waiter goes on, so it must
    /// be quick; at once when the request is already made.
    package func onRequest(_ observer: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isRequested { state.observers.append(observer) }
            return state.isRequested
        }
        if isLate { observer() }
    }

    /// Blocks until the stop is requested.
    package func wait() {
        turnstile.wait()
        turnstile.signal()
    }

    /// Blocks until the stop is requested, or that long; true when it is requested.
    package func wait(for limit: Duration) -> Bool {
        guard turnstile.wait(timeout: .after(limit)) == .success else { return false }
        turnstile.signal()
        return true
    }
}

private func next(of signals: sigset_t) -> Int32 {
    var signals = signals
    var signal: Int32 = 0
    // It fails only for signals that do not exist.
    while unsafe sigwait(&signals, &signal) != 0 {}
    return signal
}
