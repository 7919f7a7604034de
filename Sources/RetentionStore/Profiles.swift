// Table: profile. What is known of each subscriber, in a compact form that is opaque here.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// A profile as it is kept.
package struct StoredProfile: Equatable, Sendable {
    /// In bytes; 1 at least, which is the version.
    package static let bodyLimit = SubscriberProfile.bodyBytes.upperBound

    package let body: [UInt8]
    /// Up to when what is known went into it.
    package let asOf: Instant

    package init(body: [UInt8], asOf: Instant) {
        self.body = body
        self.asOf = asOf
    }
}

/// A profile and whose it is, on its way into the store.
package struct NewProfile: Equatable, Sendable {
    package let originalTransactionId: String
    package let profile: StoredProfile

    package init(originalTransactionId: String, profile: StoredProfile) {
        self.originalTransactionId = originalTransactionId
        self.profile = profile
    }
}

/// What a look-up came to.
package enum ProfileReading: Equatable, Sendable {
    /// Something is kept; a profile and counters, each of which may be missing by itself.
    case found(StoredProfile?, GovernorCounters)
    /// Nothing is kept of this subscriber.
    case absent
    /// Nobody knows: the look-up did not come back in time, or was not made.
    case unavailable
}

extension KnownSubscriber {
    /// A profile of a form that this build does not read is as good as none; the counters stand.
    package init(_ reading: ProfileReading) {
        switch reading {
        case .absent: self = .absent
        case .unavailable: self = .unavailable
        case .found(let stored, let counters):
            let profile = stored.flatMap { KeptProfile(body: $0.body) }
            self = .known(profile, asOf: stored?.asOf, counters)
        }
    }
}

/// Where a reading came from, as a decision's record says it.
package enum ProfileSource: String, Sendable, CaseIterable {
    case notNeeded, memory, database, absent, unavailable
}

extension TenantTransaction {
    /// What is kept of one subscriber, as a responder would be told it.
    package func findSubscriber(
        _ originalTransactionId: String, at key: AppEnvironment
    ) throws -> KnownSubscriber {
        let profile = try findProfile(of: originalTransactionId, at: key)
        let counters = try findGovernorCounters(of: originalTransactionId, at: key)
        if profile == nil && counters == nil { return KnownSubscriber(.absent) }
        return KnownSubscriber(.found(profile, counters ?? .zero))
    }

    /// Keeps a subscriber's profile, unless a newer one is kept.
    package func upsertProfile(
        _ profile: StoredProfile, of originalTransactionId: String, at key: AppEnvironment
    ) throws {
        try upsertProfiles(
            [NewProfile(originalTransactionId: originalTransactionId, profile: profile)], at: key)
    }

    /// The same for many, in one statement. Each subscriber may occur once.
    ///
    /// - Returns: how many were written: those that are kept already, or newer, are passed over.
    @discardableResult
    package func upsertProfiles(_ profiles: [NewProfile], at key: AppEnvironment) throws -> Int {
        try connection.query(upsertQuery(profiles, at: key)).affected
    }

    func upsertQuery(_ profiles: [NewProfile], at key: AppEnvironment) -> Query {
        // Sorted, so that two writers of the same rows do not wait for each other.
        let sorted = profiles.sorted {
            $0.originalTransactionId.utf8.lexicographicallyPrecedes($1.originalTransactionId.utf8)
        }
        return """
            insert into holdfast.profile as p (tenant_id, app_id, environment,
              original_transaction_id, body, as_of)
            select \(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), *
            from unnest(\(sorted.map(\.originalTransactionId)), \(sorted.map(\.profile.body)),
              \(sorted.map { Timestamp(milliseconds: $0.profile.asOf.milliseconds) }))
            on conflict (tenant_id, app_id, environment, original_transaction_id)
              do update set body = excluded.body, as_of = excluded.as_of
              where (p.as_of, p.body) < (excluded.as_of, excluded.body)
            """
    }

    package func findProfile(
        of originalTransactionId: String, at key: AppEnvironment
    ) throws -> StoredProfile? {
        let rows = try connection.query(
            """
            select body, as_of from holdfast.profile
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and original_transaction_id = \(originalTransactionId)
            """)
        return try rows.first?.optionalProfile()
    }

    /// Forgets a subscriber: profile and counters.
    ///
    /// - Returns: whether there was anything.
    @discardableResult
    package func deleteSubscriber(
        _ originalTransactionId: String, at key: AppEnvironment
    ) throws -> Bool {
        let profiles = try connection.query(
            """
            delete from holdfast.profile
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and original_transaction_id = \(originalTransactionId)
            """
        ).affected
        let counters = try connection.query(
            """
            delete from holdfast.governor_counter
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and original_transaction_id = \(originalTransactionId)
            """
        ).affected
        return profiles + counters > 0
    }

