/// The fourteen endpoints of the Retention Messaging API, in Apple's words.
///
/// Source: developer.apple.com/documentation/retentionmessaging, its pages of the same names
package enum AppleEndpoint: String, Codable, Hashable, Sendable, CaseIterable {
    case uploadImage, deleteImage, getImageList
    case uploadMessage, deleteMessage, getMessageList
    case configureDefaultMessage, getDefaultMessage, deleteDefaultMessage
    case configureRealtimeURL, getRealtimeURL, deleteRealtimeURL
    case initiatePerformanceTest, getPerformanceTestResults

    /// Changes something at Apple: after an unknown outcome, look before doing it again.
    package var isWrite: Bool {
        switch self {
        case .uploadImage, .deleteImage, .uploadMessage, .deleteMessage, .configureDefaultMessage,
            .deleteDefaultMessage, .configureRealtimeURL, .deleteRealtimeURL,
            .initiatePerformanceTest:
            true
        case .getImageList, .getMessageList, .getDefaultMessage, .getRealtimeURL,
            .getPerformanceTestResults:
            false
        }
    }

    /// Only the sandbox's host has it.
    package var isSandboxOnly: Bool {
        self == .initiatePerformanceTest || self == .getPerformanceTestResults
    }

    /// A success carries a body that says something; the others are empty.
    package var hasContent: Bool { !isWrite || self == .initiatePerformanceTest }

    /// Apple's limit for one app, enforced by the hour though told by the second.
    ///
    /// Source: developer.apple.com/documentation/retentionmessaging/identifying-rate-limits
    package func callsPerHour(in environment: StoreEnvironment) -> Int {
        let production = self == .configureDefaultMessage ? 36_000 : 3_600
        return switch environment {
        case .production: production
        case .sandbox: production / 10
        }
    }
}
