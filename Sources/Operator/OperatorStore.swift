internal import Postgres
internal import Retention
internal import RetentionStore
internal import Service

/// The database as commands for operators reach it.
struct OperatorStore: Sendable {
    static let table = [
        Setting(
            "HOLDFAST_DATABASE_URL",
            "PostgreSQL: postgresql:///holdfast?host=/run/postgresql&user=holdfast_operator")
    ]

    let store: RetentionStore
    let now: Instant

    /// Opens it, hands it to `body` and closes it.
    static func run<Result>(
        _ reader: inout SettingsReader, connections: Int = 1,
        _ body: (OperatorStore) throws -> Result
    ) throws -> Result {
        let url = reader.text("HOLDFAST_DATABASE_URL")
        try reader.finish()
        let pool = try Pool(
            PoolSettings(
                url: url, maximumConnections: connections, applicationName: "holdfast"))
        defer { pool.close() }
        return try body(
            OperatorStore(
                store: RetentionStore(pool: pool),
                now: Instant(milliseconds: Clock.system.now())))
    }

    /// Adds an agency.
    func createTenant(name: String) throws -> StoredTenant {
        let tenant = StoredTenant(id: .make(at: now), name: name, createdAt: now)
        try store.transaction(.operatorCommand(tenant: tenant.id), at: now) { transaction in
            try transaction.createTenant(name: name)
            try transaction.recordAudit(
                AuditEvent(
                    action: "tenant.create", resourceType: "tenant",
                    resourceId: tenant.id.description,
                    changed: ["name": RecordedChange(to: .text(name))]))
        }
        return tenant
    }

    /// Makes a key; the token is readable this once.
    func createKey(_ order: KeyOrder) throws -> (key: StoredAPIKey, token: APIKeyToken) {
        try transaction(of: order.tenant) { try order.create($0) }
    }

    /// One transaction of one tenant, which must exist.
    func transaction<Result>(
        of tenant: TenantID, _ body: (TenantTransaction) throws -> Result
    ) throws -> Result {
        try store.transaction(.operatorCommand(tenant: tenant), at: now) { transaction in
            _ = try transaction.getTenant()
            return try body(transaction)
        }
    }
}

/// Something that a command names and its tenant has not, in a sentence.
struct NotThere: Error, CustomStringConvertible {
    let description: String
}
