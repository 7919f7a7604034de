extension AppState {
    /// A retention message set up by hand in App Store Connect: the second layer, after the
    /// real-time answer and before the API's default.
    package struct AppStoreConnectMessage: Codable, Sendable, Equatable {
        /// The product it stands for; a message for the product goes before one for the group.
        package var productId: String?
        package var subscriptionGroup: String?
        package var header: String
        package var body: String
        package var hasImage: Bool
        package var retentionOffers: [RetentionOffer]?

        package init(
            productId: String? = nil, subscriptionGroup: String? = nil, header: String,
            body: String, hasImage: Bool = false, retentionOffers: [RetentionOffer]? = nil
        ) {
            self.productId = productId
            self.subscriptionGroup = subscriptionGroup
            self.header = header
            self.body = body
            self.hasImage = hasImage
            self.retentionOffers = retentionOffers
        }
    }

    /// An offer that App Store Connect adds for eligible subscribers (`offerType` 5).
    package struct RetentionOffer: Codable, Sendable, Equatable {
        package var offerIdentifier: String
        /// The best eligible offer is the one worth most. Apple does not say how it ranks them.
        package var worth: Int
        /// Who is eligible, by originalTransactionId; nil for every subscriber.
        package var eligibleOriginalTransactionIds: [String]?

        package init(
            offerIdentifier: String, worth: Int, eligibleOriginalTransactionIds: [String]? = nil
        ) {
            self.offerIdentifier = offerIdentifier
            self.worth = worth
            self.eligibleOriginalTransactionIds = eligibleOriginalTransactionIds
        }

        func isEligible(_ originalTransactionId: String) -> Bool {
            guard let eligible = eligibleOriginalTransactionIds else { return true }
            return eligible.contains { sameBytes($0, originalTransactionId) }
        }
    }
}
