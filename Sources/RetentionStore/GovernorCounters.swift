// Table: governor_counter. What each subscriber was given, for the limits on offers.
internal import Postgres
package import Retention

/// Counters and whose they are, on their way into the store.
package struct NewGovernorCounters: Equatable, Sendable {
    package let originalTransactionId: String
    package let counters: GovernorCounters

    package init(originalTransactionId: String, counters: GovernorCounters) {
        self.originalTransactionId = originalTransactionId
        self.counters = counters
    }
}

extension TenantTransaction {
    package func upsertGovernorCounters(
        _ counters: GovernorCounters, of originalTransactionId: String, at key: AppEnvironment
    ) throws {
        try upsertGovernorCounters(
            [NewGovernorCounters(originalTransactionId: originalTransactionId, counters: counters)],
            at: key)
    }

    /// The same for many, in one statement. Each subscriber may occur once.
    ///
    /// - Returns: how many were written; those that say the same already are passed over.
    @discardableResult
    package func upsertGovernorCounters(
        _ counters: [NewGovernorCounters], at key: AppEnvironment
    ) throws -> Int {
        // Sorted, so that two writers of the same rows do not wait for each other.
        let sorted = counters.sorted {
            $0.originalTransactionId.utf8.lexicographicallyPrecedes($1.originalTransactionId.utf8)
        }
        let lastOffers = sorted.map { new in
            new.counters.lastOfferAt.map { Timestamp(milliseconds: $0.milliseconds) }
        }
        return try connection.query(
            """
            insert into holdfast.governor_counter as c (tenant_id, app_id, environment,
              original_transaction_id, offers_taken, last_offer_at, escalation_level)
            select \(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), *
            from unnest(\(sorted.map(\.originalTransactionId)),
              \(sorted.map(\.counters.offersTaken)), \(lastOffers),
              \(sorted.map(\.counters.escalationLevel)))
            on conflict (tenant_id, app_id, environment, original_transaction_id)
              do update set offers_taken = excluded.offers_taken,
                last_offer_at = excluded.last_offer_at,
                escalation_level = excluded.escalation_level
              where (c.offers_taken, c.last_offer_at, c.escalation_level) is distinct from
                (excluded.offers_taken, excluded.last_offer_at, excluded.escalation_level)
            """
        ).affected
    }

    package func findGovernorCounters(
        of originalTransactionId: String, at key: AppEnvironment
    ) throws -> GovernorCounters? {
        let rows = try connection.query(
            """
            select offers_taken, last_offer_at, escalation_level from holdfast.governor_counter
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and original_transaction_id = \(originalTransactionId)
            """)
        return try rows.first?.optionalCounters()
    }

    /// Sets a subscriber's counters back, and leaves the profile.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package func deleteGovernorCounters(
        of originalTransactionId: String, at key: AppEnvironment
    ) throws -> Bool {
        try connection.query(
            """
            delete from holdfast.governor_counter
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and original_transaction_id = \(originalTransactionId)
            """
        ).affected > 0
    }
}

extension Row {
    func optionalCounters() throws -> GovernorCounters? {
        guard let offersTaken = try decode(Int32?.self, "offers_taken") else { return nil }
        return GovernorCounters(
            offersTaken: offersTaken, lastOfferAt: try optionalInstant("last_offer_at"),
            escalationLevel: try decode("escalation_level"))
    }
}
