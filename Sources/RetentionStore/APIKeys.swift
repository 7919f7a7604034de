// Tables: api_key, api_key_client, api_key_app.
internal import FoundationEssentials
internal import Postgres
package import Retention
internal import Signing

/// A key as the database found it at the beginning of a transaction: whose it is, what it may do.
package struct Principal: Hashable, Sendable {
    package let tenant: TenantID
    package let key: APIKeyID
    package let name: String
    package let scopes: Set<AccessScope>
    /// Whether it sees some clients and apps only. Which ones, the database enforces.
    package let isLimited: Bool
    /// When it ends; what it gives ends no later. `nil` for no end.
    package let expiresAt: Instant?
    package let requestsPerMinute: Int32

    /// Whether one of its scopes includes `wanted`.
    package func may(_ wanted: AccessScope) -> Bool {
        scopes.contains { $0.includes(wanted) }
    }

    /// Goes out with the `BEGIN` of the transaction that acts in the key's name.
    static func enterQuery(_ tokenHash: [UInt8], _ now: Instant) -> Query {
        """
        select tenant_id, api_key_id, name, scopes, is_limited, expires_at, requests_per_minute
        from holdfast_sec.enter_key(\(tokenHash),
          \(Timestamp(milliseconds: now.milliseconds)))
        """
    }

    init(entered rows: [Rows]) throws {
        guard let row = rows.first?.first else {
            throw StoreError(
                code: .unauthenticated, message: "no live key has this token; make a new one")
        }
        try self.init(row, of: TenantID(try row.decode("tenant_id")))
    }

    init(_ row: Row, of tenant: TenantID) throws {
        self.tenant = tenant
        key = APIKeyID(try row.decode("api_key_id"))
        name = try row.decode("name")
        // A scope of a newer release gives nothing here.
        scopes = Set(try row.decode([String].self, "scopes").compactMap { AccessScope($0) })
        isLimited = try row.decode("is_limited")
        expiresAt = try row.optionalInstant("expires_at")
        requestsPerMinute = try row.decode("requests_per_minute")
    }
}

/// What a new key shall be.
package struct NewAPIKey: Sendable {
    package let id: APIKeyID
    package let name: String
    package let scopes: [AccessScope]
    /// Both absent: the whole tenant. Else only these, even if the list is empty.
    package let clients: [ClientID]?
    package let apps: [AppID]?
    package let expiresAt: Instant?

    package init(
        id: APIKeyID, name: String, scopes: [AccessScope], clients: [ClientID]?, apps: [AppID]?,
        expiresAt: Instant?
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.clients = clients
        self.apps = apps
        self.expiresAt = expiresAt
    }
}

/// A key as it is shown: never with its secret.
package struct StoredAPIKey: Equatable, Sendable {
    package let id: APIKeyID
    package let name: String
    package let scopes: [String]
    package let isLimited: Bool
    package let clients: [ClientID]
    package let apps: [AppID]
    package let createdAt: Instant
    package let createdBy: RecordedActor
    package let expiresAt: Instant?
    package let revokedAt: Instant?
    package let lastUsedAt: Instant?
}

extension TenantTransaction {
    /// Makes a key.
    ///
    /// - Returns: the token, which is not readable here again.
    package func createAPIKey(_ new: NewAPIKey) throws -> APIKeyToken {
        let token = APIKeyToken.make(new.id)
        _ = try connection.query(
            """
            insert into holdfast.api_key (tenant_id, api_key_id, name, secret_hash, scopes,
              is_limited, created_at, created_by, expires_at)
            values (\(tenant.uuid), \(new.id.uuid), \(new.name), \(token.hash),
              \(new.scopes.map(\.description)), \(new.clients != nil || new.apps != nil),
              \(timestamp), \(scope.actor.record),
              \(new.expiresAt.map { Timestamp(milliseconds: $0.milliseconds) }))
            """)
        _ = try connection.query(
            """
            insert into holdfast.api_key_client (tenant_id, api_key_id, client_id)
            select \(tenant.uuid), \(new.id.uuid), * from unnest(\((new.clients ?? []).map(\.uuid)))
            """)
        _ = try connection.query(
            """
            insert into holdfast.api_key_app (tenant_id, api_key_id, app_id)
            select \(tenant.uuid), \(new.id.uuid), * from unnest(\((new.apps ?? []).map(\.uuid)))
            """)
        return token
    }

    /// Ends a key at once: the next request with it is refused. `false` where there is none.
    @discardableResult
    package func revokeAPIKey(_ id: APIKeyID) throws -> Bool {
        try connection.query(
            """
            update holdfast.api_key set revoked_at = \(timestamp)
            where tenant_id = \(tenant.uuid) and api_key_id = \(id.uuid) and revoked_at is null
            """
        ).affected == 1
    }

