import Foundation
import HTTPClient
import Service
import Signing
import Simulator
import Testing

/// An app whose subscriptions are sold in the simulator, driven over HTTP, on a clock that moves
/// when it is told to.
struct Shop {
    static let day: Int64 = 86_400_000
    static let plus = "plus.monthly"
    static let pro = "pro.monthly"
    static let yearly = "plus.yearly"
    static let weekly = "basic.weekly"
    static let url = "https://holdfast.example/notifications/token"

    let developer: Developer
    let environment: Environment
    private let transport = Transport(TransportSettings())

    static let products: [AppState.Product] = [
        .init(
            productId: pro, subscriptionGroup: "main", level: 1,
            prices: [
                .init(storefront: "USA", currency: "USD", milliunits: 19_990),
                .init(storefront: "DEU", currency: "EUR", milliunits: 21_990),
            ]),
        .init(
            productId: plus, subscriptionGroup: "main", level: 2,
            prices: [
                .init(storefront: "USA", currency: "USD", milliunits: 9_990),
                .init(storefront: "DEU", currency: "EUR", milliunits: 10_990),
            ],
            offers: [
                .init(offerType: 1, discountType: "FREE_TRIAL"),
                .init(
                    offerType: 2, offerIdentifier: "half", discountType: "PAY_AS_YOU_GO",
                    periods: 3, pricePercent: 50),
                .init(offerType: 3, offerIdentifier: "code", discountType: "PAY_UP_FRONT"),
                .init(offerType: 4, offerIdentifier: "back", pricePercent: 20),
                .init(offerType: 4, offerIdentifier: "again"),
                .init(offerType: 5, offerIdentifier: "stay", periods: 3),
            ]),
        .init(
            productId: yearly, subscriptionGroup: "main", billingPlans: ["MONTHLY"], level: 2,
            period: "P1Y",
            prices: [.init(storefront: "USA", currency: "USD", milliunits: 120_000)],
            offers: [.init(offerType: 2, offerIdentifier: "year")]),
        .init(productId: "plus.other", subscriptionGroup: "main", level: 2),
        .init(productId: weekly, subscriptionGroup: "main", level: 3, period: "P1W"),
    ]

    init(
        _ environment: Environment = .production,
        notificationsLimit: Int = NotificationSender.queueLimit
    ) throws {
        self.environment = environment
        developer = try Developer(notificationsLimit: notificationsLimit) { state in
            state.products = Shop.products
            state.promotionalOffers = []
        }
    }

    var app: String { "/control/apps/\(SampleApp.appAppleId)/\(environment.rawValue)" }

    func send(_ method: String, _ path: String, _ body: [UInt8] = []) throws -> ClientResponse {
        try transport.send(
            ClientRequest(
                method: method,
                url: "http://127.0.0.1:\(developer.simulator.controlPort)\(path)", body: body))
    }

    func post<Body: Decodable>(
        _: Body.Type, _ path: String, _ body: some Encodable
    ) throws -> Body {
        let response = try send("POST", path, Array(JSONEncoder().encode(body)))
        guard response.status == 200 else {
            throw try JSONDecoder().decode(ControlError.self, from: Data(response.body))
        }
        return try JSONDecoder().decode(Body.self, from: Data(response.body))
    }

    func put(_ path: String, _ body: some Encodable) throws -> Int {
        try send("PUT", path, Array(JSONEncoder().encode(body))).status
    }

    /// Sends notifications to the receiver, under a public URL.
    func connect(
        _ receiver: NotificationReceiver, _ settings: NotificationSettings = .init()
    ) throws {
        var settings = settings
        settings.url = Shop.url
        #expect(try put("\(app)/notifications", settings) == 204)
        let origin = OriginMap.Entry(
            publicOrigin: "https://holdfast.example", localOrigin: receiver.origin)
        #expect(try put("/control/origins", OriginMap(origins: [origin])) == 204)
    }

    @discardableResult
    func begin(_ order: SubscriberOrder) throws -> EventReport {
        try post(EventReport.self, "\(app)/subscribers", order)
    }

    @discardableResult
    func buy(_ productId: String = Shop.plus, storefront: String? = nil) throws -> String {
        try begin(
            .init(storefront: storefront, buy: .init(.buy, productId: productId))
        ).subscription.originalTransactionId
    }

    @discardableResult
    func apply(_ event: SubscriptionEvent, to transactionId: String) throws -> EventReport {
        try post(EventReport.self, "\(app)/subscribers/\(transactionId)/events", event)
    }

    func refusal(_ event: SubscriptionEvent, _ transactionId: String) throws -> ControlError? {
        do {
            try apply(event, to: transactionId)
            return nil
        } catch let error as ControlError {
            return error
        }
    }

    func wait(days: Int64) { developer.clock.advance(milliseconds: days * Shop.day) }

    /// To just after the end of the current period.
    func waitForEnd(of transactionId: String) throws {
        let response = try send("GET", "\(app)/subscribers/\(transactionId)")
        let view = try JSONDecoder().decode(SubscriptionView.self, from: Data(response.body))
        let now = developer.clock.clock.now()
        developer.clock.set(milliseconds: max(now, view.gracePeriodExpiresDate ?? view.expiresDate))
    }

    func sent(signedPayloads: Bool = false) throws -> [NotificationView] {
        let query = "?limit=1000&signedPayload=\(signedPayloads)"
        let response = try send("GET", "\(app)/notifications/sent\(query)")
        return try JSONDecoder().decode(NotificationReport.self, from: Data(response.body))
            .notifications
    }

    func lastPayload() throws -> JSONValue {
        let last = try #require(try sent(signedPayloads: true).last)
        return try open(last.signedPayload)
    }

    struct NotSigned: Error {}

    /// What a signed document says, once its chain and its signature hold.
    func open(_ compact: String?) throws -> JSONValue {
        let jws = try CompactJWS(Array(try #require(compact).utf8))
        let header = try JSONValue(jws.header)
        let payload = try JSONValue(jws.payload)
        guard case .array(let x5c)? = header["x5c"], header["alg"]?.text == "ES256" else {
            throw NotSigned()
        }
        let chain = x5c.compactMap { Base64.decode(Array(($0.text ?? "").utf8)) }
        let date = payload["signedDate"] ?? payload["receiptCreationDate"]
        let root = try Certificate(der: developer.simulator.rootCertificate)
        let leaf = try TrustAnchors(roots: [root])
            .verify(x5c: chain, at: (try #require(date?.integer)) / 1000)
        guard jws.isSigned(by: try #require(leaf.publicKey)) else { throw NotSigned() }
        return payload
    }

    /// The two documents inside the last notification.
    func lastDocuments() throws -> (transaction: JSONValue, renewal: JSONValue) {
        let data = try #require(try lastPayload()["data"])
        return (
            try open(data["signedTransactionInfo"]?.text),
            try open(data["signedRenewalInfo"]?.text)
        )
    }
}

extension NotificationView {
    /// `TYPE` or `TYPE/SUBTYPE`.
    var name: String { [notificationType, subtype].compactMap(\.self).joined(separator: "/") }
}
