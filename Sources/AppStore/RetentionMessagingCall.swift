package import FoundationEssentials
package import Retention

/// One call of the Retention Messaging API with what it carries. The app is named by the token.
///
/// Source: developer.apple.com/documentation/retentionmessaging, the pages of its endpoints
package enum RetentionMessagingCall: Hashable, Sendable {
    case uploadImage(id: UUID, size: ImageSize, png: [UInt8])
    case deleteImage(id: UUID)
    case listImages
    case uploadMessage(id: UUID, UploadMessageBody)
    case deleteMessage(id: UUID)
    case listMessages
    case setDefault(productId: String, locale: String, messageId: UUID)
    case getDefault(productId: String, locale: String)
    case deleteDefault(productId: String, locale: String)
    case setRealtimeURL(String)
    case getRealtimeURL
    case deleteRealtimeURL
    case startPerformanceTest(originalTransactionId: String)
    /// `requestId` as Apple gave it.
    case getPerformanceTest(requestId: String)

    package static let root = "/inApps/v1/messaging"

    package var endpoint: AppleEndpoint {
        switch self {
        case .uploadImage: .uploadImage
        case .deleteImage: .deleteImage
        case .listImages: .getImageList
        case .uploadMessage: .uploadMessage
        case .deleteMessage: .deleteMessage
        case .listMessages: .getMessageList
        case .setDefault: .configureDefaultMessage
        case .getDefault: .getDefaultMessage
        case .deleteDefault: .deleteDefaultMessage
        case .setRealtimeURL: .configureRealtimeURL
        case .getRealtimeURL: .getRealtimeURL
        case .deleteRealtimeURL: .deleteRealtimeURL
        case .startPerformanceTest: .initiatePerformanceTest
        case .getPerformanceTest: .getPerformanceTestResults
        }
    }

    package var method: String {
        switch self {
        case .uploadImage, .uploadMessage, .setDefault, .setRealtimeURL: "PUT"
        case .deleteImage, .deleteMessage, .deleteDefault, .deleteRealtimeURL: "DELETE"
        case .listImages, .listMessages, .getDefault, .getRealtimeURL, .getPerformanceTest: "GET"
        case .startPerformanceTest: "POST"
        }
    }

    /// With the query; nil where an identifier of it fits into no path.
    package var path: String? {
        rest.map { Self.root + $0 }
    }

    private var rest: String? {
        switch self {
        case .uploadImage(let id, let size, _):
            "/image/\(id.lowerCaseText)?imageSize=\(size.rawValue)"
        case .deleteImage(let id): "/image/\(id.lowerCaseText)"
        case .listImages: "/image/list"
        case .uploadMessage(let id, _), .deleteMessage(let id): "/message/\(id.lowerCaseText)"
        case .listMessages: "/message/list"
        case .setDefault(let productId, let locale, _), .getDefault(let productId, let locale),
            .deleteDefault(let productId, let locale):
            Self.defaultPath(productId, locale)
        case .setRealtimeURL, .getRealtimeURL, .deleteRealtimeURL: "/realtime/url"
        case .startPerformanceTest: "/performanceTest"
        case .getPerformanceTest(let requestId):
            PathSegment.encode(requestId).map { "/performanceTest/result/\($0)" }
        }
    }

    private static func defaultPath(_ productId: String, _ locale: String) -> String? {
        guard let product = PathSegment.encode(productId), let locale = PathSegment.encode(locale)
        else { return nil }
        return "/default/\(product)/\(locale)"
    }

    /// Nil where there is no body.
    package var contentType: String? {
        switch self {
        case .uploadImage: "image/png"
        case .uploadMessage, .setDefault, .setRealtimeURL, .startPerformanceTest:
            "application/json"
        default: nil
        }
    }

    package var body: [UInt8] {
        switch self {
        case .uploadImage(_, _, let png): png
        case .uploadMessage(_, let body): body.json()
        case .setDefault(_, _, let messageId):
            Self.object("messageIdentifier", messageId.lowerCaseText)
        case .setRealtimeURL(let url): Self.object("realtimeURL", url)
        case .startPerformanceTest(let transaction):
            Self.object("originalTransactionId", transaction)
        default: []
        }
    }

    private static func object(_ key: String, _ value: String) -> [UInt8] {
        var text = JSONText()
        text.add(key, value)
        return text.closed()
    }
}

/// The endpoint alone: a real-time URL is a secret, and a picture fills a log.
extension RetentionMessagingCall: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { endpoint.rawValue }
    package var debugDescription: String { description }
}
