/// The rules of an app, in the order they are tried. A version of it never changes; publishing
/// another one makes a new snapshot.
package struct RuleSet: Codable, Equatable, Sendable {
    /// The form of the JSON. A reader refuses a version it does not know: a condition it cannot
    /// read must never count as met.
    package static let schemaVersion = 1
    package static let rulesLimit = 200

    package let schemaVersion: Int
    package let rules: [Rule]

    package init(rules: [Rule]) {
        schemaVersion = Self.schemaVersion
        self.rules = rules
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case schemaVersion, rules
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        schemaVersion = try container.decode(Int.self, forKey: .schemaVersion)
        guard schemaVersion == Self.schemaVersion else {
            throw DecodingError.dataCorruptedError(
                forKey: .schemaVersion, in: container,
                debugDescription: "schemaVersion \(schemaVersion), this build reads 1")
        }
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        rules = try container.decode([Rule].self, forKey: .rules)
        guard rules.count <= Self.rulesLimit else {
            throw DecodingError.dataCorruptedError(
                forKey: .rules, in: container,
                debugDescription: "\(rules.count) rules, \(Self.rulesLimit) are allowed")
        }
    }
}

/// When all of its conditions hold, its treatment is the answer.
package struct Rule: Codable, Equatable, Sendable {
    package let id: RuleID
    package let name: String
    package let when: Conditions
    package let treatment: Treatment

    package init(id: RuleID, name: String, when: Conditions, treatment: Treatment) {
        self.id = id
        self.name = name
        self.when = when
        self.treatment = treatment
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, when, treatment
    }

    /// An unknown member may be a condition of a later form; see `Conditions`.
    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(RuleID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        when = try container.decode(Conditions.self, forKey: .when)
        treatment = try container.decode(Treatment.self, forKey: .treatment)
    }
}

/// What must hold; a condition that is absent holds for everybody.
package struct Conditions: Codable, Equatable, Sendable {
    /// The subscriber's current product is one of these.
    package let productIds: [String]?
    /// The language of the reader's locale is one of these (`ja`, `zh`), whatever its region. Under
    /// Apple's code it is met under every other: `no` is also `nb` and `nn`, `he` also `iw`.
    package let languages: [String]?
    package let environments: [StoreEnvironment]?

    package static let none = Conditions()

    package init(
        productIds: [String]? = nil, languages: [String]? = nil,
        environments: [StoreEnvironment]? = nil
    ) {
        self.productIds = productIds
        self.languages = languages
        self.environments = environments
    }

    /// Unknown members are refused, not skipped: a condition of a later form that this build
    /// cannot judge must not make the rule match everybody.
    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        productIds = try container.decodeIfPresent([String].self, forKey: .productIds)
        languages = try container.decodeIfPresent([String].self, forKey: .languages)
        environments = try container.decodeIfPresent([StoreEnvironment].self, forKey: .environments)
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case productIds, languages, environments
    }

    func hold(for request: DecisionRequest) -> Bool {
        productIds.map { $0.contains { isSame($0, request.productId) } } ?? true
            && languages.map { $0.contains(where: request.isRead) } ?? true
            && environments.map { $0.contains(request.environment) } ?? true
    }
}

/// What a rule answers.
package enum Treatment: Equatable, Sendable {
    case message(MessageID)
    case switchPlan(MessageID, productId: String, billingPlanType: BillingPlanType?)
    case promotionalOffer(MessageID, productId: String, offerIdentifier: String)
    /// Fail fast on purpose, so that Apple shows its next layer.
    case fallback

    /// The message that is said.
    package var messageId: MessageID? {
        switch self {
        case .message(let id), .switchPlan(let id, _, _), .promotionalOffer(let id, _, _): id
        case .fallback: nil
        }
    }

    /// The product that is offered.
    package var productId: String? {
        switch self {
        case .switchPlan(_, let productId, _), .promotionalOffer(_, let productId, _): productId
        case .message, .fallback: nil
        }
    }
}

extension Treatment: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, messageId, productId, billingPlanType, offerIdentifier
    }

    private enum Kind: String, Codable {
        case message, switchPlan, promotionalOffer, fallback

        var members: [CodingKeys] {
            switch self {
            case .message: [.kind, .messageId]
            case .switchPlan: [.kind, .messageId, .productId, .billingPlanType]
            case .promotionalOffer: [.kind, .messageId, .productId, .offerIdentifier]
            case .fallback: [.kind]
            }
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(Kind.self, forKey: .kind)
        try decoder.refuseMembers(besides: kind.members.map(\.rawValue))
        if kind == .fallback {
            self = .fallback
            return
        }
        let message = try container.decode(MessageID.self, forKey: .messageId)
        switch kind {
        case .switchPlan:
            self = .switchPlan(
                message, productId: try container.decode(String.self, forKey: .productId),
                billingPlanType: try container.decodeIfPresent(
                    BillingPlanType.self, forKey: .billingPlanType))
        case .promotionalOffer:
            self = .promotionalOffer(
                message, productId: try container.decode(String.self, forKey: .productId),
                offerIdentifier: try container.decode(String.self, forKey: .offerIdentifier))
        case .message, .fallback:
            self = .message(message)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .message(let message):
            try container.encode(Kind.message, forKey: .kind)
            try container.encode(message, forKey: .messageId)
        case .switchPlan(let message, let productId, let billingPlanType):
            try container.encode(Kind.switchPlan, forKey: .kind)
            try container.encode(message, forKey: .messageId)
            try container.encode(productId, forKey: .productId)
            try container.encodeIfPresent(billingPlanType, forKey: .billingPlanType)
        case .promotionalOffer(let message, let productId, let offerIdentifier):
            try container.encode(Kind.promotionalOffer, forKey: .kind)
            try container.encode(message, forKey: .messageId)
            try container.encode(productId, forKey: .productId)
            try container.encode(offerIdentifier, forKey: .offerIdentifier)
        case .fallback:
            try container.encode(Kind.fallback, forKey: .kind)
        }
    }
}

extension Decoder {
    /// Throws for the first member that is not in `known`.
    fileprivate func refuseMembers(besides known: [String]) throws {
        let container = try container(keyedBy: AnyMember.self)
        if let unknown = container.allKeys.first(where: { !known.contains($0.stringValue) }) {
            throw DecodingError.dataCorruptedError(
                forKey: unknown, in: container,
                debugDescription: "unknown member; known are \(known.joined(separator: ", "))")
        }
    }
}

private struct AnyMember: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}
