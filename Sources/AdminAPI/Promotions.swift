// /v1/apps/{appId}/promotions: what is wanted in one environment is wanted in the other too.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Promotions {
    static let operations: [Operation] = [
        .post(
            "createPromotion", "/v1/apps/{appId}/promotions", .content, idempotency: .required,
            create)
    ]

    /// Of each list in an answer; the counts tell how many there are.
    private static let shownLimit = 1_000

    // MARK: - Shapes

    private struct Content {
        let source: StoreEnvironment
        let target: StoreEnvironment
        /// All where `nil`.
        let messages: [MessageID]?

        init(_ call: Call, _ app: AppID) throws {
            var reader = BodyReader(try call.body())
            source = reader.choice("from", StoreEnvironment.self)
            target = reader.choice("to", StoreEnvironment.self)
            messages = reader.identifiers("messageIds", limit: MessageLimit.messagesOfApp)
            if reader.problems.isEmpty, source == target {
                reader.note("to", .notAllowed, "to is the other environment than from.")
            }
            let named = messages ?? []
            if reader.problems.isEmpty, !named.isEmpty {
                let there = try call.transaction.existingMessages(named, of: app)
                for (index, message) in named.enumerated() where !there.contains(message) {
                    reader.noteUnknown("messageIds/\(index)")
                }
                reader.noteDuplicates(named.map(\.description)) { "messageIds/\($0)" }
            }
            try reader.finish()
        }
    }

    // MARK: - Handlers

    private static func create(_ call: Call) throws -> Answer {
        let app = try call.app()
        let content = try Content(call, app)
        let made = try call.transaction.promote(
            content.messages, of: app, from: content.source, to: content.target)
        let messages = made.messages.sorted { $0.description < $1.description }
        let key = AppEnvironment(app: app, environment: content.target)
        let names = try AppleNames(key, call.transaction)
        let changes: JSONTree = [
            "from": .string(content.source.rawValue), "to": .string(content.target.rawValue),
            "counts": [
                "messages": .integer(Int64(messages.count)),
                "defaults": .integer(Int64(made.defaults.count)),
            ],
            "messageIds": .array(messages.prefix(shownLimit).map(JSONTree.id)),
            "defaults": .array(
                sorted(made.defaults).prefix(shownLimit).map {
                    [
                        "productId": .string($0.productId), "locale": .string($0.locale),
                        "messageId": .id($0.message),
                    ]
                }),
        ]
        try call.audit(
            "app.promote", "app", app.description, app: app, after: changes)
        return .report(changes.merging(["missing": try names.lacks(call.transaction)]))
    }

    private static func sorted(_ rows: [StoredDefault]) -> [StoredDefault] {
        rows.sorted { ($0.productId, $0.locale) < ($1.productId, $1.locale) }
    }
}
