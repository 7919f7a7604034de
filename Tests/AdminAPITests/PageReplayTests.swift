import AdminAPI
import Foundation
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

/// What the documents show is what happens.
@Suite(.database) struct PageReplayTests {
    @Test(arguments: try APIPage.names()) func aPageIsReplayed(_ name: String) throws {
        var replay = try Replay(of: name)
        for step in try APIPage(name).steps { try replay.run(step, of: name) }
    }

    @Test func everyResourceHasAPage() throws {
        let pages = try APIPage.names()
        #expect(pages.count >= 15)
        let text = try pages.map {
            String(decoding: try PackageRoot.bytes(of: "docs/api/\($0)"), as: UTF8.self)
        }.joined()
        let tags = Set(
            Operations.all.compactMap { $0.path.split(separator: "/").last { !$0.hasPrefix("{") } })
        for tag in tags { #expect(text.contains("/\(tag)"), "no page shows /\(tag)") }
    }
}

/// One page under way: what is known by name so far.
private struct Replay {
    private static let repeatLimit: Duration = .seconds(10)

    private let agency: TestAgency
    private var known: [String: JSONTree]

    init(of page: String) throws {
        agency = try GatewayStage().makeAgency()
        let client = try agency.post("/v1/clients", ["name": "Example client"])
        let clientId = try #require(client.json["id"])
        let app = try agency.post(
            "/v1/apps",
            [
                "clientId": clientId, "name": "Example app", "bundleId": "com.example.app",
                "appAppleId": 1_234_567, "defaultLocale": "en-US",
            ])
        let appId = try #require(app.json["id"], "\(app.text)")
        known = [
            "clientId": clientId, "appId": appId, "productId": "com.example.app.monthly",
        ]
        let product = try agency.post(
            "/v1/apps/\(appId.text ?? "")/products",
            [
                "productId": "com.example.app.monthly", "subscriptionGroup": "premium",
                "period": "P1M", "billingPlans": [],
            ])
        try #require(product.status == 201, "\(product.text)")
        if page == "apple-objects.md" { try makeRejected(try #require(AppID(appId.text ?? ""))) }
    }

    /// What only Apple can bring about.
    private mutating func makeRejected(_ app: AppID) throws {
        let stage = agency.stage
        let message = MessageID.make(at: stage.now)
        let rejected = try stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: stage.now
        ) { transaction in
            try transaction.createMessage(message, name: "stay-with-us", kind: .text, of: app)
            try transaction.createLocalization(
                Localization(
                    locale: "en-US", header: "Before you go", body: "Stay for half the price."),
                of: message, app: app)
            return try transaction.bringToApple(
                .rejected, at: AppEnvironment(app: app, environment: .sandbox))
        }
        known["messageId"] = .string("\(message)")
        known["rejectedId"] = .string(try #require(rejected.first).atApple)
    }

    mutating func run(_ step: APIPage.Step, of page: String) throws {
        let place = "\(page):\(step.line)"
        let sent = try prepared(step.request, place)
        var differences: [String] = []
        var answer = ""
        let attempt = { (replay: inout Replay) throws -> Bool in
            try replay.agency.stage.jobs.runWaiting()
            let response = try replay.agency.stage.send(
                sent.method, sent.target, token: sent.hasKey ? nil : replay.agency.token,
                headers: sent.headers, body: sent.body)
            answer = response.text
            differences = replay.differences(response, step.response)
            return differences.isEmpty
        }
        if step.isRepeated {
            let deadline = ContinuousClock.now + Self.repeatLimit
            while try !attempt(&self), ContinuousClock.now < deadline {}
        } else {
            _ = try attempt(&self)
        }
        #expect(differences.isEmpty, "\(place) \(differences) \(answer.prefix(600))")
    }

    // MARK: - Requests

    private typealias Sent = (
        method: String, target: String, headers: [(String, String)], hasKey: Bool, body: [UInt8]
    )

    private func prepared(_ message: APIPage.Message, _ place: String) throws -> Sent {
        let words = message.start.split(separator: " ")
        try #require(words.count == 2, "\(place): a request begins with METHOD path")
        var headers = message.headers.map { ($0.0, filled($0.1)) }
        let type = headers.first { $0.0 == "Content-Type" }?.1
        let body = try body(message.body, type: type, place)
        if !body.isEmpty, type == nil { headers.append(("Content-Type", "application/json")) }
        return (
            String(words[0]), filled(String(words[1])), headers,
            headers.contains { $0.0 == "Authorization" }, body
        )
    }

    private func body(_ text: String, type: String?, _ place: String) throws -> [UInt8] {
        if text.isEmpty { return [] }
        if text.hasPrefix("{{png:") { return try picture(text) }
        if type == "text/csv" {
            return Array(filled(text).replacing("\n", with: "\r\n").utf8) + Array("\r\n".utf8)
        }
        // What is no JSON is meant so: a page shows what happens then.
        let tree = try? JSONTree(document: Array(text.utf8))
        return tree.map { filled($0).bytes } ?? Array(filled(text).utf8)
    }

    /// `{{png:1024x1024}}`, `{{png:1024x1024:alpha}}`, `{{png:1024x1024:transparent}}`.
    private func picture(_ text: String) throws -> [UInt8] {
        let parts = text.dropFirst(6).dropLast(2).split(separator: ":")
        let size = parts[0].split(separator: "x").compactMap { Int($0) }
        try #require(size.count == 2)
        let kind = parts.count > 1 ? parts[1] : ""
        return PlainPicture(
            width: size[0], height: size[1],
            transparentGrey: kind == "transparent" ? 0 : kind == "alpha" ? 1 : nil
        ).png
    }

    /// Names put in, wherever they stand in a text.
    private func filled(_ text: String) -> String {
        known.reduce(text) { text, entry in
            text.replacing("{{\(entry.key)}}", with: entry.value.text ?? shown(entry.value))
        }
    }

    private func shown(_ value: JSONTree) -> String {
        String(decoding: value.bytes, as: UTF8.self)
    }

    private func filled(_ tree: JSONTree) -> JSONTree {
        switch tree {
        case .string(let text):
            if text == "{{p8}}" { return .string(Self.newKey()) }
            if text.hasPrefix("{{"), text.hasSuffix("}}"),
                let value = known[String(text.dropFirst(2).dropLast(2))]
            {
                return value
            }
            return .string(filled(text))
        case .array(let elements): return .array(elements.map(filled))
        case .object(let members):
            return .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { (filled($0.key), filled($0.value)) }))
        default: return tree
        }
    }

