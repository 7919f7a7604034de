/// How much of a snapshot may still be said, by the time since the newest one was last known.
///
/// A responder without its database cannot see what was changed meanwhile: a budget that is spent,
/// a rule that was taken back, a text that was deleted at Apple, an app that is gone. What costs
/// most when it is wrong ends first.
///
///     0 ─── 15 min ──────────── 1 h ─────── 24 h ────────── 72 h ───────>
///      full    noBudgetedOffers    noOffers     defaultOnly     silent
package enum ServingMode: String, Sendable, CaseIterable {
    /// Everything.
    case full
    /// No offer of new money whose budget or eligibility only the database knows.
    case noBudgetedOffers
    /// Messages and plan switches.
    case noOffers
    /// The product's default message, which Apple has too.
    case defaultOnly
    /// Nothing: Apple shows its next layer.
    case silent

    package static let fullLimit: Duration = .seconds(15 * 60)
    package static let budgetedOffersLimit: Duration = .seconds(60 * 60)
    package static let offersLimit: Duration = .seconds(24 * 60 * 60)
    /// How old the knowledge of what Apple approved may be.
    package static let defaultLimit: Duration = .seconds(72 * 60 * 60)

    /// - Parameter age: since somebody who knows was last asked; `nil` where nobody can say, which
    ///   is older than everything.
    package init(age: Duration?) {
        guard let age else {
            self = .silent
            return
        }
        if age <= Self.fullLimit {
            self = .full
        } else if age <= Self.budgetedOffersLimit {
            self = .noBudgetedOffers
        } else if age <= Self.offersLimit {
            self = .noOffers
        } else if age <= Self.defaultLimit {
            self = .defaultOnly
        } else {
            self = .silent
        }
    }

    /// Whether offers may be answered whose budget or eligibility only the database knows.
    package var allowsBudgetedOffers: Bool { self == .full }
    package var allowsOffers: Bool { self == .full || self == .noBudgetedOffers }
    package var allowsRules: Bool { allowsOffers || self == .noOffers }
    package var allowsDefault: Bool { self != .silent }

    /// 0 for everything, rising with what is left out: for a gauge.
    package var rank: Int {
        switch self {
        case .full: 0
        case .noBudgetedOffers: 1
        case .noOffers: 2
        case .defaultOnly: 3
        case .silent: 4
        }
    }
}
