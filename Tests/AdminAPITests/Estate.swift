import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

/// Everything an agency can have, one of each, made over the API. Every text of its own holds the
/// canary, so that one byte of it in a wrong place shows.
struct Estate {
    let agency: TestAgency
    let canary: String
    /// Kind of thing (as the API document names it) -> identifier.
    private(set) var ids: [String: String] = [:]
    /// A second client with an app of its own.
    private(set) var otherClient = ""
    private(set) var otherApp = ""

    var productId: String { "com.example.\(canary).monthly" }

    init(_ agency: TestAgency, canary: String) throws {
        self.agency = agency
        self.canary = canary
        let client = try make("client", "/v1/clients", ["name": text("client")])
        let app = try make("app", "/v1/apps", appBody(of: client, number: 1))
        otherClient = try make(nil, "/v1/clients", ["name": text("other client")])
        otherApp = try make(nil, "/v1/apps", appBody(of: otherClient, number: 2))
        let base = "/v1/apps/\(app)"
        try makeCatalog(base)
        try makeContent(base)
        try makeRules(base)
        try makeRest(base)
        try makeSync(base)
    }

    /// The text with the canary.
    func text(_ words: String) -> JSONTree { .string("\(canary) \(words)") }

    /// Identifiers nobody else may ever see, and the canary itself.
    var secrets: [String] {
        let opaque = ids.filter { !Self.namesOfApple.contains($0.key) }.values
        return [canary, otherClient, otherApp, agency.token] + opaque
    }

    /// Kinds whose identifiers are not ours, or mere numbers.
    private static let namesOfApple = ["locale", "ruleSetVersion", "snapshot", "environment"]

    // MARK: - Making

    private mutating func makeCatalog(_ base: String) throws {
        ids["product"] = productId
        let prices: JSONTree = [
            ["storefront": "DEU", "amountMilliunits": 9990, "currency": "EUR"]
        ]
        try make(
            nil, "\(base)/products",
            [
                "productId": .string(productId), "subscriptionGroup": text("group"),
                "period": "P1M",
                "billingPlans": [["billingPlanType": "MONTHLY", "prices": prices]],
            ])
        ids["offer"] = "\(canary)-half-price"
        try make(
            nil, "\(base)/products/\(productId)/offers",
            ["offerIdentifier": .string("\(canary)-half-price"), "kind": "promotional"])
        let pem = String(decoding: try PrivateKey.generate().pem(), as: UTF8.self)
        try make(
            "credential", "\(base)/credentials",
            [
                "keyId": .string("KEY\(canary.uppercased().filter(\.isLetter))"),
                "issuerId": "57246542-96fe-1a63-e053-0824d011072a", "privateKey": .string(pem),
            ])
        try make("endpoint", "\(base)/endpoints", [:])
    }

    private mutating func makeContent(_ base: String) throws {
        let picture = try agency.stage.send(
            "POST", "\(base)/images?imageSize=BULLET_POINT", token: agency.token,
            headers: [("Content-Type", "image/png")],
            body: try PackageRoot.bytes(of: "Sources/Operator/Sample/bullet-point.png"))
        try #require(picture.status == 201, "\(picture.text)")
        ids["image"] = try #require(picture.json["id"]?.text)
        let message = try make(
            "message", "\(base)/messages", ["name": text("message"), "kind": "text"])
        ids["locale"] = "en-US"
        let bullet: JSONTree = [
            "text": text("bullet"), "imageId": .string(ids["image"] ?? ""),
            "altText": text("picture"),
        ]
        let localization = try agency.send(
            "PUT", "\(base)/messages/\(message)/localizations/en-US",
            ["header": text("header"), "body": text("body"), "bulletPoints": [bullet]])
        try #require([200, 201].contains(localization.status), "\(localization.text)")
        let defaults = try agency.post(
            "\(base)/defaults",
            ["messageId": .string(message), "productIds": [.string(productId)]])
        try #require(defaults.status == 200, "\(defaults.text)")
    }

    private mutating func makeRules(_ base: String) throws {
        let rule: JSONTree = [
            "id": .string(RuleID.make(at: agency.stage.now).description), "name": text("rule"),
            "when": ["all": []],
            "treatment": ["kind": "message", "messageId": .string(ids["message"] ?? "")],
        ]
        let draft = try agency.send(
            "PUT", "\(base)/rule-set-draft", ["schemaVersion": 2, "rules": [rule]])
        try #require([200, 201].contains(draft.status), "\(draft.text)")
        let frozen = try agency.post("\(base)/rule-sets", [:])
        try #require(frozen.status == 201, "\(frozen.text)")
        ids["ruleSetVersion"] = "1"
        ids["snapshot"] = "1"
        try approveMessage()
        try make("publication", "\(base)/rule-sets/1/publications", [:])
        let identifier = UUID().uuidString.lowercased()
        ids["appStoreConnectMessage"] = identifier
        try make(
            nil, "\(base)/app-store-connect-messages",
            ["messageIdentifier": .string(identifier), "name": text("sheet")])
        // Freezing takes the draft away, and the matrix wants one.
        let again = try agency.get("\(base)/rule-set-draft")
        if again.status == 404 {
            _ = try agency.send(
                "PUT", "\(base)/rule-set-draft", ["schemaVersion": 2, "rules": [rule]])
        }
    }

