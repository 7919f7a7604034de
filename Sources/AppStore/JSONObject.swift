internal import Signing

/// A value as strict JSON has it, its texts as bytes.
package enum JSONValue: Sendable, Equatable {
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
        place(of: key).map { members[$0].value }
    }

    /// The value, where there is one: null counts as absent.
    func present(_ key: String) -> JSONValue? {
        let value = self[key]
        return value == .null ? nil : value
    }

    package func has(_ key: String) -> Bool { place(of: key) != nil }

    private func place(of key: String) -> Int? {
        var key = key
        return key.withUTF8 { Self.place(of: $0, in: members) }
    }

    /// Lengths first: they tell nearly all keys apart without a call.
    @safe static func place(of key: UnsafeBufferPointer<UInt8>, in members: [Member]) -> Int? {
        unsafe members.withUnsafeBufferPointer { members in
            for place in members.indices
            where unsafe members[place].key.count == key.count
                && sameBytes(members[place].key, key)
            {
                return place
            }
            return nil
        }
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
