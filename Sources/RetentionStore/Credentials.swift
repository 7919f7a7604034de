// Table: credential. Whoever writes a key holds the platform's public key only; what is stored can
// be opened by the holder of the private one, in the responder.
internal import FoundationEssentials
internal import Postgres
package import Retention
package import Signing

/// An app's In-App Purchase key, as App Store Connect hands it out once.
package struct InAppPurchaseKey {
    package let keyId: String
    package let issuerId: String
    package let key: PrivateKey

    package init(keyId: String, issuerId: String, key: PrivateKey) {
        self.keyId = keyId
        self.issuerId = issuerId
        self.key = key
    }
}

extension TenantTransaction {
    /// Seals `key` and makes it the app's live key; an earlier one is retired, not erased, so that
    /// the record of what signed an offer stays.
    package func storeCredential(
        _ key: InAppPurchaseKey, id: CredentialID, of app: AppID, sealedTo platformKey: PublicKey
    ) throws {
        let context = SealedSigningKey.sealContext(
            tenant: tenant, app: app, credential: id, keyId: key.keyId)
        let sealed = try Sealing.seal(key.key.pem(), to: platformKey, context: context)
        _ = try connection.query(
            """
            update holdfast.credential set retired_at = \(timestamp)
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and retired_at is null
            """)
        _ = try connection.query(
            """
            insert into holdfast.credential (tenant_id, app_id, credential_id, key_id, issuer_id,
              public_key, sealed, created_at)
            values (\(tenant.uuid), \(app.uuid), \(id.uuid), \(key.keyId), \(key.issuerId),
              \(key.key.publicKey.der()), \(sealed), \(timestamp))
            """)
        touchBoth(app)
    }

    func sealedSigningKey(of app: AppID) throws -> SealedSigningKey? {
        let rows = try connection.query(
            """
            select credential_id, key_id, issuer_id, sealed from holdfast.credential
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and retired_at is null
            """)
        return try rows.first.map { row in
            SealedSigningKey(
                credential: CredentialID(try row.decode("credential_id")),
                keyId: try row.decode("key_id"), issuerId: try row.decode("issuer_id"),
                sealed: Data(try row.decode([UInt8].self, "sealed")))
        }
    }
}
