import AdminAPI
import AppStore
import Foundation
import HTTPServer
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

/// An app with an endpoint, and its App Store, which signs notifications.
struct NotifiedStage {
    let stage: GatewayStage
    let app: TestApp
    let key: AppEnvironment
    let token: String
    var signer: NotificationSigner

    init(
        _ stage: GatewayStage? = nil, at environment: StoreEnvironment = .production
    ) throws {
        let stage = try stage ?? GatewayStage()
        try self.init(try stage.makeAgency().makeTestApp(), at: environment)
    }

    init(_ app: TestApp, at environment: StoreEnvironment = .production) throws {
        self.app = app
        stage = app.agency.stage
        let key = AppEnvironment(app: app.id, environment: environment)
        self.key = key
        let platformKey = stage.platformKey.publicKey
        let (named, token) = try app.change { transaction in
            (
                try transaction.getApp(app.id).app,
                try transaction.createEndpoint(
                    .make(at: transaction.now), at: key, sealedTo: platformKey)
            )
        }
        self.token = token
        signer = NotificationSigner(
            chain: stage.chain, bundleId: named.bundleId, appAppleId: named.appAppleId,
            signedDate: stage.now.milliseconds)
        signer.environment = environment.rawValue
    }

    @discardableResult
    func post(_ body: [UInt8], token other: String? = nil) throws -> TestAnswer {
        try stage.send(
            "POST", "/notifications/\(other ?? token)",
            headers: [("Content-Type", "application/json")], body: body)
    }

    /// Posts a good one, and says that it was taken.
    @discardableResult
    func deliver(
        _ change: (inout NotificationDraft) throws -> Void = { _ in }
    ) throws -> NotificationDraft {
        var draft = NotificationDraft()
        try change(&draft)
        let answer = try post(try signer.body(draft))
        #expect(answer.status == 200 && answer.body.isEmpty, "\(answer.text)")
        return draft
    }

    func kept() throws -> [StoredNotification] {
        try app.change { try $0.listNotifications(at: key, limit: 1_000) }
    }

    /// Of everybody.
    func count() throws -> Int64 {
        try stage.database.superuser.withConnection { connection in
            let rows = try connection.query("select count(*) from holdfast.notification")
            return try #require(rows.first).decode(at: 0)
        }
    }
}
