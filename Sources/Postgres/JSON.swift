/// The text of one JSON value. Bound as `jsonb`; read from `json` and `jsonb`.
///
/// The bytes are not looked at here: PostgreSQL refuses what is not JSON (SQLSTATE 22P02).
package struct JSON: Sendable, Hashable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// `jsonb` travels as this byte and then text.
private let jsonbVersion: UInt8 = 1

extension JSON: SQLScalar {
    package static let sqlType = SQLType.jsonb
    package static let sqlArrayType = SQLType.jsonbArray

    package func encoded() throws(PostgresError) -> [UInt8]? {
        [jsonbVersion] + bytes
    }

    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> JSON {
        try require(type, among: [.json, .jsonb])
        var text = copy(bytes)
        if type == .jsonb {
            guard text.first == jsonbVersion else {
                throw PostgresError(.decoding, "jsonb came in an unknown version")
            }
            text.removeFirst()
        }
        return JSON(text)
    }
}
