package import FoundationEssentials

/// What is asked: the verified part of a real-time request that rules may look at.
package struct DecisionRequest: Equatable, Sendable {
    package let productId: String
    /// Every spelling of the reader's locale, as it came and as Apple writes it.
    package let locales: [String]
    /// Every code that names the reader's language, in lower case: `nb` and `no`, say.
    package let languages: [String]
    package let environment: StoreEnvironment

    package init(
        productId: String, locales: [String] = [], languages: [String],
        environment: StoreEnvironment
    ) {
        self.productId = productId
        self.locales = locales
        self.languages = languages
        self.environment = environment
    }
}

/// Everything beside the snapshot that an answer depends on. The same inputs give the same answer
/// in every process: what is recorded of them explains a decision later.
package struct DecisionInputs {
    package let request: DecisionRequest
    /// Locales the reader understands, nearest first; the app's default locale is added as the
    /// last.
    package let localeChain: [String]
    package let subscriber: KnownSubscriber
    package let budget: BudgetReading
    package let mode: ServingMode
    /// False where no key of the app opens, or where signing just failed.
    package let canSignOffers: Bool
    /// Business time.
    package let now: Instant
    /// The subscriber's bucket of a salt, 0 to 9,999: `Buckets`.
    package let bucket: (_ salt: String) -> Int

    package init(
        request: DecisionRequest, localeChain: [String],
        subscriber: KnownSubscriber = .notNeeded, budget: BudgetReading = .unknown,
        mode: ServingMode = .full, canSignOffers: Bool, now: Instant,
        bucket: @escaping (_ salt: String) -> Int
    ) {
        self.request = request
        self.localeChain = localeChain
        self.subscriber = subscriber
        self.budget = budget
        self.mode = mode
        self.canSignOffers = canSignOffers
        self.now = now
        self.bucket = bucket
    }
}

/// Which arm of which experiment a subscriber has.
package struct Assignment: Hashable, Sendable {
    package let experiment: ExperimentID
    package let arm: String

    package init(experiment: ExperimentID, arm: String) {
        self.experiment = experiment
        self.arm = arm
    }
}

/// What was decided, whether or not the customer ever saw it: only Apple knows what was shown.
package struct Decision: Equatable, Sendable {
    package let answer: Answer
    /// The rule that answered; `nil` for the app's default and where nothing was left to say.
    package let rule: RuleID?
    /// The locale of the text, one of the app's; `nil` for a fallback and for a message of App
    /// Store Connect.
    package let localeServed: String?
    /// The arm of the rule that answered; where that arm could not be said, of the first matching
    /// experiment, so that everybody stays in the arm they were given.
    package let assignment: Assignment?
    package let isHoldout: Bool

    package init(
        answer: Answer, rule: RuleID?, localeServed: String?, assignment: Assignment? = nil,
        isHoldout: Bool = false
    ) {
        self.answer = answer
        self.rule = rule
        self.localeServed = localeServed
        self.assignment = assignment
        self.isHoldout = isHoldout
    }

    func assigned(_ assignment: Assignment?) -> Decision {
        Decision(
            answer: answer, rule: rule, localeServed: localeServed, assignment: assignment,
            isHoldout: isHoldout)
    }
}

package enum Answer: Equatable, Sendable {
    case message(UUID)
    case alternateProduct(UUID, productId: String, billingPlanType: BillingPlanType?)
    case promotionalOffer(
        UUID, productId: String, offerIdentifier: String,
        signature: OfferSignatureVersion = .v2)
    case appStoreConnectMessage(UUID)
    case defaultMessage(UUID)
    case fallback(FallbackReason)

    /// The word for it in tables and metrics.
    package var kind: AnswerKind {
        switch self {
        case .message: .message
        case .alternateProduct: .switchPlan
        case .promotionalOffer: .promotionalOffer
        case .appStoreConnectMessage: .appStoreConnectMessage
        case .defaultMessage: .defaultMessage
        case .fallback: .fallback
        }
    }
}

/// An answer taken apart: what tables and pages show of it.
package struct AnswerParts: Equatable, Sendable {
    package var messageIdentifier: UUID?
    package var productId: String?
    package var billingPlanType: BillingPlanType?
    package var offerIdentifier: String?
    package var signature: OfferSignatureVersion?
    package var fallbackReason: FallbackReason?

    package init(_ answer: Answer) {
        switch answer {
        case .message(let id), .defaultMessage(let id), .appStoreConnectMessage(let id):
            messageIdentifier = id
        case .alternateProduct(let id, let product, let plan):
            messageIdentifier = id
            productId = product
            billingPlanType = plan
        case .promotionalOffer(let id, let product, let offer, let signature):
            messageIdentifier = id
            productId = product
            offerIdentifier = offer
            self.signature = signature
        case .fallback(let reason):
            fallbackReason = reason
        }
    }
}

package enum AnswerKind: String, Sendable, CaseIterable {
    case message, switchPlan, promotionalOffer, appStoreConnectMessage, defaultMessage, fallback
}

/// Why Apple is left to show its own next layer.
package enum FallbackReason: String, Sendable, CaseIterable {
    /// A rule says so.
    case chosenByRule
    /// No rule matched and the product has no approved default in any locale of the chain.
    case nothingToShow
    /// The agency stopped the app's answers.
    case stopped
    /// The subscriber is held out, and the holdout gets nothing of ours.
    case holdout
    /// What is known of the app is too old to say anything of it; see `ServingMode`.
    case outOfDate
}

/// Why a rule that matched was passed over.
package enum DeadReason: String, Sendable, CaseIterable {
    /// No text of the message is approved in a locale of the chain, or none at all.
    case noApprovedText
    /// The message is of another kind than the treatment.
    case noMessage
    /// Not another product of the subscriber's group, or a product that is not known.
    case notInGroup
    case noBillingPlan, noOffer
    /// The app has no key that opens, or signing failed.
    case noKey
    /// The message of App Store Connect is not known, or was not yet seen to be shown in the
    /// sandbox.
    case notConfirmed
    // The governor's.
    case offerCap, coolDown, countersUnknown, budgetSpent, budgetUnknown
    /// The snapshot is too old for a discount.
    case staleState
    /// The experiment has no arm for the bucket.
    case noArm
}
