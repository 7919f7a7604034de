internal import AppStore
internal import Foundation
internal import Locales
internal import Retention
internal import RetentionStore

/// One replay inside its job: past requests, newest first, page by page, decided once more from
/// what they were taken from, by other rules and with the texts that Apple has approved by now.
///
/// Rules, texts and prices are read once. Decisions are read in slices, a transaction each, which
/// sees what is there by then: those that come in meanwhile may be among them, those that are
/// deleted may not.
struct ReplayRun {
    /// Rows read from the database at once.
    private static let pageRows = 500
    /// Of one transaction.
    private static let sliceRows = 2_000
    /// Of lists in the report; what is beyond is counted, not named.
    private static let listed = 100
    /// Locales and transitions held in memory. Apple signs what is asked, so there are not so many.
    private static let heldLimit = 5_000

    /// From what to what an answer changed.
    private struct Transition: Hashable {
        struct End: Hashable {
            let kind: AnswerKind
            let rule: RuleID?

            init(_ answer: DecidedAnswer) {
                kind = answer.kind
                rule = answer.rule
            }

            var form: JSONTree {
                ["kind": .string(kind.rawValue), "ruleId": .optional(rule, JSONTree.id)]
            }
        }

        let from: End
        let to: End
    }

    private let key: AppEnvironment
    private let span: DecisionSpan
    private let limit: Int
    /// The last decision that was read.
    private var place: DecisionPlace?
    private var isAtEnd = false
    /// Decisions to read, as they were counted at the beginning.
    let expected: Int32
    private let serving: ServingSnapshot
    private let matcher: LocaleMatcher
    private let prices: OfferPrices
    private let ruleNames: [RuleID: String]

    private(set) var seen = 0
    private var skipped = 0
    private var inputsMissing = 0
    private var changed = 0
    private var transitions: [Transition: Int] = [:]
    private var otherTransitions = 0
    private var textless: [String: Int] = [:]
    private var otherTextless = 0
    private var before = Side()
    private var after = Side()

    /// Counts of what was answered, or would be.
    private struct Side {
        var kinds: [AnswerKind: Int] = [:]
        var holdout = 0
        var cost = DiscountCost()

        func form(of replayed: Int) -> JSONTree {
            let counts = AnswerKind.allCases.map {
                ($0.rawValue, JSONTree.integer(Int64(kinds[$0] ?? 0)))
            }
            return [
                "answers": .object(Dictionary(counts, uniquingKeysWith: { first, _ in first })),
                "holdout": .integer(Int64(holdout)),
                "holdoutPercent": replayed == 0
                    ? .null : PercentBody.form(Int32(clamping: holdout * 10_000 / replayed)),
                "offers": .integer(Int64(kinds[.promotionalOffer] ?? 0)), "discount": cost.form,
            ]
        }
    }

