// /v1/apps/{appId}/copies: a whole app's set-up for another app.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum AppCopies {
    static let kind = "appCopy"

    static let operations: [Operation] = [
        .post("copyApp", "/v1/apps/{appId}/copies", .apps, start)
    ]

    // MARK: - Handlers

    private static func start(_ call: Call) throws -> Answer {
        let app = try call.app()
        var reader = BodyReader(try call.body())
        let target: AppID? = reader.identifier("targetAppId")
        if target == app {
            reader.note("targetAppId", .notAllowed, "An app is not copied onto itself.")
        } else if let target, try !call.transaction.hasApp(target) {
            reader.noteUnknown("targetAppId")
        }
        try reader.finish()
        guard let target else { throw Problem.notFound }
        let input: JSONTree = ["targetAppId": .id(target)]
        return try Jobs.start(kind, of: app, input: input.bytes, call)
    }

    // MARK: - The job

    @Sendable static func run(_ call: JobCall) throws -> JobResult {
        var reader = BodyReader(try JSONTree(trusted: call.job.input))
        let target: AppID? = reader.identifier("targetAppId")
        try reader.finish()
        // Either may be gone by now, or out of the key's sight.
        guard let target, try call.transaction.hasApp(call.job.app),
            try call.transaction.hasApp(target)
        else { throw Problem.notFound }
        var copy = AppCopy(call, to: target)
        try copy.copyImages()
        try copy.copyMessages()
        try copy.copyRules()
        for environment in StoreEnvironment.allCases { try copy.copyDefaults(in: environment) }
        return JobResult(report: copy.report, done: Int32(clamping: copy.things.count))
    }
}

/// One copy inside its job. What the target has by the same name is left as it is.
private struct AppCopy {
    enum Outcome: String, CaseIterable { case created, exists, refused }

    /// One thing of the set-up, and what became of it.
    struct Thing {
        let kind: String
        let name: String
        let outcome: Outcome
        var detail: String?
    }

    /// Rows read from the database at once.
    private static let pageRows: Int32 = 500

    private let call: JobCall
    private let source: AppID
    private let target: AppID
    private var transaction: TenantTransaction { call.transaction }
    private(set) var things: [Thing] = []
    /// Of the source -> of the target, with the locales there.
    private var messages: [MessageID: StoredMessage] = [:]

    init(_ call: JobCall, to target: AppID) {
        self.call = call
        self.target = target
        source = call.job.app
    }

    var report: JSONTree {
        let counts = Outcome.allCases.map { outcome in
            let count = things.count { $0.outcome == outcome }
            return (outcome.rawValue, JSONTree.integer(Int64(count)))
        }
        return [
            "things": .array(
                things.map {
                    [
                        "kind": .string($0.kind), "name": .string($0.name),
                        "outcome": .string($0.outcome.rawValue), "detail": .text($0.detail),
                    ]
                }),
            "counts": .object(Dictionary(counts, uniquingKeysWith: { first, _ in first })),
        ]
    }

    mutating func copyImages() throws {
        let limit = Int64(ImageLimit.imagesOfApp)
        for (image, isNew) in try transaction.copyImages(from: source, to: target, limit: limit) {
            things.append(
                Thing(
                    kind: "image", name: "\(image)",
                    outcome: isNew.map { $0 ? .created : .exists } ?? .refused,
                    detail: isNew == nil ? "The target has \(limit) images already." : nil))
        }
    }

    // MARK: - Messages

    mutating func copyMessages() throws {
        var count = try transaction.countMessages(of: target)
        let limit = Int64(MessageLimit.messagesOfApp)
        try Self.eachPage { (last: StoredMessage?) in
            let page = try transaction.listMessages(
                of: source, after: last?.id, limit: Self.pageRows)
            for message in page {
                try call.checkTime()
                var thing = Thing(kind: "message", name: message.name, outcome: .created)
                if let there = try transaction.findMessage(named: message.name, of: target) {
                    messages[message.id] = there
                    thing = Thing(kind: "message", name: message.name, outcome: .exists)
                } else if count >= limit {
                    thing = Thing(
                        kind: "message", name: message.name, outcome: .refused,
                        detail: "The target has \(limit) messages already.")
                } else {
                    messages[message.id] = try copy(message)
                    count += 1
                }
                things.append(thing)
            }
            return page
        }
    }

