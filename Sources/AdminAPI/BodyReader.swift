internal import Retention
internal import Service

/// Reads one object member by member and notes everything that is wrong, so that one answer names
/// it all. A read that fails gives a stand-in value: look at `finish()` before using any.
struct BodyReader {
    private let members: [String: JSONTree]
    private let pointer: String
    private var known: Set<String> = []
    private(set) var problems: [FieldProblem] = []

    /// - Parameter pointer: where this object stands in the body; "" for the body itself.
    init(_ tree: JSONTree, at pointer: String = "") {
        self.pointer = pointer
        guard case .object(let members) = tree else {
            self.members = [:]
            problems = [
                FieldProblem(.pointer(pointer), .wrongType, "An object is expected here.")
            ]
            return
        }
        self.members = members
    }

    // MARK: - Members

    /// A text whose length, in UTF-16 units and so in code points too, is within `length`.
    mutating func text(_ name: String, _ length: ClosedRange<Int> = 1...200) -> String {
        guard let value = require(name) else { return "" }
        return text(value, name, length) ?? ""
    }

    /// `nil` where the member is absent or null.
    mutating func optionalText(
        _ name: String, _ length: ClosedRange<Int> = 1...200
    ) -> String? {
        take(name).flatMap { text($0, name, length) }
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64 {
        guard let value = require(name) else { return range.lowerBound }
        return integer(value, name, range) ?? range.lowerBound
    }

    mutating func optionalInteger(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        take(name).flatMap { integer($0, name, range) }
    }

    mutating func boolean(_ name: String, otherwise: Bool) -> Bool {
        guard let value = take(name) else { return otherwise }
        guard case .boolean(let flag) = value else {
            note(name, .wrongType, "\(name) is true or false.")
            return otherwise
        }
        return flag
    }

    /// One of the cases of a closed list of ours.
    mutating func choice<C: RawRepresentable & CaseIterable>(
        _ name: String, _ type: C.Type
    ) -> C where C.RawValue == String {
        choice(name, type, value: require(name)) ?? Self.first(of: type)
    }

    mutating func optionalChoice<C: RawRepresentable & CaseIterable>(
        _ name: String, _ type: C.Type
    ) -> C? where C.RawValue == String {
        choice(name, type, value: take(name))
    }

    mutating func identifier<Kind>(_ name: String) -> Identifier<Kind>? {
        guard let value = require(name) else { return nil }
        return identifier(value, at: name)
    }

    mutating func optionalIdentifier<Kind>(_ name: String) -> Identifier<Kind>? {
        take(name).flatMap { identifier($0, at: name) }
    }

    /// RFC 3339 in UTC, such as `2026-11-30T07:00:00.000Z`.
    mutating func optionalInstant(_ name: String) -> Instant? {
        guard let text = optionalText(name, 1...40) else { return nil }
        guard let milliseconds = InstantText.milliseconds(rfc3339: text) else {
            note(name, .badFormat, "\(name) is a time such as 2026-11-30T07:00:00.000Z.")
            return nil
        }
        return Instant(milliseconds: milliseconds)
    }

    /// A day such as `2027-06-30`.
    mutating func optionalDay(_ name: String) -> CalendarDay? {
        guard let text = optionalText(name, 1...40) else { return nil }
        if let day = CalendarDay(text) { return day }
        note(name, .badFormat, "\(name) is a day such as 2027-06-30.")
        return nil
    }

    /// The elements of an array; `nil` where the member is absent or null.
    mutating func optionalList(_ name: String, limit: Int) -> [JSONTree]? {
        guard let value = take(name) else { return nil }
        guard case .array(let elements) = value else {
            note(name, .wrongType, "\(name) is a list.")
            return nil
        }
        guard elements.count <= limit else {
            note(
                FieldProblem(
                    .pointer(path(name)), .tooMany,
                    "\(name) has \(elements.count) elements, \(limit) are allowed.",
                    limit: Int64(limit), measured: Int64(elements.count)))
            return nil
        }
        return elements
    }

    /// A list of objects, each read by `body`. Empty where the member is absent or null.
    mutating func objects<T>(
        _ name: String, limit: Int, _ body: (inout BodyReader) -> T
    ) -> [T] {
        (optionalList(name, limit: limit) ?? []).enumerated().map { index, element in
            var reader = BodyReader(element, at: "\(path(name))/\(index)")
            let value = body(&reader)
            problems += reader.closed()
            return value
        }
    }

    /// One object, read by `body`; `nil` where the member is absent or null.
    mutating func optionalObject<T>(_ name: String, _ body: (inout BodyReader) -> T) -> T? {
        guard let value = take(name) else { return nil }
        var reader = BodyReader(value, at: path(name))
        let read = body(&reader)
        problems += reader.closed()
        return read
    }

    mutating func texts(
        _ name: String, limit: Int, _ length: ClosedRange<Int> = 1...200
    ) -> [String] {
        (optionalList(name, limit: limit) ?? []).enumerated().compactMap { index, element in
            text(element, "\(name)/\(index)", length)
        }
    }

    mutating func identifiers<Kind>(_ name: String, limit: Int) -> [Identifier<Kind>]? {
        optionalList(name, limit: limit)?.enumerated().compactMap { index, element in
            identifier(element, at: "\(name)/\(index)")
        }
    }

    /// The member as it came; `nil` where it is absent or null.
    mutating func take(_ name: String) -> JSONTree? {
        known.insert(name)
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    // MARK: - Problems

    mutating func note(_ name: String, _ code: FieldProblem.Code, _ detail: String) {
        note(FieldProblem(.pointer(path(name)), code, detail))
    }

    mutating func note(_ problem: FieldProblem) {
        problems.append(problem)
    }

    /// For what does not exist, is another tenant's, or may not be seen: not told apart.
    mutating func noteUnknown(_ name: String) {
        note(name, .unknownReference, "There is nothing with this identifier for this API key.")
    }

    /// Notes every text that stands in the list before; those that are empty were named already.
    mutating func noteDuplicates(_ texts: [String], _ name: (Int) -> String) {
        var known: Set<[UInt8]> = []
        for (index, text) in texts.enumerated() where !text.isEmpty {
            guard !known.insert(Array(text.utf8)).inserted else { continue }
            note(name(index), .duplicate, "\(text) is there already; give it once.")
        }
    }

    /// The pointer to this object itself.
    var place: String { pointer }

    /// Whether the member is there, be it null.
    func has(_ name: String) -> Bool { members[name] != nil }

    /// Notes each member that is null, where no member may be.
    mutating func noteNulls() {
        for name in members.keys.sorted() where members[name] == .null {
            note(Self.escaped(name), .wrongType, "A member without a value is left out here.")
        }
    }

    /// The pointer to a member; `name` may go deeper with slashes of its own.
    func path(_ name: String) -> String { "\(pointer)/\(name)" }

    /// Throws all that is wrong, members nobody asked for included.
    mutating func finish() throws(Problem) {
        let all = closed()
        if !all.isEmpty { throw .validation(all) }
    }

    private func closed() -> [FieldProblem] {
        let unknown = members.keys.filter { !known.contains($0) }.sorted()
        let list = known.sorted().joined(separator: ", ")
        // One more than is told, so that the rest is known to be there.
        return problems
            + unknown.prefix(Problem.errorsLimit + 1).map { name in
                let escaped = Self.escaped(name)
                return FieldProblem(
                    .pointer("\(pointer)/\(escaped)"), .unknown,
                    "There is no such member; known are: \(list).")
            }
    }

    /// RFC 6901, and no longer than what helps.
    private static func escaped(_ name: String) -> String {
        String(name.prefix(100).flatMap { $0 == "~" ? "~0" : $0 == "/" ? "~1" : "\($0)" })
    }

    private mutating func require(_ name: String) -> JSONTree? {
        if let value = take(name) { return value }
        note(name, .required, "\(name) is required.")
        return nil
    }

    // MARK: - Values

    private mutating func text(
        _ value: JSONTree, _ name: String, _ length: ClosedRange<Int>
    ) -> String? {
        guard case .string(let text) = value else {
            note(name, .wrongType, "\(name) is a text.")
            return nil
        }
        guard !text.utf8.contains(0) else {
            note(name, .notAllowed, "\(name) holds a NUL character; take it out.")
            return nil
        }
        let units = text.utf16.count
        guard !length.contains(units) else { return text }
        let isLong = units > length.upperBound
        let limit = isLong ? length.upperBound : length.lowerBound
        note(
            FieldProblem(
                .pointer(path(name)), isLong ? .tooLong : .tooShort,
                "\(name) has \(units) UTF-16 units, "
                    + "\(isLong ? "at most" : "at least") \(limit) are allowed.",
                limit: Int64(limit), measured: Int64(units), unit: "UTF-16 units"))
        return nil
    }

    private mutating func integer(
        _ value: JSONTree, _ name: String, _ range: ClosedRange<Int64>
    ) -> Int64? {
        guard case .integer(let number) = value else {
            note(name, .wrongType, "\(name) is a whole number of at most 64 bits.")
            return nil
        }
        guard !range.contains(number) else { return number }
        let isHigh = number > range.upperBound
        note(
            FieldProblem(
                .pointer(path(name)), .outOfRange,
                "\(name) is \(number); allowed is \(range.lowerBound) to \(range.upperBound).",
                limit: isHigh ? range.upperBound : range.lowerBound, measured: number))
        return nil
    }

    private mutating func choice<C: RawRepresentable & CaseIterable>(
        _ name: String, _ type: C.Type, value: JSONTree?
    ) -> C? where C.RawValue == String {
        guard let value else { return nil }
        guard case .string(let word) = value else {
            note(name, .wrongType, "\(name) is a text.")
            return nil
        }
        if let found = type.allCases.first(where: {
            $0.rawValue.utf8.elementsEqual(word.utf8)
        }) {
            return found
        }
        let list = type.allCases.map(\.rawValue).joined(separator: ", ")
        note(name, .unknownValue, "\(name) is one of: \(list).")
        return nil
    }

    private static func first<C: CaseIterable>(of type: C.Type) -> C {
        type.allCases[type.allCases.startIndex]
    }

    private mutating func identifier<Kind>(
        _ value: JSONTree, at name: String
    ) -> Identifier<Kind>? {
        if case .string(let text) = value, let identifier = Identifier<Kind>(text) {
            return identifier
        }
        note(
            name, .badFormat,
            "An identifier is expected: \(Kind.prefix)_ and 26 letters and digits.")
        return nil
    }
}
