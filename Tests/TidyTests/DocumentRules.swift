import Foundation

/// Documents have a place in the reading order, and their links lead somewhere.
enum DocumentRules {
    static let all = [titles, links, reachable]

    static let titles = Rule(
        "Each document has exactly one title",
        offenders: [
            ["docs/a.md": "text"], ["docs/a.md": "# One\n# Two"], ["README.md": "```\n# no\n```"],
        ],
        clean: ["docs/a.md": "# One\n## Part\n```\n# a comment\n```"]
    ) { tree in
        tree.files.filter(\.isMarkdown).compactMap { file in
            let count = prose(of: file).filter { $0.hasPrefix("# ") }.count
            return count == 1 ? nil : Offence(file, "\(count) titles; a document has one `# Title`")
        }
    }

    static let links = Rule(
        "Links lead somewhere",
        offenders: [
            ["docs/a.md": "[b](b.md)"], ["README.md": "[x](docs/none#part)"],
            ["docs/a.md": "[c]: ../c.md"],
        ],
        clean: [
            "docs/a.md":
                "[b](b.md#part) [w](https://a.example/x) [p](#here) `[no](no.md)` [d](../docs)",
            "docs/b.md": "```\n[no](no.md)\n```",
        ]
    ) { tree in
        tree.files.filter(\.isMarkdown).flatMap { file in
            targets(of: file).filter { target in
                let isPlanted = tree.files.contains {
                    $0.path == target.path || $0.path.hasPrefix(target.path + "/")
                }
                return !isPlanted && !Tree.exists(target.path)
            }.map { Offence(file, line: $0.line, "\($0.path) does not exist; correct the link") }
        }
    }

    static let reachable = Rule(
        "Each document is reached from a README",
        offenders: [
            ["README.md": "# R", "docs/a.md": "# A"],
            ["docs/README.md": "# R", "docs/a.md": "[b](b.md)", "docs/b.md": "[a](a.md)"],
        ],
        clean: [
            "README.md": "[docs](docs/README.md)", "docs/README.md": "[a](a.md)",
            "docs/a.md": "[b](b/c.md)", "docs/b/c.md": "",
        ]
    ) { tree in
        var reached: Set<String> = []
        var next = ["README.md", "docs/README.md"]
        while let path = next.popLast() {
            guard reached.insert(path).inserted, let file = tree.file(path) else { continue }
            next += targets(of: file).map(\.path).filter { $0.hasSuffix(".md") }
        }
        return tree.files.filter {
            $0.isMarkdown && $0.path.hasPrefix("docs/") && !reached.contains($0.path)
        }.map { Offence($0, "no README leads here; add it to the reading order in docs/README.md") }
    }

    /// Lines outside code blocks, in place.
    private static func prose(of file: Tree.File) -> [Substring] {
        var isCode = false
        return file.lines.map { line in
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
                return ""
            }
            return isCode ? "" : line
        }
    }

    /// Links inside the package, as paths from its root.
    private static func targets(of file: Tree.File) -> [(path: String, line: Int)] {
        prose(of: file).enumerated().flatMap { place, line -> [(path: String, line: Int)] in
            let text = line.replacing(/`[^`]*`/, with: "")
            let inline = text.matches(of: /\]\(([^)\s]+)[^)]*\)/).map { $0.output.1 }
            let named = text.matches(of: /^\s*\[[^\]]+\]:\s*(\S+)/).map { $0.output.1 }
            return (inline + named).compactMap { link in
                guard !link.contains(/^[a-z]+:/), let bare = link.split(separator: "#").first,
                    !link.hasPrefix("#")
                else { return nil }
                let folder = file.path.split(separator: "/").dropLast().joined(separator: "/")
                return (resolved(String(bare), from: folder), place + 1)
            }
        }
    }

    private static func resolved(_ link: String, from folder: String) -> String {
        var parts: [Substring] = []
        for part in (folder + "/" + link).split(separator: "/") where part != "." {
            if part == ".." && !parts.isEmpty && parts.last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return parts.joined(separator: "/")
    }
}
