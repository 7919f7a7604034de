// Tables: offer, offer_price.
internal import Postgres
package import Retention

package struct StoredOffer: Sendable {
    package let offer: Offer
    /// No snapshot holds them.
    package let terms: OfferTerms
    package let createdAt: Instant
}

extension TenantTransaction {
    package func createOffer(
        _ offer: Offer, terms: OfferTerms = .unknown, of app: AppID
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.offer (tenant_id, app_id, product_id, offer_identifier, kind,
              offer_mode, period, period_count, customer_eligibilities, created_at)
            values (\(tenant.uuid), \(app.uuid), \(offer.productId), \(offer.offerIdentifier),
              \(offer.kind.rawValue), \(terms.offerMode), \(terms.period), \(terms.periodCount),
              \(terms.customerEligibilities), \(timestamp))
            """)
        try insertPrices(terms.prices, of: offer, app: app)
        touchBoth(app)
    }

    /// Replaces all but the identifier.
    package func updateOffer(_ offer: Offer, terms: OfferTerms, of app: AppID) throws {
        let changed = try connection.query(
            """
            update holdfast.offer
            set kind = \(offer.kind.rawValue), offer_mode = \(terms.offerMode),
              period = \(terms.period), period_count = \(terms.periodCount),
              customer_eligibilities = \(terms.customerEligibilities)
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = \(offer.productId) and offer_identifier = \(offer.offerIdentifier)
            """
        ).affected
        guard changed == 1 else {
            throw StoreError(code: .notFound, message: "there is no such offer; create it first")
        }
        _ = try connection.query(
            """
            delete from holdfast.offer_price
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = \(offer.productId) and offer_identifier = \(offer.offerIdentifier)
            """)
        try insertPrices(terms.prices, of: offer, app: app)
        touchBoth(app)
    }

    private func insertPrices(_ prices: [Price], of offer: Offer, app: AppID) throws {
        if prices.isEmpty { return }
        _ = try connection.query(
            """
            insert into holdfast.offer_price (tenant_id, app_id, product_id, offer_identifier,
              storefront, amount_milliunits, currency)
            select \(tenant.uuid), \(app.uuid), \(offer.productId), \(offer.offerIdentifier), p.*
            from unnest(\(prices.map(\.storefront)), \(prices.map(\.amountMilliunits)),
              \(prices.map(\.currency))) as p
            """)
    }

    /// In the order of their identifiers, by bytes; `after` is the last one of the page before.
    package func listOffers(
        ofProduct productId: String, app: AppID, after: String?, limit: Int32
    ) throws -> [StoredOffer] {
        try storedOffers(one: nil, ofProduct: productId, app: app, after: after, limit: limit)
    }

    /// - Parameter forUpdate: nobody else changes it until the commit.
    package func findOffer(
        _ offerIdentifier: String, ofProduct productId: String, app: AppID, forUpdate: Bool = false
    ) throws -> StoredOffer? {
        if forUpdate {
            _ = try connection.query(
                """
                select from holdfast.offer
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and product_id = \(productId) and offer_identifier = \(offerIdentifier)
                for update
                """)
        }
        return try storedOffers(
            one: offerIdentifier, ofProduct: productId, app: app, after: nil, limit: 1
        ).first
    }

    private func storedOffers(
        one: String?, ofProduct productId: String, app: AppID, after: String?, limit: Int32
    ) throws -> [StoredOffer] {
        let rows = try connection.query(
            """
            select product_id, offer_identifier, kind, offer_mode, period, period_count,
              customer_eligibilities, created_at
            from holdfast.offer
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and product_id = \(productId)
              and (\(one)::text is null or offer_identifier = \(one))
              and (\(after)::text is null or offer_identifier > \(after))
            order by offer_identifier
            limit \(limit)
            """)
        let identifiers: [String] = try rows.map { try $0.decode("offer_identifier") }
        let prices = try prices(of: identifiers, ofProduct: productId, app: app)
        return try rows.map { row in
            let offer = try Offer(row: row)
            return StoredOffer(
                offer: offer,
                terms: OfferTerms(
                    offerMode: try row.decode("offer_mode"), period: try row.decode("period"),
                    periodCount: try row.decode("period_count"),
                    customerEligibilities: try row.decode("customer_eligibilities"),
                    prices: prices[Array(offer.offerIdentifier.utf8)] ?? []),
                createdAt: try row.instant("created_at"))
        }
    }

    /// By the bytes of the offer's identifier.
    private func prices(
        of identifiers: [String], ofProduct productId: String, app: AppID
    ) throws -> [[UInt8]: [Price]] {
        let rows = try connection.query(
            """
            select offer_identifier, storefront, amount_milliunits, currency
            from holdfast.offer_price
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = \(productId) and offer_identifier = any (\(identifiers))
            order by offer_identifier, storefront
            """)
        var prices: [[UInt8]: [Price]] = [:]
        for row in rows {
            let identifier: String = try row.decode("offer_identifier")
            prices[Array(identifier.utf8), default: []].append(try Price(row: row))
        }
        return prices
    }

    package func deleteOffer(
        _ offerIdentifier: String, ofProduct productId: String, app: AppID
    ) throws {
        _ = try connection.query(
            """
            delete from holdfast.offer
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = \(productId) and offer_identifier = \(offerIdentifier)
            """)
        touchBoth(app)
    }

    func offers(of app: AppID) throws -> [Offer] {
        let rows = try connection.query(
            """
            select product_id, offer_identifier, kind from holdfast.offer
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            order by product_id, offer_identifier
            """)
        return try rows.map(Offer.init(row:))
    }
}

extension Offer {
    fileprivate init(row: Row) throws {
        let kind: String = try row.decode("kind")
        guard let kind = OfferKind(rawValue: kind) else {
            throw StoreError(code: .invalid, message: "offer kind \(kind) is not known here")
        }
        self.init(
            offerIdentifier: try row.decode("offer_identifier"),
            productId: try row.decode("product_id"), kind: kind)
    }
}
