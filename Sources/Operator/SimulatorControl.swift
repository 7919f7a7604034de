internal import FoundationEssentials
internal import HTTPClient

/// The simulator's control API as the demo uses it. The shapes are the simulator's own; they are
/// written here again because a process knows another by its wire alone.
struct SimulatorControl {
    private static let pageViewsLimit: Duration = .seconds(120)

    let base: String
    private let transport: Transport

    init(port: UInt16) {
        base = "http://127.0.0.1:\(port)/control"
        var settings = TransportSettings()
        settings.totalTimeout = Self.pageViewsLimit
        settings.responseBytesLimit = 8 << 20
        transport = Transport(settings)
    }

    func rootCertificate() throws -> [UInt8] {
        try send("GET", "/root-certificate", [])
    }

    func put(_ state: SimulatorApp) throws {
        let path = "/apps/\(state.appAppleId)/\(state.environment)"
        _ = try send("PUT", path, Array(try JSONEncoder().encode(state)))
    }

    func mapOrigin(_ publicOrigin: String, to localOrigin: String) throws {
        let map = ["origins": [["publicOrigin": publicOrigin, "localOrigin": localOrigin]]]
        _ = try send("PUT", "/origins", Array(try JSONEncoder().encode(map)))
    }

    func play(_ views: [PageView]) throws -> PageViewReport {
        let body = try JSONEncoder().encode(["pageViews": views])
        let answer = try send("POST", "/page-views", Array(body))
        return try JSONDecoder().decode(PageViewReport.self, from: Data(answer))
    }

    private func send(_ method: String, _ path: String, _ body: [UInt8]) throws -> [UInt8] {
        let response = try transport.send(
            ClientRequest(
                method: method, url: base + path, headers: [("Content-Type", "application/json")],
                body: body))
        guard (200...299).contains(response.status) else {
            let said = String(decoding: response.body.prefix(2_000), as: UTF8.self)
            throw DemoError(
                description:
                    "the simulator answered \(response.status) to \(method) \(path): \(said)")
        }
        return response.body
    }
}

/// What the simulator is told of one app in one environment.
struct SimulatorApp: Encodable {
    struct Product: Encodable {
        let productId: String
        let subscriptionGroup: String
        let billingPlans: [String]
    }

    struct Image: Encodable {
        let imageIdentifier: String
        let imageState: String
        let imageSize: String
    }

    struct MessageImage: Encodable {
        let imageIdentifier: String
        let altText: String
    }

    struct BulletPoint: Encodable {
        let text: String
        let imageIdentifier: String
        let altText: String
    }

    struct Message: Encodable {
        let messageIdentifier: String
        let messageState: String
        let header: String
        let body: String
        let headerPosition: String?
        let image: MessageImage?
        let bulletPoints: [BulletPoint]?
    }

    struct DefaultMessage: Encodable {
        let productId: String
        let locale: String
        let messageIdentifier: String
    }

    struct RetentionOffer: Encodable {
        let offerIdentifier: String
        let worth: Int
    }

    struct AppStoreConnectMessage: Encodable {
        let subscriptionGroup: String
        let header: String
        let body: String
        let hasImage: Bool
        let retentionOffers: [RetentionOffer]
    }

    struct OfferKey: Encodable {
        let keyId: String
        let issuerId: String
        let publicKeyPEM: String
    }

    struct PromotionalOffer: Encodable {
        let productId: String
        let offerIdentifier: String
    }

    let appAppleId: Int64
    let environment: String
    let bundleId: String
    let realtimeURL: String
    let products: [Product]
    let images: [Image]
    let messages: [Message]
    let defaults: [DefaultMessage]
    let appStoreConnectMessages: [AppStoreConnectMessage]
    let offerKeys: [OfferKey]
    let promotionalOffers: [PromotionalOffer]
}

/// Somebody opens the page of a subscription.
struct PageView: Encodable {
    let originalTransactionId: String
    let appAppleId: Int64
    let environment: String
    let productId: String
    let userLocale: String
    let taps: Bool
}

/// What the simulator saw, one result for each page view.
struct PageViewReport: Decodable {
    struct Display: Decodable {
        let layer: String
        let kind: String
        let header: String?
        let offerIdentifier: String?
        let billingPlanType: String?
        let hasImage: Bool
        let bulletPoints: [String]
    }

    struct Breach: Decodable {
        let rule: String
        let message: String
    }

    struct Result: Decodable {
        let appAppleId: Int64
        let environment: String
        let productId: String
        let userLocale: String
        let taps: Bool
        let called: Bool
        let requestIdentifier: String?
        let httpStatus: Int?
        let milliseconds: Double?
        let explanation: String
        let broken: [Breach]
        let display: Display
    }

    struct Statistics: Decodable {
        let pageViews: Int
        let cancellations: Int
        let answered: Int
        let tapped: Int
        let shownRealtime: Int
        let shownFallback: Int
        let shownNothing: Int
        let wrong: Int
        let p50Milliseconds: Double?
        let p99Milliseconds: Double?
    }

    let results: [Result]
    let statistics: Statistics
}
