/// Events of money given back, access taken away, and time added.
extension SubscriptionChange {
    private static let consumptionReasons = [
        "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
    ]
    private static let allOfIt: Int64 = 100_000

    /// The transaction that the event names, else the one a refund is asked for, else the last.
    private func transaction() throws(ControlError) -> Int {
        let last = subscription.transactions.count - 1
        guard let wanted = event.transactionId ?? subscription.refundRequest else { return last }
        let index = subscription.transactions.lastIndex { sameBytes($0.transactionId, wanted) }
        guard let index else { throw .impossible("The subscription has no such transaction.") }
        return index
    }

    private func requireRefundable(_ index: Int) throws(ControlError) {
        let transaction = subscription.transactions[index]
        try require(
            !subscription.purchaser.isFamilyShared, "A family member has paid nothing.")
        try require(transaction.price > 0, "Nothing was paid in this transaction.")
        try require(transaction.revocation == nil, "The transaction is refunded already.")
    }

    mutating func requestRefund() throws(ControlError) -> EventNotice {
        let index = try transaction()
        try requireRefundable(index)
        let reason = event.reason ?? "OTHER"
        try require(
            SubscriptionChange.consumptionReasons.contains(reason),
            "reason is one of \(SubscriptionChange.consumptionReasons.joined(separator: ", ")).")
        subscription.refundRequest = subscription.transactions[index].transactionId
        var notice = notice(.consumptionRequest, transaction: index)
        notice.consumptionRequestReason = reason
        return notice
    }

    mutating func declineRefund() throws(ControlError) -> EventNotice {
        try require(subscription.refundRequest != nil, "No refund is asked for in the app.")
        let index = try transaction()
        subscription.refundRequest = nil
        return notice(.refundDeclined, transaction: index)
    }

    /// The refund of the current period ends access and auto-renew; of an earlier one, nothing.
    mutating func refund() throws(ControlError) -> EventNotice {
        let index = try transaction()
        try requireRefundable(index)
        let all = SubscriptionChange.allOfIt
        let percentage = event.percentage ?? all
        try require(
            (1...all).contains(percentage), "percentage is 1 to \(all), thousandths of a percent.")
        subscription.transactions[index].revocation = .init(
            at: at, reason: event.reason == "APP_ISSUE" ? 1 : 0,
            kind: percentage == all ? .fullRefund : .proratedRefund, percentage: percentage)
        subscription.refundRequest = nil
        if index == subscription.transactions.count - 1 {
            subscription.phaseBeforeRefund = subscription.phase
            switch subscription.phase {
            case .expired: break
            case .active, .billingRetry, .gracePeriod, .revoked:
                subscription.phase = .revoked
                subscription.autoRenews = false
                subscription.renewalOffer = nil
                subscription.priceIncrease = nil
            }
        }
        return notice(.refund, transaction: index)
    }

    mutating func reverseRefund() throws(ControlError) -> EventNotice {
        let refunded = subscription.transactions.lastIndex {
            $0.revocation != nil && $0.revocation?.kind != .family
        }
        var index = refunded
        if event.transactionId != nil { index = try transaction() }
        guard let index, let revocation = subscription.transactions[index].revocation,
            revocation.kind != .family
        else { throw .impossible("Nothing was refunded.") }
        subscription.transactions[index].revocation = nil
        if index == subscription.transactions.count - 1, subscription.phase == .revoked {
            let isOver = at >= subscription.expiresDate
            subscription.phase =
                isOver ? .expired(.other) : subscription.phaseBeforeRefund ?? .active
            subscription.phaseBeforeRefund = nil
        }
        return notice(.refundReversed, transaction: index)
    }

    mutating func revoke() throws(ControlError) -> EventNotice {
        try require(
            subscription.purchaser.isFamilyShared,
            "Only a family member's access is revoked; refund the purchaser's.")
        try require(subscription.isActive, "The subscription is not active.")
        let last = subscription.transactions.count - 1
        subscription.transactions[last].revocation = .init(at: at, reason: 0, kind: .family)
        subscription.phase = .revoked
        subscription.autoRenews = false
        return notice(.revoke)
    }

    /// Nil where the App Store would extend the renewal date
    /// (`appstoreserverapi/extending-the-renewal-date-for-auto-renewable-subscriptions`).
    private var reasonNotToExtend: String? {
        if subscription.purchaser.isFamilyShared {
            return "A family member's subscription is extended with the purchaser's."
        }
        guard subscription.phase == .active, at < subscription.expiresDate else {
            return "The subscription is not active."
        }
        if subscription.isFree { return "The subscription is in a free period." }
        let recent = subscription.extensions.filter { $0 > at - Subscription.extensionYear }
        return recent.count < Subscription.extensionsLimit
            ? nil : "It was extended twice in 365 days."
    }

    mutating func extendRenewal() throws(ControlError) -> EventNotice {
        if let reason = reasonNotToExtend { throw .impossible(reason) }
        guard let days = event.days, (1...90).contains(days) else {
            throw .impossible("days is 1 to 90.")
        }
        let last = subscription.transactions.count - 1
        subscription.transactions[last].expiresDate =
            subscription.expiresDate + Int64(days) * 86_400_000
        subscription.extensions.append(at)
        return notice(.renewalExtended)
    }

    func failExtension() throws(ControlError) -> EventNotice {
        try require(reasonNotToExtend != nil, "The App Store would extend this subscription.")
        return notice(.renewalExtension, .failure)
    }
}
