import Retention
import RetentionStore
import Testing

@Suite struct IdentifierCountTests {
    /// Also where others' clocks are read in between.
    @Test func `identifiers of one millisecond follow one another`() {
        let now = Instant(milliseconds: 1_764_000_000_000)
        let other = Instant(milliseconds: now.milliseconds + 7)
        let ids = (0..<5_000).map { _ in
            _ = MessageID.make(at: other)
            return AuditEventID.make(at: now).description
        }
        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    }
}
