import Foundation

/// What a document says is shown by a test is shown by one that exists.
enum NamedTestRules {
    static let all = [named]

    static let documents = ["docs/degraded-modes.md"]

    /// `` `SomeTests`: "a test", "another"; `OtherTests`: all ``.
    static let named = Rule(
        "Tests that documents name exist",
        offenders: [
            [documents[0]: "| `NoTests`: all |", "Tests/A/ATests.swift": test],
            [documents[0]: "| `ATests`: \"is not\" |", "Tests/A/ATests.swift": test],
            [documents[0]: "| `ATests`: \"it is\", \"is not\" |", "Tests/A/ATests.swift": test],
            [documents[0]: "| `ATests`: \"it is\"; `BTests`: all |", "Tests/A/ATests.swift": test],
        ],
        clean: [
            documents[0]: "| `ATests`: \"it is\" | `TidyTests` holds it, `ATests`: all |",
            "Tests/A/ATests.swift": test, "docs/other.md": "`NoTests`: all",
        ]
    ) { tree in
        documents.compactMap(tree.file).flatMap { document in
            document.lines.enumerated().flatMap { place, line in
                line.matches(of: pattern).flatMap { match -> [Offence] in
                    let suite = String(match.output.1)
                    let files = tree.swift.filter { $0.name == suite + ".swift" }
                    if files.isEmpty {
                        return [
                            Offence(document, line: place + 1, "there is no file \(suite).swift")
                        ]
                    }
                    return names(in: match.output.2).filter { name in
                        !files.contains { $0.text.contains("func `\(name)`") }
                    }.map { Offence(document, line: place + 1, "\(suite) has no test \"\($0)\"") }
                }
            }
        }
    }

    private static let test = "@Test func `it is`() { #expect(true) }"

    private static var pattern: Regex<(Substring, Substring, Substring)> {
        /`(\w+Tests)`: ((?:"[^"]*"(?:, )?)+|all)/
    }

    private static func names(in list: Substring) -> [String] {
        list.matches(of: /"([^"]*)"/).map { String($0.output.1) }
    }
}
