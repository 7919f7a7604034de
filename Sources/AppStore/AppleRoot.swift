package import Signing

/// Apple Root CA - G3, the trust anchor of all data the App Store signs; Sandbox included.
/// Apple's page: www.apple.com/certificateauthority.
package enum AppleRoot {
    /// SHA-256 of the certificate, as Apple publishes it.
    package static let sha256 = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"

    package static func certificate() throws(SigningError) -> Certificate {
        try Certificate(pem: PackageResources.AppleRootCA_G3_pem)
    }

    /// What a service trusts. `further` roots are for the simulator: a service that was given one
    /// says so in its log and in `/readyz`, since whoever holds its key can then speak as Apple.
    package static func anchors(
        further: [Certificate] = []
    ) throws(SigningError) -> TrustAnchors {
        TrustAnchors(roots: [try certificate()] + further)
    }
}
