/// Why a key, a signature, a framing or a seal was refused. `message` says what to do and never
/// holds any part of a key.
package struct SigningError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        case keyMalformed
        case keyEncrypted
        case keyIsPublic
        case keyIsPrivate
        case keyWrongType
        case keyWrongCurve
        case keyTooLong
        case jwsTooLong
        case jwsSegmentCount
        case jwsEncoding
        case jwsSignatureLength
        case certificateMalformed
        case statusUnusable
        case fieldEmpty
        case fieldTooLong
        case fieldMalformed
        case sealedMalformed
        case sealedForAnotherKey
        case sealBroken
        case secretTooLong
        case openSSL
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code.rawValue): \(message)" }
}
