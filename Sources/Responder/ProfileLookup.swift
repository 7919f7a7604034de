internal import Postgres
package import Retention
package import RetentionStore
package import Service
internal import Synchronization

/// What is kept of a subscriber: from memory, else by one bounded look-up.
///
///     find ── table ──hit──────────────────────────────> memory
///               │ miss
///               └─ gate ── one function call, 25 ms ───> database, absent
///                    └── too many at once, breaker ────> unavailable (also on every error)
///
/// The database is asked before the request's signature is checked and its answer awaited after
/// that, so that a look-up costs an answer what it takes longer than the check. Whoever forges
/// requests must not make us ask so: while some come, the signature is checked first.
///
/// Never throws and never takes longer than its budget: an answer without a profile is better than
/// none in time.
package final class ProfileLookup: Sendable {
    /// From the question to the answer, with a new connection where one is needed.
    package static let budget: Duration = .milliseconds(25)

    /// The table holds more of this process's memory than any other part.
    package let table: ProfileTable
    package let gate: LookupGate
    private let store: RetentionStore
    private let budget: Duration
    private let metrics: ResponderMetrics
    private let forethought: Forethought

    /// - Parameters:
    ///   - store: on a pool of its own, of as many connections as `limit`, so that nobody waits
    ///     for one, and with a connect timeout of `budget`.
    ///   - limit: how many may ask at once: below the number of threads that answer.
    package init(
        table: ProfileTable, store: RetentionStore, limit: Int, metrics: ResponderMetrics,
        budget: Duration = ProfileLookup.budget,
        uptime: Clock = .uptime
    ) {
        self.table = table
        self.store = store
        self.budget = budget
        self.metrics = metrics
        gate = LookupGate(limit: limit, now: { .milliseconds(uptime.now()) })
        forethought = Forethought(uptime: uptime)
    }

    /// - Parameters:
    ///   - mayAskDatabase: false under load, where memory alone has to do.
    ///   - isGenuine: checks the signature of the request that the subscriber stands in, when it
    ///     is first asked. What is found for one that is not genuine is `unavailable`.
    package func find(
        tenant: TenantID, key: AppEnvironment, originalTransactionId: String,
        mayAskDatabase: Bool = true, isGenuine: () -> Bool = { true }
    ) -> (ProfileReading, ProfileSource) {
        let subscriber = SubscriberKey(
            tenant: tenant, key: key, originalTransactionId: originalTransactionId)
        // One that is too long for the table is asked for every time.
        let place = ProfileKey(subscriber)
        if let place, let known = table.find(place) {
            metrics.profileHits.add()
            return (known, known == .absent ? .absent : .memory)
        }
        guard forethought.isAllowed || isGenuine() else { return forged() }
        metrics.profileMisses.add()
        guard mayAskDatabase else { return unavailable("overload") }
        do {
            return ask(subscriber, place, try gate.enter(), isGenuine)
        } catch {
            return unavailable(error.rawValue)
        }
    }

    private func forged() -> (ProfileReading, ProfileSource) {
        forethought.pause()
        return (.unavailable, .unavailable)
    }

    private func ask(
        _ subscriber: SubscriberKey, _ place: ProfileKey?, _ ticket: LookupGate.Ticket,
        _ isGenuine: () -> Bool
    ) -> (ProfileReading, ProfileSource) {
        let start = ContinuousClock.now
        defer { metrics.profileSeconds.observe(ContinuousClock.now - start) }
        let version = place.map { table.version(for: $0) } ?? 0
        do {
            let reading = try store.profile(
                .routing, of: subscriber,
                within: { [budget] in budget - (ContinuousClock.now - start) },
                meanwhile: { _ = isGenuine() })
            gate.leave(ticket, failed: false)
            guard isGenuine() else { return forged() }
            if let place { table.put(place, reading, since: version) }
            return (reading, reading == .absent ? .absent : .database)
        } catch {
            gate.leave(ticket, failed: true)
            guard isGenuine() else { return forged() }
            return unavailable((error as? PostgresError)?.code.rawValue ?? "failed")
        }
    }

    private func unavailable(_ reason: String) -> (ProfileReading, ProfileSource) {
        metrics.profileUnavailable.add(1, reason)
        return (.unavailable, .unavailable)
    }
}

/// Whether the database may be asked for a request whose signature was not checked yet: not for a
/// while after one was found wrong. So a forger who knows a URL costs us as many look-ups in that
/// time as may be in flight at once, and no more than the signature's check otherwise.
final class Forethought: Sendable {
    static let pauseMilliseconds: Int64 = 10_000

    private let uptime: Clock
    private let allowedFrom = Atomic<Int64>(Int64.min)

    init(uptime: Clock) { self.uptime = uptime }

    var isAllowed: Bool { uptime.now() >= allowedFrom.load(ordering: .relaxed) }

    func pause() {
        allowedFrom.store(uptime.now() + Self.pauseMilliseconds, ordering: .relaxed)
    }
}
