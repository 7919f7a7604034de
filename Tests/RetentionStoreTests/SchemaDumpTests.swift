import Foundation
import Operator
import TestSupport
import Testing

/// `docs/schema.sql` is what the migrations make, so that a migration's effect shows as a diff.
@Suite(.database) struct SchemaDumpTests {
    private static let program = "/usr/lib/postgresql/15/bin/pg_dump"
    private static let committed = "docs/schema.sql"

    /// Without what differs from run to run: versions, tokens, the months of partitions.
    private func dump() throws -> String {
        let output = FileManager.default.temporaryDirectory.path + "/holdfast-\(UUID()).sql"
        defer { try? FileManager.default.removeItem(atPath: output) }
        var plan = ChildProcess.Plan(
            Self.program,
            [
                "--schema-only", "--exclude-table=holdfast.decision_*", "--file", output,
                try Database.current().url(role: PrivatePostgres.superuser),
            ])
        plan.output = .discarded
        let process = try ChildProcess.start(plan)
        #expect(process.wait(for: .seconds(60)) == .exited(0))
        let text = String(decoding: try Data(contentsOf: URL(filePath: output)), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !["-- Dumped", "\\restrict", "\\unrestrict", "SET "].contains { line.hasPrefix($0) }
        }
        return lines.joined(separator: "\n")
    }

    @Test func `the committed dump is what the migrations make`() throws {
        let made = try dump()
        let known = try String(decoding: PackageRoot.bytes(of: Self.committed), as: UTF8.self)
        guard made != known else { return }
        let renewed = FileManager.default.temporaryDirectory.path + "/holdfast-schema.sql"
        try Data(made.utf8).write(to: URL(filePath: renewed))
        Issue.record(
            "\(Self.committed) is not the schema: diff, then cp \(renewed) \(Self.committed)"
        )
    }
}