    private static func newKey() -> String {
        (try? PrivateKey.generate().pem()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    // MARK: - Answers

    private mutating func differences(
        _ answer: TestAnswer, _ wanted: APIPage.Message
    ) -> [String] {
        var found: [String] = []
        let status = wanted.start.split(separator: " ").first.flatMap { Int($0) }
        if answer.status != status { found.append("status \(answer.status)") }
        for (name, value) in wanted.headers {
            let actual = answer.header(name) ?? "(none)"
            if !matches(actual, pattern: value) { found.append("\(name): \(actual)") }
        }
        if wanted.body.isEmpty { return found }
        if wanted.headers.contains(where: { $0.1.hasPrefix("text/csv") }) {
            let text = filled(wanted.body).replacing("\n", with: "\r\n") + "\r\n"
            if answer.text != text { found.append("csv") }
            return found
        }
        guard let tree = try? JSONTree(document: Array(wanted.body.utf8)) else {
            return found + ["the page's body is no JSON"]
        }
        if answer.header("Content-Type") == "application/problem+json" {
            return found + problemDifferences(answer.json, tree)
        }
        compare(answer.json, tree, at: "", &found)
        return found
    }

    /// By `code`, and by what is shown of each error, in any order.
    private mutating func problemDifferences(_ answer: JSONTree, _ wanted: JSONTree) -> [String] {
        var found: [String] = []
        if answer["code"] != wanted["code"] { found.append("code \(answer["code"] ?? .null)") }
        guard let errors = wanted["errors"]?.elements else { return found }
        var left = answer["errors"]?.elements ?? []
        for error in errors {
            guard case .object(let members) = filled(error) else { continue }
            let match = left.firstIndex { candidate in
                members.allSatisfy { $0.key == "detail" || candidate[$0.key] == $0.value }
            }
            if let match { left.remove(at: match) } else { found.append("no error \(error)") }
        }
        return found + left.map { "error \($0)" }
    }

    private mutating func compare(
        _ answer: JSONTree, _ wanted: JSONTree, at place: String, _ found: inout [String]
    ) {
        switch (answer, wanted) {
        case (.object(let members), .object(let shown)):
            for name in Set(members.keys).union(shown.keys).sorted() {
                guard let value = members[name], let pattern = shown[name] else {
                    found.append(
                        "\(place)/\(name) only in \(members[name] == nil ? "page" : "answer")")
                    continue
                }
                compare(value, pattern, at: "\(place)/\(name)", &found)
            }
        case (.array(let elements), .array(let shown)):
            if elements.count != shown.count { found.append("\(place) has \(elements.count)") }
            for (index, pair) in zip(elements, shown).enumerated() {
                compare(pair.0, pair.1, at: "\(place)/\(index)", &found)
            }
        case (_, .string(let pattern)):
            if !matches(answer, pattern: pattern) { found.append("\(place) is \(shown(answer))") }
        default:
            if answer != wanted { found.append("\(place) is \(shown(answer))") }
        }
    }

    private mutating func matches(_ value: JSONTree, pattern: String) -> Bool {
        if pattern.hasPrefix("{{"), pattern.hasSuffix("}}"),
            pattern.components(separatedBy: "{{").count == 2
        {
            let inner = String(pattern.dropFirst(2).dropLast(2))
            // What a header told is a text there, and perhaps a number here.
            if let held = known[inner] {
                return (held.text ?? shown(held)) == (value.text ?? shown(value))
            }
            return take(value, inner)
        }
        guard case .string(let text) = value else { return false }
        return matches(text, pattern: pattern)
    }

    /// A text with placeholders among other characters.
    private mutating func matches(_ text: String, pattern: String) -> Bool {
        guard let start = pattern.range(of: "{{"),
            let end = pattern.range(of: "}}", range: start.upperBound..<pattern.endIndex)
        else { return text == pattern }
        let before = pattern[..<start.lowerBound]
        let after = String(pattern[end.upperBound...])
        let inner = String(pattern[start.upperBound..<end.lowerBound])
        guard text.hasPrefix(before) else { return false }
        let rest = text.dropFirst(before.count)
        if let value = known[inner] {
            let word = value.text ?? shown(value)
            return rest.hasPrefix(word)
                && matches(String(rest.dropFirst(word.count)), pattern: after)
        }
        // The piece that varies ends where the fixed text behind it begins.
        let fixed = after.components(separatedBy: "{{")[0]
        guard !fixed.isEmpty else { return take(.string(String(rest)), inner) }
        guard let stop = rest.range(of: fixed) else { return false }
        return take(.string(String(rest[..<stop.lowerBound])), inner)
            && matches(String(rest[stop.lowerBound...]), pattern: after)
    }

    /// `kind` or `name=kind`.
    private mutating func take(_ value: JSONTree, _ inner: String) -> Bool {
        let parts = inner.split(separator: "=", maxSplits: 1).map(String.init)
        guard Self.isOf(kind: parts[parts.count - 1], value) else { return false }
        // A number in a path is the number of a body.
        let number = parts[parts.count - 1] == "int" ? value.text.flatMap { Int64($0) } : nil
        if parts.count == 2 { known[parts[0]] = number.map(JSONTree.integer) ?? value }
        return true
    }

    private static func isOf(kind: String, _ value: JSONTree) -> Bool {
        let text = value.text ?? ""
        switch kind {
        case "any": return true
        case "int": return value.number != nil || Int(text) != nil
        case "text": return !text.isEmpty
        case "time":
            return text.count == 24 && InstantText.milliseconds(rfc3339: text) != nil
        case "etag":
            return text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
        case "sha256":
            return text.count == 64 && text.allSatisfy { $0.isHexDigit && !$0.isUppercase }
        default:
            guard kind.hasPrefix("id:") else { return false }
            return text.hasPrefix(kind.dropFirst(3) + "_")
                && text.split(separator: "_").last?.count == 26
        }
    }
}
