package import Retention

/// How a worker works. Values handed in: a test shortens waits, and stops at any point.
package struct SyncOptions: Sendable {
    /// Under which it is known in the database.
    package var worker: String
    /// Real-time URLs are this and `/realtime/` and a token.
    package var publicOrigin: String
    package var loadOrigin: String
    package var loadAuthoritiesFile: String?
    /// Apps of one tenant that are worked on at one time, over all processes.
    package var leasesOfTenant: Int32
    package var limits = SyncLimits()
    package var policy = SyncPolicy.sound
    /// Every commit begins it anew. Longer than a call to Apple may take.
    package var lease: Duration = .seconds(30)
    /// A call is not sent later than this after its beginning was written down: whoever was frozen
    /// in between may not be alone any more. With the longest call it is less than a lease.
    package var sendingLimit: Duration = .seconds(5)
    /// How long one app is worked on before others have their turn.
    package var slice: Duration = .seconds(2)
    /// Until it is looked at again what waits for responders to take a snapshot in.
    package var acknowledgementWait: Duration = .seconds(2)
    package var leastWait: Duration = .milliseconds(200)
    package var mostWait: Duration = .seconds(6 * 3600)
    /// How long an hour of Apple's limits is: a simulator may count faster.
    package var hourMilliseconds: Int64 = 3_600_000
    package var breaker = HostBreakerLimits()
    package var performanceTest = PerformanceTestLimits()
    /// Called at each step with its name; what it throws ends the turn as a crash would.
    package var reached: @Sendable (SyncPoint) throws -> Void = { _ in }

    package init(worker: String, publicOrigin: String, leasesOfTenant: Int32 = 2) {
        self.worker = worker
        self.publicOrigin = publicOrigin
        loadOrigin = publicOrigin
        self.leasesOfTenant = leasesOfTenant
    }
}

/// Where a worker can be when it dies.
package enum SyncPoint: String, Sendable, CaseIterable {
    case claimed, loaded, marked, begun, sent, concluded, finishing, released
}
