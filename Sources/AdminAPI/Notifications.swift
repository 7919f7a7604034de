// /v1/apps/{appId}/notifications: what the App Store told of subscriptions.
internal import Foundation
internal import Retention
internal import RetentionStore

enum Notifications {
    private static let all = "/v1/apps/{appId}/notifications"
    private static let one = "/v1/apps/{appId}/notifications/{notificationUUID}"

    static let operations: [Operation] = [
        .list(
            "listNotifications", all, .subscribers,
            query: ["environment", "notificationType", "originalTransactionId"], list),
        .get("getNotification", one, .subscribers, query: ["environment"], get),
    ]

    // MARK: - Shapes

    private static func form(
        _ notification: StoredNotification, at key: AppEnvironment
    ) -> JSONTree {
        [
            "notificationUUID": .appleId(notification.notificationUUID), "appId": .id(key.app),
            "environment": .string(key.environment.rawValue),
            "notificationType": .string(notification.notificationType),
            "subtype": .text(notification.subtype),
            "originalTransactionId": .text(notification.originalTransactionId),
            "signedDate": .instant(notification.signedDate),
            "receivedAt": .instant(notification.receivedAt),
            "source": .string(notification.source.rawValue),
            "foldedAt": .optional(notification.foldedAt, JSONTree.instant),
            "foldFailure": .text(notification.foldFailure),
        ]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let page = try call.page(keys: 2)
        let filter = NotificationFilter(
            notificationType: try call.query.text("notificationType", limit: 128),
            originalTransactionId: try call.query.text("originalTransactionId", limit: 64))
        let rows = try call.transaction.listNotifications(
            at: key, filter, after: try place(page), limit: page.rowsWanted)
        return call.list(
            rows, page,
            keys: { [String($0.signedDate.milliseconds), $0.notificationUUID.uuidString] },
            form: { form($0, at: key) })
    }

    private static func place(_ page: Page) throws(Problem) -> NotificationPlace? {
        guard !page.after.isEmpty else { return nil }
        guard let milliseconds = Int64(page.after[0]),
            DecisionPlace.instants.contains(milliseconds),
            let uuid = UUID(uuidString: page.after[1])
        else { throw Problem(.invalidCursor, "The cursor is not one of this list.") }
        return NotificationPlace(
            signedDate: Instant(milliseconds: milliseconds), notificationUUID: uuid)
    }

    private static func get(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        guard let uuid = UUID(uuidString: try call.name("notificationUUID", limit: 36)),
            let found = try call.transaction.findNotification(uuid, at: key)
        else { throw Problem.notFound }
        return .report(
            form(found.notification, at: key).merging([
                "payload": SignedDataForm.payload(of: found.signedPayload) ?? .null
            ]))
    }
}