    package func findAPIKey(_ id: APIKeyID) throws -> StoredAPIKey? {
        try apiKeys(one: id, after: nil, limit: 1).first
    }

    /// In the order they were made; `after` is the last one of the page before.
    package func listAPIKeys(after: APIKeyID?, limit: Int32) throws -> [StoredAPIKey] {
        try apiKeys(one: nil, after: after, limit: limit)
    }

    /// Nobody else changes it until the commit. A revoked key is not locked: it changes no more. No
    /// stronger, so that a key in use, whose requests refer to it, can be revoked at once.
    package func lockAPIKey(_ id: APIKeyID) throws {
        _ = try connection.query(
            """
            select from holdfast.api_key
            where tenant_id = \(tenant.uuid) and api_key_id = \(id.uuid) for no key update
            """)
    }

    /// The places of those clients that this scope does not see.
    package func missing(clients: [ClientID]) throws -> [Int] {
        let rows = try connection.query(
            """
            select client_id as id from holdfast.client
            where tenant_id = \(tenant.uuid) and client_id = any(\(clients.map(\.uuid)))
            """)
        let seen = Set(try rows.map { try $0.decode(UUID.self, "id") })
        return clients.indices.filter { !seen.contains(clients[$0].uuid) }
    }

    /// The places of those apps that this scope does not see.
    package func missing(apps: [AppID]) throws -> [Int] {
        let rows = try connection.query(
            """
            select app_id as id from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = any(\(apps.map(\.uuid)))
            """)
        let seen = Set(try rows.map { try $0.decode(UUID.self, "id") })
        return apps.indices.filter { !seen.contains(apps[$0].uuid) }
    }

    package func updateAPIKey(_ id: APIKeyID, name: String, expiresAt: Instant?) throws {
        let expiry = expiresAt.map { Timestamp(milliseconds: $0.milliseconds) }
        _ = try connection.query(
            """
            update holdfast.api_key set name = \(name), expires_at = \(expiry)
            where tenant_id = \(tenant.uuid) and api_key_id = \(id.uuid)
            """)
    }

    private func apiKeys(
        one: APIKeyID?, after: APIKeyID?, limit: Int32
    ) throws -> [StoredAPIKey] {
        let rows = try connection.query(
            """
            select k.api_key_id, k.name, k.scopes, k.is_limited, k.created_at, k.created_by,
              k.expires_at, k.revoked_at, k.last_used_at,
              array(select c.client_id from holdfast.api_key_client c
                where c.tenant_id = k.tenant_id and c.api_key_id = k.api_key_id
                order by c.client_id) as clients,
              array(select a.app_id from holdfast.api_key_app a
                where a.tenant_id = k.tenant_id and a.api_key_id = k.api_key_id
                order by a.app_id) as apps
            from holdfast.api_key k
            where k.tenant_id = \(tenant.uuid)
              and (\(one?.uuid)::uuid is null or k.api_key_id = \(one?.uuid))
              and (\(after?.uuid)::uuid is null or k.api_key_id > \(after?.uuid))
            order by k.api_key_id
            limit \(limit)
            """)
        return try rows.map(StoredAPIKey.init(row:))
    }
}

extension StoredAPIKey {
    fileprivate init(row: Row) throws {
        id = APIKeyID(try row.decode("api_key_id"))
        name = try row.decode("name")
        scopes = try row.decode("scopes")
        isLimited = try row.decode("is_limited")
        clients = try row.decode([UUID].self, "clients").map { ClientID($0) }
        apps = try row.decode([UUID].self, "apps").map { AppID($0) }
        createdAt = try row.instant("created_at")
        createdBy = try row.decodeActor("created_by")
        expiresAt = try row.optionalInstant("expires_at")
        revokedAt = try row.optionalInstant("revoked_at")
        lastUsedAt = try row.optionalInstant("last_used_at")
    }
}

extension RetentionStore {
    /// Notes when keys were last used, of all tenants at once: no request waits for it.
    package func noteKeyUse(
        _ platform: PlatformScope, _ uses: [(tenant: TenantID, key: APIKeyID, at: Instant)]
    ) throws {
        try pool.withConnection { connection in
            _ = try connection.query(
                """
                select holdfast_sec.note_key_use(\(uses.map(\.tenant.uuid)),
                  \(uses.map(\.key.uuid)),
                  \(uses.map { Timestamp(milliseconds: $0.at.milliseconds) }))
                """)
        }
    }
}

extension Row {
    func instant(_ column: String) throws -> Instant {
        Instant(milliseconds: try decode(Timestamp.self, column).milliseconds)
    }

    func optionalInstant(_ column: String) throws -> Instant? {
        try decode(Timestamp?.self, column).map { Instant(milliseconds: $0.milliseconds) }
    }
}
