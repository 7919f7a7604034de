internal import Retention
internal import Synchronization

/// A bucket of requests for each tenant, and a cap on how many of a tenant's run at once, so that
/// one agency's script holds up no other. Each gateway process counts for itself; real time.
package final class RateLimiter: Sendable {
    /// The quota refills over this window.
    static let windowSeconds = 60

    /// What a request takes away from its tenant, and what is left.
    struct Standing: Sendable {
        let quota: Int
        let remaining: Int
        /// Until the bucket is full again.
        let secondsToFull: Int

        var headers: [(name: String, value: String)] {
            [
                ("RateLimit-Policy", "\"default\";q=\(quota);w=\(RateLimiter.windowSeconds)"),
                ("RateLimit", "\"default\";r=\(remaining);t=\(secondsToFull)"),
            ]
        }
    }

    private struct Bucket {
        var tokens: Double
        var filledAt: ContinuousClock.Instant
        var running = 0
    }

    private let buckets = Mutex<[TenantID: Bucket]>([:])
    private let runningLimit: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(
        runningLimit: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.runningLimit = runningLimit
        self.now = now
    }

    /// Takes one request of `tenant`; `finish` must follow where this does not throw.
    func begin(_ tenant: TenantID, quota: Int) throws(Problem) -> Standing {
        let instant = now()
        let (standing, refusal) = buckets.withLock { buckets -> (Standing, Problem?) in
            var bucket =
                buckets[tenant] ?? Bucket(tokens: Double(quota), filledAt: instant)
            let refilled = (instant - bucket.filledAt) / .seconds(Self.windowSeconds)
            bucket.tokens = min(Double(quota), bucket.tokens + refilled * Double(quota))
            bucket.filledAt = instant
            let refusal = Self.refusal(bucket, quota: quota, runningLimit: runningLimit)
            if refusal == nil {
                bucket.tokens -= 1
                bucket.running += 1
            }
            buckets[tenant] = bucket
            return (Self.standing(bucket, quota: quota), refusal)
        }
        if var refusal {
            refusal.headers += standing.headers
            throw refusal
        }
        return standing
    }

    func finish(_ tenant: TenantID) {
        buckets.withLock { $0[tenant]?.running -= 1 }
    }

    private static func standing(_ bucket: Bucket, quota: Int) -> Standing {
        let missing = (Double(quota) - bucket.tokens) / Double(quota)
        return Standing(
            quota: quota, remaining: max(0, Int(bucket.tokens)),
            secondsToFull: Int((missing * Double(windowSeconds)).rounded(.up)))
    }

    private static func refusal(_ bucket: Bucket, quota: Int, runningLimit: Int) -> Problem? {
        if bucket.tokens < 1 {
            let wait = (1 - bucket.tokens) / Double(quota) * Double(windowSeconds)
            return Problem(
                .rateLimited,
                "The tenant may send \(quota) requests a minute; wait as Retry-After says.",
                headers: [("Retry-After", "\(max(1, Int(wait.rounded(.up))))")])
        }
        guard bucket.running >= runningLimit else { return nil }
        return Problem(
            .rateLimited,
            "The tenant has \(runningLimit) requests running; wait for one to end.",
            headers: [("Retry-After", "1")])
    }
}
