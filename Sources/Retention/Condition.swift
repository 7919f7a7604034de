/// What must hold for a rule to match: a tree of tests, judged in three values.
package indirect enum Condition: Equatable, Sendable {
    package static let depthLimit = 8
    package static let nodesLimit = 64

    case all([Condition])
    case any([Condition])
    case not(Condition)
    case fact(FactCondition)
    case randomShare(RandomShare)

    /// Holds for everybody.
    package static let always = Condition.all([])

    /// All that is given must hold; what is absent holds for everybody.
    package static func of(
        productIds: [String]? = nil, languages: [String]? = nil,
        environments: [StoreEnvironment]? = nil
    ) -> Condition {
        let parts: [(Fact, [String]?)] = [
            (.productId, productIds), (.language, languages),
            (.environment, environments?.map(\.rawValue)),
        ]
        return .all(
            parts.compactMap { fact, texts in
                texts.map { .fact(FactCondition(fact, .oneOf($0))) }
            })
    }

    package func verdict(_ facts: FactReader) -> Verdict {
        verdict { leaf in
            switch leaf {
            case .fact(let condition): condition.verdict(facts)
            case .randomShare(let share): Verdict(share.includes(facts))
            }
        }
    }

    /// The two kinds of nodes that have no parts.
    enum Leaf: Equatable {
        case fact(FactCondition)
        case randomShare(RandomShare)
    }

    func verdict(_ judge: (Leaf) -> Verdict) -> Verdict {
        switch self {
        case .all(let parts): Verdict.all(parts) { $0.verdict(judge) }
        case .any(let parts): Verdict.any(parts) { $0.verdict(judge) }
        case .not(let part): !part.verdict(judge)
        case .fact(let condition): judge(.fact(condition))
        case .randomShare(let share): judge(.randomShare(share))
        }
    }

    var parts: [Condition] {
        switch self {
        case .all(let parts), .any(let parts): parts
        case .not(let part): [part]
        case .fact, .randomShare: []
        }
    }

    package var depth: Int { 1 + (parts.map(\.depth).max() ?? 0) }

    package var nodes: Int { parts.reduce(1) { $0 + $1.nodes } }

    /// Its tests of a share, negated ones too.
    package var shares: Int {
        if case .randomShare = self { return 1 }
        return parts.reduce(0) { $0 + $1.shares }
    }

    /// Every test of a fact in it, negated ones too.
    package var factConditions: [FactCondition] {
        if case .fact(let condition) = self { return [condition] }
        return parts.flatMap(\.factConditions)
    }

    /// Every product it names, whether to include or to exclude it.
    package var productIds: [String] {
        factConditions.flatMap { condition -> [String] in
            guard condition.fact == .productId, case .oneOf(let texts) = condition.test else {
                return []
            }
            return texts
        }
    }
}

/// A share of all subscribers, the same ones at every look. Raising the percentage only adds some.
package struct RandomShare: Equatable, Sendable {
    package static let saltBytes = 1...64

    /// Two shares of one salt hold the same subscribers.
    package let salt: String
    /// Hundredths of a percent, 0 to 10,000.
    package let basisPoints: Int32

    package init(salt: String, basisPoints: Int32) {
        self.salt = salt
        self.basisPoints = basisPoints
    }

    var bucketSalt: String { "share:" + salt }

    func includes(_ facts: FactReader) -> Bool {
        facts.bucket(bucketSalt) < Int(basisPoints)
    }
}

/// One test of one fact.
package struct FactCondition: Equatable, Sendable {
    /// A year: what is older is no knowledge of a subscriber.
    package static let ageLimitHours: ClosedRange<Int64> = 1...8_760
    package static let textsLimit = 200

    package let fact: Fact
    package let test: FactTest
    /// How old the fact may be, in hours; `nil` for the fact's own limit.
    package let maxAgeHours: Int64?

    package init(_ fact: Fact, _ test: FactTest, maxAgeHours: Int64? = nil) {
        self.fact = fact
        self.test = test
        self.maxAgeHours = maxAgeHours
    }

    package func verdict(_ facts: FactReader) -> Verdict {
        facts.value(of: fact, maxAgeHours: maxAgeHours).map(test.verdict) ?? .unknown
    }
}

/// What is asked of a value. One of another form than the test's is as good as missing.
package enum FactTest: Equatable, Sendable {
    case oneOf([String])
    /// Half-open: at least the one, below the other. At least one of them is there.
    case number(atLeast: Int64?, below: Int64?)
    case flag(Bool)
    /// In thousandths of the currency; another currency is unknown, never converted.
    case money(atLeast: Int64?, below: Int64?, currency: String)
    case version(atLeast: AppVersion?, below: AppVersion?)

    package func verdict(_ value: FactValue) -> Verdict {
        switch (self, value) {
        case (.oneOf(let texts), .text(let text)):
            Verdict(texts.contains { isSame($0, text) })
        case (.oneOf(let texts), .texts(let codes)):
            Verdict(texts.contains { text in codes.contains { isSame($0, text) } })
        case (.number(let low, let high), .number(let number)):
            Self.isWithin(number, low, high)
        case (.flag(let wanted), .flag(let flag)): Verdict(wanted == flag)
        case (.money(let low, let high, let wanted), .money(let amount, let currency)):
            isSame(wanted, currency) ? Self.isWithin(amount, low, high) : .unknown
        case (.version(let low, let high), .text(let text)):
            AppVersion(text).map { Self.isWithin($0, low, high) } ?? .unknown
        default: .unknown
        }
    }

    private static func isWithin<Value: Comparable>(
        _ value: Value, _ low: Value?, _ high: Value?
    ) -> Verdict {
        Verdict((low.map { $0 <= value } ?? true) && (high.map { value < $0 } ?? true))
    }

    /// Whether the fact has values of this test's form.
    package func fits(_ fact: Fact) -> Bool {
        switch (self, fact.form) {
        case (.oneOf, .text), (.oneOf, .open), (.number, .number), (.number, .open), (.flag, .flag),
            (.flag, .open), (.money, .money), (.version, .open):
            true
        default: false
        }
    }
}
