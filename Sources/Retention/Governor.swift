/// How often and how dearly offers may be made. Counts are of offers taken.
package struct Governor: Codable, Equatable, Sendable {
    package struct Budget: Codable, Equatable, Sendable {
        package let amountMilliunits: Int64
        /// ISO 4217.
        package let currency: String

        package init(amountMilliunits: Int64, currency: String) {
            self.amountMilliunits = amountMilliunits
            self.currency = currency
        }

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case amountMilliunits, currency
        }

        package init(from decoder: any Decoder) throws {
            try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
            let container = try decoder.container(keyedBy: CodingKeys.self)
            amountMilliunits = try container.decode(Int64.self, forKey: .amountMilliunits)
            currency = try container.decode(String.self, forKey: .currency)
            let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
            guard amountMilliunits > 0, currency.utf8.count == 3,
                currency.utf8.allSatisfy(capitals.contains)
            else { throw decoder.refusal("a budget is above 0, in a currency of three capitals") }
        }
    }

    package static let none = Governor(
        offersPerSubscriber: nil, coolDownDays: nil, monthlyDiscountBudget: nil)

    /// So many offers a subscriber may take, ever.
    package let offersPerSubscriber: Int32?
    /// Calendar days of the app after an offer was taken in which no other is made.
    package let coolDownDays: Int32?
    /// Of an app, in one environment and calendar month. Spent means no offers until the next
    /// month; treatments without a discount go on.
    package let monthlyDiscountBudget: Budget?

    package init(
        offersPerSubscriber: Int32?, coolDownDays: Int32?, monthlyDiscountBudget: Budget?
    ) {
        self.offersPerSubscriber = offersPerSubscriber
        self.coolDownDays = coolDownDays
        self.monthlyDiscountBudget = monthlyDiscountBudget
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case offersPerSubscriber, coolDownDays, monthlyDiscountBudget
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        offersPerSubscriber = try container.decodeIfPresent(
            Int32.self, forKey: .offersPerSubscriber)
        coolDownDays = try container.decodeIfPresent(Int32.self, forKey: .coolDownDays)
        monthlyDiscountBudget = try container.decodeIfPresent(
            Budget.self, forKey: .monthlyDiscountBudget)
        guard [offersPerSubscriber, coolDownDays].allSatisfy({ $0.map { $0 >= 1 } ?? true }) else {
            throw decoder.refusal("a governor's limits are 1 and more")
        }
    }

    package var asksForCounters: Bool { offersPerSubscriber != nil || coolDownDays != nil }

    /// Why no offer may be made now; `nil` where one may.
    ///
    /// - Parameter rule: that makes it; one that asks for counters itself needs them fresh too.
    func refusal(
        by rule: Rule, _ counters: GovernorCounters?, _ spent: BudgetReading, mode: ServingMode,
        zone: ZoneOffsets, now: Instant
    ) -> DeadReason? {
        guard mode.allowsOffers else { return .staleState }
        if !mode.allowsBudgetedOffers,
            asksForCounters || monthlyDiscountBudget != nil || rule.asksForCounters
        {
            return .staleState
        }
        if asksForCounters {
            guard let counters else { return .countersUnknown }
            if let offersPerSubscriber, counters.offersTaken >= offersPerSubscriber {
                return .offerCap
            }
            if let coolDownDays, let last = counters.lastOfferAt,
                zone.days(from: last, to: now) < Int64(coolDownDays)
            {
                return .coolDown
            }
        }
        guard let budget = monthlyDiscountBudget else { return nil }
        switch spent {
        case .unknown: return .budgetUnknown
        case .spent(let amount, let currency):
            guard isSame(currency, budget.currency) else { return .budgetUnknown }
            return amount >= budget.amountMilliunits ? .budgetSpent : nil
        case .nothing: return nil
        }
    }
}
