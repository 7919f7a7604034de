internal import Postgres
package import Retention
package import RetentionStore
package import Service

/// What is kept of a subscriber: from memory, else by one bounded look-up.
///
///     find ── table ──hit──────────────────────────────> memory
///               │ miss
///               └─ gate ── one function call, 25 ms ───> database, absent
///                    └── too many at once, breaker ────> unavailable (also on every error)
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
    }

    /// - Parameter mayAskDatabase: false under load, where memory alone has to do.
    package func find(
        tenant: TenantID, key: AppEnvironment, originalTransactionId: String,
        mayAskDatabase: Bool = true
    ) -> (ProfileReading, ProfileSource) {
        let subscriber = SubscriberKey(
            tenant: tenant, key: key, originalTransactionId: originalTransactionId)
        // One that is too long for the table is asked for every time.
        let place = ProfileKey(subscriber)
        if let place, let known = table.find(place) {
            metrics.profileHits.add()
            return (known, known == .absent ? .absent : .memory)
        }
        metrics.profileMisses.add()
        guard mayAskDatabase else { return unavailable("overload") }
        do {
            return ask(subscriber, place, try gate.enter())
        } catch {
            return unavailable(error.rawValue)
        }
    }

    private func ask(
        _ subscriber: SubscriberKey, _ place: ProfileKey?, _ ticket: LookupGate.Ticket
    ) -> (ProfileReading, ProfileSource) {
        let start = ContinuousClock.now
        defer { metrics.profileSeconds.observe(ContinuousClock.now - start) }
        let version = place.map { table.version(for: $0) } ?? 0
        do {
            let reading = try store.profile(.routing, of: subscriber) { [budget] in
                budget - (ContinuousClock.now - start)
            }
            gate.leave(ticket, failed: false)
            if let place { table.put(place, reading, since: version) }
            return (reading, reading == .absent ? .absent : .database)
        } catch {
            gate.leave(ticket, failed: true)
            return unavailable((error as? PostgresError)?.code.rawValue ?? "failed")
        }
    }

    private func unavailable(_ reason: String) -> (ProfileReading, ProfileSource) {
        metrics.profileUnavailable.add(1, reason)
        return (.unavailable, .unavailable)
    }
}
