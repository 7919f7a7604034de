import Operator
import Testing

@Suite("Latencies are counted to a hundredth") struct LatencyHistogramTests {
    /// A fixed sequence that looks random: a linear congruential generator.
    private static func values(_ count: Int) -> [UInt64] {
        var state: UInt64 = 42
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // From nanoseconds to minutes, each size as often as the next.
            return (state >> 24) >> (state % 37)
        }
    }

    @Test(arguments: [0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0])
    func `a quantile is at most one hundredth away`(fraction: Double) {
        let values = Self.values(20_000)
        var histogram = LatencyHistogram()
        for value in values { histogram.record(nanoseconds: value) }
        let rank = max(1, Int((Double(values.count) * fraction).rounded(.up)))
        let exact = Double(values.sorted()[rank - 1])
        let found = Double(histogram.quantile(fraction))
        #expect(abs(found - exact) <= exact * 0.01, "\(found) for \(exact)")
    }

    @Test func `each value alone is at most one hundredth away`() {
        for value in Self.values(2_000) + [0, 1, 63, 64, 65, 127, 128, 1 << 40] {
            var histogram = LatencyHistogram()
            histogram.record(nanoseconds: value)
            let found = Double(histogram.quantile(0.5))
            #expect(abs(found - Double(value)) <= Double(value) * 0.01)
            #expect(histogram.maximum == value)
        }
    }

    @Test func `two together are as one`() {
        let values = Self.values(1_000)
        var (whole, first, second) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        for (index, value) in values.enumerated() {
            whole.record(nanoseconds: value)
            if index < 300 { first.record(nanoseconds: value) }
            if index >= 300 { second.record(nanoseconds: value) }
        }
        first.add(second)
        #expect(LatencySummary(first) == LatencySummary(whole))
        #expect(first.count == 1_000)
    }

    @Test func `nothing and too much crash nothing`() {
        var histogram = LatencyHistogram()
        #expect(histogram.quantile(0.99) == 0)
        histogram.record(nanoseconds: .max)
        #expect(histogram.maximum == .max)
        #expect(histogram.quantile(.infinity) >= 1 << 40)
    }
}
