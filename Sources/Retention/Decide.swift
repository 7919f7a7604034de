import FoundationEssentials

extension ServingSnapshot {
    /// The answer to one request. Pure: the same snapshot and inputs give the same answer in every
    /// process.
    ///
    /// Rules are tried in order. One that matches but cannot be said (no approved text in the
    /// chain, a product outside the subscriber's group, an unknown plan or offer, an offer that
    /// the governor does not allow or no key signs) is dead: the next is tried, since a wrong
    /// answer is worse than none.
    package func decide(_ inputs: DecisionInputs) -> Decision {
        var trace: DecisionTrace?
        return decide(inputs, &trace)
    }

    /// The same answer, and how it came about.
    package func explain(_ inputs: DecisionInputs) -> (Decision, DecisionTrace) {
        var trace: DecisionTrace? = DecisionTrace()
        let decision = decide(inputs, &trace)
        return (decision, trace ?? DecisionTrace())
    }

    private func decide(_ inputs: DecisionInputs, _ trace: inout DecisionTrace?) -> Decision {
        if snapshot.isStopped { return .nothing(.stopped) }
        if !inputs.mode.allowsDefault { return .nothing(.outOfDate) }
        let call = DecisionCall(self, inputs)
        trace?.localeChain = call.chain
        if let held = holdoutDecision(call, &trace) { return held }
        guard inputs.mode.allowsRules else { return defaultDecision(call) }
        var assignment: Assignment?
        for rule in snapshot.ruleSet.rules {
            guard let attempt = attempt(rule, call, &trace) else { continue }
            if let decision = attempt.decision {
                return decision.assigned(attempt.assignment ?? assignment)
            }
            assignment = assignment ?? attempt.assignment
        }
        return defaultDecision(call).assigned(assignment)
    }

    private func holdoutDecision(
        _ call: DecisionCall, _ trace: inout DecisionTrace?
    ) -> Decision? {
        let holdout = snapshot.ruleSet.holdout
        // Sandbox testers are to see the rules, and Apple's performance test asks for one of them.
        guard snapshot.environment == .production, holdout.percent > 0 else { return nil }
        let bucket = call.inputs.bucket(Holdout.salt(of: snapshot.app))
        let isHeldOut = holdout.includes(bucket: bucket)
        trace?.holdout = DecisionTrace.HoldoutStep(
            bucket: bucket, percent: holdout.percent, isHeldOut: isHeldOut)
        guard isHeldOut else { return nil }
        return switch holdout.answer {
        case .defaultMessage: defaultDecision(call).heldOut
        case .fallback: Decision.nothing(.holdout).heldOut
        }
    }

    /// What became of a rule that matched; `nil` for one that did not.
    private struct Attempt {
        let decision: Decision?
        let assignment: Assignment?
    }

    private func attempt(
        _ rule: Rule, _ call: DecisionCall, _ trace: inout DecisionTrace?
    ) -> Attempt? {
        guard rule.schedule.covers(call.inputs.now, in: snapshot.zone) else {
            trace?.rules.append(RuleStep(rule, .notScheduled))
            return nil
        }
        let verdict = rule.when.verdict(call.facts)
        let condition = trace == nil ? nil : ConditionTrace(rule.when, call.facts)
        guard verdict == .yes else {
            trace?.rules.append(
                RuleStep(rule, verdict == .no ? .notMatched : .unknown, condition))
            return nil
        }
        let choice = choose(rule, call)
        var steps: [DecisionTrace.TreatmentStep]? = trace == nil ? nil : []
        let decision = choice.treatment.flatMap { say($0, by: rule, call, &steps) }
        trace?.rules.append(
            RuleStep(
                rule, decision == nil ? .dead : .answered, condition, choice,
                treatments: steps ?? []))
        return Attempt(decision: decision, assignment: choice.assignment)
    }

    private typealias RuleStep = DecisionTrace.RuleStep

    private func choose(_ rule: Rule, _ call: DecisionCall) -> Choice {
        switch rule.outcome {
        case .treatment(let treatment): return Choice(treatment: treatment)
        case .experiment(let experiment):
            let bucket = call.inputs.bucket(experiment.salt)
            guard let arm = experiment.arm(ofBucket: bucket) else {
                return Choice(bucket: bucket, dead: .noArm)
            }
            return Choice(
                treatment: arm.treatment,
                assignment: Assignment(experiment: experiment.id, arm: arm.key), bucket: bucket)
        }
    }

    /// The treatment, or the nearest earlier step of an escalation, that can be said.
    private func say(
        _ treatment: Treatment, by rule: Rule, _ call: DecisionCall,
        _ trace: inout [DecisionTrace.TreatmentStep]?
    ) -> Decision? {
        let steps = treatment.steps
        let level = Int(call.inputs.subscriber.counters?.escalationLevel ?? 0)
        for step in steps.prefix(max(0, level) + 1).reversed() {
            let said = saying(step, by: rule, call)
            switch said {
            case .success(let decision):
                trace?.append(DecisionTrace.TreatmentStep(kind: step.kind, dead: nil))
                return decision
            case .failure(let dead):
                trace?.append(DecisionTrace.TreatmentStep(kind: step.kind, dead: dead))
            }
        }
        return nil
    }

