// Style as a test: what the house rules say, as far as a program can see it. Each rule carries a
// planted offender and a clean twin, so the rules are tested too.
//
//   Tree (files on disk, or planted ones)  -->  Rule.check  -->  [Offence: where, and what instead]

import Foundation

/// The files that people write, as text.
struct Tree {
    struct File {
        let path: String
        let text: String
        /// With comments and the contents of strings blanked; only for Swift.
        let code: [Substring]
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

        init(_ path: String, _ text: String) {
            self.path = path
            self.text = text
            let code = path.hasSuffix(".swift") ? SwiftCode.code(of: text) : ""
            self.code = code.split(separator: "\n", omittingEmptySubsequences: false)
        }

        var name: String { String(path.split(separator: "/").last ?? "") }
        /// "Sources/Service/Log.swift" is in "Service".
        var module: String? {
            let parts = path.split(separator: "/")
            return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
        }
        var isSwift: Bool { path.hasSuffix(".swift") }
        var isMarkdown: Bool { path.hasSuffix(".md") }
        var isSource: Bool { path.hasPrefix("Sources/") || path.hasPrefix("Migrations/") }
        var isTest: Bool { path.hasPrefix("Tests/") }
        /// Where the rules and their planted offenders stand.
        var isTidy: Bool { path.hasPrefix("Tests/TidyTests/") }
    }

    let files: [File]
    var swift: [File] { files.filter(\.isSwift) }
    var sources: [File] { files.filter { $0.isSource && $0.isSwift } }

    init(planted: [String: String]) {
        files = planted.sorted { $0.key < $1.key }.map { File($0.key, $0.value) }
    }

    func file(_ path: String) -> File? { files.first { $0.path == path } }
}

extension Tree {
    private static let roots = [
        "CONTRIBUTING.md", "Migrations", "Package.swift", "README.md", "Sources", "Tests", "deploy",
        "docs",
    ]
    /// Larger files are data.
    private static let fileBytesLimit = 1_000_000

    /// The package this test belongs to.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    /// Read once; every rule looks at the same files.
    static let package = Tree(readFrom: root)

    private init(readFrom root: URL) {
        files = Self.roots.flatMap { Self.paths($0, root) }.sorted().compactMap { path in
            let data = try? Data(contentsOf: root.appendingPathComponent(path))
            guard let data, data.count <= Self.fileBytesLimit else { return nil }
            return String(validating: data, as: UTF8.self).map { File(path, $0) }
        }
    }

    /// What git would list: no hidden files, no caches, no links.
    private static func paths(_ path: String, _ root: URL) -> [String] {
        let place = root.appendingPathComponent(path).path
        let kind = try? FileManager.default.attributesOfItem(atPath: place)[.type]
        switch kind as? FileAttributeType {
        case .typeRegular: return [path]
        case .typeDirectory:
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            return names.filter { !$0.hasPrefix(".") && $0 != "__pycache__" }
                .flatMap { paths(path + "/" + $0, root) }
        default: return []
        }
    }
}
