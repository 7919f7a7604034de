package import Operator
package import Retention
package import RetentionStore
package import Signing

/// The sample agency with everything at Apple in both environments, without any sync: for tests
/// that begin where the sync ends.
package struct PlacedAgency: Sendable {
    package let agency: SampleAgency
    /// What the simulator is to be told.
    package let simulatorStates: [SimulatorApp]

    package var scope: Scope { agency.scope }
    package var keys: [AppEnvironment] { agency.keys }
    package var pageViews: [PageView] { agency.pageViews }

    /// Loads and places it, each app in one transaction.
    package static func load(
        into store: RetentionStore, platformKey: PublicKey, now: Instant
    ) throws -> PlacedAgency {
        var states: [SimulatorApp] = []
        let agency = try SampleAgency.load(into: store, platformKey: platformKey, now: now) {
            states += try place($0, $1)
        }
        return PlacedAgency(agency: agency, simulatorStates: states)
    }

    /// Places what was made over the admin API, and then puts its rules in force: the API takes
    /// them only once Apple has approved what they name.
    package init(placing agency: SampleAgency, in store: RetentionStore, now: Instant) throws {
        self.agency = agency
        simulatorStates = try agency.apps.flatMap { app in
            try store.transaction(agency.scope, at: now) { transaction in
                let states = try Self.place(app, transaction)
                for environment in StoreEnvironment.allCases {
                    try transaction.publishRuleSet(
                        version: app.version,
                        at: AppEnvironment(app: app.id, environment: environment))
                }
                return states
            }
        }
    }

    private init(agency: SampleAgency, simulatorStates: [SimulatorApp]) {
        self.agency = agency
        self.simulatorStates = simulatorStates
    }

    /// Production first, where most tests look.
    private static func place(
        _ app: BuiltApp, _ transaction: TenantTransaction
    ) throws -> [SimulatorApp] {
        try app.setDefaults(in: .production, transaction)
        return try [StoreEnvironment.production, .sandbox].map { environment in
            let key = AppEnvironment(app: app.id, environment: environment)
            return try PlacedContent(app, at: key, transaction).simulatorApp(
                app, in: environment)
        }
    }
}
