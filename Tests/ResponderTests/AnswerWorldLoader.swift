import Foundation
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport

/// Puts a world into PostgreSQL: through the store, but for what Apple has of each text, whose
/// identifiers the ground truth chose and no sync derived.
struct AnswerWorldLoader {
    /// An app in one environment as somebody outside sees it, in the order of the ground truth.
    struct LoadedPlace: Encodable {
        let path: String
        var snapshotNumber: Int64
    }

    let world: AnswerWorld
    let database: Database
    let platformKey: PublicKey

    private static let dayMilliseconds: Int64 = 86_400_000

    private var store: RetentionStore { RetentionStore(pool: database.operator) }

    private var now: Instant {
        let first = world.instants.first ?? Instant(milliseconds: 0)
        return Instant(milliseconds: first.milliseconds - Self.dayMilliseconds)
    }

    private func inTenant<R>(
        _ tenant: TenantID, _ body: (TenantTransaction) throws -> R
    ) throws -> R {
        try store.transaction(.operatorCommand(tenant: tenant), at: now, body)
    }

    /// - Parameter between: called when everything is as it was before its last change: texts that
    ///   are no more are served then, by the first rules.
    func load(between: () throws -> Void) throws -> [LoadedPlace] {
        try makePartitions()
        for tenant in world.tenants {
            try inTenant(tenant.id) { transaction in
                try transaction.createTenant(name: tenant.name)
                try transaction.createClient(Client(id: tenant.client, name: tenant.name))
            }
        }
        var paths: [String] = []
        for app in world.apps {
            paths += try inTenant(app.tenant) { try load(app, $0) }
            for experiment in app.withoutBuckets { try takeBuckets(of: experiment, app) }
            for (key, place) in places(of: app) {
                try placeFormer(place, app, key)
                try inTenant(app.tenant) { try publish(place, version: 1, at: key, $0) }
            }
        }
        try between()
        var loaded: [LoadedPlace] = []
        for app in world.apps {
            for (key, place) in places(of: app) {
                try placeCurrent(place, app, key)
                let number = try inTenant(app.tenant) { transaction in
                    try transaction.publishRuleSet(version: place.ruleSet, at: key)
                    return try transaction.newestSnapshotNumber(at: key)
                }
                loaded.append(LoadedPlace(path: paths[loaded.count], snapshotNumber: number))
            }
        }
        return loaded
    }

    /// Production first.
    func places(of app: AnswerWorld.App) -> [(AppEnvironment, AnswerWorld.Place)] {
        [StoreEnvironment.production, .sandbox].compactMap { environment in
            app.environments[environment.rawValue].map {
                (AppEnvironment(app: app.id, environment: environment), $0)
            }
        }
    }

    /// Of the months in which the world is asked.
    private func makePartitions() throws {
        let days = world.instants.map { ZoneOffsets.utc.day(of: $0) }
        let first = days.min().flatMap { CalendarDay(daysSince1970: $0) }
        guard let first else { return }
        try database.migrator.withConnection { connection in
            _ = try connection.query(
                """
                select holdfast_ops.make_partitions(
                  \(first.firstOfMonth.description)::text::date, 2)
                """)
        }
    }

    // MARK: - Through the store

    /// - Returns: the paths of its endpoints.
    private func load(
        _ app: AnswerWorld.App, _ transaction: TenantTransaction
    ) throws -> [String] {
        try transaction.createApp(
            App(
                id: app.id, client: app.client, name: app.name, bundleId: app.bundleId,
                appAppleId: app.appAppleId, defaultLocale: app.defaultLocale,
                timeZone: app.timeZone), isStopped: app.isStopped)
        for product in app.products { try transaction.createProduct(product, of: app.id) }
        for offer in app.offers { try transaction.createOffer(offer, of: app.id) }
        try loadMessages(of: app, transaction)
        if let key = app.key { try loadKey(key, of: app, transaction) }
        for ruleSet in app.ruleSets { _ = try transaction.createRuleSet(ruleSet, of: app.id) }
        return try places(of: app).map { key, place in
            try loadSubscribers(place, at: key, transaction)
            for spent in place.spent {
                guard let month = CalendarDay(spent.month) else { continue }
                try transaction.setDiscountBudgetSpent(
                    SpentBudget(
                        month: month, currency: spent.currency,
                        spentMilliunits: spent.spentMilliunits), at: key)
            }
            let token = try transaction.createEndpoint(
                .make(at: now), at: key, sealedTo: platformKey)
            return "/realtime/\(token)"
        }
    }

    private func loadMessages(
        of app: AnswerWorld.App, _ transaction: TenantTransaction
    ) throws {
        for message in app.messages {
            try transaction.createMessage(
                message.id, name: message.name, kind: message.kind, of: app.id)
            for locale in message.locales {
                try transaction.createLocalization(
                    Localization(
                        locale: locale, header: message.name, body: "\(app.name) in \(locale)"),
                    of: message.id, app: app.id)
            }
        }
        for message in app.connectMessages {
            try transaction.createAppStoreConnectMessage(
                message.messageIdentifier, name: message.name, of: app.id)
            if message.isConfirmed {
                try transaction.confirmAppStoreConnectMessage(message.messageIdentifier, of: app.id)
            }
        }
    }

