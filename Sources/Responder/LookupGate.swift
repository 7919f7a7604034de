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

    package enum Refusal: String, Error {
        /// As many ask already as may.
        case inFlight
        /// The database has failed too often in a row.
        case breakerOpen
    }

    /// Of one who may ask: `leave` takes it back.
    package struct Ticket: Sendable {
        fileprivate let isProbe: Bool
    }

    private struct State {
        var inFlight = 0
        var failures = 0
        /// Nil while it is closed.
        var opensAt: Duration?
        var pause = LookupGate.shortestPause
        var isProbing = false

        mutating func close() {
            (failures, opensAt, pause) = (0, nil, LookupGate.shortestPause)
        }
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

    /// Who may ask owes `leave`.
    package func enter() throws(Refusal) -> Ticket {
        let now = now()
        let entered: Result<Ticket, Refusal> = state.withLock { state in
            guard state.inFlight < limit else { return .failure(.inFlight) }
            let isOpen = state.opensAt != nil
            if let opensAt = state.opensAt {
                guard now >= opensAt, !state.isProbing else { return .failure(.breakerOpen) }
                state.isProbing = true
            }
            state.inFlight += 1
            return .success(Ticket(isProbe: isOpen))
        }
        return try entered.get()
    }

    package func leave(_ ticket: Ticket, failed: Bool) {
        let now = now()
        state.withLock { state in
            state.inFlight -= 1
            if ticket.isProbe {
                state.isProbing = false
                guard failed else { return state.close() }
                state.pause = min(state.pause * 2, Self.longestPause)
                state.opensAt = now + state.pause
                return
            }
            // One that began before it opened tells nothing of now, however it ends.
            guard state.opensAt == nil else { return }
            state.failures = failed ? state.failures + 1 : 0
            if state.failures >= Self.failuresLimit { state.opensAt = now + state.pause }
        }
    }
}
