import AdminAPI
import Foundation
import Retention
import RetentionStore
import Service

/// An app with what rules can name, made through the store.
struct TestApp {
    let agency: TestAgency
    let client: ClientID
    let id: AppID
    let monthly = "com.example.monthly"
    let yearly = "com.example.yearly"
    /// Of another subscription group.
    let extra = "com.example.extra"
    let offer = "half-price"
    let retentionOffer = "kept"
    /// One of each kind.
    let text: MessageID
    let plan: MessageID
    let discount: MessageID

    var path: String { "/v1/apps/\(id)" }

    func change<Result>(_ body: (TenantTransaction) throws -> Result) throws -> Result {
        try agency.stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: agency.stage.now, body)
    }

    /// A rule set's body of these treatments.
    static func rules(_ treatments: JSONTree..., when: JSONTree = [:]) -> JSONTree {
        let rules = treatments.enumerated().map { index, treatment -> JSONTree in
            [
                "id": .string(ruleId(index)), "name": .string("rule \(index)"), "when": when,
                "treatment": treatment,
            ]
        }
        return ["schemaVersion": 1, "rules": .array(rules)]
    }

    static func ruleId(_ index: Int) -> String {
        RuleID(UUID(uuidString: "00000000-0000-7000-8000-00000000000\(index)") ?? UUID())
            .description
    }

    func says(_ message: MessageID) -> JSONTree {
        ["kind": "message", "messageId": .string(message.description)]
    }

    func switches(to productId: String, saying message: MessageID? = nil) -> JSONTree {
        [
            "kind": "switchPlan", "messageId": .string((message ?? plan).description),
            "productId": .string(productId),
        ]
    }

    func offers(_ offer: String, on productId: String) -> JSONTree {
        [
            "kind": "promotionalOffer", "messageId": .string(discount.description),
            "productId": .string(productId), "offerIdentifier": .string(offer),
        ]
    }
}

extension TestAgency {
    func makeTestApp(_ name: String = "Mira") throws -> TestApp {
        let now = stage.now
        let client = ClientID.make(at: now)
        let app = App(
            id: .make(at: now), client: client, name: name,
            bundleId: "com.example.\(UUID().uuidString)",
            appAppleId: Int64.random(in: 1...Int64.max), defaultLocale: "en-US")
        let made = TestApp(
            agency: self, client: client, id: app.id, text: .make(at: now), plan: .make(at: now),
            discount: .make(at: now))
        try made.change { transaction in
            try transaction.createClient(Client(id: client, name: name))
            try transaction.createApp(app)
            for (product, group) in [
                (made.monthly, "main"), (made.yearly, "main"), (made.extra, "side"),
            ] {
                try transaction.createProduct(
                    Product(
                        productId: product, subscriptionGroup: group, period: "P1M",
                        billingPlans: [.monthly]), of: app.id)
            }
            for (offer, kind) in [
                (made.offer, OfferKind.promotional), (made.retentionOffer, .retention),
            ] {
                try transaction.createOffer(
                    Offer(offerIdentifier: offer, productId: made.monthly, kind: kind),
                    of: app.id)
            }
            for (message, kind) in [
                (made.text, MessageKind.text), (made.plan, .switchPlan),
                (made.discount, .promotionalOffer),
            ] {
                try transaction.createMessage(message, name: kind.rawValue, kind: kind, of: app.id)
            }
        }
        return made
    }
}

extension JSONTree {
    /// As the API writes it, of milliseconds since 1970.
    static func time(_ milliseconds: Int64) -> String {
        InstantText.rfc3339(milliseconds: milliseconds)
    }
}
