/// Names say what a thing is.
enum NameRules {
    static let bannedWords: Set<String> = [
        "manager", "managers", "helper", "helpers", "util", "utils", "utility", "utilities",
        "common", "core", "kit",
    ]

    static let all = [declarations, paths]

    static let declarations = Rule.onLines(
        of: .code, "Declared names hold no empty words", hints: Array(bannedWords),
        where: \.isSwift,
        offenders: [
            ["Sources/A/A.swift": "final class PoolManager {}"],
            ["Tests/A/A.swift": "func dateHelper() {}"],
            ["Sources/A/A.swift": "let coreValue = 1"],
            ["Sources/A/A.swift": "enum A { case common }"],
        ],
        clean: [
            "Sources/A/A.swift": """
            let score = FileManager.default  // the manager of files
            let storeKitMessage = 1, kitchen = 2
            let subjectCommonName = 3
            """
        ]
    ) { line, _ in
        let pattern = /\b(func|var|let|struct|class|enum|case|protocol|typealias|actor)\s+(\w+)/
        let words = line.matches(of: pattern).flatMap { banned(in: String($0.output.2)) }
        return words.first.map(advice)
    }

    static let paths = Rule(
        "Paths hold no empty words",
        offenders: [
            ["Sources/Core/A.swift": ""], ["Tests/A/TestHelpers.swift": ""],
            ["docs/common/a.md": ""],
        ],
        clean: ["Sources/A/Score.swift": "", "Sources/StoreKitMessages/A.swift": ""]
    ) { tree in
        tree.files.compactMap { file in
            banned(in: file.path).first.map { Offence(file, advice($0)) }
        }
    }

    /// "StoreKit" is Apple's, "common name" is what X.509 calls a certificate's subject.
    private static func banned(in name: String) -> [String] {
        let parts = words(of: name)
        return parts.indices.filter { place in
            let isApples = parts[place] == "kit" && parts.prefix(place).last == "store"
            let isSubject = parts[place] == "common" && parts.dropFirst(place + 1).first == "name"
            return bannedWords.contains(parts[place]) && !isApples && !isSubject
        }.map { parts[$0] }
    }

    /// "PoolManager", "pool_manager" and "pool-manager" are two words each.
    private static func words(of name: String) -> [String] {
        name.matches(of: /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/).map { $0.output.lowercased() }
    }

    private static func advice(_ word: String) -> String {
        "'\(word)' says nothing; name the one noun this is, or put it where it is used"
    }
}
