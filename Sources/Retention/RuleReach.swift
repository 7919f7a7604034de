/// Whom a rule can match at all, as far as that follows from the rule itself: for publishing, which
/// refuses rules that nobody can meet or that leave nothing to those after them.
package struct RuleReach: Sendable {
    /// Above this many cases a condition is taken for possible.
    static let casesLimit = 2_048

    private let product: Product
    private let environment: StoreEnvironment

    /// - Parameter product: the one the subscriber has.
    package init(product: Product, environment: StoreEnvironment) {
        self.product = product
        self.environment = environment
    }

    /// False only where no subscriber of the product can meet it.
    package func mayMatch(_ rule: Rule) -> Bool { mayHold(rule.when) }

    /// True only where every subscriber of the product meets it, whatever is known of them.
    package func surelyMatches(_ rule: Rule) -> Bool {
        rule.schedule == .always && rule.when.verdict(known) == .yes
    }

    func mayHold(_ condition: Condition) -> Bool {
        guard condition.verdict(known) != .no else { return false }
        guard let cases = Self.cases(condition, isNegated: false) else { return true }
        return cases.contains { literals in
            ConditionCase(literals.filter { known($0.leaf) == .unknown }).isPossible
                && literals.allSatisfy { literal in
                    known(literal.leaf) != (literal.isNegated ? .yes : .no)
                }
        }
    }

    private func known(_ leaf: Condition.Leaf) -> Verdict {
        switch leaf {
        case .randomShare(let share):
            switch share.basisPoints {
            case ...0: .no
            case Int32(Buckets.count)...: .yes
            default: .unknown
            }
        case .fact(let condition):
            value(of: condition.fact).map(condition.test.verdict) ?? .unknown
        }
    }

    private func value(of fact: Fact) -> FactValue? {
        switch fact {
        case .productId: .text(product.productId)
        case .subscriptionGroup: .text(product.subscriptionGroup)
        case .environment: .text(environment.rawValue)
        default: nil
        }
    }

    /// The condition as "one of these cases, each of which wants all of its literals"; `nil` where
    /// there are too many.
    private static func cases(
        _ condition: Condition, isNegated: Bool
    ) -> [[ConditionCase.Literal]]? {
        switch condition {
        case .fact(let fact): [[ConditionCase.Literal(leaf: .fact(fact), isNegated: isNegated)]]
        case .randomShare(let share):
            [[ConditionCase.Literal(leaf: .randomShare(share), isNegated: isNegated)]]
        case .not(let part): cases(part, isNegated: !isNegated)
        case .all(let parts):
            isNegated ? oneOf(parts, isNegated) : allOf(parts, isNegated)
        case .any(let parts):
            isNegated ? allOf(parts, isNegated) : oneOf(parts, isNegated)
        }
    }

    private static func oneOf(
        _ parts: [Condition], _ isNegated: Bool
    ) -> [[ConditionCase.Literal]]? {
        var all: [[ConditionCase.Literal]] = []
        for part in parts {
            guard let some = cases(part, isNegated: isNegated),
                all.count + some.count <= casesLimit
            else { return nil }
            all += some
        }
        return all
    }

    private static func allOf(
        _ parts: [Condition], _ isNegated: Bool
    ) -> [[ConditionCase.Literal]]? {
        var all: [[ConditionCase.Literal]] = [[]]
        for part in parts {
            guard let some = cases(part, isNegated: isNegated),
                all.count * some.count <= casesLimit
            else { return nil }
            all = all.flatMap { before in some.map { before + $0 } }
        }
        return all
    }
}

/// Tests that are wanted together, and whether some subscriber can pass all of them.
struct ConditionCase {
    struct Literal {
        let leaf: Condition.Leaf
        let isNegated: Bool
    }

    private let literals: [Literal]

    init(_ literals: [Literal]) {
        self.literals = literals
    }

    var isPossible: Bool {
        let facts = literals.compactMap { literal -> (FactCondition, Bool)? in
            if case .fact(let condition) = literal.leaf { return (condition, literal.isNegated) }
            return nil
        }
        let groups = Dictionary(grouping: facts) { $0.0.fact }.values
        return groups.allSatisfy(Self.isPossible) && areSharesPossible
    }

    /// Of one salt: some bucket lies in the narrowest wanted share and in no excluded one.
    private var areSharesPossible: Bool {
        var wanted: [String: Int32] = [:]
        var excluded: [String: Int32] = [:]
        for literal in literals {
            guard case .randomShare(let share) = literal.leaf else { continue }
            if literal.isNegated {
                excluded[share.salt] = max(excluded[share.salt] ?? 0, share.basisPoints)
            } else {
                wanted[share.salt] = min(
                    wanted[share.salt] ?? Int32(Buckets.count), share.basisPoints)
            }
        }
        return wanted.allSatisfy { $0.value > excluded[$0.key] ?? 0 }
    }

    private static func isPossible(_ tests: [(FactCondition, Bool)]) -> Bool {
        isTextPossible(tests) && isFlagPossible(tests) && isNumberPossible(tests)
    }

    private static func isTextPossible(_ tests: [(FactCondition, Bool)]) -> Bool {
        var wanted: Set<ExactText>?
        var excluded: Set<ExactText> = []
        for (condition, isNegated) in tests {
            guard case .oneOf(let texts) = condition.test else { continue }
            let set = Set(texts.map { ExactText($0) })
            if set.isEmpty, !isNegated { return false }
            // A reader's language and locale have several spellings, which may all be met.
            guard condition.fact != .language, condition.fact != .locale else { continue }
            if isNegated {
                excluded.formUnion(set)
            } else {
                wanted = wanted?.intersection(set) ?? set
            }
        }
        return wanted.map { !$0.isSubset(of: excluded) } ?? true
    }

    private static func isFlagPossible(_ tests: [(FactCondition, Bool)]) -> Bool {
        let wanted = tests.compactMap { condition, isNegated -> Bool? in
            if case .flag(let flag) = condition.test { return flag != isNegated }
            return nil
        }
        return Set(wanted).count < 2
    }

    /// Numbers and money: what is wanted is one span, and the excluded ones may not cover it.
    private static func isNumberPossible(_ tests: [(FactCondition, Bool)]) -> Bool {
        var (low, high) = (Int64.min, Int64.max)
        var excluded: [(Int64, Int64)] = []
        var currencies: Set<String> = []
        for (condition, isNegated) in tests {
            let span: (Int64, Int64)
            switch condition.test {
            case .number(let atLeast, let below): span = (atLeast ?? .min, below ?? .max)
            case .money(let atLeast, let below, let currency):
                currencies.insert(currency)
                span = (atLeast ?? .min, below ?? .max)
            case .oneOf, .flag, .version: continue
            }
            if isNegated {
                excluded.append(span)
            } else {
                (low, high) = (max(low, span.0), min(high, span.1))
            }
        }
        // Spend is in one currency: another one is unknown, and so never met.
        guard currencies.count < 2, low < high else { return false }
        for (start, end) in excluded.sorted(by: { $0.0 < $1.0 }) where start <= low && low < end {
            low = end
            if low >= high { return false }
        }
        return true
    }
}
