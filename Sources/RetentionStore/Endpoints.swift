// Table: endpoint. The token in the real-time URL picks app and environment; only its hash is
// needed to recognise it, and only the platform's private key brings it back.
internal import FoundationEssentials
internal import Postgres
package import Retention
package import Signing

extension TenantTransaction {
    /// 256 bits: not to be guessed, so a plain hash is enough to look it up by.
    private static let tokenBytes = 32

    /// Makes a new token for the real-time URL.
    ///
    /// - Returns: the token, to be put into the URL; it is not readable here again.
    package func createEndpoint(
        _ id: EndpointID, at key: AppEnvironment, sealedTo platformKey: PublicKey
    ) throws -> String {
        let token = Base64URL.encode(randomBytes(Self.tokenBytes))
        let sealed = try Sealing.seal(
            Array(token.utf8), to: platformKey, context: sealContext(id, at: key))
        _ = try connection.query(
            """
            insert into holdfast.endpoint (tenant_id, app_id, environment, endpoint_id, token_hash,
              token_sealed, created_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), \(id.uuid),
              \(SHA256.digest(Array(token.utf8))), \(sealed), \(timestamp))
            """)
        touch(key)
        return token
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

    private func sealContext(_ id: EndpointID, at key: AppEnvironment) -> [UInt8] {
        let parts = [
            "holdfast endpoint token 1", tenant.description, key.app.description,
            key.environment.rawValue, id.description,
        ]
        return Array(parts.joined(separator: "\n").utf8)
    }
}
