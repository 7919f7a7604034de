internal import Dispatch

extension DispatchTime {
    /// That long from now on the monotonic clock; never in the past, and at most some 30 years on.
    static func after(_ limit: Duration) -> DispatchTime {
        let nanoseconds = min(max(limit / .nanoseconds(1), 0), 1e18)
        return now() + .nanoseconds(Int(nanoseconds))
    }
}
