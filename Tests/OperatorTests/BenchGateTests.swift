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
