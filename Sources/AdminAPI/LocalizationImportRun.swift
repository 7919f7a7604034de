internal import Retention
internal import RetentionStore

/// One import inside its job: each row is judged as a request for it would be, and stored or
/// refused as a whole. What rows before it did is known to a row, also when nothing is stored.
struct LocalizationImportRun {
    private enum Outcome: String, CaseIterable { case created, updated, unchanged, refused }

    private struct Target {
        /// `nil` where the message would have been made.
        let id: MessageID?
        let kind: MessageKind
    }

    /// Problems that a row's report names.
    private static let problemsLimit = 8
    /// Of the names in the report, which came unjudged.
    private static let nameUnits = 200

    private let call: JobCall
    private let app: AppID
    private let rows: [LocalizationRow]
    private let isDryRun: Bool
    private var messages: [[UInt8]: Target] = [:]
    private var messageCount: Int64
    private var texts: [[UInt8]: Localization] = [:]
    private var seen: [[UInt8]: Int] = [:]

    init(_ call: JobCall, rows: [LocalizationRow], isDryRun: Bool) throws {
        self.call = call
        self.rows = rows
        self.isDryRun = isDryRun
        app = call.job.app
        messageCount = try call.transaction.countMessages(of: app)
        for message in try call.transaction.lockMessages(named: rows.map(\.message), of: app) {
            messages[Array(message.name.utf8)] = Target(id: message.id, kind: message.kind)
        }
        let places = rows.map { TextName(message: $0.message, locale: $0.locale) }
        for named in try call.transaction.findTexts(places, of: app) {
            texts[Self.key(named.name, named.text.locale)] = named.text
        }
    }

    mutating func report() throws -> JSONTree {
        var counts: [Outcome: Int64] = [:]
        let shown = try rows.enumerated().map { index, row -> JSONTree in
            try call.checkTime()
            let (outcome, problems) = try take(row, at: index)
            counts[outcome, default: 0] += 1
            return [
                "row": .integer(Int64(index) + 1), "message": Self.shortened(row.message),
                "locale": Self.shortened(row.locale), "outcome": .string(outcome.rawValue),
                "errors": .array(problems.prefix(Self.problemsLimit).map(\.json)),
            ]
        }
        let members = Outcome.allCases.map { ($0.rawValue, JSONTree.integer(counts[$0] ?? 0)) }
        return [
            "rows": .array(shown),
            "counts": .object(Dictionary(members, uniquingKeysWith: { first, _ in first })),
        ]
    }

    // MARK: - One row

    private mutating func take(
        _ row: LocalizationRow, at index: Int
    ) throws -> (Outcome, [FieldProblem]) {
        var names: [String: JSONTree] = [
            "message": .string(row.message), "locale": .string(row.locale),
        ]
        names["kind"] = row.kind.map(JSONTree.string)
        var reader = BodyReader(.object(names))
        let name = reader.text("message")
        let wanted = reader.optionalChoice("kind", MessageKind.self)
        let locale = reader.locale("locale")
        let known = messages[Array(name.utf8)]
        if let known, let wanted, known.kind != wanted {
            reader.note(
                "kind", .notAllowed, "The message is of kind \(known.kind.rawValue), for good.")
        }
        let key = Self.key(row.message, row.locale)
        if let first = seen[key] {
            reader.note("locale", .duplicate, "Row \(first + 1) has this message and locale too.")
        } else {
            seen[key] = index
        }
        if known == nil, messageCount >= MessageLimit.messagesOfApp {
            reader.note(
                "message", .tooMany,
                "Apple takes \(MessageLimit.messagesOfApp) messages of an app.")
        }
        let kind = known?.kind ?? wanted ?? .text
        let (text, problems) = try content(of: row, locale, kind)
        guard let text, reader.problems.isEmpty else {
            return (.refused, reader.problems + problems)
        }
        let target = try known ?? newMessage(name, kind)
        return (try store(text, target, key), [])
    }

    /// The text, or what is wrong with it by the row's own names.
    private func content(
        of row: LocalizationRow, _ locale: String, _ kind: MessageKind
    ) throws -> (Localization?, [FieldProblem]) {
        do {
            let content = try LocalizationContent(
                row.content, locale: locale, kind: kind, of: app, call.transaction)
            return (content.text, [])
        } catch let problem as Problem {
            return (nil, problem.errors.map(Self.flat))
        }
    }

    private mutating func newMessage(_ name: String, _ kind: MessageKind) throws -> Target {
        messageCount += 1
        var id: MessageID?
        if !isDryRun {
            let made = MessageID.make(at: call.transaction.now)
            try call.transaction.createMessage(made, name: name, kind: kind, of: app)
            try call.audit(
                "message.create", "message", made.description, app: app,
                after: ["name": .string(name), "kind": .string(kind.rawValue)])
            id = made
        }
        let target = Target(id: id, kind: kind)
        messages[Array(name.utf8)] = target
        return target
    }

    private mutating func store(
        _ text: Localization, _ target: Target, _ key: [UInt8]
    ) throws -> Outcome {
        let new = LocalizationContent.form(text)
        let old = texts[key].map(LocalizationContent.form)
        // By bytes: two spellings of an accented letter are two texts.
        if let old, old.bytes == new.bytes { return .unchanged }
        texts[key] = text
        let outcome: Outcome = old == nil ? .created : .updated
        guard let id = target.id, !isDryRun else { return outcome }
        if old == nil {
            try call.transaction.createLocalization(text, of: id, app: app)
        } else {
            try call.transaction.updateLocalization(text, of: id, app: app)
        }
        try call.audit(
            old == nil ? "localization.create" : "localization.update", "localization",
            "\(id)/\(text.locale)", app: app, before: old, after: new)
        return outcome
    }

    // MARK: - Names

    /// A row has the image's members beside the others.
    private static func flat(_ problem: FieldProblem) -> FieldProblem {
        guard case .pointer(let pointer) = problem.place, pointer.hasPrefix("/image/") else {
            return problem
        }
        return FieldProblem(
            .pointer("/\(pointer.dropFirst("/image/".count))"), problem.code, problem.detail,
            limit: problem.limit, measured: problem.measured, unit: problem.unit)
    }

    private static func key(_ message: String, _ locale: String) -> [UInt8] {
        // No locale holds a NUL, nor does a name.
        Array(message.utf8) + [0] + Array(locale.utf8)
    }

    private static func shortened(_ name: String) -> JSONTree {
        .string(String(decoding: name.utf16.prefix(nameUnits), as: UTF16.self))
    }
}
