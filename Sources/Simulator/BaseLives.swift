/// What customers do beside looking at pages.
extension SubscriberBase {
    func perform(_ step: inout Step, _ state: inout State) throws(ControlError) {
        switch step.action.kind {
        case .buy: try buy(&step, &state)
        case .periodEnd: try endPeriod(&step, &state)
        case .retryEnd: try endRetry(&step, &state)
        case .refund: try refund(&step, &state)
        case .comeBack: try comeBack(&step, &state)
        case .view: break
        case .cancel:
            if try apply(.init(.disableAutoRenew), &step) { state.report.cancelled += 1 }
        case .take(let type, let productId, let identifier):
            let event = SubscriptionEvent(
                .redeemOffer, productId: productId, offerType: type, offerIdentifier: identifier)
            if try apply(event, &step) { state.report.offersTaken += 1 }
            replan(&step, &state)
        case .switchPlan(let productId, let planType):
            let kinds: [SubscriptionEvent.Kind] = [.downgrade, .crossgrade, .upgrade]
            for kind in kinds {
                let event = SubscriptionEvent(
                    kind, productId: productId, billingPlanType: planType)
                guard try apply(event, &step) else { continue }
                state.report.plansSwitched += 1
                break
            }
            replan(&step, &state)
        }
    }

    /// False where the event cannot happen by now: the customer has done something else meanwhile.
    @discardableResult
    private func apply(
        _ event: SubscriptionEvent, _ step: inout Step
    ) throws(ControlError) -> Bool {
        var event = event
        event.at = step.action.at
        do {
            _ = try subscriptions.apply(
                event, to: step.customer.transactionId, at: place, isTold: isTold(step))
            return true
        } catch {
            if error.code == .impossibleEvent { return false }
            throw error
        }
    }

    private func isTold(_ step: Step) -> Bool {
        plan.tellsHistory || step.action.at >= plan.start
    }

    /// A period that was begun or changed ends at another time.
    private func replan(_ step: inout Step, _ state: inout State) {
        guard let view = current(step.customer) else { return }
        let end = max(view.expiresDate, step.action.at + 1)
        guard end != step.customer.plannedEnd else { return }
        step.customer.plannedEnd = end
        plan(.periodEnd, step, at: end, &state)
    }

    private func buy(_ step: inout Step, _ state: inout State) throws(ControlError) {
        let product = plan.products[step.customer.product]
        var event = SubscriptionEvent(
            .buy, at: step.action.at, productId: product.productId,
            billingPlanType: product.billingPlanType)
        if step.customer.isTrial { event.offerType = 1 }
        var order = SubscriberOrder(
            storefront: plan.places[step.customer.place].storefront, buy: event)
        var outcome = try? subscriptions.begin(order, at: place, isTold: isTold(step))
        if outcome == nil {
            // The product has no introductory offer.
            order.buy.offerType = nil
            outcome = try subscriptions.begin(order, at: place, isTold: isTold(step))
        }
        guard let outcome else { return }
        step.customer.transactionId = outcome.view.originalTransactionId
        state.report.subscribers += 1
        replan(&step, &state)
        let begin = max(step.action.at, plan.start)
        if let wait = wait(plan.monthly.view, &step.customer) {
            plan(.view, step, at: begin + wait, &state)
        }
        if let wait = wait(plan.monthly.refund, &step.customer) {
            plan(.refund, step, at: begin + wait, &state)
        }
    }

    private func endPeriod(_ step: inout Step, _ state: inout State) throws(ControlError) {
        guard step.action.at == step.customer.plannedEnd,
            let view = current(step.customer), view.status == 1
        else { return }
        guard view.expiresDate <= step.action.at else {
            replan(&step, &state)
            return
        }
        let fails = step.customer.numbers.chance() < plan.monthly.billingFailure
        if fails, try apply(.init(.failRenewal, days: 16), &step) {
            state.report.renewalsFailed += 1
            let days = 1 + Int64(step.customer.numbers.below(14))
            plan(.retryEnd, step, at: step.action.at + days * SubscriberBase.day, &state)
            return
        }
        if try apply(.init(.renew), &step) {
            state.report.renewals += 1
            replan(&step, &state)
        } else if try apply(.init(.expire, reason: "VOLUNTARY"), &step) {
            state.report.expired += 1
            leave(&step, &state)
        }
    }

    private func endRetry(_ step: inout Step, _ state: inout State) throws(ControlError) {
        guard let view = current(step.customer) else { return }
        let draw = step.customer.numbers.chance()
        if let grace = view.gracePeriodExpiresDate {
            if step.action.at >= grace {
                try apply(.init(.endGracePeriod), &step)
                plan(.retryEnd, step, at: step.action.at + 44 * SubscriberBase.day, &state)
            } else if draw < plan.recoveryShare, try apply(.init(.recover), &step) {
                state.report.renewals += 1
                replan(&step, &state)
            } else {
                plan(.retryEnd, step, at: grace, &state)
            }
        } else if try apply(.init(.expire, reason: "BILLING_RETRY"), &step) {
            state.report.expired += 1
            leave(&step, &state)
        }
    }

    private func refund(_ step: inout Step, _ state: inout State) throws(ControlError) {
        if try apply(.init(.refund), &step) {
            state.report.refunds += 1
            leave(&step, &state)
        }
    }

    private func leave(_ step: inout Step, _ state: inout State) {
        if let wait = wait(plan.monthly.comeBack, &step.customer) {
            plan(.comeBack, step, at: step.action.at + wait, &state)
        }
    }

    /// With the first win-back offer that there is, or without.
    private func comeBack(_ step: inout Step, _ state: inout State) throws(ControlError) {
        guard let view = current(step.customer) else { return }
        let product = memory.catalog(place)?.product(view.productId)
        let offer = product.flatMap { ProductTerms($0).offers(ofType: 4).first }
        var isBack = false
        if let identifier = offer?.offerIdentifier {
            isBack = try apply(
                .init(.redeemOffer, offerType: 4, offerIdentifier: identifier), &step)
        }
        if !isBack { isBack = try apply(.init(.resubscribe), &step) }
        guard isBack else { return }
        state.report.cameBack += 1
        replan(&step, &state)
    }
}
