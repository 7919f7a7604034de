/// A value as far as we look into it: scalars and arrays of strings. What we do not read (nested
/// objects, mixed arrays) is checked to be well-formed JSON and then forgotten.
package enum JSONValue: Sendable, Equatable {
    case string(ArraySlice<UInt8>)
    /// Written without fraction or exponent, and within 64 bits.
    case integer(Int64)
    /// Any other number.
    case number
    case boolean(Bool)
    case null
    case strings([ArraySlice<UInt8>])
    case array
    case object
}

/// A flat view of one JSON object. Keys are compared as bytes: strings that only look alike are two
/// keys.
package struct JSONObject: Sendable {
    package struct Member: Sendable {
        package let key: ArraySlice<UInt8>
        package let value: JSONValue
    }

    package let members: [Member]

    package init(_ bytes: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(bytes)
        members = try scanner.document()
    }

    package subscript(_ key: String) -> JSONValue? {
        let wanted = key.utf8
        return members.first { $0.key.elementsEqual(wanted) }?.value
    }

    package func string(_ key: String) -> ArraySlice<UInt8>? {
        guard case .string(let text)? = self[key] else { return nil }
        return text
    }

    package func integer(_ key: String) -> Int64? {
        guard case .integer(let value)? = self[key] else { return nil }
        return value
    }
}
