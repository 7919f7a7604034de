internal import Locales
internal import Retention

/// A condition's tree as bodies bring it.
enum ConditionBody {
    /// Whole numbers that every reader of JSON holds exactly.
    private static let numbers: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991
    /// Apple's identifiers, in UTF-16 units.
    private static let nameUnits = 1...255
    private static let wordUnits = 1...64
    private static let localeUnits = 1...64
    /// Letters of a language: `ja`, `fil`.
    private static let languageLetters = 2...8
    private static let storefrontLetters = 3...3

    private static let kinds = ["all", "any", "not", "randomShare", "fact"]
    /// Of a test of a fact, beside `fact` itself.
    private static let testMembers = [
        "in", "is", "atLeast", "below", "currency", "atLeastVersion", "belowVersion",
        "maxAgeHours",
    ]

    /// `nil` where something in it is wrong, which is noted.
    static func read(_ reader: inout BodyReader) -> Condition? {
        reader.noteNulls()
        let given = kinds.filter(reader.has)
        guard given.count == 1, let kind = given.first else {
            for name in kinds + testMembers { _ = reader.take(name) }
            reader.note(
                FieldProblem(
                    .pointer(reader.place), given.isEmpty ? .required : .notAllowed,
                    "A condition has one of all, any, not, randomShare or fact; "
                        + "{\"all\": []} holds for everybody."))
            return nil
        }
        switch kind {
        case "all": return parts("all", &reader).map(Condition.all)
        case "any": return parts("any", &reader).map(Condition.any)
        case "not":
            return reader.optionalObject("not") { read(&$0) }.flatMap(\.self).map(Condition.not)
        case "randomShare": return reader.optionalObject("randomShare", share)
        default: return fact(&reader).map(Condition.fact)
        }
    }

    private static func parts(_ name: String, _ reader: inout BodyReader) -> [Condition]? {
        let parts = reader.objects(name, limit: Condition.nodesLimit) { read(&$0) }
        // What could not be read is noted; the rest still has a depth and a size.
        return parts.compactMap(\.self)
    }

    private static func share(_ reader: inout BodyReader) -> Condition {
        .randomShare(
            RandomShare(
                salt: reader.text("salt", bytes: RandomShare.saltBytes),
                basisPoints: reader.percent("percent")))
    }

    // MARK: - Facts

    private static func fact(_ reader: inout BodyReader) -> FactCondition? {
        let name = reader.text("fact", 1...wordUnits.upperBound)
        guard let fact = Fact(name: name) else {
            for name in testMembers { _ = reader.take(name) }
            if !name.isEmpty {
                reader.note(
                    "fact", .unknownValue,
                    "fact is client. and a name, or one of: "
                        + "\(Fact.fixed.map(\.name).joined(separator: ", ")).")
            }
            return nil
        }
        // Of facts that have an age; of others it is a member that nobody knows.
        let age =
            fact.source == .profile
            ? reader.optionalInteger("maxAgeHours", in: FactCondition.ageLimitHours) : nil
        return test(of: fact, &reader).map { FactCondition(fact, $0, maxAgeHours: age) }
    }

    private static func test(of fact: Fact, _ reader: inout BodyReader) -> FactTest? {
        switch fact.form {
        case .text: return texts(of: fact, &reader)
        case .number: return number(&reader)
        case .flag: return flag(&reader)
        case .money: return money(&reader)
        case .open: return open(fact, &reader)
        }
    }

    /// A client's fact may have any form: the members say which is meant.
    private static func open(_ fact: Fact, _ reader: inout BodyReader) -> FactTest? {
        let groups = [["in"], ["is"], ["atLeast", "below"], ["atLeastVersion", "belowVersion"]]
        let given = groups.filter { $0.contains(where: reader.has) }
        guard given.count == 1, let group = given.first else {
            for name in testMembers { _ = reader.take(name) }
            reader.note(
                FieldProblem(
                    .pointer(reader.place), given.isEmpty ? .required : .notAllowed,
                    "A fact takes one test: in, is, atLeast and below, or atLeastVersion and "
                        + "belowVersion."))
            return nil
        }
        switch group[0] {
        case "in": return texts(of: fact, &reader)
        case "is": return flag(&reader)
        case "atLeast": return number(&reader)
        default: return version(&reader)
        }
    }

    private static func texts(of fact: Fact, _ reader: inout BodyReader) -> FactTest? {
        guard reader.take("in") != nil else {
            reader.note("in", .required, "in is required: a list of texts.")
            return nil
        }
        let texts = reader.texts("in", limit: FactCondition.textsLimit, units(of: fact))
        if reader.take("in") == .array([]) {
            reader.note("in", .tooShort, "An empty list holds for nobody; name one at least.")
        }
        for (index, text) in texts.enumerated() {
            if let (code, detail) = fault(of: text, fact) {
                reader.note("in/\(index)", code, detail)
            }
        }
        reader.noteDuplicates(texts) { "in/\($0)" }
        return .oneOf(texts)
    }

    private static func units(of fact: Fact) -> ClosedRange<Int> {
        switch fact {
        case .productId, .subscriptionGroup: nameUnits
        case .locale: localeUnits
        case .language: languageLetters
        case .storefront: storefrontLetters
        default: wordUnits
        }
    }

