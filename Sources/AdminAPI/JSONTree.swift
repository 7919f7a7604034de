internal import AppStore
internal import FoundationEssentials

/// A JSON value as a request brings it and an answer shows it.
package indirect enum JSONTree: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// Whole and within 64 bits, however it was written: `5`, `5.0`, `5e0`.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    /// The outermost value has depth 1.
    static let depthLimit = 32

    /// A document: one object, strictly. Duplicate keys, lone surrogates, bad UTF-8, more than 32
    /// levels and numbers of more than 20 digits are refused before anything is built.
    ///
    /// - Throws: `Problem.malformedBody` with the offset of the first offence.
    package init(document bytes: [UInt8]) throws(Problem) {
        do {
            // The strict reader of signed payloads decides whether it is JSON.
            _ = try JSONObject(bytes)
        } catch {
            throw .malformedBody("\(error.code.rawValue) at byte \(error.offset)")
        }
        var builder = JSONTreeBuilder(clean: bytes)
        guard let tree = builder.build() else {
            throw .malformedBody("a number is too large to be held")
        }
        self = tree
    }

    /// Reads what this program itself wrote.
    init(trusted bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(JSONTree.self, from: Data(bytes))
    }

    /// Members in the order of their names, so that equal values are equal bytes.
    package var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Fails for numbers that are not finite only; none comes in, and none is made.
        return (try? encoder.encode(self)).map { Array($0) } ?? Array("null".utf8)
    }

    package subscript(_ member: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members[member]
    }

    /// `.null` for nothing, so that optional members are always shown.
    static func optional<Value>(_ value: Value?, _ form: (Value) -> JSONTree) -> JSONTree {
        value.map(form) ?? .null
    }

    static func text(_ value: String?) -> JSONTree { optional(value, JSONTree.string) }
    package static func texts(_ values: [String]) -> JSONTree {
        .array(values.map(JSONTree.string))
    }
}

extension JSONTree: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONTree].self) {
            self = .array(value)
        } else if let value = try? container.decode([String: JSONTree].self) {
            self = .object(value)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByArrayLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }

    package init(dictionaryLiteral elements: (String, JSONTree)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension JSONTree {
    /// RFC 7396: an object's members are put in, anything else replaces. `null` stays in the place
    /// of what it takes out, which readers take for absent: a member nobody knows is then refused
    /// whatever its value.
    func merged(with patch: JSONTree) -> JSONTree {
        guard case .object(let changes) = patch else { return patch }
        var members: [String: JSONTree] = [:]
        if case .object(let present) = self { members = present }
        for (name, change) in changes {
            members[name] = (members[name] ?? .null).merged(with: change)
        }
        return .object(members)
    }

    /// What differs between two objects: member -> {"from": …, "to": …}; absent is `null`.
    static func changes(from old: JSONTree?, to new: JSONTree?) -> JSONTree {
        var old: [String: JSONTree] = if case .object(let members) = old { members } else { [:] }
        var changes: [String: JSONTree] = [:]
        if case .object(let members) = new {
            for (name, value) in members {
                let former = old.removeValue(forKey: name) ?? .null
                if former != value { changes[name] = ["from": former, "to": value] }
            }
        }
        for (name, value) in old where value != .null {
            changes[name] = ["from": value, "to": .null]
        }
        return .object(changes)
    }
}
