internal import HTTPServer
internal import Retention
internal import Service

/// The parameters of a query, decoded once and strictly: names that the operation does not have,
/// names given twice and broken escapes are refused, never passed over.
struct QueryReader {
    private let values: [String: String]

    /// - Parameter known: the names the operation has.
    init(_ query: String?, known: [String]) throws(Problem) {
        var values: [String: String] = [:]
        for piece in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = piece.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]),
                let value = Self.decode(parts.count == 2 ? Array(parts[1]) : [])
            else {
                throw Problem(.invalidParameter, "The query holds a broken escape or a NUL.")
            }
            guard known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
                throw Problem(
                    .unknownParameter,
                    known.isEmpty
                        ? "This call has no query parameters."
                        : "Known parameters are: \(known.joined(separator: ", ")).",
                    errors: [
                        FieldProblem(
                            .parameter(String(name.prefix(100))), .unknown,
                            "There is no such parameter.")
                    ])
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Self.invalid(name, .duplicate, "\(name) is given twice.")
            }
        }
        self.values = values
    }

    func text(_ name: String, limit: Int = 200) throws(Problem) -> String? {
        guard let value = values[name] else { return nil }
        guard (1...limit).contains(value.utf16.count) else {
            throw Self.invalid(name, .tooLong, "\(name) has 1 to \(limit) characters.")
        }
        return value
    }

    /// ASCII digits only: no sign, no blank.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let value = values[name] else { return nil }
        let isPlain = value.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isPlain, let number = Int64(value), range.contains(number) else {
            throw Self.invalid(
                name, .outOfRange,
                "\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    func boolean(_ name: String) throws(Problem) -> Bool? {
        guard let value = values[name] else { return nil }
        switch value {
        case "true": return true
        case "false": return false
        default: throw Self.invalid(name, .wrongType, "\(name) is true or false.")
        }
    }

    func choice<C: RawRepresentable & CaseIterable>(
        _ name: String, _ type: C.Type
    ) throws(Problem) -> C? where C.RawValue == String {
        guard let value = values[name] else { return nil }
        let found = type.allCases.first { $0.rawValue.utf8.elementsEqual(value.utf8) }
        guard let found else {
            let list = type.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.invalid(name, .unknownValue, "\(name) is one of: \(list).")
        }
        return found
    }

    func instant(_ name: String) throws(Problem) -> Instant? {
        guard let value = values[name] else { return nil }
        guard let milliseconds = InstantText.milliseconds(rfc3339: value) else {
            throw Self.invalid(
                name, .badFormat, "\(name) is a time such as 2026-11-30T07:00:00.000Z.")
        }
        return Instant(milliseconds: milliseconds)
    }

    func identifier<Kind>(_ name: String) throws(Problem) -> Identifier<Kind>? {
        guard let value = values[name] else { return nil }
        guard let identifier = Identifier<Kind>(value) else {
            throw Self.invalid(
                name, .badFormat,
                "\(name) is an identifier: \(Kind.prefix)_ and 26 letters and digits.")
        }
        return identifier
    }

    private static func invalid(
        _ name: String, _ code: FieldProblem.Code, _ detail: String
    ) -> Problem {
        Problem(
            .invalidParameter, detail, errors: [FieldProblem(.parameter(name), code, detail)])
    }

    /// `nil` for a broken escape, a NUL, or bytes that are not UTF-8.
    private static func decode(_ bytes: some Collection<UInt8>) -> String? {
        guard let decoded = PercentEncoding.decode(bytes, plusIsBlank: true), !decoded.contains(0)
        else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }
}
