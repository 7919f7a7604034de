// The command line for operators: `holdfast migrate`, `holdfast key create`.
//
//     holdfast <command> ──> Command (usage, settings, run) ──> exit code
//
// What people read goes to standard output, what went wrong to standard error, as one sentence.

internal import FoundationEssentials
internal import Service

package enum Operator {
    private static let commands: [Command] = [
        .demo, .migrate, .platformKey, .createTenant, .listTenants, .createKey, .listKeys,
        .revokeKey, .loadProfiles, .benchRealtime, .benchGates,
    ]

    /// Whether there is a command of this name.
    static func has(_ name: String) -> Bool { commands.contains { $0.name == name } }

    /// The executable, without its own name in `arguments`; gives the exit code.
    package static func main(arguments: [String]) -> Int32 {
        guard let first = arguments.first, !["-h", "--help", "help"].contains(first) else {
            StandardStream.output.write(usage(commands))
            return arguments.isEmpty ? ExitCode.usage : ExitCode.success
        }
        if first == "--version" {
            StandardStream.output.write("holdfast \(Release.version)\n")
            return ExitCode.success
        }
        if let command = commands.first(where: { arguments.starts(with: $0.words) }) {
            return command.run(Array(arguments.dropFirst(command.words.count)))
        }
        let group = commands.filter { $0.words.count > 1 && $0.words[0] == first }
        return group.isEmpty ? refuse(first, within: nil) : choose(from: group, arguments)
    }

    /// `holdfast key` alone, or with a second word that no command has.
    private static func choose(from group: [Command], _ arguments: [String]) -> Int32 {
        guard arguments.count > 1 else {
            StandardStream.output.write(usage(group))
            return ExitCode.usage
        }
        if ["-h", "--help", "help"].contains(arguments[1]) {
            StandardStream.output.write(usage(group))
            return ExitCode.success
        }
        return refuse(arguments[1], within: arguments[0])
    }

    private static func refuse(_ word: String, within group: String?) -> Int32 {
        let words = [group, word].compactMap(\.self).joined(separator: " ")
        let program = ["holdfast", group].compactMap(\.self).joined(separator: " ")
        StandardStream.error.write(
            "holdfast: there is no command '\(words)'; see \(program) --help\n")
        return ExitCode.usage
    }

    private static func usage(_ commands: [Command]) -> String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { "  \($0.name.padded(to: width))  \($0.meaning)\n" }
        return "holdfast <command> [--help]\n\n" + lines.joined()
    }
}

/// One command: its words, its settings, what it does.
struct Command: Sendable {
    /// One word, or two where several commands are about the same thing: `key create`.
    let name: String
    let meaning: String
    var grammar = ArgumentGrammar()
    var table: [Setting] = []
    /// Gives the exit code; what it throws is told to the user, exit code 1.
    let body: @Sendable (Arguments, inout SettingsReader) throws -> Int32

    fileprivate var words: [String] { name.split(separator: " ").map(String.init) }

    func run(_ words: [String]) -> Int32 {
        if words.contains("--help") || words.contains("-h") {
            StandardStream.output.write(help)
            return ExitCode.success
        }
        do {
            let arguments = try Arguments(words, grammar)
            var reader = SettingsReader(
                environment: ProcessInfo.processInfo.environment, table: table)
            return try body(arguments, &reader)
        } catch let error as UsageError {
            tell("\(error.message); see holdfast \(name) --help")
            return ExitCode.usage
        } catch let error as SettingsError {
            for problem in error.problems { tell("\(problem)") }
            return ExitCode.settings
        } catch {
            tell("\(error)")
            return ExitCode.failed
        }
    }

    private func tell(_ sentence: String) {
        StandardStream.error.write("holdfast \(name): \(sentence)\n")
    }

    private var help: String {
        let settings = table.map { setting in
            (setting.name, setting.meaning + (setting.default.map { " [\($0)]" } ?? ""))
        }
        let rows = grammar.help + settings
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { "  \($0.0.padded(to: width))  \($0.1)\n" }
        return "\(grammar.usageLine("holdfast \(name)"))\n\n\(meaning)\n"
            + (lines.isEmpty ? "" : "\n" + lines.joined())
    }
}
