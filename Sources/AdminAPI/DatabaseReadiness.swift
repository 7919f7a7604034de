internal import Postgres
internal import Service
internal import Synchronization

/// Whether the database answers: without it the gateway can answer nobody. Asked in the background,
/// so that a probe never waits.
final class DatabaseReadiness: Sendable {
    private let pool: Pool
    private let reason = Mutex<String?>("the database was not asked yet")

    init(pool: Pool) { self.pool = pool }

    var current: Readiness {
        Readiness(reasons: reason.withLock { $0 }.map { [$0] } ?? [])
    }

    func look() {
        do {
            try pool.withConnection { _ = try $0.query("select 1") }
            reason.withLock { $0 = nil }
        } catch {
            reason.withLock { $0 = "the database does not answer" }
        }
    }
}
