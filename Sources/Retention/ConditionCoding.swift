// The stored form of conditions. Unknown members are refused, not skipped: a condition of a later
// form that this build cannot judge must not make a rule match everybody.

extension Condition: Codable {
    private enum CodingKeys: String, CodingKey {
        case all, any, not, randomShare
    }

    package init(from decoder: any Decoder) throws {
        let names = try decoder.memberNames()
        if names.contains("fact") {
            self = .fact(try FactCondition(from: decoder))
            return
        }
        guard names.count == 1, let name = names.first, let key = CodingKeys(rawValue: name) else {
            throw decoder.refusal("a condition has one of all, any, not, randomShare or fact")
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch key {
        case .all: self = .all(try container.decode([Condition].self, forKey: .all))
        case .any: self = .any(try container.decode([Condition].self, forKey: .any))
        case .not: self = .not(try container.decode(Condition.self, forKey: .not))
        case .randomShare:
            self = .randomShare(try container.decode(RandomShare.self, forKey: .randomShare))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        if case .fact(let condition) = self { return try condition.encode(to: encoder) }
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .all(let parts): try container.encode(parts, forKey: .all)
        case .any(let parts): try container.encode(parts, forKey: .any)
        case .not(let part): try container.encode(part, forKey: .not)
        case .randomShare(let share): try container.encode(share, forKey: .randomShare)
        case .fact: break
        }
    }
}

extension RandomShare: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case salt, basisPoints
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        salt = try container.decode(String.self, forKey: .salt)
        basisPoints = try container.decode(Int32.self, forKey: .basisPoints)
        guard Self.saltBytes.contains(salt.utf8.count), (0...10_000).contains(basisPoints) else {
            throw decoder.refusal("a share has a salt of 1 to 64 bytes and 0 to 10000 basisPoints")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(salt, forKey: .salt)
        try container.encode(basisPoints, forKey: .basisPoints)
    }
}

extension FactCondition: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case fact, `in`, atLeast, below, `is`, currency, atLeastVersion, belowVersion, maxAgeHours
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .fact)
        guard let fact = Fact(name: name) else {
            throw decoder.refusal("\(name) is no fact that this build knows")
        }
        self.fact = fact
        let tests = try Self.tests(in: container)
        guard tests.count == 1, let test = tests.first, test.fits(fact) else {
            throw decoder.refusal("\(name) takes one test of its own form")
        }
        self.test = test
        maxAgeHours = try container.decodeIfPresent(Int64.self, forKey: .maxAgeHours)
        if let maxAgeHours, !Self.ageLimitHours.contains(maxAgeHours) {
            throw decoder.refusal("maxAgeHours is 1 to 8760")
        }
    }

    /// Every test whose members are there; one is right.
    private static func tests(
        in container: KeyedDecodingContainer<CodingKeys>
    ) throws -> [FactTest] {
        var tests: [FactTest] = []
        if let texts = try container.decodeIfPresent([String].self, forKey: .in) {
            tests.append(.oneOf(texts))
        }
        if let flag = try container.decodeIfPresent(Bool.self, forKey: .is) {
            tests.append(.flag(flag))
        }
        let low = try container.decodeIfPresent(Int64.self, forKey: .atLeast)
        let high = try container.decodeIfPresent(Int64.self, forKey: .below)
        let currency = try container.decodeIfPresent(String.self, forKey: .currency)
        if low != nil || high != nil {
            tests.append(
                currency.map { .money(atLeast: low, below: high, currency: $0) }
                    ?? .number(atLeast: low, below: high))
        }
        let lowVersion = try version(.atLeastVersion, in: container)
        let highVersion = try version(.belowVersion, in: container)
        if lowVersion != nil || highVersion != nil {
            tests.append(.version(atLeast: lowVersion, below: highVersion))
        }
        return tests
    }

    private static func version(
        _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>
    ) throws -> AppVersion? {
        guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let version = AppVersion(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "no version")
        }
        return version
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fact.name, forKey: .fact)
        switch test {
        case .oneOf(let texts): try container.encode(texts, forKey: .in)
        case .flag(let flag): try container.encode(flag, forKey: .is)
        case .number(let low, let high):
            try container.encodeIfPresent(low, forKey: .atLeast)
            try container.encodeIfPresent(high, forKey: .below)
        case .money(let low, let high, let currency):
            try container.encodeIfPresent(low, forKey: .atLeast)
            try container.encodeIfPresent(high, forKey: .below)
            try container.encode(currency, forKey: .currency)
        case .version(let low, let high):
            try container.encodeIfPresent(low?.description, forKey: .atLeastVersion)
            try container.encodeIfPresent(high?.description, forKey: .belowVersion)
        }
        try container.encodeIfPresent(maxAgeHours, forKey: .maxAgeHours)
    }
}
