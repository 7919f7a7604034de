/// Why signed data is not believed, or not for us. The codes are stable: counters and tests name
/// them.
package struct VerificationError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// Not `{"signedPayload": "…"}`, strictly.
        case bodyMalformed
        /// Not three canonical base64url segments with a 64-byte signature.
        case jwsMalformed
        case headerMalformed
        /// No strict JSON object, or a field of the wrong type or form.
        case payloadMalformed
        /// Genuine, but signed longer ago than the freshness window allows.
        case stale
        /// Genuine, but signed further ahead of our clock than the window allows.
        case signedInFuture
        case algorithmRefused
        /// The header demands (`crit`) that we understand an extension.
        case criticalExtensionRefused
        case chainMissing
        case chainWrongLength
        case chainUnknownRoot
        case chainCertificateMalformed
        case chainNotValidAtSigning
        case chainLeafMarkerMissing
        case chainIntermediateMarkerMissing
        case chainLeafKeyRefused
        case chainIssuerMismatch
        case chainBadSignature
        case chainPathRefused
        /// A certificate of it was revoked by its issuer.
        case chainRevoked
        case badSignature
        /// Genuine, but of another kind than is asked for, such as a transaction.
        case wrongType
        case wrongEnvironment
        case wrongApp
        /// More unknown chains than we check in a second; nothing is said about this one.
        case chainBudgetSpent
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The HTTP status to refuse with.
    package var status: Int {
        switch code {
        case .bodyMalformed, .jwsMalformed, .headerMalformed, .payloadMalformed, .stale,
            .signedInFuture:
            400
        case .algorithmRefused, .criticalExtensionRefused, .chainMissing, .chainWrongLength,
            .chainUnknownRoot, .chainCertificateMalformed, .chainNotValidAtSigning,
            .chainLeafMarkerMissing, .chainIntermediateMarkerMissing, .chainLeafKeyRefused,
            .chainIssuerMismatch, .chainBadSignature, .chainPathRefused, .chainRevoked,
            .badSignature:
            401
        case .wrongType, .wrongEnvironment, .wrongApp:
            403
        case .chainBudgetSpent:
            503
        }
    }

    package var description: String { "\(code.rawValue): \(message)" }
}