    package func countProfiles(at key: AppEnvironment) throws -> Int64 {
        let rows = try connection.query(
            """
            select count(*) as count from holdfast.profile
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        return try rows.first?.decode("count") ?? 0
    }
}

// MARK: - What the responder reads

/// Whose row it is, over all tenants.
package struct SubscriberKey: Hashable, Sendable {
    package let tenant: TenantID
    package let key: AppEnvironment
    package let originalTransactionId: String

    package init(tenant: TenantID, key: AppEnvironment, originalTransactionId: String) {
        self.tenant = tenant
        self.key = key
        self.originalTransactionId = originalTransactionId
    }

    package var place: AppPlace { AppPlace(tenant: tenant, key: key) }
}

/// What is kept of a subscriber: `found`, or `absent` where that is nothing any more.
package struct SubscriberReading: Equatable, Sendable {
    package let subscriber: SubscriberKey
    package let reading: ProfileReading
}

/// A place in the log of changes: everything up to it was read.
package struct ProfileChangePlace: Equatable, Sendable {
    let transaction: Int64
    let number: Int64
}

package struct ProfileChanges: Sendable {
    /// As they are now.
    package let readings: [SubscriberReading]
    package let next: ProfileChangePlace
    /// The page is full: there may be more at once.
    package let hasMore: Bool
    /// How long the oldest change that was made, and cannot be read yet, has waited for a
    /// transaction that still runs.
    package let heldBack: Duration
    /// Changes before `next` were forgotten unread: what was remembered is worthless.
    package let hasGap: Bool
}

extension RetentionStore {
    /// What is kept of one subscriber, in one statement.
    ///
    /// - Parameters:
    ///   - remaining: asked once there is a connection: how long the answer may take, on expiry the
    ///     connection is closed. The pool's query timeout where it says nothing.
    ///   - meanwhile: work for the time in which the database looks, as of `Connection.query`.
    /// - Returns: `found` or `absent`.
    package func profile(
        _ platform: PlatformScope, of subscriber: SubscriberKey,
        within remaining: () -> Duration? = { nil }, meanwhile: () -> Void = {}
    ) throws -> ProfileReading {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select body, as_of, offers_taken, last_offer_at, escalation_level
                from holdfast_hot.profile(\(subscriber.tenant.uuid), \(subscriber.key.app.uuid),
                  \(subscriber.key.environment.rawValue), \(subscriber.originalTransactionId))
                """, within: remaining(), meanwhile: meanwhile)
            return try rows.first?.profileReading() ?? .absent
        }
    }

    /// One page of an app's profiles with their counters, the youngest subscriptions first;
    /// `below` is the last one of the page before.
    package func recentProfiles(
        _ platform: PlatformScope, of tenant: TenantID, at key: AppEnvironment,
        below: String? = nil, limit: Int32
    ) throws -> [SubscriberReading] {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select original_transaction_id, body, as_of, offers_taken, last_offer_at,
                  escalation_level
                from holdfast_hot.recent_profiles(\(tenant.uuid), \(key.app.uuid),
                  \(key.environment.rawValue), \(below), \(limit))
                """)
            return try rows.map { row in
                SubscriberReading(
                    subscriber: SubscriberKey(
                        tenant: tenant, key: key,
                        originalTransactionId: try row.decode("original_transaction_id")),
                    reading: try row.profileReading())
            }
        }
    }

    /// What changed since `place`, at most `limit` changes; from now on where there is none yet.
    ///
    /// - Parameter limit: 1 to 10,000.
    package func profileChanges(
        _ platform: PlatformScope, since place: ProfileChangePlace?, limit: Int32
    ) throws -> ProfileChanges {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select tenant_id, app_id, environment, original_transaction_id, body, as_of,
                  offers_taken, last_offer_at, escalation_level, next_transaction, next_number,
                  has_more, has_gap, held_back_seconds
                from holdfast_hot.profile_changes(\(place?.transaction), \(place?.number),
                  \(limit))
                """)
            guard let first = rows.first else {
                throw StoreError(code: .notFound, message: "the log of changes has no end")
            }
            return ProfileChanges(
                readings: try rows.compactMap { try $0.subscriberReading() },
                next: ProfileChangePlace(
                    transaction: try first.decode("next_transaction"),
                    number: try first.decode("next_number")),
                hasMore: try first.decode("has_more"),
                heldBack: .seconds(try first.decode(Double.self, "held_back_seconds")),
                hasGap: try first.decode("has_gap"))
        }
    }

    /// Forgets changes from before then, but none younger than an hour; at most so many.
    package func purgeProfileChanges(
        _ platform: PlatformScope, before: Instant, limit: Int32
    ) throws -> Int64 {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select holdfast_ops.purge_profile_changes(
                  \(Timestamp(milliseconds: before.milliseconds)), \(limit)) as purged
                """)
            return try rows.first?.decode("purged") ?? 0
        }
    }
}

extension Row {
    func optionalProfile() throws -> StoredProfile? {
        guard let body = try decode([UInt8]?.self, "body") else { return nil }
        return StoredProfile(body: body, asOf: try instant("as_of"))
    }

    fileprivate func profileReading() throws -> ProfileReading {
        let profile = try optionalProfile()
        let counters = try optionalCounters()
        if profile == nil && counters == nil { return .absent }
        return .found(profile, counters ?? .zero)
    }

    /// `nil` for the row that says the next place alone.
    fileprivate func subscriberReading() throws -> SubscriberReading? {
        guard let tenant = try decode(UUID?.self, "tenant_id"),
            let environment = StoreEnvironment(rawValue: try decode("environment"))
        else { return nil }
        let key = AppEnvironment(app: AppID(try decode("app_id")), environment: environment)
        return SubscriberReading(
            subscriber: SubscriberKey(
                tenant: TenantID(tenant), key: key,
                originalTransactionId: try decode("original_transaction_id")),
            reading: try profileReading())
    }
}
