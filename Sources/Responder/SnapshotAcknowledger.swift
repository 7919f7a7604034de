package import Retention
package import RetentionStore
internal import Synchronization

/// Tells the database which snapshots this responder serves, so that whoever deletes an old text at
/// Apple knows that nobody names it any more. What is told is what is in use, not what was offered:
/// a snapshot that was refused is not among it.
package final class SnapshotAcknowledger: Sendable {
    /// With each sign of life all is said again, so that a restored database learns it too.
    package static let heartbeat: Duration = .seconds(10)

    private struct Told: Sendable {
        var served: Set<SnapshotHead> = []
        var at: ContinuousClock.Instant?
    }

    private let store: RetentionStore
    private let apps: ServedApps
    private let name: String
    private let now: @Sendable () -> Instant
    private let told = Mutex(Told())

    /// - Parameter now: real time.
    package init(
        store: RetentionStore, apps: ServedApps, name: String,
        now: @escaping @Sendable () -> Instant
    ) {
        self.store = store
        self.apps = apps
        self.name = name
        self.now = now
    }

    /// Says what is new since the last time; nothing where nothing is, until a heartbeat is due.
    package func acknowledge() throws {
        // Held meanwhile: of two that speak at once the later word must be the newer one.
        try told.withLock { told in
            let served = Set(apps.heads)
            let isDue = told.at.map { $0.duration(to: .now) >= Self.heartbeat } ?? true
            let news = isDue ? served : served.subtracting(told.served)
            guard isDue || !news.isEmpty else { return }
            try store.acknowledge(.routing, Array(news), by: name, at: now())
            told = Told(served: served, at: isDue ? .now : told.at)
        }
    }
}
