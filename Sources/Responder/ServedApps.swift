package import AppStore
internal import FoundationEssentials
package import Locales
package import Retention
package import RetentionStore
internal import Signing
internal import Synchronization

/// One app in one environment as it is answered from: immutable, replaced as a whole.
package final class ServedApp: Sendable {
    package let serving: ServingSnapshot
    package let matcher: LocaleMatcher
    /// `nil` where the app has no key, or one that does not open: its offers are not answered then.
    package let offerSigner: OfferSigner?

    package var snapshot: Snapshot { serving.snapshot }

    package init(_ snapshot: Snapshot, offerSigner: OfferSigner?) {
        serving = ServingSnapshot(snapshot)
        matcher = LocaleMatcher(supported: serving.locales)
        self.offerSigner = offerSigner
    }

    package var head: SnapshotHead {
        SnapshotHead(
            tenant: snapshot.tenant,
            key: AppEnvironment(app: snapshot.app, environment: snapshot.environment),
            number: snapshot.number)
    }
}

/// Who is served, by the hash of the token in the URL. Readers take a reference under a short lock;
/// the feed swaps a whole new table in.
package final class ServedApps: Sendable {
    private struct Table {
        var byPlace: [AppPlace: ServedApp] = [:]
        var byToken: [[UInt8]: ServedApp] = [:]
    }

    private let table = Mutex(Table())

    package init() {}

    /// The app whose endpoint the token is; `nil` for nobody's.
    package func find(token: [UInt8]) -> ServedApp? {
        let hash = SHA256.digest(token)
        return table.withLock { $0.byToken[hash] }
    }

    package func find(_ head: SnapshotHead) -> ServedApp? {
        table.withLock { $0.byPlace[head.place] }
    }

    /// What is served now.
    package var heads: [SnapshotHead] { table.withLock { $0.byPlace.values.map(\.head) } }

    package var count: Int { table.withLock { $0.byPlace.count } }

    /// Takes in newer snapshots, and drops every app that is not among `heads` any more.
    package func update(with newer: [ServedApp], keeping heads: [SnapshotHead]) {
        let live = Set(heads.map(\.place))
        table.withLock { table in
            var byPlace = table.byPlace.filter { live.contains($0.key) }
            for app in newer { byPlace[app.head.place] = app }
            table = Table(byPlace: byPlace, byToken: Self.tokens(of: byPlace.values))
        }
    }

    /// A token is 256 random bits; one that two apps claim is a fault, and neither may then have
    /// the other's subscribers.
    private static func tokens(of apps: some Collection<ServedApp>) -> [[UInt8]: ServedApp] {
        let claims = apps.flatMap { app in
            Set(app.snapshot.endpointTokenHashes).map { (Array($0), app) }
        }
        return Dictionary(grouping: claims, by: \.0).compactMapValues { claimants in
            claimants.count == 1 ? claimants[0].1 : nil
        }
    }
}
