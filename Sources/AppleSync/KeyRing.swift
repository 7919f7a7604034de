internal import AppStore
internal import FoundationEssentials
internal import Retention
internal import RetentionStore
package import Signing
internal import Synchronization

/// Opens what is sealed to the platform: an app's key for a token, an endpoint's token for its URL.
/// Opened keys stay in this process's memory only.
package final class KeyRing: Sendable {
    /// Opened keys remembered at once.
    private static let keysLimit = 2_048

    private let platformKey: PrivateKey
    private let tokens = BearerTokens()
    private let opened = Mutex<[Place: PrivateKey]>([:])

    /// With all that a seal is bound to: a key is met by its own app alone, also from memory.
    private struct Place: Hashable {
        let tenant: TenantID
        let app: AppID
        let credential: CredentialID
        let keyId: String
    }

    package init(platformKey: PrivateKey) {
        self.platformKey = platformKey
    }

    /// - Throws: `SigningError` where what is stored does not open with the platform's key.
    func token(
        tenant: TenantID, key: AppEnvironment, credential: SealedSigningKey, bundleId: String,
        now: Instant
    ) throws(SigningError) -> BearerToken {
        try tokens.token(
            for: holder(tenant, key, credential), issuerId: credential.issuerId,
            bundleId: bundleId, key: try open(credential, tenant: tenant, app: key.app), now: now)
    }

    /// After Apple refused it.
    func forget(tenant: TenantID, key: AppEnvironment, credential: SealedSigningKey) {
        tokens.forget(holder(tenant, key, credential))
    }

    private func holder(
        _ tenant: TenantID, _ key: AppEnvironment, _ credential: SealedSigningKey
    ) -> BearerTokens.Holder {
        BearerTokens.Holder(
            tenant: tenant, app: key.app, environment: key.environment, keyId: credential.keyId)
    }

    private func open(
        _ credential: SealedSigningKey, tenant: TenantID, app: AppID
    ) throws(SigningError) -> PrivateKey {
        let place = Place(
            tenant: tenant, app: app, credential: credential.credential, keyId: credential.keyId)
        if let key = opened.withLock({ $0[place] }) { return key }
        let key = try credential.opened(with: platformKey, tenant: tenant, app: app)
        opened.withLock { opened in
            if opened.count >= Self.keysLimit { opened.removeAll() }
            opened[place] = key
        }
        return key
    }

    /// The token of a real-time URL.
    func endpointToken(_ endpoint: SealedEndpoint) throws(SigningError) -> String {
        let token = try Sealing.open(
            endpoint.sealed, with: platformKey, context: endpoint.sealContext)
        return String(decoding: token, as: UTF8.self)
    }
}
