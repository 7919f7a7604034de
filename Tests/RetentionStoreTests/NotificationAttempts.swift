import Foundation
import Operator
import Retention
import RetentionStore
import Testing

/// The functions about notifications, for `IsolationTests`.
extension IsolationTests {
    private static let notification = NewNotification(
        notificationUUID: UUID(), notificationType: "DID_RENEW", signedDate: Agencies.now,
        originalTransactionId: subscriber, signedPayload: [1])

    /// Refused.
    func notificationAttempts(_ agencies: Agencies) throws -> [Attempt] {
        let key = agencies.first.keys[0]
        let lease = FoldLease(tenant: agencies.first.scope.tenant, key: key, token: 1)
        let another = NewNotification(
            notificationUUID: UUID(), notificationType: "TEST", signedDate: Agencies.now,
            signedPayload: [1])
        try agencies.change(agencies.first) {
            try $0.recordNotifications([Self.notification], from: .pushed, at: key)
        }
        return [
            (
                "recordNotifications",
                { try $0.recordNotifications([another], from: .history, at: key) }
            ),
            ("releaseFold", { try $0.releaseFold(lease) }),
            (
                "saveNotificationHistory",
                {
                    try $0.saveNotificationHistory(
                        NotificationHistoryProgress(), nextIn: .seconds(1), at: key)
                }
            ),
        ]
    }

    /// What finds nothing of another agency, and changes nothing.
    func notificationQuestions(_ agencies: Agencies) throws -> [Attempt] {
        let key = agencies.first.keys[0]
        let uuid = Self.notification.notificationUUID
        return [
            (
                "listNotifications",
                { try expectNothing(try $0.listNotifications(at: key, limit: 9).first) }
            ),
            ("findNotification", { try expectNothing(try $0.findNotification(uuid, at: key)) }),
            (
                "deleteNotifications",
                { try expectNot(try $0.deleteNotifications(of: Self.subscriber, at: key) > 0) }
            ),
            (
                "listWaitingNotifications",
                { try expectNothing(try $0.listWaitingNotifications(at: key, limit: 9).first) }
            ),
            (
                "listAllNotifications",
                {
                    try expectNothing(
                        try $0.listAllNotifications(of: Self.subscriber, at: key).first)
                }
            ),
            ("markFolded", { try $0.markFolded([uuid], at: key) }),
            (
                "findNotificationHistory",
                { try expectNothing(try $0.findNotificationHistory(at: key).progress.readTo) }
            ),
        ]
    }
}
