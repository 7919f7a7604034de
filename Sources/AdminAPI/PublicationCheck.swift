internal import Foundation
internal import Retention
internal import RetentionStore

/// What keeps rules from being put in force in one environment, and what is worth knowing about
/// them: they name only what Apple has approved there, and each can answer somebody.
struct PublicationCheck {
    /// Something to know that holds up nothing.
    struct Warning {
        enum Code: String {
            /// Readers of these locales get the message in another one.
            case localesWithoutText
            case neverMatches, hidesLaterRules
        }

        let code: Code
        let detail: String
        var rule: RuleID?
        var message: MessageID?
        var locales: [String] = []

        var form: JSONTree {
            [
                "code": .string(code.rawValue), "detail": .string(detail),
                "ruleId": .optional(rule, JSONTree.id),
                "messageId": .optional(message, JSONTree.id), "locales": .texts(locales),
            ]
        }
    }

    private let snapshot: Snapshot
    private(set) var problems: [FieldProblem] = []
    private(set) var warnings: [Warning] = []

    /// - Parameters:
    ///   - snapshot: what would be served.
    ///   - locales: those in which each message has text at all.
    ///   - wasInForce: rules that were in force here before may be put back at once: what can only
    ///     be a mistake in new rules, such as a campaign that is over, is a warning then.
    init(
        _ snapshot: Snapshot, locales: [MessageID: [String]], wasInForce: Bool, now: Instant
    ) {
        self.snapshot = snapshot
        let placements = Dictionary(
            snapshot.messages.map { ($0.id, $0.placements) },
            uniquingKeysWith: { first, _ in first })
        for (index, rule) in snapshot.ruleSet.rules.enumerated() {
            for (place, treatment) in rule.placedTreatments(at: "/rules/\(index)") {
                check(treatment, placements, at: place)
            }
        }
        warn(of: locales, placements)
        judge(wasInForce: wasInForce, now: now)
    }

    private mutating func check(
        _ treatment: Treatment, _ placements: [MessageID: [String: UUID]], at place: String
    ) {
        let (environment, locale) = (snapshot.environment.rawValue, snapshot.defaultLocale)
        if case .appStoreConnectMessage(let id) = treatment {
            guard !snapshot.appStoreConnectMessages.contains(id) else { return }
            problems.append(
                FieldProblem(
                    .pointer("\(place)/messageIdentifier"), .notConfirmed,
                    "Nobody has confirmed that a sandbox device showed it; see to that first."))
            return
        }
        for message in treatment.messageIds where placements[message]?[locale] == nil {
            problems.append(
                FieldProblem(
                    .pointer("\(place)/messageId"), .notApproved,
                    "Apple has not approved the message in \(locale), the app's default locale, in "
                        + "\(environment). Make \(environment) a target of it, and wait for the "
                        + "review."))
        }
    }

    private mutating func warn(
        of locales: [MessageID: [String]], _ placements: [MessageID: [String: UUID]]
    ) {
        var seen: Set<MessageID> = []
        for message in snapshot.ruleSet.rules.flatMap(\.messageIds)
        where seen.insert(message).inserted {
            let missing = (locales[message] ?? []).filter { placements[message]?[$0] == nil }
            guard !missing.isEmpty else { continue }
            warnings.append(
                Warning(
                    code: .localesWithoutText,
                    detail: "Its text is not approved in \(missing.count) of its locales; readers "
                        + "of these get a near one or the default.",
                    message: message, locales: missing.sorted()))
        }
    }

    private mutating func judge(wasInForce: Bool, now: Instant) {
        let findings = RuleSetFinding.all(
            in: snapshot.ruleSet, products: snapshot.products, environment: snapshot.environment,
            now: now)
        for finding in findings {
            let detail = Self.sentence(finding.kind)
            if wasInForce {
                warnings.append(
                    Warning(
                        code: finding.kind == .neverMatches ? .neverMatches : .hidesLaterRules,
                        detail: detail, rule: snapshot.ruleSet.rules[finding.rule].id))
            } else {
                problems.append(
                    FieldProblem(
                        .pointer("/rules/\(finding.rule)"),
                        finding.kind == .neverMatches ? .neverMatches : .hidesLaterRules, detail))
            }
        }
    }

    private static func sentence(_ kind: RuleSetFinding.Kind) -> String {
        switch kind {
        case .neverMatches:
            "Nobody can meet its conditions here, or its schedule is over; change it or take it out."
        case .hidesLaterRules:
            "It answers everybody whom the rules after it could match; narrow it or move it down."
        }
    }
}
