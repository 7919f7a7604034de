private import Dispatch
private import Synchronization

/// Work that repeats on a thread of its own: once at the start, then a pause of `every` after
/// each end; `poke()` cuts the pause short.
///
/// ```
/// start() -> body -> pause (every, or poke) -> body -> … -> stop(within:) -> ended
///             |
///             throws -> onError, and the loop goes on
/// ```
package final class BackgroundLoop: Sendable {
    private let life: LoopLife

    /// - Parameters:
    ///   - every: pause between one end and the next start.
    ///   - onError: told of each error with the loop's name; nothing a body throws ends the loop.
    package init(
        _ name: String, every: Duration,
        onError: @escaping @Sendable (_ name: String, _ error: any Error) -> Void,
        body: @escaping @Sendable () throws -> Void
    ) {
        life = LoopLife(name: name, every: every, onError: onError, body: body)
    }

    /// Logs each error of the body as `loop_failed`.
    package convenience init(
        _ name: String, every: Duration, log: Log, body: @escaping @Sendable () throws -> Void
    ) {
        self.init(
            name, every: every,
            onError: { name, error in
                log.error("loop_failed", [("loop", .string(name)), ("error", .string("\(error)"))])
            }, body: body)
    }

    /// A loop that nobody holds any more ends by itself, after the body it is in.
    deinit { life.askToStop() }

    /// Starts the thread; a second call does nothing. Throws when the system has none to give.
    package func start() throws { try life.start() }

    /// Runs the body again now, or once more right after the run that is going on.
    package func poke() { life.wake() }

    /// Asks the loop to end and waits for the body it is in; false when that took longer. May be
    /// called again, and before `start()`.
    ///
    /// - Parameter runsOnceMore: the body runs once after everything that happened before this
    ///   call, so that nothing which came in between is left over.
    @discardableResult
    package func stop(within limit: Duration, runsOnceMore: Bool = false) -> Bool {
        life.askToStop(runsOnceMore: runsOnceMore)
        return life.waitForEnd(limit)
    }
}

/// What the thread holds, so that a forgotten `BackgroundLoop` can go.
private final class LoopLife: Sendable {
    private struct State {
        var isStarted = false
        var isStopping = false
        var isPoked = false
        var runsOnceMore = false
    }

    private let name: String
    private let every: Duration
    private let onError: @Sendable (String, any Error) -> Void
    private let body: @Sendable () throws -> Void
    private let state = Mutex(State())
    private let awake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(
        name: String, every: Duration, onError: @escaping @Sendable (String, any Error) -> Void,
        body: @escaping @Sendable () throws -> Void
    ) {
        self.name = name
        self.every = every
        self.onError = onError
        self.body = body
    }

    func start() throws {
        let mayStart = state.withLock { state in
            guard !state.isStarted && !state.isStopping else { return false }
            state.isStarted = true
            return true
        }
        guard mayStart else { return }
        guard NativeThread.start(name, { self.run() }) else {
            state.withLock { $0.isStarted = false }
            throw ThreadError(loop: name)
        }
    }

    func wake() {
        let isFirst = state.withLock { state in
            defer { state.isPoked = true }
            return !state.isPoked
        }
        // One signal per pause: a thousand pokes are one run.
        if isFirst { awake.signal() }
    }

    func askToStop(runsOnceMore: Bool = false) {
        state.withLock { state in
            state.isStopping = true
            state.runsOnceMore = runsOnceMore
        }
        wake()
    }

    func waitForEnd(_ limit: Duration) -> Bool {
        guard state.withLock({ $0.isStarted }) else { return true }
        guard ended.wait(timeout: .after(limit)) == .success else { return false }
        ended.signal()
        return true
    }

    private func run() {
        while !state.withLock({ $0.isStopping }) {
            runBody()
            if awake.wait(timeout: .after(every)) == .success {
                state.withLock { $0.isPoked = false }
            }
        }
        if state.withLock({ $0.runsOnceMore }) { runBody() }
        ended.signal()
    }

    private func runBody() {
        do { try body() } catch { onError(name, error) }
    }
}

/// The system refused a thread.
package struct ThreadError: Error, CustomStringConvertible {
    package let loop: String

    package init(loop: String) { self.loop = loop }

    package var description: String {
        "no thread for '\(loop)': raise the process's limit of tasks (TasksMax, ulimit -u)"
    }
}
