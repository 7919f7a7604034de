/// A field's value in a log line.
package enum LogValue: Sendable, Equatable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case strings([String])
    case null

    package init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
    package init(_ value: String) { self = .string(value) }
    package init(_ value: [String]) { self = .strings(value) }
    package init(_ value: Duration) { self = .double(value / .milliseconds(1)) }

    /// Untrusted bytes; what is no UTF-8 shows as U+FFFD.
    package init(untrusted bytes: some Collection<UInt8>) {
        self = .string(String(decoding: bytes.prefix(LogLine.valueBytesLimit + 1), as: UTF8.self))
    }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: String...) { self = .strings(elements) }
    package init(nilLiteral: ()) { self = .null }
}
