internal import Signing

/// Signed data as it is shown: what is in it, and never the signed text itself, with which
/// somebody could speak as the App Store to another system.
enum SignedDataForm {
    /// A notification holds a transaction, which holds nothing signed; one level more is spare.
    private static let levelsLimit = 3
    private static let bytesLimit = 256 * 1_024

    /// The payload of a compact JWS, with what is signed inside decoded in its place; `nil` for
    /// what cannot be read.
    static func payload(of compact: [UInt8]) -> JSONTree? { decoded(compact, level: 1) }

    private static func decoded(_ compact: [UInt8], level: Int) -> JSONTree? {
        guard level <= levelsLimit, let jws = try? CompactJWS(compact, limit: bytesLimit),
            let tree = try? JSONTree(trusted: jws.payload)
        else { return nil }
        return shown(tree, level: level)
    }

    private static func shown(_ tree: JSONTree, level: Int) -> JSONTree {
        switch tree {
        case .string(let text) where isSigned(text):
            return decoded(Array(text.utf8), level: level + 1) ?? .null
        case .array(let elements): return .array(elements.map { shown($0, level: level) })
        case .object(let members): return .object(members.mapValues { shown($0, level: level) })
        default: return tree
        }
    }

    /// Three parts with two dots, the first of which begins like a JSON object does in base64url.
    private static func isSigned(_ text: String) -> Bool {
        text.utf8.starts(with: "eyJ".utf8)
            && text.utf8.filter { $0 == UInt8(ascii: ".") }.count == 2
    }
}
