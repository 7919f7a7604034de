internal import Dispatch
internal import Postgres
internal import RetentionStore
internal import Service
internal import Synchronization

/// Looks for the database beside the start, for as long as it takes, so that a responder which has
/// snapshots on its disk need not wait for it.
///
///     begin ──> looking ──(does not answer: away)──> looking …
///                  ├── usable: loops that need it run        the thread ends
///                  ├── refused: schema or catalog            ends; where the disk serves, looks on
///                  └── told to end                           ends
final class DatabaseStart: Sendable {
    enum Outcome {
        case usable
        /// Did not answer at the last look.
        case away
        case refused(any Error)
        case stopped
    }

    /// Between two looks at a database that this build cannot use.
    private static let refusedInterval: Duration = .seconds(10)

    private struct State {
        var outcome: Outcome?
        var servesFromDisk = false
        /// Nobody looks any more, since a refusal is the end where the disk does not serve.
        var hasEnded = false
    }

    private let store: RetentionStore
    private let runtime: Runtime
    private let first: @Sendable () throws -> Void
    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    /// - Parameter first: what is done with the usable database, before it counts as such.
    init(_ store: RetentionStore, _ runtime: Runtime, first: @escaping @Sendable () throws -> Void)
    {
        self.store = store
        self.runtime = runtime
        self.first = first
    }

    func begin() throws {
        guard NativeThread.start("database start", { self.run() }) else {
            throw ThreadError(loop: "database start")
        }
    }

    /// Waits until the database is usable, and up to `patience` where it does not answer.
    ///
    /// - Returns: false when told to end; `nil` where it is away.
    /// - Throws: what refused it.
    func isUsable(within patience: Duration?) throws -> Bool? {
        let deadline = patience.map { ContinuousClock.now + $0 }
        while true {
            switch state.withLock({ $0.outcome }) {
            case .usable: return true
            case .stopped: return false
            case .refused(let error): throw error
            case .away where patience != nil: return nil
            case .away, nil: break
            }
            guard let deadline else {
                news.wait()
                continue
            }
            let left = max(0, ContinuousClock.now.duration(to: deadline) / .milliseconds(1))
            let due = DispatchTime.now() + .milliseconds(Int(left))
            if news.wait(timeout: due) == .timedOut { return nil }
        }
    }

    /// From now on a database that cannot be used costs no answer.
    func serveFromDisk() {
        let hasEnded = state.withLock { state in
            defer { state.hasEnded = false }
            state.servesFromDisk = true
            return state.hasEnded
        }
        if hasEnded { _ = NativeThread.start("database start") { self.run() } }
    }

    /// Whether what is served comes from the disk still.
    var isPending: Bool {
        state.withLock { state in
            if case .usable = state.outcome { return false }
            return true
        }
    }

    private func run() {
        while !runtime.stop.isRequested {
            var pause = RetentionStore.retryInterval
            do {
                try store.checkUsable(runtime.log)
                try first()
                return tell(.usable)
            } catch let error as PostgresError {
                runtime.log.warning("database_unavailable", [("error", .string("\(error)"))])
                tell(.away)
            } catch {
                // Whoever waits fails with it, and says so.
                guard tellRefused(error) else { return }
                runtime.log.error("database_refused", [("error", .string("\(error)"))])
                pause = Self.refusedInterval
            }
            if runtime.stop.wait(for: pause) { break }
        }
        tell(.stopped)
    }

    /// - Returns: whether to look on.
    private func tellRefused(_ error: any Error) -> Bool {
        defer { news.signal() }
        return state.withLock { state in
            state.outcome = .refused(error)
            state.hasEnded = !state.servesFromDisk
            return state.servesFromDisk
        }
    }

    private func tell(_ outcome: Outcome) {
        state.withLock { $0.outcome = outcome }
        news.signal()
    }
}
