// Tables: credential, credential_check. Whoever writes a key holds the platform's public key only;
// what is stored can be opened by the holder of the private one, in the responder and the sync.
//
//     stored ──> standby ── Apple took a call with it ──> live ── a successor is ──> retired
//        └──────────────────── at once ─────────────────────┘
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

/// When a stored key becomes the live one.
package enum KeyActivation: String, Sendable, CaseIterable {
    case immediately
    /// Once Apple has shown that it works; the former key stays live until then.
    case afterCheck
}

/// A key as it is shown: never with what is sealed.
package struct StoredCredential: Sendable {
    package enum State: String, Sendable, CaseIterable { case standby, live, retired }

    package let id: CredentialID
    package let keyId: String
    package let issuerId: String
    /// SHA-256 of the public key in DER.
    package let fingerprint: [UInt8]
    package let createdAt: Instant
    /// `nil` while it stands by, and for ever where it was retired before it was live.
    package let activatedAt: Instant?
    package let retiredAt: Instant?
    /// A check that is not older answers it.
    package let checkWantedAt: Instant?
    /// What Apple last said to calls made with it, at most one of each environment.
    package let checks: [CredentialCheck]

    package var state: State {
        if retiredAt != nil { return .retired }
        return activatedAt == nil ? .standby : .live
    }
}

extension TenantTransaction {
    /// Seals `key` and stores it. An earlier one is retired, not erased, so that the record of what
    /// signed an offer stays: one that stands by at once, the live one where this one takes its
    /// place now.
    package func storeCredential(
        _ key: InAppPurchaseKey, id: CredentialID, of app: AppID,
        sealedTo platformKey: PublicKey, activation: KeyActivation = .immediately
    ) throws {
        let context = SealedSigningKey.sealContext(
            tenant: tenant, app: app, credential: id, keyId: key.keyId)
        let sealed = try Sealing.seal(key.key.pem(), to: platformKey, context: context)
        let isLive = activation == .immediately
        // First: a worker that activates a key holds its row of `sync_state` already.
        try wakeSyncs(of: app)
        _ = try connection.query(
            """
            update holdfast.credential set retired_at = \(timestamp)
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and retired_at is null
              and (activated_at is null or \(isLive))
            """)
        _ = try connection.query(
            """
            insert into holdfast.credential (tenant_id, app_id, credential_id, key_id, issuer_id,
              public_key, sealed, created_at, activated_at, check_wanted_at)
            values (\(tenant.uuid), \(app.uuid), \(id.uuid), \(key.keyId), \(key.issuerId),
              \(key.key.publicKey.der()), \(sealed), \(timestamp),
              \(isLive ? timestamp : nil), \(timestamp))
            """)
        if isLive { touchBoth(app) }
    }

    /// In the order they were made; `after` is the last one of the page before.
    package func listCredentials(
        of app: AppID, after: CredentialID?, limit: Int32
    ) throws -> [StoredCredential] {
        try credentials(of: app, one: nil, isOpen: false, after: after, limit: limit)
    }

    package func findCredential(_ id: CredentialID, of app: AppID) throws -> StoredCredential? {
        try credentials(of: app, one: id, isOpen: false, after: nil, limit: 1).first
    }

    /// The one that signs now.
    package func findLiveCredential(of app: AppID) throws -> StoredCredential? {
        try listOpenCredentials(of: app).first { $0.state == .live }
    }

    /// The one that signs, and the one that stands by.
    package func listOpenCredentials(of app: AppID) throws -> [StoredCredential] {
        try credentials(of: app, one: nil, isOpen: true, after: nil, limit: 2)
    }

    private func credentials(
        of app: AppID, one: CredentialID?, isOpen: Bool, after: CredentialID?, limit: Int32
    ) throws -> [StoredCredential] {
        let rows = try connection.query(
            """
            select credential_id, key_id, issuer_id, public_key, created_at, activated_at,
              retired_at, check_wanted_at
            from holdfast.credential
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and (\(one?.uuid)::uuid is null or credential_id = \(one?.uuid))
              and (not \(isOpen) or retired_at is null)
              and (\(after?.uuid)::uuid is null or credential_id > \(after?.uuid))
            order by credential_id
            limit \(limit)
            """)
        let ids: [UUID] = try rows.map { try $0.decode("credential_id") }
        let checks = try credentialChecks(of: app, ids)
        return try rows.map { row in
            let id = CredentialID(try row.decode(UUID.self, "credential_id"))
            return try StoredCredential(row: row, id: id, checks: checks[id] ?? [])
        }
    }

    private func credentialChecks(
        of app: AppID, _ ids: [UUID]
    ) throws -> [CredentialID: [CredentialCheck]] {
        let rows = try connection.query(
            """
            select credential_id, environment, verdict, status, apple_code, checked_at
            from holdfast.credential_check
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and credential_id = any(\(ids))
            order by environment
            """)
        var checks: [CredentialID: [CredentialCheck]] = [:]
        for row in rows {
            guard let check = try CredentialCheck(row: row) else { continue }
            checks[CredentialID(try row.decode(UUID.self, "credential_id")), default: []].append(
                check)
        }
        return checks
    }

    /// Nothing is signed with it from the next snapshot on. `false` where it was retired before.
    @discardableResult
    package func retireCredential(_ id: CredentialID, of app: AppID) throws -> Bool {
        try wakeSyncs(of: app)
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
              and activated_at is not null
            """)
        return try rows.first.map(SealedSigningKey.init(row:))
    }
}

extension SealedSigningKey {
    init(row: Row) throws {
        self.init(
            credential: CredentialID(try row.decode("credential_id")),
            keyId: try row.decode("key_id"), issuerId: try row.decode("issuer_id"),
            sealed: Data(try row.decode([UInt8].self, "sealed")))
    }
}

extension StoredCredential {
    fileprivate init(row: Row, id: CredentialID, checks: [CredentialCheck]) throws {
        self.id = id
        self.checks = checks
        keyId = try row.decode("key_id")
        issuerId = try row.decode("issuer_id")
        fingerprint = SHA256.digest(try row.decode([UInt8].self, "public_key"))
        createdAt = try row.instant("created_at")
        activatedAt = try row.optionalInstant("activated_at")
        retiredAt = try row.optionalInstant("retired_at")
        checkWantedAt = try row.optionalInstant("check_wanted_at")
    }
}

extension CredentialCheck {
    /// `nil` for what this build does not know.
    init?(row: Row) throws {
        guard let environment = StoreEnvironment(rawValue: try row.decode("environment")),
            let verdict = KeyVerdict(rawValue: try row.decode("verdict"))
        else { return nil }
        let status: Int32? = try row.decode("status")
        let code: Int32? = try row.decode("apple_code")
        self.init(
            environment: environment, verdict: verdict, status: status.map(Int.init),
            appleCode: code.map(Int.init), checkedAt: try row.instant("checked_at"))
    }
}
