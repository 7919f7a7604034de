/// A value as strict JSON has it, its texts as bytes.
package indirect enum JSONValue: Sendable, Equatable {
    case string(ArraySlice<UInt8>)
    /// Written without fraction or exponent, and within 64 bits.
    case integer(Int64)
    /// Any other number, as it is written.
    case number(ArraySlice<UInt8>)
    case boolean(Bool)
    case null
    case array([JSONValue])
    case object([JSONObject.Member])
}

/// One JSON object. Keys are compared as bytes: strings that only look alike are two
/// keys.
package struct JSONObject: Sendable {
    package struct Member: Sendable, Equatable {
        package let key: ArraySlice<UInt8>
        package let value: JSONValue
    }

    package let members: [Member]

    package init(_ bytes: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(bytes)
        members = try scanner.document()
    }

    /// A value that is an object; nil for any other.
    package init?(_ value: JSONValue?) {
        guard case .object(let members)? = value else { return nil }
        self.members = members
    }

    package subscript(_ key: String) -> JSONValue? {
        let wanted = key.utf8
        let length = wanted.count
        return members.first { $0.key.count == length && $0.key.elementsEqual(wanted) }?.value
    }

    package func has(_ key: String) -> Bool {
        let wanted = key.utf8
        let length = wanted.count
        return members.contains { $0.key.count == length && $0.key.elementsEqual(wanted) }
    }

    package func string(_ key: String) -> ArraySlice<UInt8>? {
        guard case .string(let text)? = self[key] else { return nil }
        return text
    }

    /// An array of strings and nothing else.
    package func strings(_ key: String) -> [ArraySlice<UInt8>]? {
        guard case .array(let values)? = self[key] else { return nil }
        var strings: [ArraySlice<UInt8>] = []
        for value in values {
            guard case .string(let text) = value else { return nil }
            strings.append(text)
        }
        return strings
    }

    package func integer(_ key: String) -> Int64? {
        guard case .integer(let value)? = self[key] else { return nil }
        return value
    }
}
