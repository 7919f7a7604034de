/// How far an app is on the way to showing its messages: Apple's steps in Apple's order, who has to
/// do what next, and whether it needs a real-time URL at all.
package struct AppReadiness: Equatable, Sendable {
    package enum StepName: String, Sendable, CaseIterable {
        case access, key, sandboxContent, sandboxURL, performanceTest, productionContent, defaults
        case productionURL, appStoreConnectLayer

        /// Nothing else waits for it, and Apple does not ask for it.
        package var isOptional: Bool { self == .appStoreConnectLayer }

        package var environment: StoreEnvironment? {
            switch self {
            case .sandboxContent, .sandboxURL, .performanceTest: .sandbox
            case .productionContent, .defaults, .productionURL: .production
            case .access, .key, .appStoreConnectLayer: nil
            }
        }
    }

    package enum State: String, Sendable, CaseIterable {
        case done
        /// Nobody has begun; it is the agency's to begin.
        case notStarted
        case waitingOnAgency, waitingOnApple, waitingOnHoldfast
        /// An earlier step comes first.
        case blocked
    }

    package enum Actor: String, Sendable, CaseIterable { case agency, apple, holdfast }

    package enum ActionCode: String, Sendable, CaseIterable {
        case requestAccess, waitForAccess
        case storeKey, replaceKey, checkKey
        case createContent, reviseContent, promoteContent, uploadContent, waitForReview
        case createEndpoint, setURL, takeOverURL, mendURL
        case nameTestTransaction, startTest, repeatTest, runTest, waitForTest
        case addProducts, setDefaults, configureDefaults
        case declareAppStoreConnectLayer
    }

    package struct Action: Equatable, Sendable {
        package let code: ActionCode
        package let actor: Actor
        package let sentence: String
    }

    package struct Step: Equatable, Sendable {
        package let name: StepName
        package let state: State
        package let detail: String
        /// `nil` where it is done or blocked.
        package let nextAction: Action?
        /// The step that comes first, where it is blocked.
        package let blockedBy: StepName?
    }

    package let steps: [Step]
    package let staticLayer: StaticLayer

    /// The first step that is not done; `nil` where all are.
    package var nextStep: Step? { steps.first { $0.state != .done } }

    /// Everything is done that Apple asks for.
    package var isReady: Bool { steps.allSatisfy { $0.state == .done || $0.name.isOptional } }

    package init(_ facts: ReadinessFacts, now: Instant) {
        let judge = ReadinessJudge(facts: facts, now: now)
        var steps: [Step] = []
        for name in StepName.allCases {
            steps.append(judge.step(name, after: steps))
        }
        self.steps = steps
        staticLayer = StaticLayer(facts.rules)
    }
}

/// Whether what Apple shows without a real-time answer would be the same: its default messages, and
/// a message of App Store Connect.
package struct StaticLayer: Equatable, Sendable {
    package let suffices: Bool
    package let reason: String

    package init(_ rules: RuleSet) {
        func rulesThat(_ kinds: Treatment.Kind...) -> Int {
            rules.rules.count { $0.treatments.contains { kinds.contains($0.kind) } }
        }
        let offers = rulesThat(.promotionalOffer)
        let switches = rulesThat(.switchPlan)
        let messages = rulesThat(.message, .appStoreConnectMessage)
        suffices = offers + switches + messages == 0
        guard !suffices else {
            reason =
                "The rules that are published in production choose nothing per subscriber: no "
                + "message besides the defaults, no offer, no plan switch. Apple's default "
                + "messages, and a message in App Store Connect, show the same without a "
                + "real-time URL."
            return
        }
        let named = [
            (messages, "with a message of their own"), (switches, "with a plan switch"),
            (offers, "with an offer"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        reason =
            "Rules that are published in production choose per subscriber "
            + "(\(named.joined(separator: ", "))); only a real-time URL does that."
    }
}
