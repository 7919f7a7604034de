import Foundation
import Operator
import Retention
import RetentionStore
import Testing

/// The functions about subscribers, for `IsolationTests`.
extension IsolationTests {
    static let subscriber = "2000000000000001"
    static let profile = StoredProfile(body: [1, 2, 3], asOf: Agencies.now)

    private static func month() throws -> CalendarDay { try #require(CalendarDay("2026-11-01")) }

    func profileAttempts(_ agencies: Agencies) throws -> [Attempt] {
        let (key, id, message) = (agencies.first.keys[0], Self.subscriber, UUID())
        let profile = Self.profile
        let counters = GovernorCounters(offersTaken: 1, lastOfferAt: nil, escalationLevel: 1)
        let spent = SpentBudget(month: try Self.month(), currency: "USD", spentMilliunits: 1)
        try agencies.change(agencies.first) { transaction in
            try transaction.createAppStoreConnectMessage(message, name: "x", of: key.app)
            try transaction.upsertProfile(profile, of: id, at: key)
            try transaction.upsertGovernorCounters(counters, of: id, at: key)
            try transaction.setDiscountBudgetSpent(spent, at: key)
        }
        let new = NewProfile(originalTransactionId: id, profile: profile)
        return [
            ("upsertProfile", { try $0.upsertProfile(profile, of: id, at: key) }),
            ("upsertProfiles", { try $0.upsertProfiles([new], at: key) }),
            (
                "upsertGovernorCounters",
                { try $0.upsertGovernorCounters(counters, of: id, at: key) }
            ),
            ("setDiscountBudgetSpent", { try $0.setDiscountBudgetSpent(spent, at: key) }),
            ("addDiscountBudgetSpent", { try $0.addDiscountBudgetSpent(spent, at: key) }),
            (
                "createAppStoreConnectMessage",
                { try $0.createAppStoreConnectMessage(UUID(), name: "y", of: key.app) }
            ),
            (
                "confirmAppStoreConnectMessage",
                { try $0.confirmAppStoreConnectMessage(message, of: key.app) }
            ),
            (
                "deleteAppStoreConnectMessage",
                { try $0.deleteAppStoreConnectMessage(message, of: key.app) }
            ),
        ]
    }

    /// What finds nothing of another agency, and removes nothing.
    func profileQuestions(_ agencies: Agencies) throws -> [Attempt] {
        let (key, id, month) = (agencies.first.keys[0], Self.subscriber, try Self.month())
        return [
            ("findProfile", { try expectNothing(try $0.findProfile(of: id, at: key)) }),
            ("countProfiles", { try expectNot(try $0.countProfiles(at: key) > 0) }),
            ("deleteSubscriber", { try expectNot(try $0.deleteSubscriber(id, at: key)) }),
            (
                "findGovernorCounters",
                { try expectNothing(try $0.findGovernorCounters(of: id, at: key)) }
            ),
            (
                "deleteGovernorCounters",
                { try expectNot(try $0.deleteGovernorCounters(of: id, at: key)) }
            ),
            (
                "listDiscountBudgetsSpent",
                { try expectNothing(try $0.listDiscountBudgetsSpent(in: month, at: key).first) }
            ),
            (
                "listAppStoreConnectMessages",
                {
                    try expectNothing(
                        try $0.listAppStoreConnectMessages(of: key.app, limit: 9).first)
                }
            ),
            (
                "countAppStoreConnectMessages",
                { try expectNot(try $0.countAppStoreConnectMessages(of: key.app) > 0) }
            ),
            (
                "findAppStoreConnectMessage",
                { try expectNothing(try $0.findAppStoreConnectMessage(UUID(), of: key.app)) }
            ),
        ]
    }
}
