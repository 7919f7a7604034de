/// One step from what was kept to where the subscription stands: nothing in it outlives the step.
struct SubscriptionFolding {
    /// Apple signs what belongs together within seconds.
    static let signingSpreadMilliseconds: Int64 = 60_000

    let history: SubscriptionHistory
    /// One a purchase, in the order of their dates.
    let versions: [SubscriptionHistory.Version]
    let periods: [SubscriptionPeriod]

    init(_ history: SubscriptionHistory) {
        self.history = history
        versions = Self.purchases(in: history)
        periods = Self.periods(versions, history)
    }

    var currentVersion: SubscriptionHistory.Version? { versions.last }
    var current: TransactionFact? { versions.last?.transaction }

    /// The newest renewal info, if it was not signed before the current purchase was: what an older
    /// one says of billing, expiry and wishes is over.
    var renewal: RenewalFact? {
        guard let newest = history.renewal else { return nil }
        guard let currentVersion else { return newest.value }
        let firstSigned = currentVersion.firstSigned.advanced(by: -Self.signingSpreadMilliseconds)
        let start = min(currentVersion.transaction.purchaseDate, firstSigned)
        return newest.key.signedDate >= start ? newest.value : nil
    }

    private static func purchases(
        in history: SubscriptionHistory
    ) -> [SubscriptionHistory.Version] {
        var purchases: [SubscriptionHistory.Version] = []
        var places: [String: Int] = [:]
        for (_, version) in history.versions.entries {
            let transaction = version.transaction
            guard transaction.type == nil || transaction.type == .autoRenewable else { continue }
            guard let item = transaction.webOrderLineItemId else {
                purchases.append(version)
                continue
            }
            // The entries are in the order of their transactions, so that the greater one holds
            // where the keys are the same.
            if let place = places[item] {
                if purchases[place].key <= version.key { purchases[place] = version }
            } else {
                places[item] = purchases.count
                purchases.append(version)
            }
        }
        return purchases.sorted {
            let (a, b) = ($0.transaction, $1.transaction)
            if a.purchaseDate != b.purchaseDate { return a.purchaseDate < b.purchaseDate }
            return TransactionOrder(transactionId: a.transactionId)
                < TransactionOrder(transactionId: b.transactionId)
        }
    }
}

// MARK: - Periods

extension SubscriptionFolding {
    private static func periods(
        _ versions: [SubscriptionHistory.Version], _ history: SubscriptionHistory
    ) -> [SubscriptionPeriod] {
        var reversals: [String: Instant] = [:]
        for (key, word) in history.words.entries where word.kind == .refundReversed {
            // In the order of their dates: the last one stays.
            if let transactionId = word.transactionId { reversals[transactionId] = key.signedDate }
        }
        var periods: [SubscriptionPeriod] = []
        // When all periods so far were over; nil once one of them has no end.
        var allOver: Instant? = Instant(milliseconds: .min)
        for version in versions {
            let transaction = version.transaction
            let period = period(
                transaction, isFirst: periods.isEmpty, allOver: allOver,
                reversedAt: reversals[transaction.transactionId])
            periods.append(period)
            allOver = allOver.flatMap { over in period.endsAt.map { max(over, $0) } }
        }
        return periods
    }

    private static func period(
        _ transaction: TransactionFact, isFirst: Bool, allOver: Instant?, reversedAt: Instant?
    ) -> SubscriptionPeriod {
        let beginning: SubscriptionPeriod.Beginning =
            if isFirst {
                .first
            } else if transaction.reason == .renewal {
                .renewal
            } else if let allOver, allOver <= transaction.purchaseDate {
                .returned
            } else {
                .change
            }
        var price: SubscriberProfile.Money?
        if let amount = transaction.priceMilliunits, let currency = transaction.currency {
            price = SubscriberProfile.Money(amountMilliunits: amount, currency: currency)
        }
        return SubscriptionPeriod(
            transactionId: transaction.transactionId, productId: transaction.productId,
            billingPlan: transaction.billingPlan, storefront: transaction.storefront,
            startsAt: transaction.purchaseDate, expiresAt: transaction.expiresDate,
            beginning: beginning, offer: transaction.offer, price: price,
            isShared: transaction.isShared, isUpgraded: transaction.isUpgraded ?? false,
            revocation: revocation(of: transaction, reversedAt: reversedAt))
    }

    /// What was taken back stays so until a reversal that is not older than the taking.
    private static func revocation(
        of transaction: TransactionFact, reversedAt: Instant?
    ) -> SubscriptionPeriod.Revocation? {
        guard let at = transaction.revocationDate else { return nil }
        if let reversedAt, reversedAt >= at { return nil }
        let isOfFamily = transaction.revocationType == .family || transaction.isShared
        let whole = SubscriptionPeriod.Revocation.wholeShare
        var share = whole
        if !isOfFamily, transaction.revocationType != .fullRefund {
            share = min(max(transaction.revocationPercentage ?? whole, 0), whole)
        }
        return SubscriptionPeriod.Revocation(
            kind: isOfFamily ? .family : .refund, at: at, share: share,
            reason: transaction.revocationReason)
    }
}

