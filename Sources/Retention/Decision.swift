package import FoundationEssentials

/// What is asked: the verified part of a real-time request that rules may look at.
package struct DecisionRequest: Sendable {
    package let productId: String
    /// Every code that names the reader's language, in lower case: `nb` and `no`, say.
    package let languages: [String]
    package let environment: StoreEnvironment

    package init(productId: String, languages: [String], environment: StoreEnvironment) {
        self.productId = productId
        self.languages = languages
        self.environment = environment
    }

    func isRead(_ language: String) -> Bool {
        languages.contains { isSame($0, language) }
    }
}

/// What was decided, whether or not the customer ever saw it: only Apple knows what was shown.
package struct Decision: Equatable, Sendable {
    package let answer: Answer
    /// The rule that answered; `nil` for the app's default and where nothing was left to say.
    package let rule: RuleID?
    /// The locale of the text, one of the app's; `nil` for a fallback.
    package let localeServed: String?

    package init(answer: Answer, rule: RuleID?, localeServed: String?) {
        self.answer = answer
        self.rule = rule
        self.localeServed = localeServed
    }
}

package enum Answer: Equatable, Sendable {
    case message(UUID)
    case alternateProduct(UUID, productId: String, billingPlanType: BillingPlanType?)
    case promotionalOffer(UUID, productId: String, offerIdentifier: String)
    case defaultMessage(UUID)
    case fallback(FallbackReason)

    /// The word for it in tables and metrics.
    package var kind: AnswerKind {
        switch self {
        case .message: .message
        case .alternateProduct: .switchPlan
        case .promotionalOffer: .promotionalOffer
        case .defaultMessage: .defaultMessage
        case .fallback: .fallback
        }
    }
}

package enum AnswerKind: String, Sendable, CaseIterable {
    case message, switchPlan, promotionalOffer, defaultMessage, fallback
}

/// Why Apple is left to show its own next layer.
package enum FallbackReason: String, Sendable, CaseIterable {
    /// A rule says so.
    case chosenByRule
    /// No rule matched and the product has no approved default in any locale of the chain.
    case nothingToShow
    /// The agency stopped the app's answers.
    case stopped
    /// What is known of the app is too old to say anything of it; see `ServingMode`.
    case outOfDate
}
