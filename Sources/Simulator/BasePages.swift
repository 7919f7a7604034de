import Service

/// What customers see of the page where a subscription is cancelled, and make of it.
extension SubscriberBase {
    struct Sight: Sendable {
        var result: PageViewResult
        var isMeant: Bool
        var draw: Double
        var take: Double
        var at: Int64
    }

    func openPages(_ state: inout State, until end: Int64) -> [Int: Sight] {
        let due = state.queue.all(until: end) { action in
            if case .view = action.kind { return true }
            return false
        }.sorted(by: BaseAction.comesFirst)
        var views: [PageView] = []
        var sights: [(subscriber: Int, isMeant: Bool, draw: Double, take: Double)] = []
        for action in due {
            guard let view = current(state.customers[action.subscriber]), isCancellable(view)
            else { continue }
            // Drawn whether or not they are used, so that one answer changes no later life.
            let isMeant =
                state.customers[action.subscriber].numbers.chance() < plan.intentShare
            let draw = state.customers[action.subscriber].numbers.chance()
            let take = state.customers[action.subscriber].numbers.chance()
            sights.append((action.subscriber, isMeant, draw, take))
            views.append(
                PageView(
                    originalTransactionId: view.originalTransactionId,
                    appAppleId: plan.appAppleId, environment: plan.environment,
                    productId: view.productId,
                    userLocale: plan.places[state.customers[action.subscriber].place].locale,
                    taps: isMeant, isActive: true))
        }
        guard !views.isEmpty else { return [:] }
        let at = clock.now()
        let results = pages.play(views)
        var seen: [Int: Sight] = [:]
        for (sight, result) in zip(sights, results) {
            seen[sight.subscriber] = Sight(
                result: result, isMeant: sight.isMeant, draw: sight.draw, take: sight.take,
                at: at)
        }
        return seen
    }

    func current(_ customer: Customer) -> SubscriptionView? {
        try? subscriptions.view(customer.transactionId, at: place)
    }

    /// The page has a button to cancel.
    private func isCancellable(_ view: SubscriptionView) -> Bool {
        (view.status == 1 || view.status == 4) && view.autoRenews
    }

    /// What the customer does after the page was seen.
    func follow(_ sight: Sight?, _ step: inout Step, _ state: inout State) {
        let now = max(step.action.at, sight?.at ?? step.action.at)
        if let wait = wait(plan.monthly.view, &step.customer) {
            // One page a day is one episode.
            plan(.view, step, at: now + max(wait, 2 * SubscriberBase.day), &state)
        }
        guard let sight else { return }
        let shown = shown(sight.result)
        let view = BaseReport.View(
            shown: shown, messageIdentifier: sight.result.display.messageIdentifier,
            isMeant: sight.isMeant, draw: sight.draw)
        let soon = sight.at + SubscriberBase.minute * (1 + Int64(sight.take * 20))
        guard state.report.record(view, plan) else {
            plan(.cancel, step, at: soon, &state)
            return
        }
        guard sight.isMeant, sight.take < plan.takeShare else { return }
        let display = sight.result.display
        switch shown {
        case .promotionalOffer, .retentionOffer:
            guard let identifier = display.offerIdentifier else { return }
            let type = shown == .promotionalOffer ? 2 : 5
            plan(
                .take(
                    offerType: type, productId: display.productId, offerIdentifier: identifier),
                step, at: soon, &state)
        case .switchPlan:
            guard let productId = display.productId else { return }
            plan(
                .switchPlan(productId: productId, billingPlanType: display.billingPlanType),
                step, at: soon, &state)
        case .nothing, .fallback, .message: break
        }
    }

    private func shown(_ result: PageViewResult) -> SubscriberBasePlan.Shown {
        let display = result.display
        switch (display.layer, display.kind) {
        case (.nothing, _), (_, .nothing): return .nothing
        case (.appStoreConnect, .retentionOffer): return .retentionOffer
        case (.appStoreConnect, _), (.apiDefault, _): return .fallback
        case (.realtime, .switchPlan): return .switchPlan
        case (.realtime, .promotionalOffer), (.realtime, .retentionOffer):
            return .promotionalOffer
        case (.realtime, .message): break
        }
        let standard = result.appStoreLocale.flatMap { locale in
            memory.catalog(place)?.defaultMessage(productId: result.productId, locale: locale)
        }
        let isStandard =
            standard?.messageIdentifier.lowercased() == display.messageIdentifier
            && standard != nil
        return isStandard ? .fallback : .message
    }
}
