internal import Dispatch

/// Time as the thing under test: for requests that are due at a moment, whatever becomes of those
/// before them, and for work that takes so long. What can be waited for is not waited for so.
package enum Pace {
    package static func hold(for duration: Duration) {
        hold(until: ContinuousClock.now + duration)
    }

    package static func hold(until due: ContinuousClock.Instant) {
        let left = ContinuousClock.now.duration(to: due) / .nanoseconds(1)
        guard left > 0 else { return }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .nanoseconds(Int(left)))
    }
}
