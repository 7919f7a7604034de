internal import Retention
internal import RetentionStore

/// A rule set as a body brings it, read member by member so that one answer names all that is
/// wrong. `Retention/Rule.swift` has the same members; it stops at the first fault, since what is
/// stored has none.
enum RuleSetBody {
    /// Of each list in a rule's conditions.
    private static let conditionsLimit = 200
    /// Apple's identifiers of products and offers, in UTF-16 units.
    private static let nameUnits = 1...255
    private static let planUnits = 1...64
    /// Letters of a language: `ja`, `fil`.
    private static let languageLetters = 2...8

    private enum Word: String, CaseIterable {
        case message, switchPlan, promotionalOffer, fallback
    }

    /// Stand-ins where something is wrong: look at the reader's problems first.
    static func read(_ reader: inout BodyReader) -> RuleSet {
        let known = Int64(RuleSet.schemaVersion)
        _ = reader.integer("schemaVersion", in: known...known)
        if reader.take("rules") == nil { reader.note("rules", .required, "rules is required.") }
        let rules = reader.objects("rules", limit: RuleSet.rulesLimit, rule)
        let pointer = reader.path("rules")
        var seen: Set<RuleID> = []
        for (index, rule) in rules.enumerated() {
            guard let rule, !seen.insert(rule.id).inserted else { continue }
            reader.note(
                FieldProblem(
                    .pointer("\(pointer)/\(index)/id"), .duplicate,
                    "Another rule has this id; give each its own."))
        }
        return RuleSet(rules: rules.compactMap(\.self))
    }

    private static func rule(_ reader: inout BodyReader) -> Rule? {
        let id: RuleID? = reader.identifier("id")
        let name = reader.text("name")
        let when = reader.object("when", conditions)
        let treatment = reader.object("treatment", treatment)
        guard let id, let when, case .some(.some(let treatment)) = treatment else { return nil }
        return Rule(id: id, name: name, when: when, treatment: treatment)
    }

    private static func conditions(_ reader: inout BodyReader) -> Conditions {
        Conditions(
            productIds: texts(&reader, "productIds", nameUnits),
            languages: texts(&reader, "languages", languageLetters) {
                $0.utf8.allSatisfy { (0x61...0x7a).contains($0) }
                    ? nil : "A language is two to eight small letters, such as ja."
            },
            environments: texts(&reader, "environments", 1...64) {
                StoreEnvironment(rawValue: $0) == nil
                    ? "An environment is Production or Sandbox." : nil
            }?.compactMap(StoreEnvironment.init(rawValue:)))
    }

    /// A list of different texts; `nil` where it is absent.
    private static func texts(
        _ reader: inout BodyReader, _ name: String, _ length: ClosedRange<Int>,
        refuse: (String) -> String? = { _ in nil }
    ) -> [String]? {
        guard reader.take(name) != nil else { return nil }
        let texts = reader.texts(name, limit: conditionsLimit, length)
        for (index, text) in texts.enumerated() {
            if let reason = refuse(text) { reader.note("\(name)/\(index)", .unknownValue, reason) }
        }
        reader.noteDuplicates(texts) { "\(name)/\($0)" }
        return texts
    }

    private static func treatment(_ reader: inout BodyReader) -> Treatment? {
        guard reader.take("kind") != nil else {
            reader.note("kind", .required, "kind is required.")
            return nil
        }
        guard let word = reader.optionalChoice("kind", Word.self) else {
            // Not to be called unknown: which members there are depends on the kind.
            for name in ["messageId", "productId", "billingPlanType", "offerIdentifier"] {
                _ = reader.take(name)
            }
            return nil
        }
        if word == .fallback { return .fallback }
        let message: MessageID? = reader.identifier("messageId")
        switch word {
        case .message, .fallback: return message.map { .message($0) }
        case .switchPlan:
            let productId = reader.text("productId", nameUnits)
            let plan = reader.optionalText("billingPlanType", planUnits)
            return message.map {
                .switchPlan(
                    $0, productId: productId,
                    billingPlanType: plan.map(BillingPlanType.init(rawValue:)))
            }
        case .promotionalOffer:
            let productId = reader.text("productId", nameUnits)
            let offer = reader.text("offerIdentifier", nameUnits)
            return message.map {
                .promotionalOffer($0, productId: productId, offerIdentifier: offer)
            }
        }
    }

    static func form(_ ruleSet: RuleSet) -> JSONTree {
        [
            "schemaVersion": .integer(Int64(ruleSet.schemaVersion)),
            "rules": .array(ruleSet.rules.map(form)),
        ]
    }

    static func form(_ rule: Rule) -> JSONTree {
        var when: [String: JSONTree] = [:]
        when["productIds"] = rule.when.productIds.map(JSONTree.texts)
        when["languages"] = rule.when.languages.map(JSONTree.texts)
        when["environments"] = rule.when.environments.map { .texts($0.map(\.rawValue)) }
        return [
            "id": .id(rule.id), "name": .string(rule.name), "when": .object(when),
            "treatment": .object(form(rule.treatment)),
        ]
    }

