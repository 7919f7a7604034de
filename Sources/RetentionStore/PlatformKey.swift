// The platform's private key: who holds it opens what is sealed to it, and nobody else does.
internal import FoundationEssentials
package import Retention
package import Service
package import Signing

extension SettingsReader {
    fileprivate static let platformKeyName = "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE"

    /// `nil` where the file holds no such key, which is refused.
    package mutating func platformPrivateKey() -> PrivateKey? {
        let secret = secretFile(Self.platformKeyName)
        guard !secret.bytes.isEmpty else { return nil }
        do {
            return try PrivateKey(pem: secret.bytes)
        } catch {
            refuse(
                Self.platformKeyName, "does not hold a P-256 private key: \(error.message)")
            return nil
        }
    }
}

extension Setting {
    /// For services that open what is sealed.
    package static let platformPrivateKey = Setting(
        SettingsReader.platformKeyName,
        "PEM of the platform's private key, which opens the sealed signing keys",
        isSecretFile: true)
}

extension SealedSigningKey {
    /// The key itself. It stays in the memory of whoever asked.
    ///
    /// - Throws: `SigningError` also where it was sealed for another tenant, app or row.
    package func opened(
        with platformKey: PrivateKey, tenant: TenantID, app: AppID
    ) throws(SigningError) -> PrivateKey {
        let context = Self.sealContext(
            tenant: tenant, app: app, credential: credential, keyId: keyId)
        var pem = try Sealing.open(Array(sealed), with: platformKey, context: context)
        defer { cleanse(&pem) }
        return try PrivateKey(pem: pem)
    }
}
