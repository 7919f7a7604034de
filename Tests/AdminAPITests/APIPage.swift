import AdminAPI
import Foundation
import TestSupport

/// One page of `docs/api`, cut into its requests and answers; `docs/api/README.md` has the form.
struct APIPage {
    struct Step {
        let line: Int
        let request: Message
        let response: Message
        /// Sent again until the answer is the one shown.
        let isRepeated: Bool
    }

    /// A first line, headers, a body.
    struct Message {
        let start: String
        let headers: [(String, String)]
        let body: String

        init(_ text: String) {
            let parts = text.split(
                separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
            let head = parts[0].split(separator: "\n").map(String.init)
            start = head.first ?? ""
            headers = head.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (
                    String(line[..<colon]),
                    line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                )
            }
            body = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    let name: String
    let steps: [Step]

    struct Malformed: Error {
        let page: String
        let line: Int
    }

    /// The names of all pages that have requests.
    static func names() throws -> [String] {
        let folder = PackageRoot.path + "/docs/api"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            guard name.hasSuffix(".md"), name != "README.md" else { return false }
            return try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
                .contains("```http request")
        }.sorted()
    }

    init(_ name: String) throws {
        self.name = name
        let text = String(
            decoding: try PackageRoot.bytes(of: "docs/api/\(name)"), as: UTF8.self)
        var steps: [Step] = []
        var open: (line: Int, kind: String, lines: [String])?
        var request: (line: Int, message: Message, isRepeated: Bool)?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            guard var block = open else {
                if line.hasPrefix("```") { open = (index + 1, String(line.dropFirst(3)), []) }
                continue
            }
            guard line == "```" else {
                block.lines.append(line)
                open = block
                continue
            }
            open = nil
            let message = Message(block.lines.joined(separator: "\n"))
            switch block.kind {
            case "http request", "http request until":
                guard request == nil else { throw Malformed(page: name, line: block.line) }
                request = (block.line, message, block.kind.hasSuffix("until"))
            case "http response":
                guard let asked = request else { throw Malformed(page: name, line: block.line) }
                steps.append(
                    Step(
                        line: asked.line, request: asked.message, response: message,
                        isRepeated: asked.isRepeated))
                request = nil
            default: break
            }
        }
        guard request == nil, open == nil else { throw Malformed(page: name, line: 0) }
        self.steps = steps
    }
}
