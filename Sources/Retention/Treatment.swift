package import FoundationEssentials

/// What a rule answers.
package enum Treatment: Equatable, Sendable {
    package static let escalationSteps = 2...6

    case message(MessageID)
    case switchPlan(MessageID, productId: String, billingPlanType: BillingPlanType?)
    case promotionalOffer(
        MessageID, productId: String, offerIdentifier: String,
        signature: OfferSignatureVersion = .v2)
    /// A message made in App Store Connect, by the identifier that the tenant gave. Whether Apple
    /// shows it is not documented: see `Snapshot.appStoreConnectMessages`.
    case appStoreConnectMessage(UUID)
    /// Fail fast on purpose, so that Apple shows its next layer.
    case fallback
    /// The step that the subscriber has come to, or the nearest one before it that can be said.
    case escalation([Treatment])

    /// The treatments that may be the answer: itself, or the steps.
    package var steps: [Treatment] {
        if case .escalation(let steps) = self { return steps }
        return [self]
    }

    /// The messages that may be said.
    package var messageIds: [MessageID] {
        switch self {
        case .message(let id), .switchPlan(let id, _, _), .promotionalOffer(let id, _, _, _): [id]
        case .appStoreConnectMessage, .fallback: []
        case .escalation(let steps): steps.flatMap(\.messageIds)
        }
    }

    /// The products that may be offered.
    package var productIds: [String] {
        switch self {
        case .switchPlan(_, let productId, _), .promotionalOffer(_, let productId, _, _):
            [productId]
        case .message, .appStoreConnectMessage, .fallback: []
        case .escalation(let steps): steps.flatMap(\.productIds)
        }
    }

    package var isOffer: Bool {
        if case .promotionalOffer = self { true } else { false }
    }
}

/// Which form of Apple's signature of a promotional offer is answered.
package enum OfferSignatureVersion: Int, Codable, Sendable, CaseIterable {
    case v1 = 1
    case v2 = 2
}

extension Treatment: Codable {
    fileprivate enum CodingKeys: String, CodingKey {
        case kind, messageId, productId, billingPlanType, offerIdentifier, signatureVersion
        case messageIdentifier, steps
    }

    /// The word in JSON.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case message, switchPlan, promotionalOffer, appStoreConnectMessage, fallback, escalation

        fileprivate var members: [CodingKeys] {
            switch self {
            case .message: [.kind, .messageId]
            case .switchPlan: [.kind, .messageId, .productId, .billingPlanType]
            case .promotionalOffer:
                [.kind, .messageId, .productId, .offerIdentifier, .signatureVersion]
            case .appStoreConnectMessage: [.kind, .messageIdentifier]
            case .fallback: [.kind]
            case .escalation: [.kind, .steps]
            }
        }
    }

    package var kind: Kind {
        switch self {
        case .message: .message
        case .switchPlan: .switchPlan
        case .promotionalOffer: .promotionalOffer
        case .appStoreConnectMessage: .appStoreConnectMessage
        case .fallback: .fallback
        case .escalation: .escalation
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(Kind.self, forKey: .kind)
        try decoder.refuseMembers(besides: kind.members.map(\.rawValue))
        func message() throws -> MessageID {
            try container.decode(MessageID.self, forKey: .messageId)
        }
        func text(_ key: CodingKeys) throws -> String {
            try container.decode(String.self, forKey: key)
        }
        switch kind {
        case .message: self = .message(try message())
        case .switchPlan:
            self = .switchPlan(
                try message(), productId: try text(.productId),
                billingPlanType: try container.decodeIfPresent(
                    BillingPlanType.self, forKey: .billingPlanType))
        case .promotionalOffer:
            self = .promotionalOffer(
                try message(), productId: try text(.productId),
                offerIdentifier: try text(.offerIdentifier),
                signature: try container.decodeIfPresent(
                    OfferSignatureVersion.self, forKey: .signatureVersion) ?? .v2)
        case .appStoreConnectMessage:
            self = .appStoreConnectMessage(
                try container.decode(UUID.self, forKey: .messageIdentifier))
        case .fallback: self = .fallback
        case .escalation:
            let steps = try container.decode([Treatment].self, forKey: .steps)
            guard Self.escalationSteps.contains(steps.count),
                steps.allSatisfy({ $0.kind != .escalation })
            else { throw decoder.refusal("an escalation has 2 to 6 steps, none an escalation") }
            self = .escalation(steps)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        switch self {
        case .message(let message): try container.encode(message, forKey: .messageId)
        case .switchPlan(let message, let productId, let billingPlanType):
            try container.encode(message, forKey: .messageId)
            try container.encode(productId, forKey: .productId)
            try container.encodeIfPresent(billingPlanType, forKey: .billingPlanType)
        case .promotionalOffer(let message, let productId, let offerIdentifier, let signature):
            try container.encode(message, forKey: .messageId)
            try container.encode(productId, forKey: .productId)
            try container.encode(offerIdentifier, forKey: .offerIdentifier)
            try container.encode(signature, forKey: .signatureVersion)
        case .appStoreConnectMessage(let id): try container.encode(id, forKey: .messageIdentifier)
        case .fallback: break
        case .escalation(let steps): try container.encode(steps, forKey: .steps)
        }
    }
}
