// /v1/apps/{appId}/products: subscriptions, their plans and prices.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Products {
    private static let all = "/v1/apps/{appId}/products"
    private static let one = "/v1/apps/{appId}/products/{productId}"

    static let operations: [Operation] = [
        .list("listProducts", all, .apps, list),
        .post("createProduct", all, .apps, create),
        .get("getProduct", one, .apps, get),
        .put("putProduct", one, .apps, put),
        .patch("updateProduct", one, .apps, update),
        .delete("deleteProduct", one, .apps, delete),
    ]

    // MARK: - Shapes

    private struct Content {
        private static let plansLimit = 8

        let product: Product
        let prices: [BillingPlanPrice]

        /// - Parameter productId: where the path says it; `nil` where the body does.
        init(_ tree: JSONTree, productId: String?) throws(Problem) {
            var reader = BodyReader(tree)
            let productId = productId ?? reader.appleName("productId")
            let group = reader.text("subscriptionGroup", 1...255)
            let period = reader.period()
            reader.requireList("billingPlans")
            let plans = reader.objects("billingPlans", limit: Self.plansLimit) { plan in
                let type = BillingPlanType(rawValue: plan.text("billingPlanType", 1...64))
                plan.requireList("prices")
                return (type, plan.prices())
            }
            reader.noteDuplicates(plans.map(\.0.rawValue)) { "billingPlans/\($0)/billingPlanType" }
            try reader.finish()
            product = Product(
                productId: productId, subscriptionGroup: group, period: period,
                billingPlans: plans.map(\.0))
            prices = plans.flatMap { type, prices in
                prices.map { BillingPlanPrice(plan: type, price: $0) }
            }
        }
    }

    private static func form(_ stored: StoredProduct) -> JSONTree {
        content(stored).merging([
            "productId": .string(stored.product.productId),
            "createdAt": .instant(stored.createdAt),
        ])
    }

    /// What `PATCH` is merged onto.
    private static func content(_ stored: StoredProduct) -> JSONTree {
        let plans = stored.product.billingPlans.map { plan -> JSONTree in
            let prices = stored.prices.filter {
                $0.plan.rawValue.utf8.elementsEqual(plan.rawValue.utf8)
            }
            return [
                "billingPlanType": .string(plan.rawValue),
                "prices": .array(prices.map(\.price.form)),
            ]
        }
        return [
            "subscriptionGroup": .string(stored.product.subscriptionGroup),
            "period": .string(stored.product.period), "billingPlans": .array(plans),
        ]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        let rows = try call.transaction.listProducts(
            of: app, after: page.after.last, limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.product.productId] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        let app = try call.app()
        return try create(try Content(try call.body(), productId: nil), app, call)
    }

    private static func create(_ content: Content, _ app: AppID, _ call: Call) throws -> Answer {
        let id = content.product.productId
        try call.transaction.createProduct(content.product, prices: content.prices, of: app)
        let new = form(try find(id, app, call))
        try call.audit("product.create", "product", id, app: app, after: new)
        return .created(new, at: "/v1/apps/\(app)/products/\(PercentEncoding.segment(id))")
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.app()
        return .resource(form(try find(try call.appleName("productId"), app, call)))
    }

    private static func put(_ call: Call) throws -> Answer {
        // Alone: of two that would make it, the second must find the first's.
        let app = try call.app(alone: true)
        let id = try call.appleName("productId")
        let old = try call.transaction.findProduct(id, of: app, forUpdate: true)
        try call.requireMatch(ifThere: old.map(form))
        let content = try Content(try call.body(), productId: id)
        guard let old else { return try create(content, app, call) }
        return try replace(old, with: content, app, call)
    }

    private static func update(_ call: Call) throws -> Answer {
        let app = try call.app()
        let id = try call.appleName("productId")
        let old = try find(id, app, call, forUpdate: true)
        try call.requireMatch(form(old))
        let content = try Content(content(old).merged(with: try call.body()), productId: id)
        return try replace(old, with: content, app, call)
    }

    private static func replace(
        _ old: StoredProduct, with content: Content, _ app: AppID, _ call: Call
    ) throws -> Answer {
        let id = content.product.productId
        try call.transaction.updateProduct(content.product, prices: content.prices, of: app)
        let new = form(try find(id, app, call))
        try call.audit("product.update", "product", id, app: app, before: form(old), after: new)
        return .resource(new)
    }

    private static func delete(_ call: Call) throws -> Answer {
        let app = try call.app(alone: true)
        let id = try call.appleName("productId")
        let old = form(try find(id, app, call, forUpdate: true))
        try call.requireMatch(old)
        var uses = try call.rules(of: app) { $0.names(product: id) }
        let defaults = try call.transaction.countDefaults(ofProduct: id, app: app)
        if defaults > 0 { uses.insert("The product has \(defaults) default messages.", at: 0) }
        guard uses.isEmpty else { throw Problem.inUse(uses) }
        try call.transaction.deleteProduct(id, of: app)
        try call.audit("product.delete", "product", id, app: app, before: old)
        return .noContent
    }

    private static func find(
        _ id: String, _ app: AppID, _ call: Call, forUpdate: Bool = false
    ) throws -> StoredProduct {
        let found = try call.transaction.findProduct(id, of: app, forUpdate: forUpdate)
        guard let found else { throw Problem.notFound }
        return found
    }
}
