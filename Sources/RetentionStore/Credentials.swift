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

/// A key as it is shown: never with what is sealed.
package struct StoredCredential: Sendable {
    package let id: CredentialID
    package let keyId: String
    package let issuerId: String
    /// SHA-256 of the public key in DER.
    package let fingerprint: [UInt8]
    package let createdAt: Instant
    package let retiredAt: Instant?
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

    /// In the order they were made; `after` is the last one of the page before.
    package func listCredentials(
        of app: AppID, after: CredentialID?, limit: Int32
    ) throws -> [StoredCredential] {
        let rows = try connection.query(
            """
            select credential_id, key_id, issuer_id, public_key, created_at, retired_at
            from holdfast.credential
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and (\(after?.uuid)::uuid is null or credential_id > \(after?.uuid))
            order by credential_id
            limit \(limit)
            """)
        return try rows.map(StoredCredential.init(row:))
    }

    package func findCredential(_ id: CredentialID, of app: AppID) throws -> StoredCredential? {
        let rows = try connection.query(
            """
            select credential_id, key_id, issuer_id, public_key, created_at, retired_at
            from holdfast.credential
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and credential_id = \(id.uuid)
            """)
        return try rows.first.map(StoredCredential.init(row:))
    }

    /// The one that signs now.
    package func findLiveCredential(of app: AppID) throws -> StoredCredential? {
        let rows = try connection.query(
            """
            select credential_id, key_id, issuer_id, public_key, created_at, retired_at
            from holdfast.credential
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and retired_at is null
            """)
        return try rows.first.map(StoredCredential.init(row:))
    }

    /// Nothing is signed with it from the next snapshot on. `false` where it was retired before.
    @discardableResult
    package func retireCredential(_ id: CredentialID, of app: AppID) throws -> Bool {
        let isRetired =
            try connection.query(
                """
                update holdfast.credential set retired_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and credential_id = \(id.uuid) and retired_at is null
                """
            ).affected == 1
        if isRetired { touchBoth(app) }
        return isRetired
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

extension StoredCredential {
    fileprivate init(row: Row) throws {
        id = CredentialID(try row.decode("credential_id"))
        keyId = try row.decode("key_id")
        issuerId = try row.decode("issuer_id")
        fingerprint = SHA256.digest(try row.decode([UInt8].self, "public_key"))
        createdAt = try row.instant("created_at")
        retiredAt = try row.optionalInstant("retired_at")
    }
}
