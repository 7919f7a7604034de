internal import FoundationEssentials
internal import HTTPClient

/// The simulator's control API as the demo uses it. The shapes are the simulator's own; they are
/// written here again because a process knows another by its wire alone.
package struct SimulatorControl: Sendable {
    private static let pageViewsLimit: Duration = .seconds(120)

    package let base: String
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

    package func put(_ state: SimulatorApp) throws {
        let path = "/apps/\(state.appAppleId)/\(state.environment)"
        _ = try send("PUT", path, Array(try JSONEncoder().encode(state)))
    }

    func mapOrigin(_ publicOrigin: String, to localOrigin: String) throws {
        let map = ["origins": [["publicOrigin": publicOrigin, "localOrigin": localOrigin]]]
        _ = try send("PUT", "/origins", Array(try JSONEncoder().encode(map)))
    }

    package func play(_ views: [PageView]) throws -> PageViewReport {
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
package struct SimulatorApp: Encodable, Sendable {
    package struct Product: Encodable, Sendable {
        package let productId: String
        package let subscriptionGroup: String
        package let billingPlans: [String]
    }

    package struct Image: Encodable, Sendable {
        package let imageIdentifier: String
        package let imageState: String
        package let imageSize: String
    }

    package struct MessageImage: Encodable, Sendable {
        package let imageIdentifier: String
        package let altText: String
    }

    package struct BulletPoint: Encodable, Sendable {
        package let text: String
        package let imageIdentifier: String
        package let altText: String
    }

    package struct Message: Encodable, Sendable {
        package let messageIdentifier: String
        package let messageState: String
        package let header: String
        package let body: String
        package let headerPosition: String?
        package let image: MessageImage?
        package let bulletPoints: [BulletPoint]?
    }

    package struct DefaultMessage: Encodable, Sendable {
        package let productId: String
        package let locale: String
        package let messageIdentifier: String
    }

    package struct RetentionOffer: Encodable, Sendable {
        package let offerIdentifier: String
        package let worth: Int
    }

    package struct AppStoreConnectMessage: Encodable, Sendable {
        package let subscriptionGroup: String
        package let header: String
        package let body: String
        package let hasImage: Bool
        package let retentionOffers: [RetentionOffer]
    }

    package struct OfferKey: Encodable, Sendable {
        package let keyId: String
        package let issuerId: String
        package let publicKeyPEM: String

        package init(keyId: String, issuerId: String, publicKeyPEM: String) {
            self.keyId = keyId
            self.issuerId = issuerId
            self.publicKeyPEM = publicKeyPEM
        }
    }

    package struct PromotionalOffer: Encodable, Sendable {
        package let productId: String
        package let offerIdentifier: String
    }

    package let appAppleId: Int64
    package let environment: String
    package let bundleId: String
    package let realtimeURL: String
    package let products: [Product]
    package let images: [Image]
    package let messages: [Message]
    package let defaults: [DefaultMessage]
    package let appStoreConnectMessages: [AppStoreConnectMessage]
    package let offerKeys: [OfferKey]
    package let promotionalOffers: [PromotionalOffer]
}

/// Somebody opens the page of a subscription.
package struct PageView: Encodable, Sendable {
    package let originalTransactionId: String
    package let appAppleId: Int64
    package let environment: String
    package let productId: String
    package let userLocale: String
    package let taps: Bool
}

/// What the simulator saw, one result for each page view.
package struct PageViewReport: Decodable, Sendable {
    package struct Display: Decodable, Sendable {
        package let layer: String
        package let kind: String
        package let header: String?
        package let offerIdentifier: String?
        package let billingPlanType: String?
        package let hasImage: Bool
        package let bulletPoints: [String]
    }

    package struct Breach: Decodable, Sendable {
        package let rule: String
        package let message: String
    }

    package struct Result: Decodable, Sendable {
        package let appAppleId: Int64
        package let environment: String
        package let productId: String
        package let userLocale: String
        package let taps: Bool
        package let called: Bool
        package let requestIdentifier: String?
        package let httpStatus: Int?
        package let milliseconds: Double?
        package let explanation: String
        package let broken: [Breach]
        package let display: Display
    }

    package struct Statistics: Decodable, Sendable {
        package let pageViews: Int
        package let cancellations: Int
        package let answered: Int
        package let tapped: Int
        package let shownRealtime: Int
        package let shownFallback: Int
        package let shownNothing: Int
        package let wrong: Int
        package let p50Milliseconds: Double?
        package let p99Milliseconds: Double?
    }

    package let results: [Result]
    package let statistics: Statistics
}
