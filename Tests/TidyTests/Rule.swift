import Testing

/// One place that breaks a rule, and what to do instead.
struct Offence: CustomStringConvertible {
    let path: String
    let line: Int
    let advice: String

    init(_ file: Tree.File, line: Int = 1, _ advice: String) {
        path = file.path
        self.line = line
        self.advice = advice
    }

    var description: String { "\(path):\(line): \(advice)" }
}

/// One house rule, with the examples that prove that it sees what it should, and no more.
struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    let check: @Sendable (Tree) -> [Offence]
    /// Each of these trees breaks the rule; the key is a path.
    let offenders: [[String: String]]
    /// One tree that keeps it, though only just.
    let clean: [String: String]

    init(
        _ name: String, offenders: [[String: String]], clean: [String: String],
        check: @escaping @Sendable (Tree) -> [Offence]
    ) {
        self.name = name
        self.offenders = offenders
        self.clean = clean
        self.check = check
    }

    var testDescription: String { name }

    /// A rule on single lines: `find` answers the advice for a line that breaks it, and is asked
    /// only about lines with one of the hints.
    static func onLines(
        of form: Form, _ name: String, hints: [String] = [""],
        where isMeant: @escaping @Sendable (Tree.File) -> Bool,
        offenders: [[String: String]], clean: [String: String],
        find: @escaping @Sendable (Substring, Tree.File) -> String?
    ) -> Rule {
        Rule(name, offenders: offenders, clean: clean) { tree in
            tree.files.filter(isMeant).flatMap { file in
                form.lines(of: file).enumerated().compactMap { place, line in
                    guard line.holds(hints) else { return nil }
                    return find(line, file).map { Offence(file, line: place + 1, $0) }
                }
            }
        }
    }
}

/// What of a file a rule looks at.
enum Form {
    case text
    /// With comments and the contents of strings blanked.
    case code

    func lines(of file: Tree.File) -> [Substring] {
        switch self {
        case .text: file.lines
        case .code: file.code
        }
    }
}

extension Substring {
    /// Whether one of the marks occurs, whatever its case: a quick look that spares most lines the
    /// slower one with a pattern.
    func holds(_ marks: [String]) -> Bool {
        let bytes = utf8.map { $0 | 0x20 }
        return marks.contains { mark in
            let wanted = mark.utf8.map { $0 | 0x20 }
            guard let first = wanted.first else { return true }
            return bytes.indices.contains { place in
                bytes[place] == first && bytes[place...].starts(with: wanted)
            }
        }
    }
}
