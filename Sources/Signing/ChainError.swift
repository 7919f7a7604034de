/// Why a certificate chain is not believed.
package struct ChainError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// Not exactly leaf, intermediate, root.
        case wrongLength
        /// The third certificate is none of the configured roots, byte for byte.
        case unknownRoot
        case malformedCertificate
        case notValidAtThatTime
        case leafMarkerMissing
        case intermediateMarkerMissing
        case leafKeyNotP256
        /// A certificate was not issued by the one behind it.
        case issuerMismatch
        case badSignature
        /// RFC 5280 refuses the path for another reason, which the message names.
        case pathRefused
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code.rawValue): \(message)" }
}
