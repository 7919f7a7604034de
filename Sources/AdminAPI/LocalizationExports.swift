// /v1/apps/{appId}/localization-exports: every text as rows.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum LocalizationExports {
    static let operations: [Operation] = [
        .get(
            "getLocalizationExport", "/v1/apps/{appId}/localization-exports", .content,
            query: ["format"], export)
    ]

    private enum Format: String, CaseIterable { case json, csv }

    /// Texts read from the database at once.
    private static let pageRows: Int32 = 500

    // MARK: - Handlers

    private static func export(_ call: Call) throws -> Answer {
        let app = try call.app()
        switch try call.query.choice("format", Format.self) ?? accepted(call) {
        case .csv:
            var body = CSV.bytes([LocalizationRow.columns])
            try eachPage(of: app, call) { body += CSV.bytes($0.map(\.cells)) }
            return Answer(
                status: 200,
                headers: [("Content-Type", "text/csv; charset=utf-8; header=present")], body: body)
        case .json:
            // Row by row: as one tree it would take many times the room.
            var body = Array("{\"rows\":[".utf8)
            var isFirst = true
            try eachPage(of: app, call) { rows in
                for row in rows {
                    if !isFirst { body.append(UInt8(ascii: ",")) }
                    isFirst = false
                    body += row.json.bytes
                }
            }
            return Answer(
                status: 200, headers: [("Content-Type", "application/json")],
                body: body + Array("]}".utf8))
        }
    }

    /// What `Accept` asks for, where it asks for one thing.
    private static func accepted(_ call: Call) -> Format {
        let field = call.request.header("Accept") ?? ""
        return MediaType(field).matches("text/csv") ? .csv : .json
    }

    private static func eachPage(
        of app: AppID, _ call: Call, _ body: ([LocalizationRow]) -> Void
    ) throws {
        var last: (message: MessageID, locale: String)?
        while true {
            let texts = try call.transaction.listTexts(of: app, after: last, limit: pageRows)
            body(texts.map(LocalizationRow.init))
            guard texts.count == Int(pageRows), let end = texts.last else { return }
            last = (end.message, end.text.locale)
        }
    }
}
