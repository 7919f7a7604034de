internal import Retention

/// What one rule set changed against the one in force before, rule by rule.
struct RuleSetChanges {
    private let before: RuleSet
    private let after: RuleSet

    /// - Parameter before: no rules where nothing was in force.
    init(from before: RuleSet, to after: RuleSet) {
        self.before = before
        self.after = after
    }

    var form: JSONTree {
        let old = Dictionary(
            before.rules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let new = Set(after.rules.map(\.id))
        let changed = after.rules.compactMap { rule -> JSONTree? in
            let members = old[rule.id].map { Self.members($0, rule) } ?? []
            return members.isEmpty
                ? nil : Self.form(rule).merging(["members": .texts(members)])
        }
        let moved = moved
        return [
            "rulesAdded": .array(after.rules.filter { old[$0.id] == nil }.map(Self.form)),
            "rulesRemoved": .array(before.rules.filter { !new.contains($0.id) }.map(Self.form)),
            "rulesChanged": .array(changed),
            "rulesMoved": .array(after.rules.filter { moved.contains($0.id) }.map(Self.form)),
            "holdout": Self.change(before.holdout, after.holdout, RuleSetBody.form),
            "governor": Self.change(before.governor, after.governor, RuleSetBody.form),
        ]
    }

    private static func form(_ rule: Rule) -> JSONTree {
        ["id": .id(rule.id), "name": .string(rule.name)]
    }

    private static func change<Value: Equatable>(
        _ before: Value, _ after: Value, _ form: (Value) -> JSONTree
    ) -> JSONTree {
        before == after ? .null : ["from": form(before), "to": form(after)]
    }

    /// Names of the members in which the two differ.
    private static func members(_ old: Rule, _ new: Rule) -> [String] {
        guard
            case .object(let changes) = JSONTree.changes(
                from: RuleSetBody.form(old), to: RuleSetBody.form(new))
        else { return [] }
        return changes.keys.sorted()
    }

    /// The fewest rules that, taken out and put in elsewhere, lead from one order to the other.
    private var moved: Set<RuleID> {
        let places = Dictionary(
            before.rules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        let common = after.rules.compactMap { rule in places[rule.id].map { (rule.id, $0) } }
        // Longest rising run of places, by the length of the best one that ends at each.
        var lengths: [Int] = []
        var formers: [Int?] = []
        for (index, (_, place)) in common.enumerated() {
            let best = (0..<index).filter { common[$0].1 < place }.max { lengths[$0] < lengths[$1] }
            lengths.append((best.map { lengths[$0] } ?? 0) + 1)
            formers.append(best)
        }
        var kept: Set<RuleID> = []
        var last = lengths.indices.max { lengths[$0] < lengths[$1] }
        while let index = last {
            kept.insert(common[index].0)
            last = formers[index]
        }
        return Set(common.map(\.0)).subtracting(kept)
    }
}
