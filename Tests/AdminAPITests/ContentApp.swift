import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// An agency's app, for tests of what is said in it.
struct ContentApp {
    static let product = "com.example.mira.monthly"
    static let otherProduct = "com.example.mira.yearly"

    let agency: TestAgency
    let client: ClientID
    let id: AppID

    var path: String { "/v1/apps/\(id)" }

    init(_ agency: TestAgency, client: ClientID? = nil) throws {
        let stage = agency.stage
        let id = AppID.make(at: stage.now)
        let client = client ?? ClientID.make(at: stage.now)
        try stage.store.transaction(.operatorCommand(tenant: agency.tenant), at: stage.now) {
            if try $0.listClients(after: nil, limit: 100).allSatisfy({ $0.id != client }) {
                try $0.createClient(Client(id: client, name: "Mira"))
            }
            try $0.createApp(
                App(
                    id: id, client: client, name: "Mira", bundleId: "com.example.\(id)",
                    appAppleId: .random(in: 1...Int64.max), defaultLocale: "en-US"))
            for product in [Self.product, Self.otherProduct] {
                try $0.createProduct(
                    Product(
                        productId: product, subscriptionGroup: "g", period: "P1M",
                        billingPlans: []),
                    of: id)
            }
        }
        (self.agency, self.client, self.id) = (agency, client, id)
    }

    /// Through the store, as the sync does it.
    func change<R>(_ body: (TenantTransaction) throws -> R) throws -> R {
        let stage = agency.stage
        return try stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: stage.now, body)
    }

    /// The path of a new message.
    func message(_ name: String = "stay", kind: String = "text") throws -> String {
        let made = try agency.post(
            "\(path)/messages", ["name": .string(name), "kind": .string(kind)])
        try #require(made.status == 201, "\(made.text)")
        return try #require(made.header("Location"))
    }

    /// The path of a new localization.
    func localization(
        _ message: String, _ locale: String = "en-US", _ body: JSONTree = Self.text
    ) throws -> String {
        let place = "\(message)/localizations/\(locale)"
        let made = try agency.send("PUT", place, body)
        try #require(made.status == 201, "\(made.text)")
        return place
    }

    /// The identifier of a new picture, stored without a look at it.
    func image(_ size: ImageSize = .fullSize) throws -> String {
        let id = ImageID.make(at: agency.stage.now)
        let bytes = Array("\(id)".utf8)
        return try change {
            try $0.storeImage(
                NewImage(id: id, size: size, png: bytes, width: 1, height: 1), of: self.id)
        }.description
    }

    static let text: JSONTree = ["header": "Before you go", "body": "Stay for half the price."]

    /// Of the newest event of the tenant: action and what it was done to.
    func audit() throws -> String {
        let event = try newestEvent()
        return "\(event.action) \(event.resourceId)"
    }

    func auditChanges() throws -> JSONTree {
        try JSONTree(document: try newestEvent().changes)
    }

    /// Time goes on with it, so that the next event is the newest one.
    private func newestEvent() throws -> AuditEvent {
        let all = try auditEvents()
        later()
        return try #require(all.first)
    }

    /// What comes now is newer than what was.
    func later() { agency.stage.clock.advance(milliseconds: 1) }

    func auditEvents() throws -> [AuditEvent] {
        try change {
            try $0.listAuditEvents(AuditFilter(), before: nil, limit: 100).map(\.event)
        }
    }

    /// The newest snapshot's number.
    func snapshotNumber(_ environment: StoreEnvironment) throws -> Int64 {
        try agency.stage.database.superuser.withConnection { connection in
            let rows = try connection.query(
                """
                select snapshot_number from holdfast.app_environment
                where app_id = \(id.uuid) and environment = \(environment.rawValue)
                """)
            return try #require(rows.first).decode("snapshot_number")
        }
    }
}

/// Keys to which nothing of an app may show: of another agency, of another client, of another app.
struct Strangers {
    let keys: [TestAgency]
    let app: ContentApp

    init(to app: ContentApp) throws {
        let stage = app.agency.stage
        let elsewhere = try ContentApp(try stage.makeAgency())
        let otherClient = try ContentApp(app.agency)
        let otherApp = try ContentApp(app.agency, client: app.client)
        keys = [
            elsewhere.agency,
            try stage.makeKey(of: app.agency, clients: [otherClient.client]),
            try stage.makeKey(of: app.agency, apps: [otherApp.id]),
            try stage.makeKey(of: app.agency, apps: []),
        ]
        self.app = app
    }

    /// Every stranger gets the same 404 for each as for an app that is nowhere.
    func expectNothing(_ requests: [(method: String, target: String, body: JSONTree?)]) throws {
        let nowhere = AppID.make(at: app.agency.stage.now)
        for request in requests {
            let absent = request.target.replacing("\(app.id)", with: "\(nowhere)")
            let reference = try send(app.agency, request.method, absent, request.body)
            #expect(reference.status == 404, "\(request.method) \(absent)")
            for key in keys {
                let answer = try send(key, request.method, request.target, request.body)
                #expect(answer.status == 404, "\(request.method) \(request.target) \(answer.text)")
                #expect(answer.json == reference.json)
            }
        }
    }

    private func send(
        _ key: TestAgency, _ method: String, _ target: String, _ body: JSONTree?
    ) throws -> TestAnswer {
        try key.send(
            method, target, body,
            headers: [("Request-Id", "the-same")]
                + (method == "DELETE" || method == "PATCH" ? [("If-Match", "*")] : []))
    }
}
