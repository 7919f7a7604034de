/// An agency: everything a tenant owns carries its identifier, and nobody else sees a byte of it.
package struct Tenant: Sendable {
    package let id: TenantID
    package let name: String

    package init(id: TenantID, name: String) {
        self.id = id
        self.name = name
    }
}

/// The agency's customer: grouping, access scope and reporting.
package struct Client: Sendable {
    package let id: ClientID
    package let name: String

    package init(id: ClientID, name: String) {
        self.id = id
        self.name = name
    }
}

/// One app on the App Store.
package struct App: Sendable {
    package let id: AppID
    package let client: ClientID
    package let name: String
    package let bundleId: String
    /// Apple's number of the app. Required from the start: a real-time request names it and
    /// nothing else of the app, so without it no request could ever be accepted.
    package let appAppleId: Int64
    /// What a reader gets whose language no message of the app has: one of Apple's locales.
    package let defaultLocale: String
    /// A name of the IANA time zone database: calendar days of the app are in it.
    package let timeZone: String
    /// An original transaction id of an active subscription that was bought in the sandbox: Apple's
    /// performance test runs with it.
    package let performanceTestTransactionId: String?
    package let appStoreConnectLayer: AppStoreConnectLayer

    package init(
        id: AppID, client: ClientID, name: String, bundleId: String, appAppleId: Int64,
        defaultLocale: String, timeZone: String = "UTC",
        performanceTestTransactionId: String? = nil,
        appStoreConnectLayer: AppStoreConnectLayer = .none
    ) {
        self.id = id
        self.client = client
        self.name = name
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.defaultLocale = defaultLocale
        self.timeZone = timeZone
        self.performanceTestTransactionId = performanceTestTransactionId
        self.appStoreConnectLayer = appStoreConnectLayer
    }
}

/// Whether the app has a retention message that was made in App Store Connect.
package enum AppStoreConnectLayer: String, Sendable, CaseIterable {
    case none
    /// The agency says so; nobody has looked.
    case declared
    /// It was read from App Store Connect.
    case imported
}

/// An app in one of Apple's environments: the unit of snapshots, endpoints and placements.
package struct AppEnvironment: Hashable, Comparable, Sendable {
    package let app: AppID
    package let environment: StoreEnvironment

    package init(app: AppID, environment: StoreEnvironment) {
        self.app = app
        self.environment = environment
    }

    /// The order in which locks are taken, so that two transactions cannot wait for each other.
    package static func < (a: AppEnvironment, b: AppEnvironment) -> Bool {
        (a.app.description, a.environment.rawValue) < (b.app.description, b.environment.rawValue)
    }
}
