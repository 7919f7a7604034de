// Tables: product, billing_plan, billing_plan_price.
internal import Postgres
package import Retention

package struct StoredProduct: Sendable {
    package let product: Product
    /// By plan and storefront; no snapshot holds them.
    package let prices: [BillingPlanPrice]
    package let createdAt: Instant
}

extension TenantTransaction {
    package func createProduct(
        _ product: Product, prices: [BillingPlanPrice] = [], of app: AppID
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.product (tenant_id, app_id, product_id, subscription_group, period,
              created_at)
            values (\(tenant.uuid), \(app.uuid), \(product.productId),
              \(product.subscriptionGroup), \(product.period), \(timestamp))
            """)
        try insertPlans(product, prices, of: app)
        touchBoth(app)
    }

    /// Replaces all but the identifier: plans that are not in `product` are gone, with their
    /// prices.
    package func updateProduct(
        _ product: Product, prices: [BillingPlanPrice], of app: AppID
    ) throws {
        let changed = try connection.query(
            """
            update holdfast.product
            set subscription_group = \(product.subscriptionGroup), period = \(product.period)
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = \(product.productId)
            """
        ).affected
        guard changed == 1 else {
            throw StoreError(code: .notFound, message: "there is no such product; create it first")
        }
        _ = try connection.query(
            """
            delete from holdfast.billing_plan
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = \(product.productId)
            """)
        try insertPlans(product, prices, of: app)
        touchBoth(app)
    }

    private func insertPlans(
        _ product: Product, _ prices: [BillingPlanPrice], of app: AppID
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.billing_plan (tenant_id, app_id, product_id, billing_plan_type)
            select \(tenant.uuid), \(app.uuid), \(product.productId), plan
            from unnest(\(product.billingPlans.map(\.rawValue))) as plan
            """)
        if prices.isEmpty { return }
        _ = try connection.query(
            """
            insert into holdfast.billing_plan_price (tenant_id, app_id, product_id,
              billing_plan_type, storefront, amount_milliunits, currency)
            select \(tenant.uuid), \(app.uuid), \(product.productId), p.*
            from unnest(\(prices.map(\.plan.rawValue)), \(prices.map(\.price.storefront)),
              \(prices.map(\.price.amountMilliunits)), \(prices.map(\.price.currency))) as p
            """)
    }

    /// In the order of Apple's identifiers, by bytes; `after` is the last one of the page before.
    package func listProducts(
        of app: AppID, after: String?, limit: Int32
    ) throws -> [StoredProduct] {
        try storedProducts(one: nil, of: app, after: after, limit: limit)
    }

    /// Whether the app has the product; it stays so until the commit.
    package func hasProduct(_ productId: String, of app: AppID) throws -> Bool {
        try connection.query(
            """
            select from holdfast.product
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = \(productId) for key share
            """
        ).count == 1
    }

    /// - Parameter forUpdate: nobody else changes it until the commit.
    package func findProduct(
        _ productId: String, of app: AppID, forUpdate: Bool = false
    ) throws -> StoredProduct? {
        if forUpdate {
            _ = try connection.query(
                """
                select from holdfast.product
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and product_id = \(productId) for update
                """)
        }
        return try storedProducts(one: productId, of: app, after: nil, limit: 1).first
    }

    private func storedProducts(
        one: String?, of app: AppID, after: String?, limit: Int32
    ) throws -> [StoredProduct] {
        let rows = try connection.query(
            """
            select p.product_id, p.subscription_group, p.period, p.created_at,
              array(select b.billing_plan_type from holdfast.billing_plan b
                where b.tenant_id = p.tenant_id and b.app_id = p.app_id
                  and b.product_id = p.product_id
                order by b.billing_plan_type) as plans
            from holdfast.product p
            where p.tenant_id = \(tenant.uuid) and p.app_id = \(app.uuid)
              and (\(one)::text is null or p.product_id = \(one))
              and (\(after)::text is null or p.product_id > \(after))
            order by p.product_id
            limit \(limit)
            """)
        let products = try rows.map { row in
            (product: try Product(row: row), createdAt: try row.instant("created_at"))
        }
        let prices = try prices(of: products.map(\.product.productId), app: app)
        return products.map { product, createdAt in
            StoredProduct(
                product: product, prices: prices[Array(product.productId.utf8)] ?? [],
                createdAt: createdAt)
        }
    }

    /// By the bytes of the product's identifier.
    private func prices(
        of productIds: [String], app: AppID
    ) throws -> [[UInt8]: [BillingPlanPrice]] {
        let rows = try connection.query(
            """
            select product_id, billing_plan_type, storefront, amount_milliunits, currency
            from holdfast.billing_plan_price
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = any (\(productIds))
            order by product_id, billing_plan_type, storefront
            """)
        var prices: [[UInt8]: [BillingPlanPrice]] = [:]
        for row in rows {
            let productId: String = try row.decode("product_id")
            prices[Array(productId.utf8), default: []].append(
                BillingPlanPrice(
                    plan: BillingPlanType(rawValue: try row.decode("billing_plan_type")),
                    price: try Price(row: row)))
        }
        return prices
    }

    /// Takes its plans, prices and offers with it. Defaults would go too, so look at
    /// `countDefaults(ofProduct:app:)` before.
    package func deleteProduct(_ productId: String, of app: AppID) throws {
        _ = try connection.query(
            """
            delete from holdfast.product
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and product_id = \(productId)
            """)
        touchBoth(app)
    }

    /// How many defaults a product has, in both environments.
    package func countDefaults(ofProduct productId: String, app: AppID) throws -> Int64 {
        let rows = try connection.query(
            """
            select count(*) as count from holdfast.default_message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and product_id = \(productId)
            """)
        return try rows.first?.decode("count") ?? 0
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
        return try rows.map(Product.init(row:))
    }
}

extension Product {
    fileprivate init(row: Row) throws {
        let plans: [String] = try row.decode("plans")
        self.init(
            productId: try row.decode("product_id"),
            subscriptionGroup: try row.decode("subscription_group"),
            period: try row.decode("period"),
            billingPlans: plans.map(BillingPlanType.init(rawValue:)))
    }
}

extension Price {
    init(row: Row) throws {
        self.init(
            storefront: try row.decode("storefront"),
            amountMilliunits: try row.decode("amount_milliunits"),
            currency: try row.decode("currency"))
    }
}
