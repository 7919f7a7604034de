import FoundationEssentials

/// The signed part of a real-time request: Apple's seven fields and no more
/// (`retentionmessaging/decodedrealtimerequestbody`).
package struct RealtimeRequest: Codable, Sendable, Equatable {
    package var originalTransactionId: String
    package var appAppleId: Int64
    package var productId: String
    package var userLocale: String
    /// A UUID in lower case, new for each request.
    package var requestIdentifier: String
    package var environment: Environment
    /// Milliseconds since 1970.
    package var signedDate: Int64

    package init(
        originalTransactionId: String, appAppleId: Int64, productId: String, userLocale: String,
        requestIdentifier: String, environment: Environment, signedDate: Int64
    ) {
        self.originalTransactionId = originalTransactionId
        self.appAppleId = appAppleId
        self.productId = productId
        self.userLocale = userLocale
        self.requestIdentifier = requestIdentifier
        self.environment = environment
        self.signedDate = signedDate
    }
}

/// Reads a UUID in its one written form: 36 characters, four hyphens, either case.
/// Apple's samples show both cases, so they are compared by value.
func uuid(_ text: String) -> UUID? {
    guard text.utf8.count == 36 else { return nil }
    return UUID(uuidString: text)
}

extension UUID {
    /// As the App Store's samples and the rest of Holdfast write it.
    var lowerCase: String { uuidString.lowercased() }
}