    private static func form(_ treatment: Treatment) -> [String: JSONTree] {
        var members: [String: JSONTree] = [:]
        let word: Word
        switch treatment {
        case .message: word = .message
        case .switchPlan(_, _, let plan):
            word = .switchPlan
            members["billingPlanType"] = plan.map { .string($0.rawValue) }
        case .promotionalOffer(_, _, let offer):
            word = .promotionalOffer
            members["offerIdentifier"] = .string(offer)
        case .fallback: word = .fallback
        }
        members["kind"] = .string(word.rawValue)
        members["messageId"] = treatment.messageId.map(JSONTree.id)
        members["productId"] = treatment.productId.map(JSONTree.string)
        return members
    }
}

/// What rules name and is not there, or is of a kind that does not fit: such a rule would match
/// and then say nothing.
struct RuleReferenceCheck {
    private let references: RuleReferences
    private(set) var problems: [FieldProblem] = []

    /// - Parameter pointer: where the rule set stands in the body; "" for what is no body's.
    init(_ ruleSet: RuleSet, _ references: RuleReferences, at pointer: String) {
        self.references = references
        for (index, rule) in ruleSet.rules.enumerated() {
            check(rule, at: "\(pointer)/rules/\(index)")
        }
    }

    private mutating func check(_ rule: Rule, at pointer: String) {
        for (index, productId) in (rule.when.productIds ?? []).enumerated()
        where references.product(productId) == nil {
            note("\(pointer)/when/productIds/\(index)", .unknownReference, Self.noProduct)
        }
        let treatment = "\(pointer)/treatment"
        switch rule.treatment {
        case .message(let message): require(message, .text, at: treatment)
        case .switchPlan(let message, let productId, let plan):
            require(message, .switchPlan, at: treatment)
            guard let product = reachable(productId, from: rule, at: treatment) else { return }
            if let plan,
                !product.billingPlans.contains(where: {
                    $0.rawValue.utf8.elementsEqual(plan.rawValue.utf8)
                })
            {
                note(
                    "\(treatment)/billingPlanType", .unknownReference,
                    "The product has no such billing plan; add it to the product first.")
            }
        case .promotionalOffer(let message, let productId, let offer):
            require(message, .promotionalOffer, at: treatment)
            guard reachable(productId, from: rule, at: treatment) != nil else { return }
            switch references.offerKind(productId, offer) {
            case .promotional: break
            case .retention, .winBack:
                note(
                    "\(treatment)/offerIdentifier", .notAllowed,
                    "Only a promotional offer can be answered in real time.")
            case nil:
                note(
                    "\(treatment)/offerIdentifier", .unknownReference,
                    "The product has no such offer; create it first.")
            }
        case .fallback: break
        }
    }

    private mutating func require(_ id: MessageID, _ kind: MessageKind, at pointer: String) {
        guard let found = references.messageKinds[id] else {
            return note(
                "\(pointer)/messageId", .unknownReference,
                "The app has no such message; create it first.")
        }
        guard found == kind else {
            return note(
                "\(pointer)/messageId", .notAllowed,
                "The message is of kind \(found.rawValue); this treatment needs \(kind.rawValue).")
        }
    }

    /// The product, where a subscriber whom the rule can match may get to it.
    private mutating func reachable(
        _ productId: String, from rule: Rule, at pointer: String
    ) -> Product? {
        guard let product = references.product(productId) else {
            note("\(pointer)/productId", .unknownReference, Self.noProduct)
            return nil
        }
        let current = (rule.when.productIds ?? []).compactMap(references.product)
        let isSwitch = if case .switchPlan = rule.treatment { true } else { false }
        let canReach =
            current.isEmpty
            || current.contains { from in
                let isSame = from.productId.utf8.elementsEqual(productId.utf8)
                return from.subscriptionGroup.utf8.elementsEqual(product.subscriptionGroup.utf8)
                    && !(isSwitch && isSame)
            }
        if !canReach {
            note(
                "\(pointer)/productId", .notAllowed,
                "None of the rule's products is \(isSwitch ? "another one " : "")of its "
                    + "subscription group, so nobody could get it.")
        }
        return product
    }

    private static let noProduct = "The app has no such product; create it first."

    private mutating func note(
        _ pointer: String, _ code: FieldProblem.Code, _ detail: String
    ) {
        problems.append(FieldProblem(.pointer(pointer), code, detail))
    }
}

extension BodyReader {
    /// One object that must be there, read by `body`.
    mutating func object<T>(_ name: String, _ body: (inout BodyReader) -> T) -> T? {
        if take(name) == nil { note(name, .required, "\(name) is required.") }
        return optionalObject(name, body)
    }
}
