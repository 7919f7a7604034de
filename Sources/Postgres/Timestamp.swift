/// An instant as PostgreSQL's `timestamptz` holds it: whole microseconds since 1970-01-01 UTC.
///
/// Integers all the way: a `Double` of seconds loses milliseconds.
package struct Timestamp: Sendable, Hashable, Comparable {
    package var microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Times too large for microseconds are held at the end of the range, which no `timestamptz`
    /// reaches: binding one is an `encoding` error.
    package init(milliseconds: Int64) {
        let (product, overflows) = milliseconds.multipliedReportingOverflow(by: 1_000)
        microseconds = overflows ? (milliseconds < 0 ? Int64.min : Int64.max) : product
    }

    /// Rounded down, also before 1970.
    package var milliseconds: Int64 {
        let quotient = microseconds / 1_000
        return microseconds % 1_000 < 0 ? quotient - 1 : quotient
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

/// PostgreSQL counts from 2000-01-01.
private let epochOffsetMicroseconds: Int64 = 946_684_800_000_000

extension Timestamp: SQLScalar {
    package static let sqlType = SQLType.timestamptz
    package static let sqlArrayType = SQLType.timestamptzArray

    /// As the server counts; for what no `timestamptz` reaches, a value that it refuses.
    var onWire: Int64 {
        let (value, overflows) = microseconds.subtractingReportingOverflow(epochOffsetMicroseconds)
        guard !overflows, value != Int64.min, microseconds != Int64.max else {
            return Int64.max - 1
        }
        return value
    }

    package func encoded() throws(PostgresError) -> [UInt8]? {
        let (value, overflows) = microseconds.subtractingReportingOverflow(epochOffsetMicroseconds)
        // The two ends are PostgreSQL's infinities, which no instant means.
        guard !overflows, value != Int64.min, microseconds != Int64.max else {
            throw PostgresError(.encoding, "a time is outside the range of timestamptz")
        }
        return bytesOf(value)
    }

    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Timestamp {
        try require(type, among: [.timestamptz, .timestamp])
        let value: Int64 = try integer(bytes)
        guard value != Int64.min, value != Int64.max else {
            throw PostgresError(.decoding, "an infinite time cannot become a Timestamp")
        }
        let (sum, overflows) = value.addingReportingOverflow(epochOffsetMicroseconds)
        guard !overflows else {
            throw PostgresError(.decoding, "a time lies past the range of a Timestamp")
        }
        return Timestamp(microseconds: sum)
    }
}
