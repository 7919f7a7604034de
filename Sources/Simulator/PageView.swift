/// A customer opens the page of one subscription. Apple asks for a message then, not on the tap:
/// most answers are never displayed.
package struct PageView: Codable, Sendable, Equatable {
    package var originalTransactionId: String
    package var appAppleId: Int64
    package var environment: Environment
    package var productId: String
    package var userLocale: String
    /// Whether the customer goes on to tap Cancel Subscription.
    package var taps: Bool
    /// Whether the subscription is active. Where nothing is said, one that was sold here is as it
    /// stands, and any other is.
    package var isActive: Bool?

    package init(
        originalTransactionId: String, appAppleId: Int64, environment: Environment,
        productId: String, userLocale: String, taps: Bool, isActive: Bool? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.appAppleId = appAppleId
        self.environment = environment
        self.productId = productId
        self.userLocale = userLocale
        self.taps = taps
        self.isActive = isActive
    }
}

/// Why the App Store did not ask the developer at all.
package enum NotCalledReason: String, Codable, Sendable, CaseIterable {
    /// The simulator has not been given this app in this environment.
    case appUnknown
    case productUnknown
    /// Apple calls for an active subscription only.
    case subscriptionNotActive
    /// The hard gate: no default message for the product in the customer's App Store locale, so
    /// nothing is shown. Whether Apple calls all the same is not documented; here it does not.
    case noDefaultMessage
    /// No real-time URL is set in this environment; the other layers are shown.
    case noRealtimeURL
    /// The simulator was told to end.
    case stopping

    var explanation: String {
        switch self {
        case .appUnknown: "The simulator knows no such app in this environment; PUT its state."
        case .productUnknown: "The app has no such product."
        case .subscriptionNotActive: "The subscription is not active: there is nothing to cancel."
        case .noDefaultMessage:
            "No default message is set for this product in the customer's App Store locale, so "
                + "Apple shows nothing and the simulator does not call."
        case .noRealtimeURL: "No real-time URL is set in this environment."
        case .stopping: "The simulator is about to end."
        }
    }
}

/// What became of one page view.
package struct PageViewResult: Codable, Sendable, Equatable {
    package var originalTransactionId: String
    package var appAppleId: Int64
    package var environment: Environment
    package var productId: String
    package var userLocale: String
    /// The App Store locale that the customer's locale stands for; absent where none fits.
    package var appStoreLocale: String?
    package var taps: Bool
    /// Whether the real-time URL was called.
    package var called: Bool
    package var notCalledReason: NotCalledReason?
    package var requestIdentifier: String?
    /// The status of the answer; absent where none came whole, however late.
    package var httpStatus: Int?
    /// From sending to the whole answer, or to the failure; absent where nothing was sent.
    package var milliseconds: Double?
    package var fallbackReason: FallbackReason?
    /// Why the customer sees what `display` says, in a sentence.
    package var explanation: String
    package var broken: [RuleBreach]
    /// What a tap on Cancel Subscription shows. It is seen only where `taps` holds.
    package var display: Display

    /// Whether a complete HTTP response came, of any status and however late.
    package var isAnswered: Bool { httpStatus != nil }

    package init(_ view: PageView, appStoreLocale: String?, explanation: String, display: Display) {
        originalTransactionId = view.originalTransactionId
        appAppleId = view.appAppleId
        environment = view.environment
        productId = view.productId
        userLocale = view.userLocale
        self.appStoreLocale = appStoreLocale
        taps = view.taps
        called = false
        self.explanation = explanation
        broken = []
        self.display = display
    }
}
