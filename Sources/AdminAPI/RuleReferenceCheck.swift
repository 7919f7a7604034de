internal import Retention
internal import RetentionStore

/// What rules name and is not there, or is of a kind that does not fit: such a rule would match
/// and then say nothing.
struct RuleReferenceCheck {
    private let references: RuleReferences
    private(set) var problems: [FieldProblem] = []

    /// - Parameters:
    ///   - environments: where the rules may be served.
    ///   - pointer: where the rule set stands in the body; "" for what is no body's.
    init(
        _ ruleSet: RuleSet, _ references: RuleReferences,
        in environments: [StoreEnvironment] = StoreEnvironment.allCases, at pointer: String
    ) {
        self.references = references
        let products = references.allProducts
        let reach = RuleReach(ruleSet.rules, products: products, environments: environments)
        for (index, rule) in ruleSet.rules.enumerated() {
            let place = "\(pointer)/rules/\(index)"
            checkConditions(rule.when, at: "\(place)/when")
            let matched = MatchedProducts(
                products.enumerated().filter { product in
                    environments.contains {
                        reach.mayMatch(rule: index, product: product.offset, in: $0)
                    }
                }.map(\.element))
            for (place, treatment) in rule.placedTreatments(at: place) {
                check(treatment, of: matched, at: place)
            }
        }
    }

    private mutating func checkConditions(_ when: Condition, at pointer: String) {
        for (place, condition) in when.placedFacts(at: pointer) {
            guard condition.fact == .productId, case .oneOf(let products) = condition.test else {
                continue
            }
            for (index, productId) in products.enumerated()
            where references.product(productId) == nil {
                note("\(place)/in/\(index)", .unknownReference, Self.noProduct)
            }
        }
    }

    private mutating func check(
        _ treatment: Treatment, of matched: MatchedProducts, at pointer: String
    ) {
        switch treatment {
        case .message(let message): require(message, .text, at: pointer)
        case .switchPlan(let message, let productId, let plan):
            require(message, .switchPlan, at: pointer)
            guard let product = product(productId, at: pointer) else { return }
            requireReach(to: product, isSwitch: true, from: matched, at: pointer)
            if let plan,
                !product.billingPlans.contains(where: {
                    $0.rawValue.utf8.elementsEqual(plan.rawValue.utf8)
                })
            {
                note(
                    "\(pointer)/billingPlanType", .unknownReference,
                    "The product has no such billing plan; add it to the product first.")
            }
        case .promotionalOffer(let message, let productId, let offer, _):
            require(message, .promotionalOffer, at: pointer)
            guard let product = product(productId, at: pointer) else { return }
            requireReach(to: product, isSwitch: false, from: matched, at: pointer)
            requireOffer(offer, of: productId, at: pointer)
        case .appStoreConnectMessage(let id):
            if !references.appStoreConnectMessages.contains(id) {
                note(
                    "\(pointer)/messageIdentifier", .unknownReference,
                    "The app has no such message of App Store Connect; name it here first.")
            }
        case .fallback, .escalation: break
        }
    }

    private mutating func requireOffer(
        _ offer: String, of productId: String, at pointer: String
    ) {
        switch references.offerKind(productId, offer) {
        case .promotional: break
        case .retention, .winBack:
            note(
                "\(pointer)/offerIdentifier", .notAllowed,
                "Only a promotional offer can be answered in real time.")
        case nil:
            note(
                "\(pointer)/offerIdentifier", .unknownReference,
                "The product has no such offer; create it first.")
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

    private mutating func product(_ productId: String, at pointer: String) -> Product? {
        if let product = references.product(productId) { return product }
        note("\(pointer)/productId", .unknownReference, Self.noProduct)
        return nil
    }

    /// Some subscriber whom the rule can match may get to the product. A rule that can match
    /// nobody at all is another fault, which publishing names.
    private mutating func requireReach(
        to product: Product, isSwitch: Bool, from matched: MatchedProducts, at pointer: String
    ) {
        guard !matched.isEmpty, !matched.canReach(product, isSwitch: isSwitch) else { return }
        note(
            "\(pointer)/productId", .notAllowed,
            "None of the products that the rule can match is \(isSwitch ? "another one " : "")of "
                + "its subscription group, so nobody could get it.")
    }

    private static let noProduct = "The app has no such product; create it first."

    private mutating func note(
        _ pointer: String, _ code: FieldProblem.Code, _ detail: String
    ) {
        problems.append(FieldProblem(.pointer(pointer), code, detail))
    }
}

/// The products that a rule can match, by subscription group. All of them are counted once a rule,
/// however many treatments it has.
private struct MatchedProducts {
    // By bytes, as Apple compares.
    private var groups: [[UInt8]: [Product]] = [:]

    init(_ products: [Product]) {
        groups = Dictionary(grouping: products) { Array($0.subscriptionGroup.utf8) }
    }

    var isEmpty: Bool { groups.isEmpty }

    /// - Parameter isSwitch: nobody switches to what they have.
    func canReach(_ product: Product, isSwitch: Bool) -> Bool {
        guard let group = groups[Array(product.subscriptionGroup.utf8)] else { return false }
        return group.contains {
            !(isSwitch && $0.productId.utf8.elementsEqual(product.productId.utf8))
        }
    }
}
