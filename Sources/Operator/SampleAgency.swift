internal import FoundationEssentials
package import Retention
package import RetentionStore
package import Signing

/// The sample agency as it was stored: what the simulator must be told, and who will open the
/// subscription pages.
package struct SampleAgency: Sendable {
    /// The public origin of the real-time URLs; the simulator maps it to the local proxy.
    package static let publicOrigin = "https://holdfast.example"

    package let scope: Scope
    package let keys: [AppEnvironment]
    /// By rule identifier, for people.
    package let ruleNames: [RuleID: String]
    package let simulatorStates: [SimulatorApp]
    package let pageViews: [PageView]
    package let appNames: [Int64: String]

    package static func load(
        into store: RetentionStore, platformKey: PublicKey, now: Instant
    ) throws -> SampleAgency {
        var random = SystemRandomNumberGenerator()
        let scope = Scope.operatorCommand(tenant: TenantID.make(at: now, using: &random))
        let clients = try store.transaction(scope, at: now) { transaction in
            try transaction.createTenant(name: "Northwind Studio")
            var clients: [String: ClientID] = [:]
            for name in Set(SampleApp.all.map(\.client)).sorted() {
                let client = Client(id: .make(at: now, using: &random), name: name)
                try transaction.createClient(client)
                clients[name] = client.id
            }
            return clients
        }
        var loaded: [LoadedApp] = []
        for app in SampleApp.all {
            guard let client = clients[app.client] else { continue }
            // One transaction an app: one snapshot for each of its environments.
            loaded += try store.transaction(scope, at: now) { transaction in
                try SampleLoader(app: app, platformKey: platformKey, now: now).load(
                    for: client, transaction)
            }
        }
        return SampleAgency(
            scope: scope, keys: loaded.map(\.key),
            ruleNames: Dictionary(
                loaded.flatMap(\.ruleNames), uniquingKeysWith: { first, _ in first }),
            simulatorStates: loaded.map(\.simulatorState), pageViews: SamplePageViews.all,
            appNames: Dictionary(
                SampleApp.all.map { ($0.appAppleId, $0.name) },
                uniquingKeysWith: { first, _ in first }))
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
}

/// One app in one environment, stored.
struct LoadedApp {
    let key: AppEnvironment
    let simulatorState: SimulatorApp
    let ruleNames: [(RuleID, String)]
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
