package import Locales
package import Retention
internal import Signing

/// What a real-time request asks, as far as an answer depends on it. The responder answers from it,
/// and whoever explains, previews or replays a decision asks by it again: the same code, or an
/// explanation would be of something else.
package struct AskedDecision: Sendable {
    package let productId: String
    /// As it came.
    package let userLocale: String
    package let originalTransactionId: String
    package let environment: StoreEnvironment

    package init(
        productId: String, userLocale: String, originalTransactionId: String,
        environment: StoreEnvironment
    ) {
        self.productId = productId
        self.userLocale = userLocale
        self.originalTransactionId = originalTransactionId
        self.environment = environment
    }

    /// - Parameter matcher: of the snapshot's locales.
    package func inputs(
        _ recorded: RecordedInputs, _ matcher: LocaleMatcher, at now: Instant
    ) -> DecisionInputs {
        let subscriber = originalTransactionId
        let reader = matcher.reader(of: userLocale)
        return DecisionInputs(
            recorded,
            request: DecisionRequest(
                productId: productId, locales: reader.spellings, languages: reader.languages,
                environment: environment),
            localeChain: reader.chain, now: now,
            bucket: { Self.bucket(salt: $0, originalTransactionId: subscriber) })
    }

    /// The subscriber's bucket, 0 to 9,999.
    package static func bucket(salt: String, originalTransactionId: String) -> Int {
        Buckets.bucket(
            digest: SHA256.digest(
                Buckets.hashed(salt: salt, originalTransactionId: originalTransactionId)))
    }
}
