// Tables: product, billing_plan, offer.
internal import Postgres
package import Retention

extension TenantTransaction {
    package func createProduct(_ product: Product, of app: AppID) throws {
        _ = try connection.query(
            """
            insert into holdfast.product (tenant_id, app_id, product_id, subscription_group, period,
              created_at)
            values (\(tenant.uuid), \(app.uuid), \(product.productId),
              \(product.subscriptionGroup), \(product.period), \(timestamp))
            """)
        _ = try connection.query(
            """
            insert into holdfast.billing_plan (tenant_id, app_id, product_id, billing_plan_type)
            select \(tenant.uuid), \(app.uuid), \(product.productId), plan
            from unnest(\(product.billingPlans.map(\.rawValue))) as plan
            """)
        touchBoth(app)
    }

    package func createOffer(_ offer: Offer, of app: AppID) throws {
        _ = try connection.query(
            """
            insert into holdfast.offer (tenant_id, app_id, product_id, offer_identifier, kind,
              created_at)
            values (\(tenant.uuid), \(app.uuid), \(offer.productId), \(offer.offerIdentifier),
              \(offer.kind.rawValue), \(timestamp))
            """)
        touchBoth(app)
    }

    func products(of app: AppID) throws -> [Product] {
        let rows = try connection.query(
            """
            select p.product_id, p.subscription_group, p.period,
              array(select b.billing_plan_type from holdfast.billing_plan b
                where b.tenant_id = p.tenant_id and b.app_id = p.app_id
                  and b.product_id = p.product_id
                order by b.billing_plan_type) as plans
            from holdfast.product p
            where p.tenant_id = \(tenant.uuid) and p.app_id = \(app.uuid)
            order by p.product_id
            """)
        return try rows.map { row in
            let plans: [String] = try row.decode("plans")
            return Product(
                productId: try row.decode("product_id"),
                subscriptionGroup: try row.decode("subscription_group"),
                period: try row.decode("period"),
                billingPlans: plans.map(BillingPlanType.init(rawValue:)))
        }
    }

    func offers(of app: AppID) throws -> [Offer] {
        let rows = try connection.query(
            """
            select product_id, offer_identifier, kind from holdfast.offer
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            order by product_id, offer_identifier
            """)
        return try rows.map { row in
            let kind: String = try row.decode("kind")
            guard let kind = OfferKind(rawValue: kind) else {
                throw StoreError(code: .invalid, message: "offer kind \(kind) is not known here")
            }
            return Offer(
                offerIdentifier: try row.decode("offer_identifier"),
                productId: try row.decode("product_id"), kind: kind)
        }
    }
}
