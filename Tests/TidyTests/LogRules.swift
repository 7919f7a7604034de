import Foundation

/// Operators are told of every event that a log line can name, and of every loop that can fail.
enum LogRules {
    private static let document = "docs/operating.md"

    static let all = [events, loops]

    static let events = Rule(
        "Each log event stands in docs/operating.md",
        offenders: [
            planted("log.info(\"a_b\", [])", told: "`a_c`"),
            planted("log.error(\n    \"a_b\", [])", told: "a_b"),
            planted("log.warning(\n    isLate ? \"a_c\" : \"a_b\", [])", told: "`a_c`"),
            planted("log.warning(isLate ? \"a_b\" : \"a_c\", [])", told: "`a_c`"),
        ],
        clean: planted(
            "log.debug(\"a_b\") // log.info(\"c\") told.info(\"A word\")", told: "`a_b` `c`")
    ) { tree in
        missing(in: tree, "log event") { text in
            text.matches(of: event).flatMap { match in
                [String(match.output.1)] + [match.output.2.map(String.init)].compactMap(\.self)
            }
        }
    }

    static let loops = Rule(
        "Each loop that runs in the background stands in docs/operating.md",
        offenders: [
            planted("BackgroundLoop(\"key use\", every: a)", told: "`key`"),
            planted("BackgroundLoop(\n    \"purge\", every: a)", told: ""),
        ],
        clean: planted(
            "BackgroundLoop(\"sync \\(number)\") BackgroundLoop(\"purge\")", told: "`purge`")
    ) { tree in
        missing(in: tree, "loop") { text in text.matches(of: loop).map { String($0.output.1) } }
    }

    private static var event: Regex<(Substring, Substring, Substring?)> {
        /\.(?:debug|info|warning|error)\(\s*(?:\w+\s+\?\s+)?"([a-z_]+)"(?:\s+:\s+"([a-z_]+)")?/
    }
    private static var loop: Regex<(Substring, Substring)> { /BackgroundLoop\(\s*"([a-z ]+)"/ }

    private static func missing(
        in tree: Tree, _ what: String, names: (String) -> [String]
    ) -> [Offence] {
        let told = tree.file(document)?.text ?? ""
        return tree.sources.flatMap { file in
            Set(names(file.text)).sorted().filter { !told.contains("`\($0)`") }.map {
                Offence(file, "the \(what) \($0) is not in \(document); say what it asks for")
            }
        }
    }

    private static func planted(_ code: String, told: String) -> [String: String] {
        ["Sources/A/A.swift": code, document: told]
    }
}