    /// After another one, which it replaces.
    private func loadKey(
        _ key: AnswerWorld.Key, of app: AnswerWorld.App, _ transaction: TenantTransaction
    ) throws {
        let former = InAppPurchaseKey(
            keyId: "FORMER", issuerId: key.issuerId, key: try PrivateKey.generate())
        let current = InAppPurchaseKey(
            keyId: key.keyId, issuerId: key.issuerId,
            key: try PrivateKey(pem: Array(key.privateKeyPEM.utf8)))
        for (one, id) in [(former, CredentialID.make(at: now)), (current, key.id)] {
            try transaction.storeCredential(one, id: id, of: app.id, sealedTo: platformKey)
        }
    }

    private func loadSubscribers(
        _ place: AnswerWorld.Place, at key: AppEnvironment, _ transaction: TenantTransaction
    ) throws {
        try transaction.upsertProfiles(
            place.subscribers.compactMap { subscriber in
                guard let profile = subscriber.profile, let asOf = subscriber.asOf else {
                    return nil
                }
                return NewProfile(
                    originalTransactionId: subscriber.originalTransactionId,
                    profile: StoredProfile(
                        body: SubscriberProfile(profile).encoded(), asOf: asOf))
            }, at: key)
        try transaction.upsertGovernorCounters(
            place.subscribers.compactMap { subscriber in
                subscriber.counters.map { counters in
                    NewGovernorCounters(
                        originalTransactionId: subscriber.originalTransactionId,
                        counters: GovernorCounters(
                            offersTaken: counters.offersTaken, lastOfferAt: counters.lastOfferAt,
                            escalationLevel: counters.escalationLevel))
                }
            }, at: key)
    }

    private func publish(
        _ place: AnswerWorld.Place, version: Int32, at key: AppEnvironment,
        _ transaction: TenantTransaction
    ) throws {
        for one in place.defaults {
            try transaction.setDefaultMessage(
                one.messageId, product: one.productId, locale: one.locale, at: key)
        }
        try transaction.publishRuleSet(version: version, at: key)
    }

    /// From the first arm, in every version: the store itself gives all of them away.
    private func takeBuckets(of experiment: ExperimentID, _ app: AnswerWorld.App) throws {
        try database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.rule_set
                set body = jsonb_set(body, array['rules', (
                    select (place - 1)::text
                    from jsonb_array_elements(body -> 'rules') with ordinality as r (rule, place)
                    where rule -> 'experiment' ->> 'id' = \(experiment.description)
                  ), 'experiment', 'arms', '0', 'buckets'], '[]')
                where tenant_id = \(app.tenant.uuid) and app_id = \(app.id.uuid)
                """)
        }
    }

    // MARK: - What Apple has

    private func placeFormer(
        _ place: AnswerWorld.Place, _ app: AnswerWorld.App, _ key: AppEnvironment
    ) throws {
        let objects = try Self.text(place.objects)
        try database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.apple_object (tenant_id, app_id, environment, apple_id, kind,
                  state, state_at, presence, images, superseded_at)
                select \(app.tenant.uuid), \(app.id.uuid), \(key.environment.rawValue),
                  (o ->> 'messageIdentifier')::uuid, o ->> 'kind', o ->> 'state',
                  \(timestamp), o ->> 'presence',
                  array(select jsonb_array_elements_text(o -> 'images')::uuid),
                  case when (o ->> 'isSuperseded')::boolean then \(timestamp) end
                from jsonb_array_elements(\(objects)::text::jsonb) as o
                """)
        }
        try insert(place.former, app, key)
    }

    /// In place of all that was there.
    private func placeCurrent(
        _ place: AnswerWorld.Place, _ app: AnswerWorld.App, _ key: AppEnvironment
    ) throws {
        try database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                delete from holdfast.message_placement
                where tenant_id = \(app.tenant.uuid) and app_id = \(app.id.uuid)
                  and environment = \(key.environment.rawValue)
                """)
        }
        try insert(place.placements, app, key)
    }

    private func insert(
        _ placements: [AnswerWorld.Placement], _ app: AnswerWorld.App, _ key: AppEnvironment
    ) throws {
        try database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.message_placement (tenant_id, app_id, environment, message_id,
                  locale, apple_id)
                select \(app.tenant.uuid), \(app.id.uuid), \(key.environment.rawValue), *
                from unnest(\(placements.map(\.messageId.uuid)), \(placements.map(\.locale)),
                  \(placements.map(\.messageIdentifier)))
                """)
        }
    }

    private var timestamp: Timestamp { Timestamp(milliseconds: now.milliseconds) }

    private static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}
