/// Whom each rule can match at all, as far as that follows from the rule itself: for publishing,
/// which refuses rules that nobody can meet or that leave nothing to those after them.
///
/// Each rule is looked at once, and then each product and environment against what is left of it.
package struct RuleReach: Sendable {
    /// Above this many cases a condition is taken for possible.
    static let casesLimit = 256
    /// Of all rules and products together, in tests of a fact and in texts of its list. What is
    /// beyond is taken for possible: the rules of one tenant may not hold up the others for long.
    static let workLimit = 1_000_000

    private let rules: [Rule]
    private let products: [Product]
    private var reached: [StoreEnvironment: [[Bool]]] = [:]
    private var work = 0

    package init(_ rules: [Rule], products: [Product], environments: [StoreEnvironment]) {
        self.rules = rules
        self.products = products
        for rule in rules {
            let cases = possibleCases(of: rule.when)
            for environment in Set(environments) {
                let row = row(of: rule.when, cases, environment)
                reached[environment, default: []].append(row)
            }
        }
    }

    /// False only where no subscriber of the product can meet the rule there.
    ///
    /// - Parameters:
    ///   - rule: its index, and the product's, as they were given.
    ///   - environment: one of those that were given; of others everything is possible.
    package func mayMatch(
        rule: Int, product: Int, in environment: StoreEnvironment
    ) -> Bool {
        guard let rows = reached[environment], rows.indices.contains(rule),
            rows[rule].indices.contains(product)
        else { return true }
        return rows[rule][product]
    }

    /// True only where every subscriber of the product meets it, whatever is known of them.
    mutating func surelyMatches(
        rule: Int, product: Int, in environment: StoreEnvironment
    ) -> Bool {
        guard rules.indices.contains(rule), products.indices.contains(product),
            rules[rule].schedule == .always, charge(rules[rule].when.weight)
        else { return false }
        let facts = ProductFacts(product: products[product], environment: environment)
        return rules[rule].when.verdict(facts.verdict) == .yes
    }

    /// Whether there is time for this, too. Once there is none, there is none for the rest.
    private mutating func charge(_ units: Int) -> Bool {
        work += units
        return work <= Self.workLimit
    }

    /// The cases that somebody could be, reduced to the leaves that product and environment decide;
    /// `nil` where there are too many to say.
    private mutating func possibleCases(of condition: Condition) -> PossibleCases? {
        guard let split = ConditionCases(condition) else { return nil }
        var judged: [ConditionCases.Case: Bool] = [:]
        var possible: Set<ConditionCases.Case> = []
        for one in split.cases {
            let rest = one.masked(by: ~split.decided)
            if judged[rest] == nil {
                guard charge(split.weight(of: rest)) else { return nil }
                judged[rest] = ConditionCase(split.literals(of: rest)).isPossible
            }
            if judged[rest] == true { possible.insert(one.masked(by: split.decided)) }
        }
        return PossibleCases(
            leaves: split.leaves.enumerated().filter {
                split.decided & 1 << UInt64($0.offset) != 0
            },
            cases: Array(possible))
    }

    /// By product.
    private mutating func row(
        of condition: Condition, _ possible: PossibleCases?, _ environment: StoreEnvironment
    ) -> [Bool] {
        let all = [Bool](repeating: true, count: products.count)
        guard let possible else {
            guard charge(products.count * condition.weight) else { return all }
            return products.map {
                let facts = ProductFacts(product: $0, environment: environment)
                return condition.verdict(facts.verdict) != .no
            }
        }
        if possible.cases.isEmpty { return all.map { _ in false } }
        if possible.cases.contains(ConditionCases.Case()) { return all }
        guard charge(products.count * possible.weight) else { return all }
        return products.map { product in
            possible.contains(ProductFacts(product: product, environment: environment))
        }
    }
}

/// What is left of a condition once all that product and environment do not decide is judged.
private struct PossibleCases {
    /// With their bits.
    let leaves: [(offset: Int, element: Condition.Leaf)]
    let cases: [ConditionCases.Case]

    var weight: Int { leaves.reduce(cases.count) { $0 + $1.element.weight } }

    func contains(_ facts: ProductFacts) -> Bool {
        var (met, refused): (UInt64, UInt64) = (0, 0)
        for (index, leaf) in leaves {
            switch facts.verdict(leaf) {
            case .yes: met |= 1 << UInt64(index)
            case .no: refused |= 1 << UInt64(index)
            case .unknown: break
            }
        }
        return cases.contains { $0.wanted & refused == 0 && $0.refused & met == 0 }
    }
}

