import FoundationEssentials

/// A snapshot arranged for look-up. Made once when the snapshot is taken in, then only read.
package struct ServingSnapshot: Sendable {
    package let snapshot: Snapshot
    private let products: [ExactText: Product]
    private let offers: Set<PromotionalOffer>
    private let messages: [MessageID: ServedMessage]
    private let defaults: [ExactText: [String: UUID]]

    package init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        products = Dictionary(
            snapshot.products.map { (ExactText($0.productId), $0) },
            uniquingKeysWith: { first, _ in first })
        offers = Set(
            snapshot.offers.filter { $0.kind == .promotional }.map {
                PromotionalOffer($0.productId, $0.offerIdentifier)
            })
        messages = Dictionary(
            snapshot.messages.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        defaults = Dictionary(grouping: snapshot.defaults, by: { ExactText($0.productId) })
            .mapValues { rows in
                Dictionary(
                    rows.map { ($0.locale, $0.messageIdentifier) },
                    uniquingKeysWith: { first, _ in first })
            }
    }

    /// Every locale in which the app has approved text: what a reader's locale is matched against.
    package var locales: [String] {
        let placed = snapshot.messages.flatMap(\.placements.keys)
        return Set(placed + snapshot.defaults.map(\.locale)).sorted()
    }

    /// The answer to one request. Pure: the same snapshot, request and chain give the same answer
    /// in every process.
    ///
    /// Rules are tried in order. One that matches but cannot be said (no approved text in the
    /// chain, a product outside the subscriber's group, an unknown plan or offer, an offer without
    /// a key to sign it) is dead: the next is tried, since a wrong answer is worse than none.
    ///
    /// - Parameters:
    ///   - localeChain: locales the reader understands, nearest first; the app's default locale is
    ///     added as the last.
    ///   - canSignOffers: false where no key of the app opens, or where signing just failed.
    package func decide(
        _ request: DecisionRequest, localeChain: [String], canSignOffers: Bool
    ) -> Decision {
        if snapshot.isStopped {
            return Decision(answer: .fallback(.stopped), rule: nil, localeServed: nil)
        }
        let chain = localeChain + [snapshot.defaultLocale]
        for rule in snapshot.ruleSet.rules where rule.when.hold(for: request) {
            let decision = decision(
                by: rule, for: request, chain: chain, canSignOffers: canSignOffers)
            if let decision { return decision }
        }
        return defaultDecision(for: request, chain: chain)
    }

    private func decision(
        by rule: Rule, for request: DecisionRequest, chain: [String], canSignOffers: Bool
    ) -> Decision? {
        switch rule.treatment {
        case .message(let message):
            return say(message, .text, chain, by: rule) { .message($0) }
        case .switchPlan(let message, let productId, let plan):
            guard isSwitch(from: request.productId, to: productId, plan: plan) else { return nil }
            return say(message, .switchPlan, chain, by: rule) {
                .alternateProduct($0, productId: productId, billingPlanType: plan)
            }
        case .promotionalOffer(let message, let productId, let offerIdentifier):
            guard canSignOffers, offers.contains(PromotionalOffer(productId, offerIdentifier)),
                isSameGroup(request.productId, productId)
            else { return nil }
            return say(message, .promotionalOffer, chain, by: rule) {
                .promotionalOffer($0, productId: productId, offerIdentifier: offerIdentifier)
            }
        case .fallback:
            return Decision(answer: .fallback(.chosenByRule), rule: rule.id, localeServed: nil)
        }
    }

    /// The message in the first locale of the chain that has it approved.
    private func say(
        _ id: MessageID, _ kind: MessageKind, _ chain: [String], by rule: Rule,
        as answer: (UUID) -> Answer
    ) -> Decision? {
        guard let message = messages[id], message.kind == kind else { return nil }
        for locale in chain {
            if let identifier = message.placements[locale] {
                return Decision(answer: answer(identifier), rule: rule.id, localeServed: locale)
            }
        }
        return nil
    }

    private func isSameGroup(_ current: String, _ other: String) -> Bool {
        guard let current = products[ExactText(current)], let other = products[ExactText(other)]
        else { return false }
        return isSame(current.subscriptionGroup, other.subscriptionGroup)
    }

    private func isSwitch(from current: String, to other: String, plan: BillingPlanType?) -> Bool {
        guard !isSame(current, other), isSameGroup(current, other) else { return false }
        guard let plan else { return true }
        return products[ExactText(other)]?.billingPlans.contains {
            isSame($0.rawValue, plan.rawValue)
        } ?? false
    }

    func defaultDecision(for request: DecisionRequest, chain: [String]) -> Decision {
        let byLocale = defaults[ExactText(request.productId)] ?? [:]
        for locale in chain {
            if let identifier = byLocale[locale] {
                return Decision(
                    answer: .defaultMessage(identifier), rule: nil, localeServed: locale)
            }
        }
        return Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil)
    }
}

/// The two names that pick an offer.
private struct PromotionalOffer: Hashable {
    let productId: ExactText
    let offerIdentifier: ExactText

    init(_ productId: String, _ offerIdentifier: String) {
        self.productId = ExactText(productId)
        self.offerIdentifier = ExactText(offerIdentifier)
    }
}
