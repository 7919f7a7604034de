/// What a command line may hold.
package struct ArgumentGrammar: Sendable {
    /// `--name value` or `--name=value`.
    package struct Option: Sendable {
        package enum Occurrence: Sendable {
            /// At most once.
            case optional
            /// Exactly once.
            case required
            /// Any number of times.
            case repeatable
        }

        package let name: String
        package let value: String
        package let meaning: String
        package let occurrence: Occurrence

        package init(
            _ name: String, value: String, _ meaning: String, _ occurrence: Occurrence = .optional
        ) {
            self.name = name
            self.value = value
            self.meaning = meaning
            self.occurrence = occurrence
        }

        fileprivate var usage: String {
            switch occurrence {
            case .optional: "[\(name) \(value)]"
            case .required: "\(name) \(value)"
            case .repeatable: "[\(name) \(value)]…"
            }
        }
    }

    /// `--name`, at most once.
    package struct Flag: Sendable {
        package let name: String
        package let meaning: String

        package init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    package let options: [Option]
    package let flags: [Flag]
    /// Names of what stands without dashes, for the usage line.
    package let positionals: [String]
    /// How many of those must be there.
    package let required: Int

    package init(
        options: [Option] = [], flags: [Flag] = [], positionals: [String] = [], required: Int = 0
    ) {
        self.options = options
        self.flags = flags
        self.positionals = positionals
        self.required = required
    }

    /// "program --database URL [--once] name"
    package func usageLine(_ program: String) -> String {
        let optional = positionals.enumerated().map { $0 < required ? "<\($1)>" : "[\($1)]" }
        let parts =
            [program] + options.map(\.usage) + flags.map { "[\($0.name)]" }
        return (parts + optional).joined(separator: " ")
    }

    /// One line per option and flag.
    package var help: [(String, String)] {
        options.map { ("\($0.name) \($0.value)", $0.meaning) } + flags.map { ($0.name, $0.meaning) }
    }
}

/// The parsed command line.
package struct Arguments: Sendable {
    package private(set) var positionals: [String] = []
    private var values: [String: [String]] = [:]
    private var given: Set<String> = []

    /// None at all.
    package init() {}

    /// - Parameter words: without the program's own name. After `--` nothing is an option.
    package init(_ words: [String], _ grammar: ArgumentGrammar) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positionals += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                positionals.append(word)
                continue
            }
            try take(word, &rest, grammar)
        }
        try checkPositionals(grammar)
        for option in grammar.options where option.occurrence == .required {
            guard has(option.name) else { throw UsageError("\(option.name) is missing") }
        }
    }

    package func has(_ flag: String) -> Bool { given.contains(flag) }

    package func value(_ option: String) -> String? { values[option]?.first }

    /// Of an option that may be given more than once, in the order of the command line.
    package func values(_ option: String) -> [String] { values[option] ?? [] }

    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>, _ grammar: ArgumentGrammar
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        if let option = grammar.options.first(where: { $0.name == name }) {
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw UsageError("\(name) needs a value")
            }
            let isFirst = given.insert(name).inserted
            guard isFirst || option.occurrence == .repeatable else { throw Self.twice(name) }
            values[name, default: []].append(value)
        } else if grammar.flags.contains(where: { $0.name == name }) {
            guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
            guard given.insert(name).inserted else { throw Self.twice(name) }
        } else {
            throw UsageError("unknown argument '\(name)'")
        }
    }

    private static func twice(_ name: String) -> UsageError {
        UsageError("\(name) may be given once only")
    }

    private func checkPositionals(_ grammar: ArgumentGrammar) throws(UsageError) {
        if positionals.count < grammar.required {
            throw UsageError("<\(grammar.positionals[positionals.count])> is missing")
        }
        if positionals.count > grammar.positionals.count {
            throw UsageError("unexpected argument '\(positionals[grammar.positionals.count])'")
        }
    }
}

/// A command line that cannot be understood; exit code 64.
package struct UsageError: Error, CustomStringConvertible {
    package let message: String

    package init(_ message: String) { self.message = message }

    package var description: String { message }
}
