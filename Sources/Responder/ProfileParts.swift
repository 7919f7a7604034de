internal import Postgres
internal import Retention
internal import RetentionStore
internal import Service

/// What is known of subscribers and budgets: look-up, memory, and the feeds that keep it fresh.
struct ProfileParts: Sendable {
    private let pool: Pool
    private let feed: ProfileFeed
    private let budgets: DiscountBudgets
    private let clock: Clock
    let sources: DecisionSources
    /// They need the database.
    let loops: [BackgroundLoop]

    init(
        _ settings: Settings, _ runtime: Runtime, _ store: RetentionStore, _ apps: ServedApps,
        _ metrics: ResponderMetrics
    ) throws {
        let (log, clock) = (runtime.log, runtime.clock)
        self.clock = clock
        pool = try Pool(settings.profilePool)
        let lookup = ProfileLookup(
            table: ProfileTable(mebibytes: settings.profileTableMebibytes),
            store: RetentionStore(pool: pool), limit: settings.profilePool.maximumConnections,
            metrics: metrics)
        let feed = ProfileFeed(
            store: store, table: lookup.table, apps: apps, stop: runtime.stop, log: log,
            metrics: metrics)
        self.feed = feed
        let budgets = DiscountBudgets(store: store)
        self.budgets = budgets
        sources = DecisionSources(lookup: lookup, budgets: budgets, feed: feed)
        loops = [
            BackgroundLoop("profiles", every: ProfileFeed.interval, log: log) { try feed.run() },
            BackgroundLoop("budgets", every: DiscountBudgets.interval, log: log) {
                try budgets.poll(at: Instant(milliseconds: clock.now()))
            },
        ]
        runtime.metrics.gauge(
            "holdfast_profile_feed_age_seconds",
            "How old profiles in memory may be; NaN before the first look."
        ) { feed.ageSeconds ?? .nan }
    }

    /// Once the database is usable, before the loops run.
    func begin() throws {
        // So that the first look-up does not spend its time on a connection; without the database
        // it does, or is not made.
        try? pool.warmUp()
        try budgets.poll(at: Instant(milliseconds: clock.now()))
    }

    var delaysReadiness: Bool { feed.delaysReadiness }

    func close() { pool.close() }
}
