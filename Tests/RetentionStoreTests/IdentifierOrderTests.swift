import Retention
import RetentionStore
import Testing

@Suite struct IdentifierOrderTests {
    @Test func `identifiers of one millisecond follow one another, whatever came between`() {
        let now = Instant(milliseconds: 1_790_000_000_000)
        var made: [String] = []
        for number in 0..<10_000 {
            made.append(MessageID.make(at: now).description)
            // Requests of another time, and of the past.
            _ = ClientID.make(at: Instant(milliseconds: Int64(number)))
        }
        #expect(made == made.sorted())
        #expect(Set(made).count == made.count)
        #expect(
            MessageID.make(at: Instant(milliseconds: now.milliseconds + 1)).description
                > made[9_999])
    }
}
