import Foundation
import Retention

// A state as lines of text, the form in which two folds are compared.

protocol Said {
    var said: String { get }
}

func said(_ value: (some Said)?) -> String { value?.said ?? "-" }
func list(_ parts: [String]) -> String { "(" + parts.joined(separator: " ") + ")" }

extension String: Said { var said: String { self } }
extension Int64: Said { var said: String { String(self) } }
extension Bool: Said { var said: String { self ? "yes" : "no" } }
extension Instant: Said { var said: String { String(milliseconds) } }
extension UUID: Said { var said: String { uuidString.lowercased() } }

extension RawRepresentable where RawValue: Said { var said: String { rawValue.said } }
extension OfferType: Said {}
extension OfferDiscountType: Said {}
extension OwnershipType: Said {}
extension RevocationReason: Said {}
extension AutoRenewStatus: Said {}
extension ExpirationIntent: Said {}
extension PriceIncreaseStatus: Said {}
extension SubscriptionStatus: Said {}
extension BillingPlanType: Said {}
extension ConsumptionRequestReason: Said {}

extension OfferMark: Said {
    var said: String {
        list([
            AppStoreTests.said(type), AppStoreTests.said(identifier),
            AppStoreTests.said(discountType), AppStoreTests.said(period),
        ])
    }
}

extension SubscriberProfile.Money: Said {
    var said: String { list([amountMilliunits.said, currency]) }
}

extension SubscriptionPeriod.Revocation: Said {
    var said: String {
        list([kind.rawValue, at.said, share.said, AppStoreTests.said(reason)])
    }
}

struct StateLines {
    let lines: [String]

    init(_ state: SubscriptionState) {
        lines = Self.current(state) + Self.renewal(state) + Self.totals(state) + Self.lists(state)
    }

    private static func current(_ state: SubscriptionState) -> [String] {
        [
            "originalTransactionId=" + said(state.originalTransactionId),
            "asOf=" + said(state.asOf), "statusAtApple=" + said(state.statusAtApple),
            "subscribedAt=" + said(state.subscribedAt), "productId=" + said(state.productId),
            "subscriptionGroup=" + said(state.subscriptionGroup),
            "billingPlan=" + said(state.billingPlan), "storefront=" + said(state.storefront),
            "ownership=" + said(state.ownership), "currency=" + said(state.currency),
            "expiresAt=" + said(state.expiresAt), "offer=" + said(state.offer),
            "revocation=" + said(state.revocation),
            "appAccountToken=" + said(state.appAccountToken),
            "previousOriginalTransactionId=" + said(state.previousOriginalTransactionId),
            "migratedAt=" + said(state.migratedAt),
            "commitment=" + (state.commitment.map(commitment) ?? "-"),
        ]
    }

    private static func commitment(_ commitment: SubscriptionState.Commitment) -> String {
        let now = commitment.now.map {
            list([
                said($0.billingPeriodNumber), said($0.totalBillingPeriods), said($0.expiresDate),
                said($0.priceMilliunits),
            ])
        }
        let next = commitment.next.map {
            list([
                said($0.autoRenewProductId), said($0.autoRenewStatus), said($0.billingPlan),
                said($0.renewalDate), said($0.renewalPriceMilliunits),
            ])
        }
        return list([said(now), said(next)])
    }

    private static func renewal(_ state: SubscriptionState) -> [String] {
        let next = state.next.map {
            list([said($0.productId), said($0.billingPlan), said($0.date), said($0.price)])
        }
        return [
            "recentStartAt=" + said(state.recentStartAt),
            "autoRenewing=" + said(state.autoRenewing), "next=" + said(next),
            "pendingProductId=" + said(state.pendingProductId),
            "pendingBillingPlan=" + said(state.pendingBillingPlan),
            "isInBillingRetry=" + state.isInBillingRetry.said,
            "graceEndsAt=" + said(state.graceEndsAt),
            "expirationIntent=" + said(state.expirationIntent),
            "priceIncrease=" + said(state.priceIncrease),
            "eligibleWinBackOfferIds=" + list(state.eligibleWinBackOfferIds),
        ]
    }

    private static func totals(_ state: SubscriptionState) -> [String] {
        [
            "paidPeriods=" + state.paidPeriods.said, "spend=" + list(state.spend.map(\.said)),
            "refunds=" + state.refunds.said, "returns=" + state.returns.said,
            "lastReturnedAt=" + said(state.lastReturnedAt), "extensions=" + state.extensions.said,
            "lastExtendedAt=" + said(state.lastExtendedAt),
            "offersTakenCount=" + state.offersTakenCount.said,
            "lastOfferAt=" + said(state.lastOfferAt),
        ]
    }

    private static func lists(_ state: SubscriptionState) -> [String] {
        let periods = state.periods.map { one in
            let parts = [
                one.transactionId, one.productId, said(one.billingPlan), said(one.storefront),
                one.startsAt.said, said(one.expiresAt), one.beginning.rawValue, said(one.offer),
                said(one.price), one.isShared.said, one.isUpgraded.said, said(one.revocation),
                said(one.endsAt), one.isPaid.said, said(one.net),
            ]
            return "period=" + list(parts)
        }
        let taken = state.offersTaken.map {
            "taken="
                + list([$0.offer.said, $0.at.said, said($0.productId), said($0.transactionId)])
        }
        let changes = state.renewalChanges.map {
            "change=" + list([$0.at.said, said($0.autoRenewing), said($0.productId)])
        }
        let requests = state.refundRequests.map {
            "request=" + list([$0.transactionId, $0.at.said, said($0.reason)])
        }
        return periods + taken + changes + requests
    }

    static func lines(of profile: SubscriberProfile) -> [String] {
        let told = profile.clientFacts.map { list([$0.name, "\($0.value)", $0.toldAt.said]) }
        let parts: [(String, (any Said)?)] = [
            ("billingIssue", profile.billingIssue), ("billingPlan", profile.billingPlan),
            ("cancelReason", profile.cancelReason), ("inIntroOffer", profile.inIntroOffer),
            ("inOffer", profile.inOffer), ("inTrial", profile.inTrial),
            ("lastActiveAt", profile.lastActiveAt), ("lifetimeSpend", profile.lifetimeSpend),
            ("openRefundRequests", profile.openRefundRequests), ("pageViews", profile.pageViews),
            ("paidPeriods", profile.paidPeriods), ("refunds", profile.refunds),
            ("renewsAt", profile.renewsAt), ("storefront", profile.storefront),
            ("subscribedAt", profile.subscribedAt), ("told", list(told)),
        ]
        return parts.compactMap { name, value in value.map { "profile \(name)=" + $0.said } }
    }
}
