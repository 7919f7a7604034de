internal import AppStore
internal import FoundationEssentials
internal import Postgres
internal import Retention
package import RetentionStore
package import Service
package import Signing
internal import Synchronization

/// Looks for newer snapshots and takes them in.
///
/// A snapshot that is missing, corrupt, of another app or older than the one in use is refused and
/// the one in use stays: a wrong answer is worse than an old one. One app's fault holds up no
/// other.
package final class SnapshotFeed: Sendable {
    private let store: RetentionStore
    private let apps: ServedApps
    private let platformKey: PrivateKey?
    private let log: Log
    private let metrics: ResponderMetrics
    private let polled = Mutex(false)
    private let refusals = Mutex<[Refused: String]>([:])

    private struct Refused: Hashable {
        let tenant: TenantID
        let key: AppEnvironment

        init(_ head: SnapshotHead) {
            tenant = head.tenant
            key = head.key
        }
    }

    /// A body too slow or unreadable is its app's trouble; a lost connection is everybody's.
    private static let concernsOneBody: [PostgresError.Code] = [
        .deadlineExceeded, .server, .decoding,
    ]

    package init(
        store: RetentionStore, apps: ServedApps, platformKey: PrivateKey?, log: Log,
        metrics: ResponderMetrics
    ) {
        self.store = store
        self.apps = apps
        self.platformKey = platformKey
        self.log = log
        self.metrics = metrics
    }

    /// Whether the whole list was read at least once.
    package var hasPolled: Bool { polled.withLock { $0 } }

    /// One look. Throws where the database cannot be read; nothing has changed then.
    package func poll() throws {
        let heads = try store.snapshotHeads(.routing)
        var newer: [ServedApp] = []
        var refused: [Refused: String] = [:]
        for head in heads {
            do {
                if let app = try load(head) { newer.append(app) }
            } catch let error as SnapshotError {
                refused[Refused(head)] = refuse(head, error.code.rawValue, "\(error)")
            } catch let error as PostgresError where Self.concernsOneBody.contains(error.code) {
                refused[Refused(head)] = refuse(head, error.code.rawValue, "\(error)")
            }
        }
        refusals.withLock { $0 = refused }
        apps.update(with: newer, keeping: heads)
        metrics.snapshotsServed.set(Double(apps.count))
        polled.withLock { $0 = true }
    }

    /// Counted and told once: a snapshot that stays refused is met at every poll.
    ///
    /// - Returns: what was refused and why.
    private func refuse(_ head: SnapshotHead, _ code: String, _ error: String) -> String {
        let refusal = "\(head.number) \(code)"
        guard refusals.withLock({ $0[Refused(head)] }) != refusal else { return refusal }
        metrics.snapshotRefused.add(1, code)
        log.error("snapshot_refused", fields(head, error))
        return refusal
    }

    private func load(_ head: SnapshotHead) throws -> ServedApp? {
        if let current = apps.find(head) {
            guard head.number != current.snapshot.number else { return nil }
            guard head.number > current.snapshot.number else {
                throw SnapshotError(code: .older, head: head)
            }
        }
        let snapshot = try store.snapshot(.routing, head)
        log.info(
            "snapshot_taken_in",
            [
                ("tenant", .string(head.tenant.description)),
                ("app", .string(head.key.app.description)),
                ("environment", .string(head.key.environment.rawValue)),
                ("number", LogValue(head.number)),
            ])
        return ServedApp(snapshot, offerSigner: offerSigner(for: snapshot, head))
    }

    /// The app's key, opened. It lives in this process's memory only.
    private func offerSigner(for snapshot: Snapshot, _ head: SnapshotHead) -> OfferSigner? {
        guard let sealed = snapshot.signingKey, let platformKey else { return nil }
        do {
            return try OfferSigner(
                issuerId: sealed.issuerId, keyId: sealed.keyId, bundleId: snapshot.bundleId,
                key: sealed.opened(
                    with: platformKey, tenant: snapshot.tenant, app: snapshot.app))
        } catch {
            metrics.keyRefused.add()
            log.error("signing_key_refused", fields(head, error.code.rawValue))
            return nil
        }
    }

    private func fields(_ head: SnapshotHead, _ error: String) -> [(String, LogValue)] {
        [
            ("tenant", .string(head.tenant.description)),
            ("app", .string(head.key.app.description)), ("error", .string(error)),
        ]
    }
}
