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

    /// Holds for everybody.
    static let always: JSONTree = ["all": []]

    static let holdout: JSONTree = ["percent": 5, "answer": "defaultMessage"]

    static func products(_ products: String...) -> JSONTree {
        ["fact": "productId", "in": .texts(products)]
    }

    /// A rule set's body of these treatments.
    static func rules(_ treatments: JSONTree..., when: JSONTree = always) -> JSONTree {
        let rules = treatments.enumerated().map { index, treatment -> JSONTree in
            [
                "id": .string(ruleId(index)), "name": .string("rule \(index)"), "when": when,
                "treatment": treatment,
            ]
        }
        return body(rules)
    }

    static func body(_ rules: [JSONTree]) -> JSONTree {
        ["schemaVersion": 2, "holdout": holdout, "rules": .array(rules)]
    }

    static func rule(
        _ index: Int, when: JSONTree = always, _ members: [String: JSONTree]
    ) -> JSONTree {
        let named: JSONTree = [
            "id": .string(ruleId(index)), "name": .string("rule \(index)"), "when": when,
        ]
        return named.merging(members)
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
            "signatureVersion": 2,
        ]
    }

    /// As if Apple had the messages in these locales, judged so.
    func place(
        _ messages: [MessageID], in locales: [String] = ["en-US"], _ state: ReviewState = .approved,
        at environments: [StoreEnvironment] = StoreEnvironment.allCases
    ) throws {
        try change { transaction in
            for message in messages {
                for locale in locales {
                    if try transaction.messageLocales([message], of: id)[message]?
                        .contains(locale) != true
                    {
                        try transaction.createLocalization(
                            Localization(
                                locale: locale, header: "Stay \(locale) \(message)", body: "Do."),
                            of: message, app: id)
                    }
                    for environment in environments {
                        try transaction.placeMessage(
                            message, locale: locale,
                            at: AppEnvironment(app: id, environment: environment), state: state)
                    }
                }
            }
        }
    }

    func freeze(_ rules: JSONTree) throws -> TestAnswer {
        try agency.post("\(path)/rule-sets", ["ruleSet": rules])
    }

    func publish(_ version: Int, _ environment: StoreEnvironment) throws -> TestAnswer {
        try agency.post(
            "\(path)/rule-sets/\(version)/publications?environment=\(environment.rawValue)", [:],
            key: PublicationID.make(at: agency.stage.now).description)
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
