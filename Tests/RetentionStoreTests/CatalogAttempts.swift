import Foundation
import Operator
import Postgres
import Retention
import RetentionStore

/// What the isolation tests try on another agency's apps, products, offers, credentials and
/// endpoints.
extension IsolationTests {
    /// The first agency's own, by their identifiers.
    private struct Things {
        let key: AppEnvironment
        let app: App
        let product: Product
        let offer: Offer
        let credential: CredentialID
        let endpoint: EndpointID

        init(_ agencies: Agencies) throws {
            let tenant = agencies.first.scope.tenant.uuid
            let app = agencies.first.keys[0].app
            let client: UUID = try agencies.value(
                "select client_id from holdfast.client where tenant_id = \(tenant)")
            self.app = App(
                id: app, client: ClientID(client), name: "x", bundleId: "x", appAppleId: 7,
                defaultLocale: "en-US")
            product = Product(
                productId: try agencies.value(
                    """
                    select product_id from holdfast.offer
                    where tenant_id = \(tenant) and app_id = \(app.uuid) limit 1
                    """),
                subscriptionGroup: "x", period: "P1D", billingPlans: [])
            offer = Offer(
                offerIdentifier: try agencies.value(
                    """
                    select offer_identifier from holdfast.offer
                    where tenant_id = \(tenant) and product_id = \(product.productId) limit 1
                    """),
                productId: product.productId, kind: .winBack)
            credential = CredentialID(
                try agencies.value(
                    """
                    select credential_id from holdfast.credential
                    where tenant_id = \(tenant) and app_id = \(app.uuid)
                    """))
            let endpoint: UUID = try agencies.value(
                """
                select endpoint_id from holdfast.endpoint
                where tenant_id = \(tenant) and app_id = \(app.uuid) limit 1
                """)
            self.endpoint = EndpointID(endpoint)
            let environment: String = try agencies.value(
                "select environment from holdfast.endpoint where endpoint_id = \(endpoint)")
            key = AppEnvironment(
                app: app, environment: environment == "Sandbox" ? .sandbox : .production)
        }
    }

    /// Refused.
    func catalogAttempts(_ agencies: Agencies) throws -> [Attempt] {
        let things = try Things(agencies)
        let app = things.app.id
        return [
            ("getApp", { _ = try $0.getApp(app, forUpdate: true) }),
            ("updateApp", { try $0.updateApp(things.app, isStopped: true) }),
            ("updateProduct", { try $0.updateProduct(things.product, prices: [], of: app) }),
            ("updateOffer", { try $0.updateOffer(things.offer, terms: .unknown, of: app) }),
            ("deleteProduct", { try $0.deleteProduct(things.product.productId, of: app) }),
            (
                "deleteOffer",
                {
                    try $0.deleteOffer(
                        things.offer.offerIdentifier, ofProduct: things.offer.productId, app: app)
                }
            ),
        ]
    }

    /// Does nothing to the first agency, and finds nothing of it.
    func catalogAdditions(_ agencies: Agencies) throws -> [Attempt] {
        let things = try Things(agencies)
        return try appAdditions(things) + saleAdditions(things) + accessAdditions(things)
    }

    private func appAdditions(_ things: Things) throws -> [Attempt] {
        let (app, client) = (things.app.id, things.app.client)
        return [
            (
                "listApps",
                { try expectNothing(try $0.listApps(of: client, after: nil, limit: 9).first) }
            ),
            ("deleteApp", { try $0.deleteApp(app) }),
            (
                "hasApp alone",
                { try expectNothing(try $0.hasApp(app, .alone) ? app : nil) }
            ),
            ("hasClient", { try expectNothing(try $0.hasClient(client) ? client : nil) }),
            ("getTenant", { _ = try $0.getTenant() }),
            ("countUsage", { _ = try $0.countUsage() }),
            ("listRulesInUse", { try expectNothing(try $0.listRulesInUse(of: app).first) }),
        ]
    }

    private func saleAdditions(_ things: Things) throws -> [Attempt] {
        let (app, product) = (things.app.id, things.product.productId)
        let offer = things.offer.offerIdentifier
        return [
            (
                "listProducts",
                { try expectNothing(try $0.listProducts(of: app, after: nil, limit: 9).first) }
            ),
            (
                "findProduct",
                { try expectNothing(try $0.findProduct(product, of: app, forUpdate: true)) }
            ),
            (
                "hasProduct",
                { try expectNothing(try $0.hasProduct(product, of: app) ? product : nil) }
            ),
            (
                "countDefaults",
                {
                    let count = try $0.countDefaults(ofProduct: product, app: app)
                    try expectNothing(count == 0 ? nil : count)
                }
            ),
            (
                "listOffers",
                {
                    try expectNothing(
                        try $0.listOffers(ofProduct: product, app: app, after: nil, limit: 9).first)
                }
            ),
            (
                "findOffer",
                {
                    try expectNothing(
                        try $0.findOffer(offer, ofProduct: product, app: app, forUpdate: true))
                }
            ),
        ]
    }

    private func accessAdditions(_ things: Things) throws -> [Attempt] {
        let app = things.app.id
        return [
            (
                "listCredentials",
                { try expectNothing(try $0.listCredentials(of: app, after: nil, limit: 9).first) }
            ),
            (
                "findCredential",
                { try expectNothing(try $0.findCredential(things.credential, of: app)) }
            ),
            ("findLiveCredential", { try expectNothing(try $0.findLiveCredential(of: app)) }),
            ("retireCredential", { try $0.retireCredential(things.credential, of: app) }),
            (
                "listEndpoints",
                {
                    try expectNothing(
                        try $0.listEndpoints(at: things.key, after: nil, limit: 9).first)
                }
            ),
            ("findEndpoint", { try expectNothing(try $0.findEndpoint(things.endpoint, of: app)) }),
            (
                "countLiveEndpoints",
                {
                    let count = try $0.countLiveEndpoints(at: things.key)
                    try expectNothing(count == 0 ? nil : count)
                }
            ),
            ("retireEndpoint", { try $0.retireEndpoint(things.endpoint, at: things.key) }),
        ]
    }
}