    /// What is not spelled as facts are would never be met.
    private static func fault(of text: String, _ fact: Fact) -> (FieldProblem.Code, String)? {
        switch fact {
        case .language where !text.utf8.allSatisfy { (0x61...0x7a).contains($0) }:
            return (.unknownValue, "A language is two to eight small letters, such as ja.")
        case .storefront where !text.utf8.allSatisfy { (0x41...0x5a).contains($0) }:
            return (.badFormat, "A storefront is three capital letters, such as DEU.")
        case .environment where StoreEnvironment(rawValue: text) == nil:
            return (.unknownValue, "An environment is Production or Sandbox.")
        case .locale:
            guard let canonical = LocaleSpelling.canonical(text) else {
                return (.unknownValue, "A locale is a language and what narrows it, such as pt-BR.")
            }
            return canonical.utf8.elementsEqual(text.utf8)
                ? nil : (.nearMiss, "Apple spells this locale \(canonical); write that.")
        default: return nil
        }
    }

    // MARK: - Spans

    private static func number(_ reader: inout BodyReader) -> FactTest? {
        let (low, high) = span(&reader, in: numbers)
        return .number(atLeast: low, below: high)
    }

    private static func money(_ reader: inout BodyReader) -> FactTest? {
        let (low, high) = span(&reader, in: 0...numbers.upperBound)
        return .money(
            atLeast: low, below: high, currency: reader.capitals("currency", such: "EUR"))
    }

    private static func span(
        _ reader: inout BodyReader, in range: ClosedRange<Int64>
    ) -> (Int64?, Int64?) {
        let low = reader.optionalInteger("atLeast", in: range)
        let high = reader.optionalInteger("below", in: range)
        noteSpan(
            &reader, "atLeast", "below", isEmpty: low.flatMap { low in high.map { $0 <= low } })
        return (low, high)
    }

    private static func version(_ reader: inout BodyReader) -> FactTest? {
        let low = version("atLeastVersion", &reader)
        let high = version("belowVersion", &reader)
        noteSpan(
            &reader, "atLeastVersion", "belowVersion",
            isEmpty: low.flatMap { low in high.map { $0 <= low } })
        return .version(atLeast: low, below: high)
    }

    private static func version(_ name: String, _ reader: inout BodyReader) -> AppVersion? {
        guard let text = reader.optionalText(name, wordUnits) else { return nil }
        let isPlain = text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        if isPlain, let version = AppVersion(text) { return version }
        reader.note(name, .badFormat, "\(name) is a version such as 2.1.0 or 2.1-beta.3.")
        return nil
    }

    private static func noteSpan(
        _ reader: inout BodyReader, _ low: String, _ high: String, isEmpty: Bool?
    ) {
        if isEmpty == true {
            reader.note(
                high, .outOfRange, "\(high) is the first value outside; it is above \(low).")
        } else if reader.take(low) == nil, reader.take(high) == nil {
            reader.note(low, .required, "One of \(low) and \(high) is required.")
        }
    }

    private static func flag(_ reader: inout BodyReader) -> FactTest? {
        if reader.take("is") == nil { reader.note("is", .required, "is is required.") }
        return .flag(reader.boolean("is", otherwise: false))
    }

    // MARK: - The form

    static func form(_ condition: Condition) -> JSONTree {
        .object(members(condition, parts: parts(condition).map(form)))
    }

    /// - Parameter parts: of the conditions in it, in their order.
    static func members(_ condition: Condition, parts: [JSONTree]) -> [String: JSONTree] {
        switch condition {
        case .all: ["all": .array(parts)]
        case .any: ["any": .array(parts)]
        case .not: ["not": parts.first ?? .null]
        case .randomShare(let share):
            [
                "randomShare": [
                    "salt": .string(share.salt), "percent": PercentBody.form(share.basisPoints),
                ]
            ]
        case .fact(let fact): members(fact)
        }
    }

    private static func parts(_ condition: Condition) -> [Condition] {
        switch condition {
        case .all(let parts), .any(let parts): parts
        case .not(let part): [part]
        case .fact, .randomShare: []
        }
    }

    private static func members(_ condition: FactCondition) -> [String: JSONTree] {
        var members: [String: JSONTree] = ["fact": .string(condition.fact.name)]
        members["maxAgeHours"] = condition.maxAgeHours.map(JSONTree.integer)
        switch condition.test {
        case .oneOf(let texts): members["in"] = .texts(texts)
        case .flag(let flag): members["is"] = .boolean(flag)
        case .number(let low, let high):
            members["atLeast"] = low.map(JSONTree.integer)
            members["below"] = high.map(JSONTree.integer)
        case .money(let low, let high, let currency):
            members["atLeast"] = low.map(JSONTree.integer)
            members["below"] = high.map(JSONTree.integer)
            members["currency"] = .string(currency)
        case .version(let low, let high):
            members["atLeastVersion"] = low.map { .string($0.description) }
            members["belowVersion"] = high.map { .string($0.description) }
        }
        return members
    }
}
