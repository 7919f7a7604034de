/// What a subscriber base has done, and what the messages truly changed.
package struct BaseReport: Codable, Sendable, Equatable {
    /// Milliseconds since 1970: played up to here.
    package var playedUntil: Int64
    package var subscribers = 0
    package var renewals = 0
    package var renewalsFailed = 0
    package var expired = 0
    package var refunds = 0
    package var cameBack = 0
    package var offersTaken = 0
    package var plansSwitched = 0
    package var cancelled = 0
    /// By what was shown.
    package var shown: [String: Effect] = [:]
    /// By the message that was shown, lower-case.
    package var shownMessages: [String: Effect] = [:]

    package init(playedUntil: Int64) {
        self.playedUntil = playedUntil
    }

    /// One row of what the truth is. A view is an episode: a page opened once.
    package struct Effect: Codable, Sendable, Equatable {
        package var views = 0
        /// Of them, with the wish to cancel.
        package var intents = 0
        /// Views after which the subscription was not cancelled.
        package var kept = 0
        /// How many of the same views would have been kept if the fallback had been shown: each
        /// customer has made up their mind by the same draw.
        package var keptWithFallback = 0
        /// The chance that a view is kept, as the plan has it.
        package var chance: Double
        /// `chance` less the one of the fallback: what an experiment ought to find.
        package var trueLift: Double

        init(chance: Double, trueLift: Double) {
            self.chance = chance
            self.trueLift = trueLift
        }

        mutating func record(isMeant: Bool, isKept: Bool, withFallback: Bool) {
            views += 1
            if isMeant { intents += 1 }
            if isKept { kept += 1 }
            if withFallback { keptWithFallback += 1 }
        }
    }

    /// One page that was opened.
    struct View {
        var shown: SubscriberBasePlan.Shown
        var messageIdentifier: String?
        var isMeant: Bool
        /// What the customer's resolve is drawn as: kept where it is under the chance.
        var draw: Double
    }

    /// - Returns: whether the customer stays.
    mutating func record(_ view: View, _ plan: SubscriberBasePlan) -> Bool {
        let keep = plan.chance(view.shown, view.messageIdentifier)
        let fallback = plan.keep.fallback
        let isKept = !view.isMeant || view.draw < keep
        let withFallback = !view.isMeant || view.draw < fallback
        func row(_ keep: Double) -> Effect {
            Effect(
                chance: 1 - plan.intentShare * (1 - keep),
                trueLift: plan.intentShare * (keep - fallback))
        }
        let kind = view.shown.rawValue
        shown[kind, default: row(plan.keep.chance(view.shown))]
            .record(isMeant: view.isMeant, isKept: isKept, withFallback: withFallback)
        if let message = view.messageIdentifier {
            shownMessages[message, default: row(keep)]
                .record(isMeant: view.isMeant, isKept: isKept, withFallback: withFallback)
        }
        return isKept
    }
}