    /// Rules may be put in force only once Apple has approved what they name.
    private func approveMessage() throws {
        let app = try #require(AppID(ids["app"] ?? ""))
        let message = try #require(MessageID(ids["message"] ?? ""))
        let image = try #require(ImageID(ids["image"] ?? ""))
        let key = AppEnvironment(app: app, environment: .production)
        try agency.stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: agency.stage.now
        ) { transaction in
            _ = try transaction.placeImage(image, at: key, state: .approved)
            try transaction.placeMessage(message, locale: "en-US", at: key, state: .approved)
        }
    }

    private mutating func makeRest(_ base: String) throws {
        try make(
            "apiKey", "/v1/api-keys", ["name": text("key"), "scopes": ["clients:read"]])
        let row: JSONTree = [
            "message": text("imported"), "kind": "text", "locale": "de-DE",
            "header": text("header"), "body": text("body"),
        ]
        let job = try agency.post("\(base)/localization-imports", ["rows": [row]])
        try #require(job.status == 202, "\(job.text)")
        ids["job"] = try #require(job.json["id"]?.text)
        try agency.stage.jobs.runWaiting()
        try recordDecision()
        try recordNotification()
    }

    private mutating func makeSync(_ base: String) throws {
        ids["environment"] = "Production"
        for (kind, path, body) in [
            ("syncRun", "sync-runs", [:] as JSONTree),
            ("performanceTest", "performance-tests", ["originalTransactionId": "2000000123"]),
        ] {
            let answer = try agency.post("\(base)/\(path)", body, key: UUID().uuidString)
            try #require(answer.status == 202, "\(path) \(answer.text)")
            ids[kind] = try #require(answer.json["id"]?.text)
        }
        let app = try #require(AppID(ids["app"] ?? ""))
        let now = agency.stage.now
        let objects = try agency.stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: now
        ) { transaction in
            try transaction.bringToApple(
                .rejected, at: AppEnvironment(app: app, environment: .production))
        }
        ids["appleObject"] = try #require(objects.last).atApple
    }

    private mutating func recordDecision() throws {
        let app = try #require(AppID(ids["app"] ?? ""))
        let now = agency.stage.now
        let record = DecisionRecord(
            key: AppEnvironment(app: app, environment: .production), signedDate: now,
            requestIdentifier: UUID(), decidedAt: now, originalTransactionId: canary,
            productId: productId, localeAsked: "en-US",
            decision: Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil),
            snapshotNumber: 1, durationMicroseconds: 1)
        try agency.stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: now
        ) { _ = try $0.recordDecisions([record]) }
        let listed = try agency.get("/v1/apps/\(app)/decisions")
        ids["decision"] = try #require(listed.json["data"]?.elements.first?["id"]?.text)
    }

    private mutating func recordNotification() throws {
        let app = try #require(AppID(ids["app"] ?? ""))
        let now = agency.stage.now
        let uuid = UUID()
        let notification = NewNotification(
            notificationUUID: uuid, notificationType: canary, subtype: canary, signedDate: now,
            originalTransactionId: canary, signedPayload: Array(canary.utf8))
        try agency.stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: now
        ) {
            _ = try $0.recordNotifications(
                [notification], from: .pushed,
                at: AppEnvironment(app: app, environment: .production))
        }
        ids["notification"] = uuid.uuidString.lowercased()
    }

    private func appBody(of client: String, number: Int64) -> JSONTree {
        [
            "clientId": .string(client), "name": text("app \(number)"),
            "bundleId": .string("com.example.\(canary).app\(number)"),
            "appAppleId": .integer(1_000 + number), "defaultLocale": "en-US",
        ]
    }

    @discardableResult
    private mutating func make(
        _ kind: String?, _ target: String, _ body: JSONTree
    ) throws -> String {
        let answer = try agency.post(target, body, key: UUID().uuidString)
        try #require(answer.status == 201, "\(target) \(answer.text)")
        let id = answer.json["id"]?.text ?? ""
        if let kind { ids[kind] = id }
        return id
    }
}
