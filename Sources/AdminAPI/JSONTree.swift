internal import AppStore
internal import FoundationEssentials
internal import Signing

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

    /// A document: one object, strictly. Duplicate keys, lone surrogates, bad UTF-8, more than 32
    /// levels and numbers of more than 20 digits are refused.
    ///
    /// - Throws: `Problem.malformedBody` with the offset of the first offence.
    package init(document bytes: [UInt8]) throws(Problem) {
        let object: JSONObject
        do { object = try JSONObject(bytes) } catch {
            throw .malformedBody("\(error.code.rawValue) at byte \(error.offset)")
        }
        do { self = try JSONTree(object.members) } catch {
            throw .malformedBody(error.description)
        }
    }

    /// Reads what this program itself wrote.
    init(trusted bytes: [UInt8]) throws {
        self = try JSONTree(try JSONObject(bytes).members)
    }

    /// What the strict reader takes and a tree cannot hold.
    private enum Misfit: Error, CustomStringConvertible {
        case numberTooLarge, namesLookAlike

        var description: String {
            switch self {
            case .numberTooLarge: "a number is too large to be held"
            case .namesLookAlike: "two members of an object have names that only look alike"
            }
        }
    }

    private init(_ value: JSONValue) throws(Misfit) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .number(let text): self = try Self.number(String(decoding: text, as: UTF8.self))
        case .string(let text): self = .string(String(decoding: text, as: UTF8.self))
        case .array(let values):
            var elements: [JSONTree] = []
            for value in values { elements.append(try JSONTree(value)) }
            self = .array(elements)
        case .object(let members): self = try JSONTree(members)
        }
    }

    private init(_ members: [JSONObject.Member]) throws(Misfit) {
        var tree: [String: JSONTree] = [:]
        for member in members {
            let value = try JSONTree(member.value)
            let name = String(decoding: member.key, as: UTF8.self)
            guard tree.updateValue(value, forKey: name) == nil else { throw .namesLookAlike }
        }
        self = .object(tree)
    }

    /// Whole numbers are integers however they are written, as far as a double holds each of them:
    /// beyond 2^53 what was meant is not known.
    private static func number(_ text: String) throws(Misfit) -> JSONTree {
        guard let double = Double(text), double.isFinite else { throw .numberTooLarge }
        if abs(double) <= 0x1p53, let integer = Int64(exactly: double) { return .integer(integer) }
        return .number(double)
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

extension JSONTree: Encodable {
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

    /// Of one value in a list of changes; of a larger one its digest is noted, so that a page of
    /// the audit stays a page.
    private static let notedBytesLimit = 16_384

    private var noted: JSONTree {
        let bytes = bytes
        guard bytes.count > Self.notedBytesLimit else { return self }
        return [
            "byteCount": .integer(Int64(bytes.count)),
            "sha256": .string(HexadecimalText.of(SHA256.digest(bytes))),
        ]
    }

    /// What differs between two objects: member -> {"from": …, "to": …}; absent is `null`.
    static func changes(from old: JSONTree?, to new: JSONTree?) -> JSONTree {
        var old: [String: JSONTree] = if case .object(let members) = old { members } else { [:] }
        var changes: [String: JSONTree] = [:]
        if case .object(let members) = new {
            for (name, value) in members {
                let former = old.removeValue(forKey: name) ?? .null
                if former != value { changes[name] = ["from": former.noted, "to": value.noted] }
            }
        }
        for (name, value) in old where value != .null {
            changes[name] = ["from": value.noted, "to": .null]
        }
        return .object(changes)
    }
}