    private func copy(_ message: StoredMessage) throws -> StoredMessage {
        let id = MessageID.make(at: transaction.now)
        try transaction.copyMessage(
            message.id, from: source, to: target, as: id, name: message.name)
        let made = try transaction.getMessage(id, of: target)
        try call.audit(
            "message.copySource", "message", id.description, app: nil,
            after: Messages.copySource(message.id, of: source))
        try call.audit(
            "message.copy", "message", id.description, app: target,
            after: try Messages.form(made, of: target, transaction))
        return made
    }

    // MARK: - Rules

    /// What is published in production becomes the target's draft.
    mutating func copyRules() throws {
        let key = AppEnvironment(app: source, environment: .production)
        guard let version = try transaction.findPublishedVersion(at: key),
            let stored = try transaction.findRuleSet(version: version, of: source)
        else { return }
        var thing = Thing(kind: "ruleSetDraft", name: "version \(version)", outcome: .created)
        defer { things.append(thing) }
        guard try transaction.findRuleSetDraft(of: target, forUpdate: true) == nil else {
            thing = Thing(kind: thing.kind, name: thing.name, outcome: .exists)
            return
        }
        guard stored.ruleSet.hasChosenHoldout else {
            thing = Thing(
                kind: thing.kind, name: thing.name, outcome: .refused,
                detail: RuleSets.noHoldoutChosen)
            return
        }
        let (rules, problems) = try RuleSetTranslation(transaction, from: source, to: target)
            .translated(stored.ruleSet)
        if let first = problems.first {
            thing = Thing(
                kind: thing.kind, name: thing.name, outcome: .refused,
                detail: "\(problems.count) rules cannot be copied. \(first.detail)")
            return
        }
        try transaction.createRuleSetDraft(rules, of: target)
        try call.audit(
            "ruleSetDraft.create", "ruleSetDraft", target.description, app: target,
            after: RuleSets.auditForm(rules))
    }

    // MARK: - Defaults

    mutating func copyDefaults(in environment: StoreEnvironment) throws {
        let from = AppEnvironment(app: source, environment: environment)
        let to = AppEnvironment(app: target, environment: environment)
        try Self.eachPage { (last: StoredDefault?) in
            let page = try transaction.listDefaults(
                at: from, after: last.map { ($0.productId, $0.locale) }, limit: Self.pageRows)
            let products = try transaction.existingProducts(page.map(\.productId), of: target)
            let known = Set(products.map { Array($0.utf8) })
            for row in page {
                try call.checkTime()
                let isSold = known.contains(Array(row.productId.utf8))
                let (outcome, detail) = try copy(row, to: to, isSold: isSold)
                things.append(
                    Thing(
                        kind: "default",
                        name: "\(environment.rawValue) \(row.productId) \(row.locale)",
                        outcome: outcome, detail: detail))
            }
            return page
        }
    }

    private func copy(
        _ row: StoredDefault, to key: AppEnvironment, isSold: Bool
    ) throws -> (Outcome, String?) {
        guard isSold else { return (.refused, "The target has no such product.") }
        guard
            try transaction.findDefault(product: row.productId, locale: row.locale, at: key) == nil
        else { return (.exists, nil) }
        guard let message = messages[row.message] else {
            return (.refused, "The target has not its message.")
        }
        guard message.kind == .text, message.locales.contains(row.locale) else {
            return (.refused, "The target's message of that name has no such text.")
        }
        try transaction.setDefaultMessage(
            message.id, product: row.productId, locale: row.locale, at: key)
        try call.audit(
            "default.create", "default",
            "\(key.environment.rawValue)/\(row.productId)/\(row.locale)", app: key.app,
            after: ["messageId": .id(message.id)])
        return (.created, nil)
    }

    /// - Parameter page: what comes after a row; fewer than `pageRows` are the last.
    private static func eachPage<Row>(_ page: (Row?) throws -> [Row]) throws {
        var last: Row?
        while true {
            let rows = try page(last)
            guard rows.count == Int(pageRows), let end = rows.last else { return }
            last = end
        }
    }
}
