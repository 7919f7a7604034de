package import Postgres
package import Service
internal import Synchronization

/// Whether the database answers, for services that can do nothing without it. Asked in the
/// background, so that a probe never waits.
package final class DatabaseReadiness: Sendable {
    private let pool: Pool
    private let reason = Mutex<String?>("the database was not asked yet")

    package init(pool: Pool) { self.pool = pool }

    package var current: Readiness {
        Readiness(reasons: reason.withLock { $0 }.map { [$0] } ?? [])
    }

    package func look() {
        do {
            try pool.withConnection { _ = try $0.query("select 1") }
            reason.withLock { $0 = nil }
        } catch {
            reason.withLock { $0 = "the database does not answer" }
        }
    }
}
