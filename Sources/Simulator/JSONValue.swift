/// A JSON text read strictly: what Apple's own decoder could read in two ways is refused.
///
/// The simulator reads answers with this and not with what the product writes them with, so that
/// an error in one is not hidden by the same error in the other. `JSONDecoder` would not do: on
/// this platform it takes the last of two equal keys without a word.
package indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number as written; at most `JSONValue.numberBytesLimit` bytes.
    case number([UInt8])
    case string(String)
    case array([JSONValue])
    /// Members in the order written; no name occurs twice.
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: JSONValue
    }

    /// How deep arrays and objects may stand in one another.
    package static let depthLimit = 32
    /// How long a number may be. Int64 needs 20 bytes with its sign.
    package static let numberBytesLimit = 20

    /// Reads one JSON text. The caller bounds the size of `bytes`.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONError(
                .notUTF8, "The text is not UTF-8; send UTF-8 without a byte order mark.")
        }
        var reader = JSONReader(bytes)
        self = try reader.text()
    }
}

extension JSONValue {
    /// The value of a member, or nil where this is no object or has no such member.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { sameBytes($0.name, name) }?.value
    }

    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value as a whole number: digits with at most a minus before them, no fraction and no
    /// exponent, within Int64.
    package var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        let isNegative = digits.first == UInt8(ascii: "-")
        var value: Int64 = 0
        for digit in digits.dropFirst(isNegative ? 1 : 0) {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            let tens = value.multipliedReportingOverflow(by: 10)
            let sum = tens.partialValue.subtractingReportingOverflow(Int64(digit) - 48)
            guard !tens.overflow, !sum.overflow else { return nil }
            value = sum.partialValue
        }
        // Summed below zero, since the lowest Int64 has no positive twin.
        return isNegative ? value : (value == .min ? nil : -value)
    }

    package var isNull: Bool { self == .null }
}

/// True where both are written with the same bytes. `String ==` also takes canonically equivalent
/// spellings for equal, which no identifier of Apple's allows.
package func sameBytes(_ a: String, _ b: String) -> Bool {
    a.utf8.elementsEqual(b.utf8)
}

package struct JSONError: Error, Sendable, Equatable {
    package enum Code: String, Sendable {
        case notUTF8, malformed, tooDeep, duplicateName, numberTooLong
    }

    package var code: Code
    package var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
