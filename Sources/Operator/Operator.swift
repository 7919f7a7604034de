// The command line for operators: `holdfast migrate`, `holdfast demo`, `holdfast platform-key`.
//
//     holdfast <command> ──> Command (usage, settings, run) ──> exit code
//
// What people read goes to standard output, what went wrong to standard error, as one sentence.

internal import FoundationEssentials
internal import Service

package enum Operator {
    /// The executable, without its own name in `arguments`; gives the exit code.
    package static func main(arguments: [String]) -> Int32 {
        let commands: [Command] = [.demo, .migrate, .platformKey]
        guard let name = arguments.first, !["-h", "--help", "help"].contains(name) else {
            StandardStream.output.write(usage(commands))
            return arguments.isEmpty ? ExitCode.usage : ExitCode.success
        }
        if name == "--version" {
            StandardStream.output.write("holdfast \(Release.version)\n")
            return ExitCode.success
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            StandardStream.error.write(
                "holdfast: there is no command '\(name)'; see holdfast --help\n")
            return ExitCode.usage
        }
        return command.run(Array(arguments.dropFirst()))
    }

    private static func usage(_ commands: [Command]) -> String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { "  \($0.name.padded(to: width))  \($0.meaning)\n" }
        return "holdfast <command> [--help]\n\n" + lines.joined()
    }
}

/// One command: its words, its settings, what it does.
struct Command: Sendable {
    let name: String
    let meaning: String
    var grammar = ArgumentGrammar()
    var table: [Setting] = []
    /// Gives the exit code; what it throws is told to the user, exit code 1.
    let body: @Sendable (Arguments, inout SettingsReader) throws -> Int32

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

extension String {
    /// With blanks behind it up to `width` columns; never cut.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - TextWidth.columns(of: self)))
    }
}

/// How wide a text is on a terminal: East Asian characters take two columns.
enum TextWidth {
    static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        [
            0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6,
        ].contains { $0.contains(Int(scalar.value)) }
    }
}
