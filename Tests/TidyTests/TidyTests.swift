import Foundation
import Testing

@Suite struct `The package keeps its own rules` {
    static let rules =
        SizeRules.all + NameRules.all + TextRules.all + ImportRules.all + DocumentRules.all
        + TestRules.all + NamedTestRules.all + LogRules.all

    @Test func `The files are there to be looked at`() {
        #expect(Tree.package.sources.count > 20)
        #expect(Tree.package.file("Package.swift") != nil)
    }

    @Test(arguments: rules)
    func `No file breaks the rule`(rule: Rule) {
        for offence in rule.check(Tree.package) { Issue.record("\(offence)") }
    }

    @Test(
        .enabled(
            if: SettingRules.documents.allSatisfy { Tree.exists($0) },
            "docs/operating.md and deploy/env.sample are not both written"))
    func `Settings are the same in programs and documents`() {
        for offence in SettingRules.documented.check(Tree.package) { Issue.record("\(offence)") }
    }

    @Test(arguments: rules + [SettingRules.documented])
    func `The rule finds each planted offender, and spares the clean twin`(rule: Rule) {
        #expect(!rule.offenders.isEmpty)
        for offender in rule.offenders {
            #expect(!rule.check(Tree(planted: offender)).isEmpty, "missed: \(offender)")
        }
        let spared = rule.check(Tree(planted: rule.clean))
        #expect(spared.isEmpty, "\(spared)")
    }

    @Test(arguments: [
        ("a // b", "a     "), ("a /* b /* c */ d */ e", "a                   e"),
        ("\"a\\\"b\" c", "\"    \" c"), ("\"a\\(b(c) + \"d\")e\" f", "\"  (b(c) + \" \") \" f"),
        ("#\"a\"b\"# c", "#\"   \"# c"), ("\"\"\"\na \"b\" \n\"\"\" c", "\"\"\"\n      \n\"\"\" c"),
        ("#\"\\(a)\\#(b)\"#", "#\"      (b)\"#"), ("\"a // b\" // c", "\"      \"     "),
        ("#expect(a)", "#expect(a)"),
    ])
    func `Comments and strings are told from code`(text: String, code: String) {
        #expect(SwiftCode.code(of: text) == code)
    }
}

@Suite struct `The repository` {
    /// A compiled file holds the paths of the machine that made it, and is old at once.
    @Test func `keeps what people write, and pictures, certificates and made-up input for tests`()
        throws
    {
        let list = Process()
        let said = Pipe()
        list.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        list.arguments = ["git", "ls-files", "-z"]
        list.currentDirectoryURL = Tree.root
        list.standardOutput = said
        try list.run()
        let data = try said.fileHandleForReading.readToEnd() ?? Data()
        list.waitUntilExit()
        try #require(list.terminationStatus == 0, "run the tests in a clone")
        let paths = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        #expect(paths.contains("Package.swift"))
        let ownForms = paths.filter {
            $0.hasSuffix(".png") || $0.hasPrefix("Tests/Fuzz/corpus/")
        }
        for path in Set(paths).subtracting(ownForms).sorted() {
            let file = Tree.root.appendingPathComponent(path)
            guard let content = try? Data(contentsOf: file) else { continue }
            #expect(String(validating: content, as: UTF8.self) != nil, "\(path) is no text")
        }
    }
}

@Suite struct `The package is formatted` {
    /// The toolchain that runs this test brings the formatter. It has three minutes of its own: a
    /// limit on the test would also count how long the test waits for a thread.
    @Test func `swift format has nothing to say`() throws {
        let lint = Process()
        let said = Pipe()
        lint.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        lint.arguments =
            ["timeout", "180", "swift", "format", "lint", "--strict", "--parallel", "-r"]
            + ["Sources", "Tests", "Migrations", "Package.swift"]
        lint.currentDirectoryURL = Tree.root
        lint.standardError = said
        try lint.run()
        let text = try said.fileHandleForReading.readToEnd() ?? Data()
        lint.waitUntilExit()
        let advice = String(decoding: text, as: UTF8.self)
        #expect(
            lint.terminationStatus == 0, "run `swift format -i` on these (124: it hung):\n\(advice)"
        )
    }
}
