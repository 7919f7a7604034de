// Tables: message, product, billing_plan, offer, app_store_connect_message. What rules name, as it is
// there.
package import FoundationEssentials
internal import Postgres
package import Retention

/// The things of an app that a rule set names, as far as they are there.
package struct RuleReferences: Sendable {
    package let messageKinds: [MessageID: MessageKind]
    /// All of the app: which of them a rule may match says whom it can reach.
    package let allProducts: [Product]
    /// Those among the named ones that are there, confirmed or not.
    package let appStoreConnectMessages: Set<UUID>
    private let products: [[UInt8]: Product]
    private let offerKinds: [OfferName: OfferKind]

    private struct OfferName: Hashable {
        let productId: [UInt8]
        let offerIdentifier: [UInt8]

        // By bytes, as Apple compares.
        init(_ productId: String, _ offerIdentifier: String) {
            self.productId = Array(productId.utf8)
            self.offerIdentifier = Array(offerIdentifier.utf8)
        }
    }

    fileprivate init(
        messageKinds: [MessageID: MessageKind], products: [Product], offers: [Offer],
        appStoreConnectMessages: [UUID]
    ) {
        self.messageKinds = messageKinds
        self.appStoreConnectMessages = Set(appStoreConnectMessages)
        allProducts = products
        self.products = Dictionary(
            products.map { (Array($0.productId.utf8), $0) }, uniquingKeysWith: { first, _ in first }
        )
        offerKinds = Dictionary(
            offers.map { (OfferName($0.productId, $0.offerIdentifier), $0.kind) },
            uniquingKeysWith: { first, _ in first })
    }

    package func product(_ productId: String) -> Product? { products[Array(productId.utf8)] }

    package func offerKind(_ productId: String, _ offerIdentifier: String) -> OfferKind? {
        offerKinds[OfferName(productId, offerIdentifier)]
    }
}

extension TenantTransaction {
    /// Looks up what the rules name. It stays there until the commit: whoever deletes a message, a
    /// product or an offer waits, and then finds these rules.
    package func ruleReferences(of ruleSet: RuleSet, in app: AppID) throws -> RuleReferences {
        let messages = ruleSet.rules.flatMap(\.messageIds)
        let productIds = ruleSet.rules.flatMap(\.productIds)
        let kinds = try connection.query(
            """
            select message_id, kind from holdfast.message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = any(\(messages.map(\.uuid)))
            order by message_id for key share
            """)
        _ = try connection.query(
            """
            select from holdfast.product
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = any(\(productIds))
            order by product_id for key share
            """)
        _ = try connection.query(
            """
            select from holdfast.offer
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = any(\(productIds))
            order by product_id, offer_identifier for key share
            """)
        let connectMessages = ruleSet.rules.flatMap(\.treatments).compactMap { treatment in
            if case .appStoreConnectMessage(let id) = treatment { id } else { nil }
        }
        let connected = try connection.query(
            """
            select message_identifier from holdfast.app_store_connect_message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_identifier = any(\(connectMessages))
            order by message_identifier for key share
            """)
        return RuleReferences(
            messageKinds: Dictionary(
                try kinds.compactMap { row in
                    try MessageKind(rawValue: try row.decode("kind")).map {
                        (MessageID(try row.decode("message_id")), $0)
                    }
                }, uniquingKeysWith: { first, _ in first }),
            products: try products(of: app), offers: try offers(of: app),
            appStoreConnectMessages: try connected.map { try $0.decode("message_identifier") })
    }

    /// The locales that each of these messages has text in, approved or not.
    package func messageLocales(
        _ ids: [MessageID], of app: AppID
    ) throws -> [MessageID: [String]] {
        let rows = try connection.query(
            """
            select message_id, locale from holdfast.localization
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = any(\(ids.map(\.uuid)))
            order by message_id, locale
            """)
        var locales: [MessageID: [String]] = [:]
        for row in rows {
            locales[MessageID(try row.decode(UUID.self, "message_id")), default: []]
                .append(try row.decode("locale"))
        }
        return locales
    }

    /// The names of an app's messages among these.
    package func messageNames(_ ids: [MessageID], of app: AppID) throws -> [MessageID: String] {
        let rows = try connection.query(
            """
            select message_id, name from holdfast.message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = any(\(ids.map(\.uuid)))
            """)
        return Dictionary(
            try rows.map { (MessageID(try $0.decode("message_id")), try $0.decode("name")) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The app's messages that have one of these names, in the order of the names; `nil` for none.
    package func messageIds(named names: [String], of app: AppID) throws -> [MessageID?] {
        let rows = try connection.query(
            """
            select n.ordinality, m.message_id
            from unnest(\(names)) with ordinality as n (name, ordinality)
            join holdfast.message m on m.name = n.name
            where m.tenant_id = \(tenant.uuid) and m.app_id = \(app.uuid)
            """)
        var found = [MessageID?](repeating: nil, count: names.count)
        for row in rows {
            let ordinality: Int64 = try row.decode("ordinality")
            found[Int(ordinality) - 1] = MessageID(try row.decode(UUID.self, "message_id"))
        }
        return found
    }
}
