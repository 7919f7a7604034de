internal import FoundationEssentials
package import Retention
package import RetentionStore

/// The sample agency as it was made, and who will open its subscription pages.
package struct SampleAgency: Sendable {
    package static let name = "Northwind Studio"
    /// The public origin of the real-time URLs; the simulator maps it to the local proxy.
    package static let publicOrigin = "https://holdfast.example"

    package let scope: Scope
    package let apps: [BuiltApp]
    package let pageViews = SamplePageViews.all

    package init(_ scope: Scope, _ apps: [BuiltApp]) {
        self.scope = scope
        self.apps = apps
    }

    package var keys: [AppEnvironment] {
        apps.flatMap { app in
            [StoreEnvironment.production, .sandbox].map {
                AppEnvironment(app: app.id, environment: $0)
            }
        }
    }

    /// By rule identifier, for people.
    var ruleNames: [RuleID: String] {
        Dictionary(
            apps.flatMap(\.rules.rules).map { ($0.id, $0.name) },
            uniquingKeysWith: { first, _ in first })
    }

    var appNames: [Int64: String] {
        Dictionary(
            apps.map { ($0.sample.appAppleId, $0.sample.name) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Makes the tenant's clients and apps over the admin API.
    package static func build(
        of tenant: TenantID, over api: AdminClient, now: Instant
    ) throws -> SampleAgency {
        var clients: [String: ClientID] = [:]
        for name in Set(SampleApp.all.map(\.client)).sorted() {
            let client: Made<ClientID> = try api.post("/v1/clients", ["name": name])
            clients[name] = client.id
        }
        let apps = try SampleApp.all.compactMap { sample -> BuiltApp? in
            guard let client = clients[sample.client] else { return nil }
            return try SampleBuilder(sample: sample, api: api, now: now).build(for: client)
        }
        return SampleAgency(.operatorCommand(tenant: tenant), apps)
    }

    /// Every decision of the agency's apps.
    package func decisions(in store: RetentionStore) throws -> [StoredDecision] {
        try keys.flatMap { key in
            try store.transaction(scope, at: Instant(milliseconds: 0)) { transaction in
                try transaction.listDecisions(at: key, limit: Self.decisionsLimit)
            }
        }
    }

    private static let decisionsLimit: Int32 = 10_000

    /// How many of them the admin API lists.
    func countDecisions(over api: AdminClient) throws -> Int {
        try keys.reduce(0) { count, key in
            let path = "/v1/apps/\(key.app)/decisions?environment=\(key.environment.rawValue)"
            let decisions: [ListedDecision] = try api.list(path)
            return count + decisions.count
        }
    }

    private struct ListedDecision: Decodable {
        let requestIdentifier: String
    }
}

/// The page views of the demo: subscribers of every app, readers of many locales, some who tap
/// Cancel and some who only look. Always the same, so that two runs can be compared.
enum SamplePageViews {
    private static let production = 396
    private static let sandbox = 44

    private static let locales = [
        "en-US", "ja-JP", "zh-Hant-TW", "es-MX", "en-GB", "zh-HK", "es-AR", "ja", "en-IN", "es-419",
        "zh-MO", "en-AU", "es-ES", "yue-HK", "en-CA", "es-CO", "en-IE", "zh-Hant", "fr-FR", "zh-CN",
        "de-DE", "uk-UA",
    ]

    static var all: [PageView] {
        (0..<production).map { view($0, SampleApp.all[$0 % SampleApp.all.count], "Production") }
            + (0..<sandbox).map { view($0, SampleApp.all[0], "Sandbox") }
    }

    private static func view(_ index: Int, _ app: SampleApp, _ environment: String) -> PageView {
        let turn = environment == "Sandbox" ? index : index / SampleApp.all.count
        let products = app.products
        return PageView(
            originalTransactionId: String(2_000_000_000_000_000 + index),
            appAppleId: app.appAppleId, environment: environment,
            productId: products[turn / locales.count % products.count].productId,
            userLocale: locales[turn % locales.count], taps: index % 7 != 3)
    }
}
