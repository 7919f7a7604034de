// /v1/apps/{appId}/products/{productId}/offers: discounts.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Offers {
    private static let all = "/v1/apps/{appId}/products/{productId}/offers"
    private static let one = "/v1/apps/{appId}/products/{productId}/offers/{offerIdentifier}"

    static let operations: [Operation] = [
        .list("listOffers", all, .apps, list),
        .post("createOffer", all, .apps, create),
        .get("getOffer", one, .apps, get),
        .put("putOffer", one, .apps, put),
        .patch("updateOffer", one, .apps, update),
        .delete("deleteOffer", one, .apps, delete),
    ]

    // MARK: - Shapes

    private struct Content {
        private static let periodCounts: ClosedRange<Int64> = 1...60
        private static let eligibilitiesLimit = 16
        private static let lists = ["customerEligibilities", "prices"]

        let offer: Offer
        let terms: OfferTerms

        /// - Parameters:
        ///   - identifier: where the path says it; `nil` where the body does.
        ///   - patch: what `tree` was merged with. There `null` would clear a list that is never
        ///     absent, while a new offer has none without saying so.
        init(
            _ tree: JSONTree, productId: String, identifier: String?, patch: JSONTree? = nil
        ) throws(Problem) {
            var reader = BodyReader(tree)
            for list in Self.lists where patch?[list] == .null { reader.requireList(list) }
            offer = Offer(
                offerIdentifier: identifier ?? reader.appleName("offerIdentifier"),
                productId: productId, kind: reader.choice("kind", OfferKind.self))
            let mode = reader.optionalText("offerMode", 1...64)
            let period = reader.optionalPeriod()
            let count = reader.optionalInteger("periodCount", in: Self.periodCounts)
            let eligibilities = reader.texts(
                "customerEligibilities", limit: Self.eligibilitiesLimit, 1...64)
            reader.noteDuplicates(eligibilities) { "customerEligibilities/\($0)" }
            let prices = reader.prices()
            try reader.finish()
            terms = OfferTerms(
                offerMode: mode, period: period, periodCount: count.map { Int32($0) },
                customerEligibilities: eligibilities, prices: prices)
        }
    }

    private static func form(_ stored: StoredOffer) -> JSONTree {
        content(stored).merging([
            "offerIdentifier": .string(stored.offer.offerIdentifier),
            "createdAt": .instant(stored.createdAt),
        ])
    }

    /// What `PATCH` is merged onto.
    private static func content(_ stored: StoredOffer) -> JSONTree {
        let terms = stored.terms
        return [
            "kind": .string(stored.offer.kind.rawValue), "offerMode": .text(terms.offerMode),
            "period": .text(terms.period),
            "periodCount": .optional(terms.periodCount) { .integer(Int64($0)) },
            "customerEligibilities": .texts(terms.customerEligibilities),
            "prices": .array(terms.prices.map(\.form)),
        ]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let place = try Place(call)
        let page = try call.page()
        let rows = try call.transaction.listOffers(
            ofProduct: place.product, app: place.app, after: page.after.last,
            limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.offer.offerIdentifier] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        let place = try Place(call)
        let content = try Content(
            try call.body(), productId: place.product, identifier: nil)
        return try create(content, place, call)
    }

    private static func create(_ content: Content, _ place: Place, _ call: Call) throws -> Answer {
        let identifier = content.offer.offerIdentifier
        try call.transaction.createOffer(content.offer, terms: content.terms, of: place.app)
        let new = form(try place.find(identifier, call))
        try call.audit(
            "offer.create", "offer", place.resource(identifier), app: place.app, after: new)
        return .created(new, at: place.location(identifier))
    }

    private static func get(_ call: Call) throws -> Answer {
        let place = try Place(call)
        return .resource(form(try place.find(try call.appleName("offerIdentifier"), call)))
    }

    private static func put(_ call: Call) throws -> Answer {
        // Alone: of two that would make it, the second must find the first's.
        let place = try Place(call, alone: true)
        let identifier = try call.appleName("offerIdentifier")
        let old = try call.transaction.findOffer(
            identifier, ofProduct: place.product, app: place.app, forUpdate: true)
        try call.requireMatch(ifThere: old.map(form))
        let content = try Content(
            try call.body(), productId: place.product, identifier: identifier)
        guard let old else { return try create(content, place, call) }
        return try replace(old, with: content, place, call)
    }

    private static func update(_ call: Call) throws -> Answer {
        let place = try Place(call)
        let identifier = try call.appleName("offerIdentifier")
        let old = try place.find(identifier, call, forUpdate: true)
        try call.requireMatch(form(old))
        let patch = try call.body()
        let content = try Content(
            content(old).merged(with: patch), productId: place.product, identifier: identifier,
            patch: patch)
        return try replace(old, with: content, place, call)
    }

    private static func replace(
        _ old: StoredOffer, with content: Content, _ place: Place, _ call: Call
    ) throws -> Answer {
        let identifier = content.offer.offerIdentifier
        try call.transaction.updateOffer(content.offer, terms: content.terms, of: place.app)
        let new = form(try place.find(identifier, call))
        try call.audit(
            "offer.update", "offer", place.resource(identifier), app: place.app,
            before: form(old), after: new)
        return .resource(new)
    }

    private static func delete(_ call: Call) throws -> Answer {
        let place = try Place(call, alone: true)
        let identifier = try call.appleName("offerIdentifier")
        let old = form(try place.find(identifier, call, forUpdate: true))
        try call.requireMatch(old)
        let uses = try call.rules(of: place.app) {
            $0.names(offer: identifier, of: place.product)
        }
        guard uses.isEmpty else { throw Problem.inUse(uses) }
        try call.transaction.deleteOffer(identifier, ofProduct: place.product, app: place.app)
        try call.audit(
            "offer.delete", "offer", place.resource(identifier), app: place.app, before: old)
        return .noContent
    }
}

/// The product in the path, which is there.
private struct Place {
    let app: AppID
    let product: String

    init(_ call: Call, alone: Bool = false) throws {
        app = try call.app(alone: alone)
        product = try call.appleName("productId")
        guard try call.transaction.hasProduct(product, of: app) else { throw Problem.notFound }
    }

    func find(
        _ identifier: String, _ call: Call, forUpdate: Bool = false
    ) throws -> StoredOffer {
        let found = try call.transaction.findOffer(
            identifier, ofProduct: product, app: app, forUpdate: forUpdate)
        guard let found else { throw Problem.notFound }
        return found
    }

    /// As the audit names it: an offer's identifier is one of its product only.
    func resource(_ identifier: String) -> String { "\(product)/\(identifier)" }

    func location(_ identifier: String) -> String {
        "/v1/apps/\(app)/products/\(PercentEncoding.segment(product))/offers/"
            + PercentEncoding.segment(identifier)
    }
}