/// What is known of everybody who has the product.
private struct ProductFacts {
    let product: Product
    let environment: StoreEnvironment

    func verdict(_ leaf: Condition.Leaf) -> Verdict {
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
}

extension Condition {
    /// How much work it is to judge it once.
    fileprivate var weight: Int {
        factConditions.reduce(nodes) { $0 + Leaf.fact($1).weight }
    }
}

extension Condition.Leaf {
    /// Bytes of a text that are as much work as one more text.
    private static let bytesAUnit = 16

    fileprivate var weight: Int {
        guard case .fact(let condition) = self, case .oneOf(let texts) = condition.test else {
            return 1
        }
        return texts.reduce(1) { $0 + 1 + $1.utf8.count / Self.bytesAUnit }
    }

    /// Whether product and environment alone say if it is met.
    fileprivate var isDecided: Bool {
        switch self {
        case .randomShare(let share):
            !(1..<Int32(Buckets.count)).contains(share.basisPoints)
        case .fact(let condition):
            [.productId, .subscriptionGroup, .environment].contains(condition.fact)
        }
    }
}

/// A condition as "one of these cases, each of which wants some of its leaves met and others
/// refused". A leaf is a bit, in the order of the tree.
private struct ConditionCases {
    struct Case: Hashable {
        var wanted: UInt64 = 0
        var refused: UInt64 = 0

        func masked(by mask: UInt64) -> Case {
            Case(wanted: wanted & mask, refused: refused & mask)
        }

        func joined(with other: Case) -> Case {
            Case(wanted: wanted | other.wanted, refused: refused | other.refused)
        }
    }

    private(set) var leaves: [Condition.Leaf] = []
    private(set) var cases: [Case] = []
    /// The bits of the leaves that product and environment decide.
    private(set) var decided: UInt64 = 0

    /// `nil` where there are too many.
    init?(_ condition: Condition) {
        guard condition.nodes <= Condition.nodesLimit,
            let cases = split(condition, isNegated: false)
        else { return nil }
        self.cases = cases
        for (index, leaf) in leaves.enumerated() where leaf.isDecided {
            decided |= 1 << UInt64(index)
        }
    }

    func weight(of one: Case) -> Int {
        leaves.enumerated().reduce(1) { sum, leaf in
            let isIn = (one.wanted | one.refused) & 1 << UInt64(leaf.offset) != 0
            return isIn ? sum + leaf.element.weight : sum
        }
    }

    func literals(of one: Case) -> [ConditionCase.Literal] {
        leaves.enumerated().flatMap { index, leaf -> [ConditionCase.Literal] in
            let bit: UInt64 = 1 << UInt64(index)
            return [(one.wanted, false), (one.refused, true)].compactMap { mask, isNegated in
                mask & bit == 0 ? nil : ConditionCase.Literal(leaf: leaf, isNegated: isNegated)
            }
        }
    }

    private mutating func split(_ condition: Condition, isNegated: Bool) -> [Case]? {
        switch condition {
        case .fact(let fact): return leaf(.fact(fact), isNegated)
        case .randomShare(let share): return leaf(.randomShare(share), isNegated)
        case .not(let part): return split(part, isNegated: !isNegated)
        case .all(let parts):
            return isNegated ? oneOf(parts, isNegated) : allOf(parts, isNegated)
        case .any(let parts):
            return isNegated ? allOf(parts, isNegated) : oneOf(parts, isNegated)
        }
    }

    private mutating func leaf(_ leaf: Condition.Leaf, _ isNegated: Bool) -> [Case] {
        let bit: UInt64 = 1 << UInt64(leaves.count)
        leaves.append(leaf)
        return [isNegated ? Case(refused: bit) : Case(wanted: bit)]
    }

    private mutating func oneOf(_ parts: [Condition], _ isNegated: Bool) -> [Case]? {
        var all: [Case] = []
        for part in parts {
            guard let some = split(part, isNegated: isNegated),
                all.count + some.count <= RuleReach.casesLimit
            else { return nil }
            all += some
        }
        return all
    }

    private mutating func allOf(_ parts: [Condition], _ isNegated: Bool) -> [Case]? {
        var all = [Case()]
        for part in parts {
            guard let some = split(part, isNegated: isNegated),
                all.count * some.count <= RuleReach.casesLimit
            else { return nil }
            all = all.flatMap { before in some.map(before.joined) }
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
