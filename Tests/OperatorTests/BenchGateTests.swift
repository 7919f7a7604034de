import Foundation
import Operator
import Testing

@Suite("What a benchmark's figures mean") struct BenchGateTests {
    private static func gate(_ values: [Double], rises: Bool) -> BenchGate {
        rises
            ? BenchGate("share", values, must: 0.66, aim: 0.8, rises: true, note: "")
            : BenchGate("time", values, must: 2, aim: 1.6, rises: false, note: "")
    }

    @Test func `a verdict holds its bounds and goes by the median`() {
        #expect(Self.gate([0.9, 0.1, 0.8], rises: true).verdict == .aim)
        #expect(Self.gate([0.66], rises: true).verdict == .must)
        #expect(Self.gate([0.65, 0.66], rises: true).verdict == .missed)
        #expect(Self.gate([1.6], rises: false).verdict == .aim)
        #expect(Self.gate([2, 2, 9], rises: false).verdict == .must)
        #expect(Self.gate([2.1], rises: false).verdict == .missed)
        #expect(Self.gate([], rises: true).verdict == .notMeasured)
    }

    /// A phase of 100 requests as a run writes it down.
    private static func phase(
        good: Int = 100, key: String = "message", refused: Int = 0, malformed: Int = 0,
        broken: Int = 0, unanswered: Int = 0, longest: Int = 4
    ) throws -> LoadReport {
        let text = """
            {"good": \(good), "answers": {"\(key)": \(good)}, "refusals": {"503": \(refused)},
             "malformed": \(malformed), "broken": \(broken), "unanswered": \(unanswered),
             "seconds": 1, "perSecond": 100,
             "latencyMilliseconds": {"p50": 1, "p90": 2, "p99": 3, "p999": 4, "max": \(longest)}}
            """
        return try JSONDecoder().decode(LoadReport.self, from: Data(text.utf8))
    }

    /// A round with this phase in one of its places, and a right one in all others.
    private static func round(_ odd: LoadReport, at place: Int) throws -> BenchRound {
        func phase(_ number: Int, _ key: String = "message") throws -> LoadReport {
            number == place ? odd : try Self.phase(key: key)
        }
        let offer = "promotionalOffer"
        return BenchRound(
            verificationsPerSecond: 1, offersPerSecond: 1,
            messages: RealtimeBenchReport(
                connections: 1, closed: try phase(0), rate: 1, open: try phase(1),
                expected: "message"),
            offers: RealtimeBenchReport(
                connections: 1, closed: try phase(2, offer), rate: 1, open: try phase(3, offer),
                expected: offer),
            alone: .init(load: try phase(4), serverMicroseconds: []), peer: try phase(5),
            shareOfOthers: 0)
    }

    @Test(arguments: 0..<6) func `a wrong answer in any phase makes a round wrong`(place: Int)
        throws
    {
        #expect(try Self.round(Self.phase(), at: 6).isRight)
        let wrong = [
            try Self.phase(refused: 1), try Self.phase(malformed: 1), try Self.phase(broken: 1),
            try Self.phase(unanswered: 1),
        ]
        for phase in wrong {
            let round = try Self.round(phase, at: place)
            #expect(!round.isRight)
            #expect(round.wrong == 1)
        }
        #expect(try !Self.round(Self.phase(good: 0), at: place).isRight)
        // Nobody says of what kind the peer's answers are.
        let other = try Self.round(Self.phase(key: "alternateProduct"), at: place)
        #expect(other.isRight == (place == 5))
    }

    @Test func `an outage is told by its slowest answer and by the share of 200`() throws {
        let outages = [
            BenchOutage(name: "a", load: try Self.phase(good: 99, refused: 1, longest: 160)),
            BenchOutage(name: "b", load: try Self.phase(longest: 20)),
        ]
        #expect(outages.longestMilliseconds == 160)
        #expect(outages.percentGood == 99.5)
        #expect(outages.gates.map(\.verdict) == [.missed, .must])
        #expect(outages.isRight)
        let malformed = BenchOutage(name: "c", load: try Self.phase(malformed: 1))
        #expect(!(outages + [malformed]).isRight)
        #expect([BenchOutage]().gates.map(\.verdict) == [.notMeasured, .notMeasured])
    }

    @Test func `the two figures of openssl are read from its table`() throws {
        let text = """
            Doing 256 bits sign ecdsa's for 2s: 85918 256 bits ECDSA sign ops in 2.00s
                                          sign    verify    sign/s verify/s
             256 bits ecdsa (nistp256)   0.0000s   0.0001s  40000.0  10000.0
            """
        let speed = try #require(OpenSSLSpeed(output: text))
        #expect(speed.signaturesPerSecond == 40_000)
        #expect(speed.verificationsPerSecond == 10_000)
        #expect(abs(speed.offersPerSecond - 8_000) < 1)
        #expect(OpenSSLSpeed(output: "openssl: command not found") == nil)
    }

    @Test func `processor time is that of a process of this machine`() throws {
        #expect(ProcessTimes(of: 1) != nil)
        #expect(ProcessTimes(of: Int32.max) == nil)
    }
}
