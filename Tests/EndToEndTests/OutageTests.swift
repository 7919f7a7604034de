import Foundation
import Operator
import RetentionStore
import TestSupport
import Testing

/// Decisions survive what takes their way into PostgreSQL.
@Suite struct OutageTests {
    /// PostgreSQL is gone while cancellations are answered, and the responder is killed before it
    /// comes back. Nothing is lost, nothing doubled, and the answers were right all along.
    @Test func `PostgreSQL away and the responder killed lose and double nothing`() throws {
        let stage = try Stage()
        let views = stage.agency.pageViews
        let before = try stage.play(views.prefix(100))
        let postgres = try #require(stage.processes.postgresServer)
        postgres.stop()
        let during = try stage.play(views.dropFirst(100).prefix(100))
        stage.processes.end("realtime-responder", by: .kill)
        try postgres.start()
        try stage.processes.startResponder()
        let after = try stage.play(views.dropFirst(200).prefix(100))
        let played = [before, during, after]
        for report in played {
            #expect(report.statistics.wrong == 0)
            #expect(report.statistics.answered == report.statistics.cancellations)
            #expect(report.statistics.cancellations > 0)
        }
        let called = played.flatMap(\.results).filter(\.called).compactMap(\.requestIdentifier)
        let decided = try stage.decisions(count: called.count)
        let identifiers = decided.map { $0.requestIdentifier.uuidString.lowercased() }
        #expect(identifiers.sorted() == called.map { $0.lowercased() }.sorted())
    }
}
