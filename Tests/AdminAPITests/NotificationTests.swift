import AdminAPI
import Foundation
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct NotificationTests {
    @Test func `a notification is told with what Apple signed inside, never the signed text`()
        throws
    {
        let notified = try NotifiedStage()
        let draft = try notified.deliver { $0.outer["more"] = "[{\"a\":1.5}]" }
        let path = "\(notified.app.path)/notifications"
        let uuid = draft.uuid.uuidString.lowercased()
        let time = JSONTree.time(notified.stage.now.milliseconds)
        let row: JSONTree = [
            "notificationUUID": .string(uuid), "appId": .string("\(notified.app.id)"),
            "environment": "Production", "notificationType": "DID_CHANGE_RENEWAL_STATUS",
            "subtype": "AUTO_RENEW_DISABLED",
            "originalTransactionId": .string(draft.originalTransactionId),
            "signedDate": .string(time), "receivedAt": .string(time), "source": "pushed",
            "foldedAt": .null, "foldFailure": .null,
        ]
        let agency = notified.app.agency
        #expect(try agency.all(path) == [row])
        #expect(try agency.all("\(path)?environment=Sandbox").isEmpty)
        let answer = try agency.get("\(path)/\(uuid)")
        #expect(answer.status == 200)
        let payload = try #require(answer.json["payload"])
        #expect(answer.json == row.merging(["payload": payload]))
        #expect(payload["more"]?.elements.first?["a"] == .number(1.5))
        let transaction = payload["data"]?["signedTransactionInfo"]
        #expect(transaction?["price"] == 9990)
        #expect(transaction?["transactionId"] == "2000000000000002")
        #expect(payload["data"]?["signedRenewalInfo"]?["autoRenewStatus"] == 0)
        #expect(!answer.text.contains("eyJ"))
    }

    @Test func `lists are filtered, and walked once each`() throws {
        let notified = try NotifiedStage()
        for number in 0..<9 {
            try notified.deliver {
                $0.originalTransactionId = "200000000000000\(number % 2)"
                if number % 3 == 0 { $0.outer["notificationType"] = "\"REFUND\"" }
            }
        }
        let path = "\(notified.app.path)/notifications"
        func count(_ query: String, limit: Int = 4) throws -> Int {
            let rows = try notified.app.agency.all(path + query, limit: limit)
            return Set(rows.compactMap { $0["notificationUUID"]?.text }).count
        }
        #expect(try count("") == 9)
        #expect(try count("?notificationType=REFUND", limit: 1) == 3)
        #expect(try count("?originalTransactionId=2000000000000001") == 4)
        #expect(
            try count("?originalTransactionId=2000000000000001&notificationType=REFUND") == 1)
        #expect(try count("?notificationType=NONE") == 0)
    }

    @Test func `parameters are judged, and a key needs the scope`() throws {
        let notified = try NotifiedStage()
        let path = "\(notified.app.path)/notifications"
        let agency = notified.app.agency
        for (query, code) in [
            ("environment=Xcode", "invalidParameter"), ("type=TEST", "unknownParameter"),
            ("notificationType=", "invalidParameter"), ("cursor=bGlzdA", "invalidCursor"),
        ] {
            let answer = try agency.get("\(path)?\(query)")
            #expect(answer.status == 400 && answer.code == code, "\(query)")
        }
        #expect(try agency.get("\(path)/x").status == 404)
        #expect(try agency.get("\(path)/\(UUID().uuidString)").status == 404)
        let draft = try notified.deliver()
        #expect(try agency.get("\(path)/\(draft.uuid)?environment=Sandbox").status == 404)
        let blind = try notified.stage.makeKey(of: agency, scopes: [.read(.decisions)])
        #expect(try blind.get(path).code == "scopeMissing")
        let reader = try notified.stage.makeKey(of: agency, scopes: [.read(.subscribers)])
        #expect(try reader.get(path).status == 200)
        let other = try notified.stage.makeAgency()
        #expect(try other.get("\(path)/\(draft.uuid)").code == "notFound")
    }

    @Test func `a payload that cannot be read is shown as none`() throws {
        let notified = try NotifiedStage()
        let uuid = UUID()
        let notification = NewNotification(
            notificationUUID: uuid, notificationType: "X", signedDate: notified.stage.now,
            signedPayload: Array("no JWS".utf8))
        try notified.app.change {
            _ = try $0.recordNotifications([notification], from: .history, at: notified.key)
            try $0.markFolded(
                [], failures: [FoldFailure(notificationUUID: uuid, reason: "unreadable")],
                at: notified.key)
        }
        let answer = try notified.app.agency.get("\(notified.app.path)/notifications/\(uuid)")
        #expect(answer.json["payload"] == .null)
        #expect(answer.json["source"] == "history")
        #expect(answer.json["foldFailure"] == "unreadable")
        #expect(answer.json["foldedAt"] == .string(JSONTree.time(notified.stage.now.milliseconds)))
    }
}
