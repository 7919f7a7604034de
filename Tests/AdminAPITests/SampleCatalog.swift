import AdminAPI
import Retention
import RetentionStore
import Testing

/// What tests of an app's things begin with, made over the API.
extension TestAgency {
    /// A new client's identifier.
    func makeClient(_ name: String = "Acme") throws -> String {
        let made = try post("/v1/clients", ["name": .string(name)])
        try #require(made.status == 201, "\(made.text)")
        return try #require(made.json["id"]?.text)
    }

    /// A new app's path, `/v1/apps/app_…`.
    func makeApp(of client: String? = nil, number: Int64 = 1_234_567_890) throws -> String {
        let client = try client ?? makeClient()
        let made = try post("/v1/apps", Self.appBody(client: client, number: number))
        try #require(made.status == 201, "\(made.text)")
        return try #require(made.header("Location"))
    }

    static func appBody(client: String, number: Int64 = 1_234_567_890) -> JSONTree {
        [
            "clientId": .string(client), "name": "Mira", "appAppleId": .integer(number),
            "bundleId": .string("com.example.mira\(number)"), "defaultLocale": "en-US",
        ]
    }

    /// The audit's actions with their resource's identifier, sorted: events of one millisecond have
    /// no order.
    func audit() throws -> [String] {
        try stage.store.transaction(.operatorCommand(tenant: tenant), at: stage.now) {
            try $0.listAuditEvents(AuditFilter(), before: nil, limit: 1_000)
        }.map { "\($0.event.action) \($0.event.resourceId)" }.sorted()
    }
}

extension String {
    /// The last segment of a path.
    var lastSegment: String { String(split(separator: "/").last ?? "") }
}
