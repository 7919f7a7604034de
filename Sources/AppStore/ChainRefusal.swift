internal import Signing

extension VerificationError {
    /// The same refusal in the words of a verification.
    init(_ error: ChainError) {
        let code: Code =
            switch error.code {
            case .wrongLength: .chainWrongLength
            case .unknownRoot: .chainUnknownRoot
            case .malformedCertificate: .chainCertificateMalformed
            case .notValidAtThatTime: .chainNotValidAtSigning
            case .leafMarkerMissing: .chainLeafMarkerMissing
            case .intermediateMarkerMissing: .chainIntermediateMarkerMissing
            case .leafKeyNotP256: .chainLeafKeyRefused
            case .issuerMismatch: .chainIssuerMismatch
            case .badSignature: .chainBadSignature
            case .pathRefused: .chainPathRefused
            }
        self.init(code, error.message)
    }
}
