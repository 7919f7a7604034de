/// Short lines, short functions, short files.
enum SizeRules {
    static let columnsLimit = 100
    static let functionLinesLimit = 70
    static let fileLinesLimit = 400
    static let shimLinesLimit = 60
    static let mainLinesLimit = 15

    static let all = [columns, functions, files, shims, mains]

    static let columns = Rule.onLines(
        of: .text, "Lines have at most 100 columns", where: \.isSwift,
        offenders: [["Package.swift": String(repeating: "x", count: 101)]],
        clean: ["Sources/A/A.swift": String(repeating: "é", count: 100)]
    ) { line, _ in
        // Bytes first: counting characters is slow, and a line has no more of them than bytes.
        line.utf8.count > columnsLimit && line.count > columnsLimit
            ? "\(line.count) columns; break the line, or say less" : nil
    }

    static let functions = Rule(
        "Functions have at most 70 lines",
        offenders: [
            ["Sources/A/A.swift": "func f(a: () -> Void = { }) {\n" + lines(69) + "}\n"],
            ["Tests/A/A.swift": "struct A {\n init?() {\n" + lines(69) + " }\n}\n"],
            ["Sources/A/A.swift": "var f: Int {\n" + lines(69) + "}\n"],
        ],
        clean: [
            "Sources/A/A.swift": "func f() {\n" + lines(68) + "}\n// func g() {\n" + lines(80)
                + "protocol P {\n  func f()\n}\n"
        ]
    ) { tree in
        tree.swift.flatMap { file in
            FunctionSpan.all(in: file).filter { $0.lineCount > functionLinesLimit }.map {
                Offence(
                    file, line: $0.line,
                    "\($0.lineCount) lines in one function; keep the control flow, move leaves out")
            }
        }
    }

    static let files = Rule(
        "Files have at most 400 lines",
        offenders: [["Sources/A/A.swift": lines(401)]], clean: ["Tests/A/A.swift": lines(400)]
    ) { tree in
        tree.swift.filter { lineCount($0) > fileLinesLimit }.map {
            Offence($0, "\(lineCount($0)) lines; a second noun is in here, give it its own file")
        }
    }

    static let shims = Rule(
        "C shims have at most 60 lines",
        offenders: [["Sources/CThing/shim.h": lines(61)], ["Sources/CICU/CICU.cpp": lines(61)]],
        clean: ["Sources/CThing/shim.h": lines(60), "Tests/A/big.h": lines(99)]
    ) { tree in
        tree.files.filter { file in
            file.isSource && [".h", ".c", ".cpp"].contains { file.name.hasSuffix($0) }
                && lineCount(file) > shimLinesLimit
        }.map {
            Offence($0, "\(lineCount($0)) lines of C; only what Swift cannot call belongs here")
        }
    }

    static let mains = Rule(
        "main.swift has at most 15 lines",
        offenders: [["Sources/a-b/main.swift": lines(16)]],
        clean: ["Sources/a-b/main.swift": lines(15)]
    ) { tree in
        tree.swift.filter { $0.name == "main.swift" && lineCount($0) > mainLinesLimit }.map {
            Offence($0, "main.swift is a sentence: move behaviour into the application's library")
        }
    }

    private static func lineCount(_ file: Tree.File) -> Int {
        file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
    }

    private static func lines(_ count: Int) -> String { String(repeating: "x\n", count: count) }
}

/// A declaration with a body, from its first line to its closing brace.
struct FunctionSpan {
    let line: Int
    let lineCount: Int

    static func all(in file: Tree.File) -> [FunctionSpan] {
        file.code.indices.compactMap { first in
            opensBody(file.code[first]) ? span(from: first, in: file.code) : nil
        }
    }

    private static func opensBody(_ line: Substring) -> Bool {
        guard line.holds(["func ", "init", "subscript", "var "]) else { return false }
        if line.contains(/(^|[^.\w])(func\s|init[?]?[(<]|deinit\b|subscript[(<])/) { return true }
        return line.contains(/\bvar\s.*\{\s*$/)
    }

    /// The body is the first brace outside all parentheses; a default value may hold others.
    private static func span(from first: Int, in code: [Substring]) -> FunctionSpan? {
        var parentheses = 0
        var braces = 0
        for place in first..<code.count {
            for byte in code[place].utf8 {
                switch byte {
                case UInt8(ascii: "("): parentheses += 1
                case UInt8(ascii: ")"): parentheses -= 1
                case UInt8(ascii: "{") where parentheses == 0 || braces > 0: braces += 1
                case UInt8(ascii: "}") where braces == 0 && parentheses == 0: return nil
                case UInt8(ascii: "}") where braces == 1:
                    return FunctionSpan(line: first + 1, lineCount: place - first + 1)
                case UInt8(ascii: "}") where braces > 1: braces -= 1
                default: break
                }
            }
        }
        return nil
    }
}
