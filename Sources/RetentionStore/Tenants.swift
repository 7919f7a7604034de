// Tables: tenant, client.
internal import Postgres
package import Retention

/// What a tenant may have and do.
package struct TenantQuota: Sendable {
    package let requestsPerMinute: Int32
    package let clients: Int32
    package let apps: Int32
    package let apiKeys: Int32
}

package struct StoredTenant: Sendable {
    package let id: TenantID
    package let name: String
    package let createdAt: Instant

    package init(id: TenantID, name: String, createdAt: Instant) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }
}

/// How much a tenant has of what it has a quota of.
package struct TenantUsage: Sendable {
    package let clients: Int64
    package let apps: Int64
    /// Those that are live.
    package let apiKeys: Int64
}

package struct StoredClient: Sendable {
    package let id: ClientID
    package let name: String
    package let createdAt: Instant
}

extension TenantTransaction {
    /// The tenant of this transaction's own scope: a scope can make no other.
    package func createTenant(name: String) throws {
        _ = try connection.query(
            """
            insert into holdfast.tenant (tenant_id, name, created_at)
            values (\(tenant.uuid), \(name), \(timestamp))
            """)
    }

    package func tenantQuota() throws -> TenantQuota {
        let rows = try connection.query(
            """
            select requests_per_minute, client_limit, app_limit, api_key_limit
            from holdfast.tenant where tenant_id = \(tenant.uuid)
            """)
        guard let row = rows.first else { throw StoreError.noTenant(tenant) }
        return TenantQuota(
            requestsPerMinute: try row.decode("requests_per_minute"),
            clients: try row.decode("client_limit"), apps: try row.decode("app_limit"),
            apiKeys: try row.decode("api_key_limit"))
    }

    /// What the whole tenant has, also of what this scope does not see; for whoever makes one more.
    /// Of two who ask, the second waits for the first to commit, and counts what it made.
    package func lockUsage() throws -> TenantUsage {
        _ = try connection.query(
            """
            select pg_catalog.pg_advisory_xact_lock(
              pg_catalog.hashtextextended(\(tenant.description), 0))
            """)
        return try usage(
            "select clients, apps, api_keys from holdfast_sec.tenant_usage(\(timestamp))")
    }

    /// - Throws: `StoreError.notFound` before the tenant was made.
    package func getTenant() throws -> StoredTenant {
        let rows = try connection.query(
            "select name, created_at from holdfast.tenant where tenant_id = \(tenant.uuid)")
        guard let row = rows.first else { throw StoreError.noTenant(tenant) }
        return StoredTenant(
            id: tenant, name: try row.decode("name"), createdAt: try row.instant("created_at"))
    }

    /// How much of each there is, as far as this scope sees.
    package func countUsage() throws -> TenantUsage {
        try usage(
            """
            select
              (select count(*) from holdfast.client where tenant_id = \(tenant.uuid)) as clients,
              (select count(*) from holdfast.app where tenant_id = \(tenant.uuid)) as apps,
              (select count(*) from holdfast.api_key
                where tenant_id = \(tenant.uuid) and revoked_at is null
                  and (expires_at is null or expires_at > \(timestamp))) as api_keys
            """)
    }

    private func usage(_ query: Query) throws -> TenantUsage {
        guard let row = try connection.query(query).first else { throw StoreError.noTenant(tenant) }
        return TenantUsage(
            clients: try row.decode("clients"), apps: try row.decode("apps"),
            apiKeys: try row.decode("api_keys"))
    }

    package func createClient(_ client: Client) throws {
        _ = try connection.query(
            """
            insert into holdfast.client (tenant_id, client_id, name, created_at)
            values (\(tenant.uuid), \(client.id.uuid), \(client.name), \(timestamp))
            """)
    }

    /// Whether the client is there and this scope may see it; it stays so until the commit.
    package func hasClient(_ id: ClientID) throws -> Bool {
        try connection.query(
            """
            select from holdfast.client
            where tenant_id = \(tenant.uuid) and client_id = \(id.uuid) for key share
            """
        ).count == 1
    }

    /// In the order they were made; `after` is the last one of the page before.
    package func listClients(after: ClientID?, limit: Int32) throws -> [StoredClient] {
        let rows = try connection.query(
            """
            select client_id, name, created_at from holdfast.client
            where tenant_id = \(tenant.uuid)
              and (\(after?.uuid)::uuid is null or client_id > \(after?.uuid))
            order by client_id
            limit \(limit)
            """)
        return try rows.map(StoredClient.init(row:))
    }

    /// - Parameter forUpdate: nobody else changes it until the commit.
    /// - Throws: `StoreError.notFound`, also where this scope may not see it.
    package func getClient(_ id: ClientID, forUpdate: Bool = false) throws -> StoredClient {
        if forUpdate {
            _ = try connection.query(
                """
                select from holdfast.client
                where tenant_id = \(tenant.uuid) and client_id = \(id.uuid) for update
                """)
        }
        let rows = try connection.query(
            """
            select client_id, name, created_at from holdfast.client
            where tenant_id = \(tenant.uuid) and client_id = \(id.uuid)
            """)
        guard let row = rows.first else {
            throw StoreError(code: .notFound, message: "there is no client \(id)")
        }
        return try StoredClient(row: row)
    }

    package func updateClient(_ client: Client) throws {
        _ = try connection.query(
            """
            update holdfast.client set name = \(client.name)
            where tenant_id = \(tenant.uuid) and client_id = \(client.id.uuid)
            """)
    }

    /// - Throws: a foreign key's `PostgresError` while the client has apps.
    package func deleteClient(_ id: ClientID) throws {
        _ = try connection.query(
            """
            delete from holdfast.client
            where tenant_id = \(tenant.uuid) and client_id = \(id.uuid)
            """)
    }
}

extension StoredClient {
    fileprivate init(row: Row) throws {
        id = ClientID(try row.decode("client_id"))
        name = try row.decode("name")
        createdAt = try row.instant("created_at")
    }
}

extension RetentionStore {
    /// Every tenant, in the order they were made.
    package func listTenants(_ platform: PlatformScope) throws -> [StoredTenant] {
        try pool.withConnection { connection in
            let rows = try connection.query(
                "select tenant_id, name, created_at from holdfast_ops.tenants()")
            return try rows.map { row in
                StoredTenant(
                    id: TenantID(try row.decode("tenant_id")), name: try row.decode("name"),
                    createdAt: try row.instant("created_at"))
            }
        }
    }
}

extension StoreError {
    fileprivate static func noTenant(_ tenant: TenantID) -> StoreError {
        StoreError(code: .notFound, message: "there is no tenant \(tenant); create it first")
    }
}
