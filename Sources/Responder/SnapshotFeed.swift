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
    let store: RetentionStore
    private let apps: ServedApps
    private let platformKey: PrivateKey?
    private let log: Log
    private let metrics: ResponderMetrics
    private let files: SnapshotFiles?
    private let age: ServingAge
    /// Held while what is served is exchanged: the disk never takes the place of the database.
    private let serving = Mutex(Serving.nothing)
    private let refusals = Mutex<[AppPlace: String]>([:])

    private enum Serving {
        case nothing
        case disk
        /// The whole list was read at least once.
        case database
    }

    /// A body too slow or unreadable is its app's trouble; a lost connection is everybody's.
    private static let concernsOneBody: [PostgresError.Code] = [
        .deadlineExceeded, .server, .decoding,
    ]

    package init(
        store: RetentionStore, apps: ServedApps, platformKey: PrivateKey?, log: Log,
        metrics: ResponderMetrics, files: SnapshotFiles? = nil, age: ServingAge = ServingAge()
    ) {
        self.store = store
        self.apps = apps
        self.platformKey = platformKey
        self.log = log
        self.metrics = metrics
        self.files = files
        self.age = age
    }

    /// Whether there is something to answer from: the whole list was read at least once, or the
    /// disk had some of it.
    package var hasSnapshots: Bool { serving.withLock { $0 != .nothing } }

    /// One look. Throws where the database cannot be read; nothing has changed then.
    package func poll() throws {
        let (moment, lookedAt) = (age.moment, files?.moment())
        let heads = try store.snapshotHeads(.routing)
        var newer: [ServedApp] = []
        var taken: [SnapshotBody] = []
        var refused: [AppPlace: String] = [:]
        for head in heads {
            do {
                guard let stored = try load(head) else { continue }
                newer.append(try serve(stored, from: "database"))
                if files != nil { taken.append(stored) }
            } catch let error as SnapshotError {
                refused[head.place] = refuse(head, error.code.rawValue, "\(error)")
                if let app = lastGood(head) { newer.append(app) }
            } catch let error as PostgresError where Self.concernsOneBody.contains(error.code) {
                refused[head.place] = refuse(head, error.code.rawValue, "\(error)")
                if let app = lastGood(head) { newer.append(app) }
            }
        }
        refusals.withLock { $0 = refused }
        serving.withLock { serving in
            apps.update(with: newer, keeping: heads)
            age.looked(at: moment)
            serving = .database
        }
        metrics.snapshotsServed.set(Double(apps.count))
        if let lookedAt { files?.note(taken, live: heads, lookedAt: lookedAt) }
    }

    /// Serves from the disk, where the database was not read yet. A file that is damaged is told
    /// and left out.
    ///
    /// - Returns: whether there is something to serve.
    package func restore() -> Bool {
        guard let files else { return hasSnapshots }
        let found: SnapshotFiles.Found
        do {
            found = try files.read()
        } catch {
            log.error("snapshot_file_refused", [("error", .string("\(error)"))])
            return hasSnapshots
        }
        for (file, reason) in found.refused { refuse(file, reason) }
        var served: [ServedApp] = []
        for stored in found.snapshots {
            do {
                served.append(try serve(stored, from: "disk"))
            } catch {
                refuse("\(error)", error.code.rawValue)
            }
        }
        guard !served.isEmpty else { return hasSnapshots }
        serving.withLock { serving in
            guard serving == .nothing else { return }
            apps.update(with: served, keeping: served.map(\.head))
            age.restored(age: found.age)
            serving = .disk
        }
        metrics.snapshotsServed.set(Double(apps.count))
        return true
    }

    /// From before the start: an app whose newest snapshot is refused is answered as before.
    private func lastGood(_ head: SnapshotHead) -> ServedApp? {
        guard apps.find(head) == nil, let stored = files?.find(head),
            stored.head.number <= head.number
        else { return nil }
        return try? serve(stored, from: "disk")
    }

    private func refuse(_ file: String, _ reason: String) {
        metrics.snapshotRefused.add(1, reason)
        log.error(
            "snapshot_file_refused", [("file", .string(file)), ("error", .string(reason))])
    }

    /// Counted and told once: a snapshot that stays refused is met at every poll.
    ///
    /// - Returns: what was refused and why.
    private func refuse(_ head: SnapshotHead, _ code: String, _ error: String) -> String {
        let refusal = "\(head.number) \(code)"
        guard refusals.withLock({ $0[head.place] }) != refusal else { return refusal }
        metrics.snapshotRefused.add(1, code)
        log.error("snapshot_refused", fields(head, error))
        return refusal
    }

    /// `nil` where it is served already.
    private func load(_ head: SnapshotHead) throws -> SnapshotBody? {
        if let current = apps.find(head) {
            guard head.number != current.snapshot.number else { return nil }
            guard head.number > current.snapshot.number else {
                throw SnapshotError(code: .older, head: head)
            }
        }
        return try store.snapshotBody(.routing, head)
    }

    private func serve(
        _ stored: SnapshotBody, from source: String
    ) throws(SnapshotError) -> ServedApp {
        let (snapshot, head) = (try stored.checked(), stored.head)
        log.info(
            "snapshot_taken_in",
            [
                ("tenant", .string(head.tenant.description)),
                ("app", .string(head.key.app.description)),
                ("environment", .string(head.key.environment.rawValue)),
                ("number", LogValue(head.number)), ("from", .string(source)),
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
