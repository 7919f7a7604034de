internal import FoundationEssentials
internal import Retention
internal import Service

/// How a command shows what it found: columns for people, JSON for scripts.
enum CommandOutput: String, CaseIterable {
    case table, json

    static let option = ArgumentGrammar.Option(
        "--output", value: "FORM", "table or json; a table if not given")

    init(_ arguments: Arguments) throws(UsageError) {
        let word = arguments.value(Self.option.name) ?? Self.table.rawValue
        guard let form = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(word.utf8) })
        else { throw UsageError("\(Self.option.name) is table or json, not '\(word)'") }
        self = form
    }

    func write(_ table: TextTable, json: some Encodable) throws {
        switch self {
        case .table: StandardStream.output.write(table.text)
        case .json: try write(json)
        }
    }

    /// One value on one line, its members in the order of their names.
    private func write(_ json: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        StandardStream.output.write(Array(try encoder.encode(json)) + [UInt8(ascii: "\n")])
    }
}

/// A list as the admin API gives it, always whole here.
struct DataForm<Row: Encodable>: Encodable {
    let data: [Row]
}

extension Instant {
    var rfc3339: String { InstantText.rfc3339(milliseconds: milliseconds) }
}

extension Arguments {
    /// The identifier given with `option`.
    func identifier<Kind: IdentifierKind>(
        _ option: String, as type: Identifier<Kind>.Type = Identifier<Kind>.self
    ) throws(UsageError) -> Identifier<Kind> {
        guard let first = try identifiers(option, as: type).first else {
            throw UsageError("\(option) is missing")
        }
        return first
    }

    func identifiers<Kind: IdentifierKind>(
        _ option: String, as type: Identifier<Kind>.Type = Identifier<Kind>.self
    ) throws(UsageError) -> [Identifier<Kind>] {
        var found: [Identifier<Kind>] = []
        for text in values(option) {
            guard let identifier = Identifier<Kind>(text) else {
                throw UsageError(
                    "\(option) is an identifier that begins with \(Kind.prefix)_, not '\(text)'")
            }
            if !found.contains(identifier) { found.append(identifier) }
        }
        return found
    }

    /// The name given with `--name`, within the limit of every name.
    func name() throws(UsageError) -> String {
        let name = value("--name") ?? ""
        guard (1...NameLimit.characters).contains(name.unicodeScalars.count),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw UsageError(
                "--name has 1 to \(NameLimit.characters) characters, none a control character")
        }
        return name
    }
}

/// As the columns hold it.
private enum NameLimit {
    static let characters = 200
}
