/// Why a request or connection was turned away before any handler saw it. The owner counts these;
/// the raw value is a stable label for a metric.
package enum Refusal: String, Sendable, CaseIterable {
    case target = "target"
    case targetTooLong = "target_too_long"
    case version = "version"
    case field = "field"
    case fieldsTooLarge = "fields_too_large"
    case host = "host"
    case length = "length"
    case lengthBesideEncoding = "length_beside_encoding"
    case encoding = "encoding"
    case bodyTooLarge = "body_too_large"
    case deadline = "deadline"
    case connectionLimit = "connection_limit"
    /// Refused by the library's own parser, or broken off by the client in the middle of a request.
    case broken = "broken"

    /// The status sent with it; nil where the connection is closed without an answer.
    package var status: Int? {
        switch self {
        case .targetTooLong: 414
        case .fieldsTooLarge: 431
        case .bodyTooLarge: 413
        case .version: 505
        case .deadline, .connectionLimit, .broken: nil
        case .target, .field, .host, .length, .lengthBesideEncoding, .encoding: 400
        }
    }
}

/// The server could not start.
package struct ServerError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        case badAddress, addressInUse, notPermitted, listenFailed, startFailed
    }

    package let code: Code
    /// What to do about it.
    package let message: String

    package var description: String { "\(code.rawValue): \(message)" }
}