// MARK: - Money, offers, wishes, requests

extension SubscriptionFolding {
    /// Currencies in the order of their bytes. A sum that is too large to say stays the largest.
    var spend: [SubscriberProfile.Money] {
        var sums: [String: Int64] = [:]
        for net in periods.compactMap(\.net) {
            let (sum, overflow) = (sums[net.currency] ?? 0)
                .addingReportingOverflow(net.amountMilliunits)
            sums[net.currency] = overflow ? .max : sum
        }
        return sums.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
            SubscriberProfile.Money(amountMilliunits: $0.value, currency: $0.key)
        }
    }

    var takenOffers: [TakenOffer] {
        var taken: [TakenOffer] = []
        for (place, period) in periods.enumerated() {
            guard let offer = period.offer, offer.type != nil else { continue }
            let before = place > 0 ? periods[place - 1] : nil
            let isRenewal = versions[place].transaction.reason == .renewal
            let isSameAsBefore = offer.isSameOffer(as: before?.offer)
            if isSameAsBefore, isRenewal, offer.discountType == .payAsYouGo { continue }
            var at = period.startsAt
            if let before, isRenewal, !isSameAsBefore {
                at = redeemed(offer, from: before.startsAt, to: period.startsAt) ?? at
            }
            taken.append(
                TakenOffer(
                    offer: offer, at: at, productId: period.productId,
                    transactionId: period.transactionId))
        }
        if let pending = pendingOffer { taken.append(pending) }
        return taken
    }

    /// Redeemed, and to begin with the next renewal.
    private var pendingOffer: TakenOffer? {
        guard let current = periods.last, let renewal, renewal.autoRenewStatus != .off,
            let offer = renewal.offer, offer.type != nil,
            !offer.isSameOffer(as: current.offer)
        else { return nil }
        let at = redeemed(offer, from: current.startsAt, to: Instant(milliseconds: .max))
        return TakenOffer(
            offer: offer, at: at ?? renewal.signedDate,
            productId: renewal.autoRenewProductId ?? renewal.productId, transactionId: nil)
    }

    /// When a renewal info spoke of it first within a period.
    private func redeemed(_ offer: OfferMark, from: Instant, to: Instant) -> Instant? {
        history.minds.entries.first { key, mind in
            key.signedDate >= from && key.signedDate < to && offer.isSameOffer(as: mind.offer)
        }?.key.signedDate
    }

    /// Of those kept the first is no change where older ones were dropped.
    var renewalChanges: [SubscriptionState.RenewalChange] {
        var changes: [SubscriptionState.RenewalChange] = []
        for (key, mind) in history.minds.entries {
            let autoRenewing = mind.autoRenewStatus?.isOn
            if let last = changes.last, last.autoRenewing == autoRenewing,
                isSame(last.productId, mind.autoRenewProductId)
            {
                continue
            }
            changes.append(
                SubscriptionState.RenewalChange(
                    at: key.signedDate, autoRenewing: autoRenewing,
                    productId: mind.autoRenewProductId))
        }
        return changes
    }

    /// The newest request of each transaction that nobody has answered.
    var refundRequests: [SubscriptionState.RefundRequest] {
        var open: [String: (key: FactKey, request: SubscriptionState.RefundRequest)] = [:]
        for (key, word) in history.words.entries {
            guard let transactionId = word.transactionId else { continue }
            switch word.kind {
            case .refundRequest:
                open[transactionId] = (
                    key,
                    SubscriptionState.RefundRequest(
                        transactionId: transactionId, at: key.signedDate, reason: word.reason)
                )
            case .refund, .refundDeclined: open[transactionId] = nil
            case .refundReversed, .renewalExtended, .migration: break
            }
        }
        for (order, version) in history.versions.entries {
            guard let at = version.transaction.revocationDate,
                let asked = open[order.transactionId], at >= asked.request.at
            else { continue }
            open[order.transactionId] = nil
        }
        return open.values.sorted { $0.key < $1.key }.map(\.request)
    }

    var extensions: (count: Int64, lastAt: Instant?) {
        let words = history.words.entries.filter { $0.value.kind == .renewalExtended }
        return (Int64(Set(words.map(\.key.uuid)).count), words.last?.key.signedDate)
    }

    var migratedAt: Instant? {
        history.words.entries.last { $0.value.kind == .migration }?.key.signedDate
    }
}
