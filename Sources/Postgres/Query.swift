/// A statement whose values are bound, never pasted: `"… where id = \(id)"` sends `$1` and the
/// value beside it, so text from outside cannot become SQL.
///
/// Only literals and values fit into the interpolation. What must be part of the text and is not
/// known at compile time (names of partitions, migrations) goes through `init(unsafeSQL:)`.
package struct Query: Sendable, ExpressibleByStringInterpolation {
    struct Parameter: Sendable {
        let type: SQLType
        /// nil is NULL.
        let bytes: [UInt8]?
    }

    /// The protocol counts parameters in 16 bits.
    static let parametersLimit = 65_535

    private(set) var sql: [UInt8]
    private(set) var parameters: [Parameter] = []
    /// Interpolation cannot throw; a value that cannot be sent is reported when the query runs.
    private(set) var problem: PostgresError?

    package init(stringLiteral value: String) {
        sql = [UInt8](value.utf8)
    }

    /// The text is sent as it is. Never hand in anything that came from outside.
    package init(unsafeSQL: String) {
        sql = [UInt8](unsafeSQL.utf8)
    }

    package init(stringInterpolation: StringInterpolation) {
        sql = stringInterpolation.sql
        parameters = stringInterpolation.parameters
        problem = stringInterpolation.problem
    }

    /// The text with `$n` where the values go. Holds no value.
    package var text: String { String(decoding: sql, as: UTF8.self) }

    package struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var sql: [UInt8] = []
        fileprivate var parameters: [Parameter] = []
        fileprivate var problem: PostgresError?

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(literalCapacity + interpolationCount * 3)
            parameters.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            sql.append(contentsOf: literal.utf8)
        }

        /// An optional binds its value or NULL. Spelled out, since the compiler otherwise takes an
        /// optional in an interpolation for an oversight.
        package mutating func appendInterpolation<T: SQLEncodable>(_ value: T?) {
            bind(value)
        }

        package mutating func appendInterpolation<T: SQLEncodable>(_ value: T) {
            bind(value)
        }

        /// Arrays one after another, a comma between them: the arguments of an `unnest`.
        package mutating func appendInterpolation(_ columns: BinaryColumns) {
            for (place, column) in columns.columns.enumerated() {
                if place > 0 { sql.append(contentsOf: ", ".utf8) }
                bind(column.type) { () throws(PostgresError) in column.bytes }
            }
        }

        private mutating func bind<T: SQLEncodable>(_ value: T) {
            bind(T.sqlType) { () throws(PostgresError) in try value.encoded() }
        }

        private mutating func bind(
            _ type: SQLType, _ encode: () throws(PostgresError) -> [UInt8]?
        ) {
            do throws(PostgresError) {
                let bytes = try encode()
                if let bytes { _ = try lengthOnWire(bytes.count) }
                parameters.append(Parameter(type: type, bytes: bytes))
            } catch {
                problem = problem ?? error
                parameters.append(Parameter(type: type, bytes: nil))
            }
            sql.append(UInt8(ascii: "$"))
            sql.append(contentsOf: String(parameters.count).utf8)
        }
    }
}
