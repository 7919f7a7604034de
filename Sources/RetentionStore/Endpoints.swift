// Table: endpoint. The token in the real-time URL picks app and environment; only its hash is
// needed to recognise it, and only the platform's private key brings it back.
internal import FoundationEssentials
internal import Postgres
package import Retention
package import Signing

/// An endpoint as it is shown: never with its token.
package struct StoredEndpoint: Sendable {
    package let id: EndpointID
    package let environment: StoreEnvironment
    package let createdAt: Instant
    package let retiredAt: Instant?
}

/// An endpoint's token as only the platform's private key opens it.
package struct SealedEndpoint: Sendable {
    package let id: EndpointID
    package let sealed: [UInt8]
    package let sealContext: [UInt8]
}

extension TenantTransaction {
    /// Each costs a key agreement to open.
    private static let sealedEndpointsLimit: Int32 = 50

    /// Makes a new token for the URLs of real-time requests and of notifications.
    ///
    /// - Returns: the token, to be put into the URLs; it is not readable here again.
    package func createEndpoint(
        _ id: EndpointID, at key: AppEnvironment, sealedTo platformKey: PublicKey
    ) throws -> String {
        let token = Base64URL.encode(randomBytes(EndpointToken.randomBytesCount))
        let sealed = try Sealing.seal(
            Array(token.utf8), to: platformKey, context: sealContext(id, at: key))
        _ = try connection.query(
            """
            insert into holdfast.endpoint (tenant_id, app_id, environment, endpoint_id, token_hash,
              token_sealed, created_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), \(id.uuid),
              \(SHA256.digest(Array(token.utf8))), \(sealed), \(timestamp))
            """)
        try forgetURLRefusal(at: key)
        touch(key)
        return token
    }

    /// In the order they were made; `after` is the last one of the page before.
    package func listEndpoints(
        at key: AppEnvironment, after: EndpointID?, limit: Int32
    ) throws -> [StoredEndpoint] {
        let rows = try connection.query(
            """
            select endpoint_id, environment, created_at, retired_at from holdfast.endpoint
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and (\(after?.uuid)::uuid is null or endpoint_id > \(after?.uuid))
            order by endpoint_id
            limit \(limit)
            """)
        return try rows.map(StoredEndpoint.init(row:))
    }

    /// In whichever environment it is.
    package func findEndpoint(_ id: EndpointID, of app: AppID) throws -> StoredEndpoint? {
        let rows = try connection.query(
            """
            select endpoint_id, environment, created_at, retired_at from holdfast.endpoint
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and endpoint_id = \(id.uuid)
            """)
        return try rows.first.map(StoredEndpoint.init(row:))
    }

    package func countLiveEndpoints(at key: AppEnvironment) throws -> Int {
        try liveTokenHashes(at: key).count
    }

    /// Its URL answers nothing from the next snapshot on. `false` where it was retired before.
    @discardableResult
    package func retireEndpoint(_ id: EndpointID, at key: AppEnvironment) throws -> Bool {
        let isRetired =
            try connection.query(
                """
                update holdfast.endpoint set retired_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
                  and environment = \(key.environment.rawValue) and endpoint_id = \(id.uuid)
                  and retired_at is null
                """
            ).affected == 1
        if isRetired {
            try forgetURLRefusal(at: key)
            touch(key)
        }
        return isRetired
    }

    /// Another URL, or none, is not what Apple refused.
    private func forgetURLRefusal(at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            update holdfast.sync_state set url_refused_at = null, url_refusal_code = null
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    func liveTokenHashes(at key: AppEnvironment) throws -> [[UInt8]] {
        let rows = try connection.query(
            """
            select token_hash from holdfast.endpoint
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and retired_at is null
            order by endpoint_id
            """)
        return try rows.map { try $0.decode("token_hash") }
    }

    /// Tokens sealed, newest first, for the sync: it tells Apple the URL of a live one, and knows
    /// the URL of a retired one for ours.
    package func sealedEndpoints(at key: AppEnvironment) throws -> [SealedEndpoint] {
        let rows = try connection.query(
            """
            select endpoint_id, token_sealed from holdfast.endpoint
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            order by retired_at desc nulls first, endpoint_id desc
            limit \(Self.sealedEndpointsLimit)
            """)
        return try rows.map { row in
            let id = EndpointID(try row.decode(UUID.self, "endpoint_id"))
            return SealedEndpoint(
                id: id, sealed: try row.decode("token_sealed"),
                sealContext: sealContext(id, at: key))
        }
    }

    private func sealContext(_ id: EndpointID, at key: AppEnvironment) -> [UInt8] {
        let parts = [
            "holdfast endpoint token 1", tenant.description, key.app.description,
            key.environment.rawValue, id.description,
        ]
        return Array(parts.joined(separator: "\n").utf8)
    }
}

extension StoredEndpoint {
    fileprivate init(row: Row) throws {
        let environment: String = try row.decode("environment")
        guard let environment = StoreEnvironment(rawValue: environment) else {
            throw StoreError(code: .invalid, message: "environment \(environment) is not known")
        }
        id = EndpointID(try row.decode("endpoint_id"))
        self.environment = environment
        createdAt = try row.instant("created_at")
        retiredAt = try row.optionalInstant("retired_at")
    }
}
