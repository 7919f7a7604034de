internal import Retention
internal import Signing

/// Where a list goes on: the keys of the last row of the page before, with the operation's name so
/// that the cursor of one list does not open another. It is no secret and proves nothing: row
/// security decides what is seen.
struct Cursor {
    private static let separator = UInt8(ascii: "\n")
    private static let bytesLimit = 2_048

    let keys: [String]

    /// - Parameter text: as it came in the query; `nil` is the first page.
    init?(_ text: String?, of operation: String, keys count: Int) throws(Problem) {
        guard let text else { return nil }
        let refusal = Problem(
            .invalidCursor, "Take the cursor from nextCursor of this very list, unchanged.")
        guard text.utf8.count <= Self.bytesLimit,
            let bytes = Base64URL.decode(Array(text.utf8)),
            let content = String(validating: bytes, as: UTF8.self)
        else { throw refusal }
        let parts = content.utf8.split(
            separator: Self.separator, omittingEmptySubsequences: false
        ).map { String(decoding: Array($0), as: UTF8.self) }
        guard parts.count == count + 1, parts[0].utf8.elementsEqual(operation.utf8),
            !bytes.contains(0)
        else { throw refusal }
        keys = Array(parts.dropFirst())
    }

    static func text(of operation: String, keys: [String]) -> String {
        Base64URL.encode(Array(([operation] + keys).joined(separator: "\n").utf8))
    }
}

/// One page of a list while it is asked for.
struct Page {
    static let limitRange: ClosedRange<Int64> = 1...100
    static let defaultLimit: Int64 = 50
    /// Parameters that every list has.
    static let parameters = ["limit", "cursor"]

    /// Rows to show.
    let limit: Int
    /// The keys of the row that the page begins after; empty for the first page.
    let after: [String]

    /// Rows to read: one more tells whether there is a next page.
    var rowsWanted: Int32 { Int32(limit) + 1 }

    /// The last key as an identifier, for lists that go by one.
    func identifier<Kind>() throws(Problem) -> Identifier<Kind>? {
        guard let text = after.last else { return nil }
        guard let identifier = Identifier<Kind>(text) else {
            throw Problem(.invalidCursor, "The cursor is not one of this list.")
        }
        return identifier
    }

    /// The last key as a number, for lists that go by one.
    func number<N: FixedWidthInteger>() throws(Problem) -> N? {
        guard let text = after.last else { return nil }
        guard let number = N(text) else {
            throw Problem(.invalidCursor, "The cursor is not one of this list.")
        }
        return number
    }
}
