internal import Synchronization

/// When one of Apple's hosts counts as away.
package struct HostBreakerLimits: Sendable {
    package var window: Duration = .seconds(30)
    package var leastCalls = 10
    package var probeInterval: Duration = .seconds(30)

    package init() {}
}

/// Whether one of Apple's hosts is asked at all. Where half of the calls of the last while brought
/// no answer, all apps together ask once in a while until one does: an Apple that is away is not
/// met by every app's retries.
///
///     closed ── at least 10 calls in 30 s, half without an answer ──▶ open ── a probe each 30 s
///        ◀──────────────────────────────── a probe is answered ───────────┘
package final class HostBreaker: Sendable {
    private struct State {
        var windowEnd: ContinuousClock.Instant
        var calls = 0
        var failures = 0
        var nextProbe: ContinuousClock.Instant?
    }

    private let limits: HostBreakerLimits
    private let state: Mutex<State>

    package init(limits: HostBreakerLimits, now: ContinuousClock.Instant = .now) {
        self.limits = limits
        state = Mutex(State(windowEnd: now + limits.window))
    }

    /// How long to wait before a call may be made; `nil` where one may be made now. While the host
    /// is away, whoever is told `nil` is the probe.
    package func wait(now: ContinuousClock.Instant = .now) -> Duration? {
        state.withLock { state in
            guard let probe = state.nextProbe else { return nil }
            guard probe <= now else { return probe - now }
            state.nextProbe = now + limits.probeInterval
            return nil
        }
    }

    package func record(isAnswered: Bool, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            if state.nextProbe != nil {
                if isAnswered { state = State(windowEnd: now + limits.window) }
                return
            }
            if now >= state.windowEnd { state = State(windowEnd: now + limits.window) }
            state.calls += 1
            state.failures += isAnswered ? 0 : 1
            if state.calls >= limits.leastCalls, state.failures * 2 >= state.calls {
                state.nextProbe = now + limits.probeInterval
            }
        }
    }

    package var isOpen: Bool { state.withLock { $0.nextProbe != nil } }
}
