/// What is known of an app's way to its messages: all that `AppReadiness` is worked out from.
package struct ReadinessFacts: Sendable {
    package enum Access: String, Sendable { case unknown, none, granted }

    /// Texts that are wanted at Apple, each with the pictures it shows.
    package struct Content: Hashable, Sendable {
        package var wanted = 0
        /// May be shown, in this wording or in the one before.
        package var approved = 0
        /// Messages that Apple is reviewing, and that it rejected, of those that are still wanted.
        package var pending = 0
        package var rejected = 0

        package init() {}
    }

    package enum URL: Sendable {
        /// Apple was not asked yet, or a change is under way.
        case unknown
        case none
        /// The newest live endpoint's.
        case current
        /// Of an older endpoint of the app.
        case former
        case foreign
    }

    /// One of Apple's environments.
    package struct Side: Sendable {
        package var access = Access.unknown
        package var check: CredentialCheck?
        package var standbyCheck: CredentialCheck?
        package var content = Content()
        package var hasEndpoint = false
        package var url = URL.unknown
        package var urlRefusal: AppleRefusal?

        package init() {}
    }

    package enum TestProgress: String, Sendable { case waiting, atApple, passed, failed, notRun }

    package var accessRequestedAt: Instant?
    package var hasKey = false
    package var hasStandbyKey = false
    package var sandbox = Side()
    package var production = Side()
    package var testTransactionId: String?
    /// The newest test.
    package var test: TestProgress?
    /// When a test last passed.
    package var passedAt: Instant?
    package var productCount = 0
    /// In production: products in locales, how many of them have a default here, and how many at
    /// Apple.
    package var defaultPlaces = 0
    package var defaultsSet = 0
    package var defaultsInForce = 0
    package var appStoreConnectLayer = AppStoreConnectLayer.none
    /// As published in production.
    package var rules = RuleSet(rules: [])

    package init() {}

    func side(_ environment: StoreEnvironment) -> Side {
        environment == .sandbox ? sandbox : production
    }
}
