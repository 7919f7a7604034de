/// The settings that programs read and the settings that operators are told of are the same.
enum SettingRules {
    static let documents = ["deploy/env.sample", "docs/operating.md"]

    static let documented = Rule(
        "Settings are documented, and documented settings exist",
        offenders: [
            planted(documented: ""), planted(documented: "HOLDFAST_A HOLDFAST_B"),
            ["Sources/A/A.swift": "", "docs/operating.md": "`HOLDFAST_A`"],
        ],
        clean: planted(documented: "`HOLDFAST_A=1`, HOLDFAST_*")
    ) { tree in
        let proxy = tree.file("deploy/haproxy.cfg").map { names(in: $0, pattern: expanded) } ?? []
        let read = Set(tree.sources.flatMap { names(in: $0, pattern: quoted) }).union(proxy)
        return documents.compactMap(tree.file).flatMap { document -> [Offence] in
            let told = names(in: document, pattern: plain)
            let missing = read.subtracting(told).sorted().map {
                Offence(document, "\($0) is read by a program; say what it means")
            }
            let invented = told.subtracting(read).sorted().map {
                Offence(document, "\($0) is read by no program; remove it")
            }
            return missing + invented
        }
    }

    private static var quoted: Regex<(Substring, Substring)> { /"(HOLDFAST_[A-Z0-9_]*[A-Z0-9])"/ }
    private static var expanded: Regex<(Substring, Substring)> {
        /\$\{(HOLDFAST_[A-Z0-9_]*[A-Z0-9])/
    }
    private static var plain: Regex<(Substring, Substring)> { /\b(HOLDFAST_[A-Z0-9_]*[A-Z0-9])\b/ }

    private static func names(
        in file: Tree.File, pattern: Regex<(Substring, Substring)>
    ) -> Set<String> {
        Set(file.text.matches(of: pattern).map { String($0.output.1) })
    }

    private static func planted(documented: String) -> [String: String] {
        [
            "Sources/A/A.swift": "Setting(\"HOLDFAST_A\") // hasPrefix(\"HOLDFAST_\")",
            "docs/operating.md": documented, "deploy/env.sample": documented,
        ]
    }
}
