import Foundation

/// What a document says is shown by a test is shown by one that exists.
enum NamedTestRules {
    static let all = [named, suites]

    static let documents = ["docs/degraded-modes.md", "docs/promises.md", "docs/testing.md"]

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

    /// `` `ATests/BTests` ``, and each alone: a suite, or all of a target.
    static let suites = Rule(
        "Suites that documents name exist",
        offenders: [
            [documents[1]: "| `ATests/BTests` |", "Tests/A/ATests.swift": test],
            [documents[1]: "| `A/ATests` |", "Tests/BTests/ATests.swift": test],
            [documents[2]: "`ATests`, `BTests`", "Tests/A/ATests.swift": test],
            [documents[2]: "`HTests`", "Tests/H/Help.swift": "struct HTestsOfMine {}"],
        ],
        clean: [
            documents[1]: "| `BTests/ATests`, `ATests` | `Tests/Conformance/a.py` |",
            documents[2]: "`BTests` are `ATests`; so are `ETests`",
            "Tests/BTests/ATests.swift": test,
            "Tests/BTests/Others.swift": "@Suite struct ETests {", "docs/other.md": "`NoTests`",
        ]
    ) { tree in
        let tests = tree.swift.filter { $0.path.hasPrefix("Tests/") }
        return documents.compactMap(tree.file).flatMap { document in
            document.lines.enumerated().flatMap { place, line in
                line.matches(of: /`(?:(\w+)\/)?(\w+Tests)`/).compactMap { match -> Offence? in
                    let (target, suite) = (match.output.1, String(match.output.2))
                    let folder = target.map { "Tests/\($0)/" } ?? "Tests/"
                    let isThere = tests.contains { file in
                        target == nil && file.path.hasPrefix("Tests/\(suite)/")
                            || file.path.hasPrefix(folder)
                                && (file.name == suite + ".swift"
                                    || file.text.contains("struct \(suite) "))
                    }
                    if isThere { return nil }
                    return Offence(document, line: place + 1, "there is no \(match.output.0)")
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