    init(
        _ transaction: TenantTransaction, _ key: AppEnvironment, _ ruleSet: RuleSet,
        _ span: DecisionSpan, limit: Int
    ) throws {
        self.key = key
        self.span = span
        self.limit = limit
        expected = try transaction.countDecisions(at: key, span, limit: Int32(clamping: limit))
        serving = ServingSnapshot(
            try transaction.prospectiveSnapshot(at: key, ruleSet, withStop: false))
        matcher = LocaleMatcher(supported: serving.locales)
        prices = try OfferPrices(transaction, of: key.app)
        ruleNames = Dictionary(
            ruleSet.rules.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads the next slice.
    ///
    /// - Returns: whether there may be more.
    mutating func readOn(_ transaction: TenantTransaction, _ time: StepTime) throws -> Bool {
        let end = min(limit, seen + Self.sliceRows)
        repeat {
            try readPage(transaction, until: end)
        } while !isAtEnd && seen < end
            && !time.isSliceOver
        return !isAtEnd && seen < limit
    }

    private mutating func readPage(_ transaction: TenantTransaction, until end: Int) throws {
        let wanted = min(Self.pageRows, end - seen)
        let page = try transaction.listDecisions(
            at: key, span, after: place, limit: Int32(clamping: wanted))
        for decision in page { take(decision) }
        isAtEnd = page.count < wanted
        guard let last = page.last else { return }
        place = DecisionPlace(
            signedDate: last.signedDate, requestIdentifier: last.requestIdentifier)
    }

    private mutating func take(_ decision: StoredDecision) {
        seen += 1
        guard let recorded = decision.inputs.flatMap({ RecordedInputs($0) }) else {
            skipped += 1
            return
        }
        guard serving.hasInputs(in: recorded) else {
            inputsMissing += 1
            return
        }
        let asked = AskedDecision(
            productId: decision.productId, userLocale: decision.localeAsked,
            originalTransactionId: decision.originalTransactionId, environment: key.environment)
        let inputs = asked.inputs(recorded, matcher, at: decision.decidedAt)
        let (again, trace) = serving.explain(inputs)
        let (old, new) = (DecidedAnswer(decision), DecidedAnswer(again))
        Self.count(old, recorded, prices, decision.productId, in: &before)
        Self.count(new, recorded, prices, decision.productId, in: &after)
        if old != new { note(Transition(from: .init(old), to: .init(new))) }
        if isWithoutText(new, trace, inputs.localeChain) { noteTextless(decision.localeAsked) }
    }

    private static func count(
        _ answer: DecidedAnswer, _ recorded: RecordedInputs, _ prices: OfferPrices,
        _ currentProduct: String, in side: inout Side
    ) {
        side.kinds[answer.kind, default: 0] += 1
        if answer.isHoldout { side.holdout += 1 }
        guard answer.kind == .promotionalOffer else { return }
        var profile: SubscriberProfile?
        if case .known(let known, _, _) = recorded.subscriber { profile = known?.profile }
        side.cost.add(
            prices.discount(
                productId: answer.productId ?? currentProduct,
                offerIdentifier: answer.offerIdentifier ?? "", storefront: profile?.storefront,
                billingPlan: profile?.billingPlan))
    }

    private mutating func note(_ transition: Transition) {
        changed += 1
        if transitions[transition] == nil, transitions.count >= Self.heldLimit {
            otherTransitions += 1
        } else {
            transitions[transition, default: 0] += 1
        }
    }

    /// A rule was passed over for want of an approved text, the text is in no locale that the
    /// reader understands, or nothing was left to say.
    private func isWithoutText(
        _ answer: DecidedAnswer, _ trace: DecisionTrace, _ chain: [String]
    ) -> Bool {
        if answer.fallbackReason == FallbackReason.nothingToShow.rawValue { return true }
        if trace.rules.contains(where: { rule in
            rule.treatments.contains { $0.dead == .noApprovedText }
        }) {
            return true
        }
        return answer.localeServed.map { served in
            !chain.contains { $0.utf8.elementsEqual(served.utf8) }
        } ?? false
    }

    private mutating func noteTextless(_ locale: String) {
        if textless[locale] == nil, textless.count >= Self.heldLimit {
            otherTextless += 1
        } else {
            textless[locale, default: 0] += 1
        }
    }

    // MARK: - The report

    var report: JSONTree {
        let replayed = seen - skipped - inputsMissing
        let sorted = transitions.sorted { a, b in
            (b.value, "\(a.key)") < (a.value, "\(b.key)")
        }
        let locales = textless.sorted { a, b in (b.value, a.key) < (a.value, b.key) }
        let hidden = sorted.dropFirst(Self.listed).reduce(otherTransitions) { $0 + $1.value }
        let hiddenLocales = locales.dropFirst(Self.listed).reduce(otherTextless) { $0 + $1.value }
        return [
            "counts": [
                "decisions": .integer(Int64(seen)), "replayed": .integer(Int64(replayed)),
                "skipped": .integer(Int64(skipped)),
                "inputsMissing": .integer(Int64(inputsMissing)),
                "changed": .integer(Int64(changed)),
            ],
            "changes": .array(
                sorted.prefix(Self.listed).map { transition, count in
                    [
                        "from": transition.from.form, "to": transition.to.form,
                        "toRuleName": .text(transition.to.rule.flatMap { ruleNames[$0] }),
                        "count": .integer(Int64(count)),
                    ]
                }),
            "otherChanges": .integer(Int64(hidden)),
            "localesWithoutText": .array(
                locales.prefix(Self.listed).map { locale, count in
                    ["locale": .string(locale), "count": .integer(Int64(count))]
                }),
            "otherLocales": .integer(Int64(hiddenLocales)),
            "before": before.form(of: replayed), "after": after.form(of: replayed),
        ]
    }
}

extension ServingSnapshot {
    /// Whether a decision was taken from all that these rules ask for. One that never looked its
    /// subscriber up, or knew of no budget in this currency, would be judged as if nothing were
    /// known of anybody: as these rules would decide nowhere.
    fileprivate func hasInputs(in recorded: RecordedInputs) -> Bool {
        if asksForSubscriber, recorded.subscriber == .notNeeded { return false }
        let rules = snapshot.ruleSet
        guard let budget = rules.governor.monthlyDiscountBudget,
            rules.rules.contains(where: \.mayOffer)
        else { return true }
        return switch recorded.budget {
        case .unknown: false
        case .nothing: true
        case .spent(_, let currency): currency.utf8.elementsEqual(budget.currency.utf8)
        }
    }
}
