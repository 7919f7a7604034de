// The simulator's root, for services that believe what the App Store signs.
internal import FoundationEssentials
package import Service
package import Signing

extension SettingsReader {
    fileprivate static let furtherRootName = "HOLDFAST_FURTHER_TRUST_ROOT_FILE"

    /// Apple's roots and the further one.
    ///
    /// - Parameter make: of the roots besides Apple's.
    package mutating func trustAnchors(
        besides further: [Certificate], _ make: ([Certificate]) throws -> TrustAnchors
    ) -> TrustAnchors {
        do {
            return try make(further)
        } catch {
            refuse("trust anchor", "Apple's root does not load: \(error)")
            return TrustAnchors(roots: [])
        }
    }

    /// One root or none. A file that holds none is refused.
    package mutating func furtherTrustRoots() -> [Certificate] {
        guard let path = optionalText(Self.furtherRootName) else { return [] }
        do {
            let bytes = try FileBytes.readAll(path, bytesLimit: Certificate.derBytesLimit * 2)
            let isPEM = bytes.starts(with: Array("-----".utf8))
            return [isPEM ? try Certificate(pem: bytes) : try Certificate(der: bytes)]
        } catch {
            refuse(Self.furtherRootName, "cannot be used: \(error)")
            return []
        }
    }
}

extension Setting {
    /// For services that believe what the App Store signs.
    package static let furtherTrustRoot = Setting(
        SettingsReader.furtherRootName,
        "PEM or DER of one more trust root, for the simulator; never in production")

    /// Logged, and shown by the probe, wherever there is one.
    package static let furtherTrustRootWarning =
        "a trust root besides Apple's is configured: whoever holds its key can speak as Apple; "
        + "unset \(SettingsReader.furtherRootName) in production"
}
