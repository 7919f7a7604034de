internal import Retention
package import RetentionStore
package import Service
internal import Synchronization

/// Keeps the table in memory up to date: filled at the start, then told what changed.
///
///     place in the log ──> fill, app by app, while there is room ──> changes ──> changes …
///            ^                                                          │
///            └──────────────── a gap: everything is forgotten ──────────┘
///
/// The place is taken before the first profile is read, so a change made meanwhile comes after. All
/// of it is one thread's. Without its database the table stays as it is.
package final class ProfileFeed: Sendable {
    /// Between two looks for changes.
    package static let interval: Duration = .seconds(1)
    /// How long an unfinished filling may keep the responder from saying that it is ready.
    package static let readinessLimit: Duration = .seconds(10)
    /// How long the filling may go on in all; what is missing then is looked up when asked for.
    package static let fillLimit: Duration = .seconds(600)
    private static let changesPerPage: Int32 = 2_000
    private static let profilesPerPage: Int32 = 1_000

    private struct State {
        var place: ProfileChangePlace?
        /// What is left to be read in, in turns; nil before the first place is known.
        var filling: [Filling]?
        var fillStarted = ContinuousClock.now
        /// Up to when changes are known to be read.
        var lastRead: ContinuousClock.Instant?
        var evictionsTold: UInt64 = 0
    }

    private struct Filling {
        let head: SnapshotHead
        var below: String?
    }

    private let store: RetentionStore
    private let table: ProfileTable
    private let apps: ServedApps
    private let log: Log
    private let metrics: ResponderMetrics
    private let stop: StopSignal
    private let made = ContinuousClock.now
    private let state = Mutex(State())

    package init(
        store: RetentionStore, table: ProfileTable, apps: ServedApps, stop: StopSignal, log: Log,
        metrics: ResponderMetrics
    ) {
        self.store = store
        self.table = table
        self.apps = apps
        self.stop = stop
        self.log = log
        self.metrics = metrics
    }

    /// Whether the first filling still goes on and may be waited for.
    package var delaysReadiness: Bool {
        guard ContinuousClock.now - made < Self.readinessLimit else { return false }
        return state.withLock { $0.filling?.isEmpty != true }
    }

    package var hasFilled: Bool { state.withLock { $0.filling?.isEmpty == true } }

    /// One round: all changes until now, and in between what is left of the filling. Throws where
    /// the database cannot be read; the table is as it was then, or further.
    package func run() throws {
        defer { count() }
        repeat {
            try readChanges()
            try fill(for: Self.interval)
        } while !hasFilled && !stop.isRequested
    }

    // MARK: - Changes

    private func readChanges() throws {
        while !stop.isRequested {
            let place = state.withLock { $0.place }
            let changes = try store.profileChanges(
                .routing, since: place, limit: Self.changesPerPage)
            if place == nil || changes.hasGap {
                begin(at: changes.next, isAnew: place != nil)
                return
            }
            take(changes.readings)
            state.withLock { state in
                state.place = changes.next
                if !changes.hasMore { state.lastRead = .now - changes.heldBack }
            }
            guard changes.hasMore else { return }
        }
    }

    private func begin(at place: ProfileChangePlace, isAnew: Bool) {
        if isAnew {
            log.warning("profile_changes_missed", [("entries", LogValue(table.counts.entries))])
        }
        // Also at the very first: requests may have looked subscribers up before there was a place,
        // and what changed between the two is told by nobody.
        table.removeAll()
        let heads = apps.heads
        state.withLock { state in
            state.place = place
            state.filling = heads.map { Filling(head: $0, below: nil) }
            state.fillStarted = .now
            state.lastRead = .now
        }
    }

    /// Of apps that are not served here nothing is added.
    private func take(_ readings: [SubscriberReading]) {
        guard !readings.isEmpty else { return }
        let served = Set(apps.heads.map(\.place))
        for reading in readings {
            guard let key = ProfileKey(reading.subscriber) else { continue }
            let mayAdd = served.contains(reading.subscriber.place)
            table.change(key, to: reading.reading, mayAdd: mayAdd)
        }
        metrics.profileChanges.add(UInt64(readings.count))
    }

    // MARK: - Filling

    /// A page of each app in turn, so that a large one leaves room for the others.
    private func fill(for limit: Duration) throws {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, !stop.isRequested {
            let (next, started) = state.withLock { ($0.filling?.first, $0.fillStarted) }
            guard var filling = next else { return }
            guard ContinuousClock.now - started < Self.fillLimit else { return endFilling() }
            let page = try store.recentProfiles(
                .routing, of: filling.head.tenant, at: filling.head.key, below: filling.below,
                limit: Self.profilesPerPage)
            for reading in page {
                guard let key = ProfileKey(reading.subscriber) else { continue }
                guard table.add(key, reading.reading) else { return endFilling() }
            }
            filling.below = page.last?.subscriber.originalTransactionId
            let isLast = page.count < Int(Self.profilesPerPage)
            state.withLock { state in
                state.filling?.removeFirst()
                if !isLast { state.filling?.append(filling) }
            }
            if hasFilled { endFilling() }
        }
    }

    private func endFilling() {
        state.withLock { $0.filling = [] }
        log.info("profiles_in_memory", [("entries", LogValue(table.counts.entries))])
    }

    // MARK: - Metrics

    /// How old memory may be, in seconds; nil before the first look.
    package var ageSeconds: Double? { age.map { $0 / .seconds(1) } }

    /// The same for each answer.
    package var age: Duration? { state.withLock { $0.lastRead }.map { .now - $0 } }

    private func count() {
        let counts = table.counts
        metrics.profileEntries.set(Double(counts.entries))
        metrics.profileBytes.set(Double(counts.bytes))
        let told = state.withLock { state in
            defer { state.evictionsTold = counts.evictions }
            return state.evictionsTold
        }
        metrics.profileEvictions.add(counts.evictions &- told)
    }
}
