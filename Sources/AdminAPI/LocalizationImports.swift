// /v1/apps/{appId}/localization-imports: many texts at once.
//
//     file ── form judged at once (400, 422) ──> job ── each row tried ──> report
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum LocalizationImports {
    static let kind = "localizationImport"
    /// Of a file; the job keeps it as it came.
    static let bytesLimit = 4_000_000
    static let rowsLimit = 5_000

    static let operations: [Operation] = [start]

    private static var start: Operation {
        var operation = Operation.post(
            "createLocalizationImport", "/v1/apps/{appId}/localization-imports", .content,
            body: .bytes(types: ["application/json", "text/csv"], limit: bytesLimit),
            query: ["dryRun"], create)
        operation.prepare = { preparation in
            let isCSV = MediaType(preparation.contentType).matches("text/csv")
            return File(
                isCSV: isCSV, rowCount: try rows(preparation.body, isCSV: isCSV).count)
        }
        return operation
    }

    // MARK: - Shapes

    /// What was found of a file before the transaction.
    private struct File: Call.Prepared {
        let isCSV: Bool
        let rowCount: Int
    }

    /// What the job reads: two marks, then the file.
    private enum Mark {
        static let csv = UInt8(ascii: "C")
        static let json = UInt8(ascii: "J")
        static let dryRun = UInt8(ascii: "D")
        static let store = UInt8(ascii: "S")
        static let count = 2
    }

    /// - Throws: `Problem` for a file whose rows cannot be told apart.
    private static func rows(
        _ file: some Collection<UInt8>, isCSV: Bool
    ) throws(Problem) -> [LocalizationRow] {
        let rows = isCSV ? try csvRows(Array(file)) : try jsonRows(Array(file))
        guard !rows.isEmpty else {
            throw .validation([
                FieldProblem(.pointer("/rows"), .tooShort, "There is no row to import.")
            ])
        }
        return rows
    }

    private static func jsonRows(_ body: [UInt8]) throws(Problem) -> [LocalizationRow] {
        var reader = BodyReader(try JSONTree(document: body))
        if reader.take("rows") == nil { reader.note("rows", .required, "rows is required.") }
        let rows = reader.objects("rows", limit: rowsLimit) { LocalizationRow(&$0) }
        try reader.finish()
        return rows
    }

    private static func csvRows(_ body: [UInt8]) throws(Problem) -> [LocalizationRow] {
        let records: [[String]]
        do {
            records = try CSV.records(body, recordsLimit: rowsLimit + 1)
        } catch {
            throw error.isTooMany ? tooMany(rowsLimit) : .malformedBody(error.message)
        }
        let columns = records.first ?? []
        var problems = LocalizationRow.problems(withColumns: columns)
        var rows: [LocalizationRow] = []
        for (index, record) in records.dropFirst().enumerated() {
            for (column, cell) in zip(columns, record) where cell.utf8.contains(0) {
                problems.append(
                    FieldProblem(
                        .pointer("/rows/\(index)/\(column)"), .notAllowed,
                        "The cell holds a NUL character; take it out."))
            }
            rows.append(
                LocalizationRow(
                    cells: Dictionary(
                        zip(columns, record), uniquingKeysWith: { first, _ in first })))
        }
        if !problems.isEmpty { throw .validation(problems) }
        return rows
    }

    private static func tooMany(_ limit: Int) -> Problem {
        .validation([
            FieldProblem(
                .pointer("/rows"), .tooMany,
                "The file has more than \(limit) rows; import it in parts.", limit: Int64(limit))
        ])
    }

    // MARK: - Handlers

    private static func create(_ call: Call) throws -> Answer {
        let app = try call.app()
        let isDryRun = try call.query.boolean("dryRun") ?? false
        guard let file = call.prepared as? File else { throw Problem.malformedBody("it is lost") }
        let marks = [
            file.isCSV ? Mark.csv : Mark.json, isDryRun ? Mark.dryRun : Mark.store,
        ]
        return try Jobs.start(
            kind, of: app, input: marks + call.request.body, total: Int32(file.rowCount), call)
    }

    // MARK: - The job

    @Sendable static func run(_ call: JobCall) throws -> JobResult {
        let marks = call.job.input.prefix(Mark.count)
        let rows = try rows(
            call.job.input.dropFirst(Mark.count), isCSV: marks.first == Mark.csv)
        guard try call.transaction.hasApp(call.job.app) else { throw Problem.notFound }
        var run = try LocalizationImportRun(
            call, rows: rows, isDryRun: marks.last == Mark.dryRun)
        return JobResult(report: try run.report(), done: Int32(rows.count))
    }
}