    private func saying(
        _ treatment: Treatment, by rule: Rule, _ call: DecisionCall
    ) -> Result<Decision, DeadReason> {
        switch treatment {
        case .message(let message):
            return say(message, .text, call, by: rule) { .message($0) }
        case .switchPlan(let message, let productId, let plan):
            if let dead = refusal(ofSwitchTo: productId, plan, call) { return .failure(dead) }
            return say(message, .switchPlan, call, by: rule) {
                .alternateProduct($0, productId: productId, billingPlanType: plan)
            }
        case .promotionalOffer(let message, let productId, let offer, let signature):
            if let dead = refusal(ofOffer: offer, productId, by: rule, call) {
                return .failure(dead)
            }
            return say(message, .promotionalOffer, call, by: rule) {
                .promotionalOffer(
                    $0, productId: productId, offerIdentifier: offer, signature: signature)
            }
        case .appStoreConnectMessage(let id):
            guard snapshot.appStoreConnectMessages.contains(id) else {
                return .failure(.notConfirmed)
            }
            return .success(
                Decision(answer: .appStoreConnectMessage(id), rule: rule.id, localeServed: nil))
        case .fallback:
            return .success(
                Decision(answer: .fallback(.chosenByRule), rule: rule.id, localeServed: nil))
        case .escalation:
            // Steps hold none: the reader of rules refuses it.
            return .failure(.noMessage)
        }
    }

    /// The message in the first locale of the chain that has it approved.
    private func say(
        _ id: MessageID, _ kind: MessageKind, _ call: DecisionCall, by rule: Rule,
        as answer: (UUID) -> Answer
    ) -> Result<Decision, DeadReason> {
        // A snapshot holds messages that have a text to show, and rules name messages that exist.
        guard let message = message(id) else { return .failure(.noApprovedText) }
        guard message.kind == kind else { return .failure(.noMessage) }
        for locale in call.chain {
            if let identifier = message.placements[locale] {
                return .success(
                    Decision(answer: answer(identifier), rule: rule.id, localeServed: locale))
            }
        }
        return .failure(.noApprovedText)
    }

    private func refusal(
        ofSwitchTo productId: String, _ plan: BillingPlanType?, _ call: DecisionCall
    ) -> DeadReason? {
        let current = call.inputs.request.productId
        guard !isSame(current, productId), isSameGroup(current, productId) else {
            return .notInGroup
        }
        guard let plan else { return nil }
        let isKnown =
            product(productId)?.billingPlans.contains { isSame($0.rawValue, plan.rawValue) }
            ?? false
        return isKnown ? nil : .noBillingPlan
    }

    private func refusal(
        ofOffer offer: String, _ productId: String, by rule: Rule, _ call: DecisionCall
    ) -> DeadReason? {
        guard call.inputs.canSignOffers else { return .noKey }
        guard hasPromotionalOffer(offer, of: productId) else { return .noOffer }
        guard isSameGroup(call.inputs.request.productId, productId) else { return .notInGroup }
        return snapshot.ruleSet.governor.refusal(
            by: rule, call.inputs.subscriber.counters, call.inputs.budget, mode: call.inputs.mode,
            zone: snapshot.zone, now: call.inputs.now)
    }

    private func defaultDecision(_ call: DecisionCall) -> Decision {
        let byLocale = defaults(of: call.inputs.request.productId)
        for locale in call.chain {
            if let identifier = byLocale[locale] {
                return Decision(
                    answer: .defaultMessage(identifier), rule: nil, localeServed: locale)
            }
        }
        return .nothing(.nothingToShow)
    }
}

/// The inputs with what is derived from them once.
private struct DecisionCall {
    let inputs: DecisionInputs
    let chain: [String]
    let facts: FactReader

    init(_ serving: ServingSnapshot, _ inputs: DecisionInputs) {
        self.inputs = inputs
        chain = inputs.localeChain + [serving.snapshot.defaultLocale]
        facts = FactReader(
            request: inputs.request,
            subscriptionGroup: serving.product(inputs.request.productId)?.subscriptionGroup,
            subscriber: inputs.subscriber, zone: serving.snapshot.zone, now: inputs.now,
            bucket: inputs.bucket)
    }
}

extension DeadReason: Error {}

/// What a rule that matched is to answer.
private struct Choice {
    var treatment: Treatment?
    var assignment: Assignment?
    var bucket: Int?
    /// Why there is no treatment.
    var dead: DeadReason?
}

extension Decision {
    fileprivate static func nothing(_ reason: FallbackReason) -> Decision {
        Decision(answer: .fallback(reason), rule: nil, localeServed: nil)
    }

    fileprivate var heldOut: Decision {
        Decision(answer: answer, rule: rule, localeServed: localeServed, isHoldout: true)
    }
}

extension DecisionTrace.RuleStep {
    fileprivate init(
        _ rule: Rule, _ result: Result, _ condition: ConditionTrace? = nil,
        _ choice: Choice? = nil, treatments: [DecisionTrace.TreatmentStep] = []
    ) {
        self.init(
            rule: rule.id, name: rule.name, result: result, condition: condition,
            bucket: choice?.bucket, arm: choice?.assignment?.arm, dead: choice?.dead,
            treatments: treatments)
    }
}
