internal import Synchronization

/// Who may ask the database now: so many at once, and nobody while it keeps failing.
///
///     closed ──(5 failures in a row)──> open ──(pause)──> one probe ──success──> closed
///                                        ^                    │
///                                        └─(twice the pause)──┘ failure
package final class LookupGate: Sendable {
    package static let failuresLimit = 5
    package static let shortestPause: Duration = .seconds(1)
    package static let longestPause: Duration = .seconds(30)

    package enum Refusal: String, Sendable {
        /// As many ask already as may.
        case inFlight
        /// The database has failed too often in a row.
        case breakerOpen
    }

    private struct State {
        var inFlight = 0
        var failures = 0
        /// Nil while it is closed.
        var opensAt: Duration?
        var pause = LookupGate.shortestPause
        var isProbing = false
    }

    private let limit: Int
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter now: on a clock that never goes back.
    package init(limit: Int, now: @escaping @Sendable () -> Duration) {
        self.limit = limit
        self.now = now
    }

    package var isOpen: Bool { state.withLock { $0.opensAt != nil } }
    package var inFlight: Int { state.withLock { $0.inFlight } }

    /// Nil for who may ask; `leave` is then owed.
    package func enter() -> Refusal? {
        let now = now()
        return state.withLock { state in
            guard state.inFlight < limit else { return .inFlight }
            if let opensAt = state.opensAt {
                guard now >= opensAt, !state.isProbing else { return .breakerOpen }
                state.isProbing = true
            }
            state.inFlight += 1
            return nil
        }
    }

    package func leave(failed: Bool) {
        let now = now()
        state.withLock { state in
            state.inFlight -= 1
            let wasProbe = state.isProbing
            state.isProbing = false
            guard failed else {
                (state.failures, state.opensAt, state.pause) = (0, nil, Self.shortestPause)
                return
            }
            state.failures += 1
            if wasProbe {
                state.pause = min(state.pause * 2, Self.longestPause)
                state.opensAt = now + state.pause
            } else if state.failures >= Self.failuresLimit, state.opensAt == nil {
                state.opensAt = now + state.pause
            }
        }
    }
}
