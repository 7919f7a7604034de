/// How often something took how long, to a relative error of at most 1 %, in bounded memory.
///
/// Log-linear: each power of two of nanoseconds is cut into 64 equal cells, so that a cell is at
/// most 1/64 of its lower bound wide, and its middle at most 0.8 % away from any value in it.
package struct LatencyHistogram: Sendable {
    private static let cellBits = 6
    private static let cells = 1 << cellBits
    /// Values up to 2^40 ns, some 18 minutes; what is longer counts as that.
    private static let valueLimit: UInt64 = 1 << 40

    private var counts = [UInt64](repeating: 0, count: (40 - cellBits + 2) * cells)
    package private(set) var count: UInt64 = 0
    /// Exact.
    package private(set) var maximum: UInt64 = 0

    package init() {}

    package mutating func record(nanoseconds: UInt64) {
        counts[Self.place(of: min(nanoseconds, Self.valueLimit))] += 1
        count += 1
        maximum = max(maximum, nanoseconds)
    }

    package mutating func add(_ other: LatencyHistogram) {
        for place in counts.indices { counts[place] += other.counts[place] }
        count += other.count
        maximum = max(maximum, other.maximum)
    }

    /// The value that a share of `fraction` of all values does not exceed, in nanoseconds; 0 where
    /// there is none.
    package func quantile(_ fraction: Double) -> UInt64 {
        guard count > 0 else { return 0 }
        let rank = UInt64(max(1, (Double(count) * min(max(fraction, 0), 1)).rounded(.up)))
        var seen: UInt64 = 0
        for (place, number) in counts.enumerated() {
            seen += number
            if seen >= rank { return min(Self.middle(of: place), maximum) }
        }
        return maximum
    }

    /// Values below 64 ns have a cell each; above, the highest bit chooses the row and the six bits
    /// behind it the cell.
    private static func place(of value: UInt64) -> Int {
        guard value >= UInt64(cells) else { return Int(value) }
        let shift = UInt64.bitWidth - value.leadingZeroBitCount - 1 - cellBits
        return (shift + 1) * cells + Int(value >> UInt64(shift)) - cells
    }

    private static func middle(of place: Int) -> UInt64 {
        guard place >= cells else { return UInt64(place) }
        let shift = UInt64(place / cells - 1)
        let lower = UInt64(place % cells + cells) << shift
        return lower + (1 << shift) / 2
    }
}

/// The five numbers by which a distribution is told, in milliseconds.
package struct LatencySummary: Codable, Sendable, Equatable {
    package let p50: Double
    package let p90: Double
    package let p99: Double
    package let p999: Double
    package let max: Double

    package init(_ histogram: LatencyHistogram) {
        func milliseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e6 }
        p50 = milliseconds(histogram.quantile(0.5))
        p90 = milliseconds(histogram.quantile(0.9))
        p99 = milliseconds(histogram.quantile(0.99))
        p999 = milliseconds(histogram.quantile(0.999))
        max = milliseconds(histogram.maximum)
    }
}
