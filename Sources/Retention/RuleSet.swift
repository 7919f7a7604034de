package import FoundationEssentials

/// The rules of an app, in the order they are tried. A version of it never changes; publishing
/// another one makes a new snapshot.
package struct RuleSet: Equatable, Sendable {
    /// The form of the JSON. A reader refuses a version it does not know: a condition it cannot
    /// read must never count as met. Version 1, with three lists for conditions, is read, and
    /// written no more.
    package static let schemaVersion = 2
    package static let rulesLimit = 200
    /// Of all rules together: each is a hash of the subscriber in the answer's time.
    package static let sharesLimit = 64

    package let schemaVersion: Int
    /// The version of the form that it was read from; no part of what it means. What was written
    /// as version 1 has no holdout, and nobody has confirmed that.
    package private(set) var readFrom = Self.schemaVersion
    package let holdout: Holdout
    package let governor: Governor
    package let rules: [Rule]

    package init(rules: [Rule], holdout: Holdout = .nobody, governor: Governor = .none) {
        schemaVersion = Self.schemaVersion
        self.holdout = holdout
        self.governor = governor
        self.rules = rules
    }

    package static func == (a: RuleSet, b: RuleSet) -> Bool {
        a.holdout == b.holdout && a.governor == b.governor && a.rules == b.rules
    }

    func read(from version: Int) -> RuleSet {
        var ruleSet = self
        ruleSet.readFrom = version
        return ruleSet
    }

    /// Whether somebody said how many subscribers get no rule: version 1 could not.
    package var hasChosenHoldout: Bool { readFrom > 1 }

    /// Tests of a share in all of its conditions.
    package var shares: Int { rules.reduce(0) { $0 + $1.when.shares } }

    /// The messages of App Store Connect that it names, each once.
    package var appStoreConnectMessages: Set<UUID> {
        Set(
            rules.flatMap(\.treatments).compactMap { treatment in
                if case .appStoreConnectMessage(let id) = treatment { id } else { nil }
            })
    }

    /// Whether an answer may depend on who asks, and not on the request alone.
    package var asksForSubscriber: Bool {
        governor.asksForCounters && rules.contains(where: \.mayOffer)
            || rules.contains(where: \.asksForSubscriber)
    }

    /// The same with buckets for every experiment, as near as can be to those of `former`.
    package func allocated(after former: [Experiment]) -> RuleSet {
        let byId = Dictionary(
            former.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return RuleSet(
            rules: rules.map { rule in
                guard case .experiment(let experiment) = rule.outcome else { return rule }
                return rule.with(.experiment(experiment.allocated(after: byId[experiment.id])))
            }, holdout: holdout, governor: governor)
    }

    package var experiments: [Experiment] {
        rules.compactMap { rule in
            if case .experiment(let experiment) = rule.outcome { experiment } else { nil }
        }
    }
}

/// When it matches, its treatment is the answer.
package struct Rule: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case treatment(Treatment)
        case experiment(Experiment)
    }

    package let id: RuleID
    package let name: String
    package let schedule: Schedule
    package let when: Condition
    package let outcome: Outcome

    package init(
        id: RuleID, name: String, schedule: Schedule = .always, when: Condition, outcome: Outcome
    ) {
        self.id = id
        self.name = name
        self.schedule = schedule
        self.when = when
        self.outcome = outcome
    }

    package init(id: RuleID, name: String, when: Condition, treatment: Treatment) {
        self.init(id: id, name: name, when: when, outcome: .treatment(treatment))
    }

    /// The same with another outcome.
    package func with(_ outcome: Outcome) -> Rule {
        Rule(id: id, name: name, schedule: schedule, when: when, outcome: outcome)
    }

    /// Every treatment that may be the answer, arms and steps taken apart.
    package var treatments: [Treatment] { whole.flatMap(\.steps) }

    /// The treatments as they are written: one, or one an arm.
    private var whole: [Treatment] {
        switch outcome {
        case .treatment(let treatment): [treatment]
        case .experiment(let experiment): experiment.arms.map(\.treatment)
        }
    }

    package var mayOffer: Bool { treatments.contains(where: \.isOffer) }

    package var asksForSubscriber: Bool {
        when.factConditions.contains { $0.fact.source != .request }
            || whole.contains { $0.kind == .escalation }
    }

    /// Whether it looks at what was taken, in its condition or by the step of an escalation.
    var asksForCounters: Bool {
        when.factConditions.contains { $0.fact.source == .counters }
            || whole.contains { $0.kind == .escalation }
    }
}
