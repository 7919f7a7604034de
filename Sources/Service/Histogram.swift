private import Synchronization

/// How often something took how long.
package final class Histogram: MetricFamily {
    /// Around the 700 ms that Apple waits, and the few milliseconds that we take.
    package static let answerBuckets = [
        0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.7, 1.0, 2.5, 5.0,
    ]

    package final class Series: Sendable {
        fileprivate let bounds: [Double]
        /// One more than bounds: the last is for everything above.
        fileprivate let cells: [Cell]
        private let nanoseconds = Atomic<UInt64>(0)

        fileprivate init(bounds: [Double]) {
            self.bounds = bounds
            cells = (0...bounds.count).map { _ in Cell() }
        }

        package func observe(_ duration: Duration) { observe(seconds: duration / .seconds(1)) }

        package func observe(nanoseconds: Int64) { observe(seconds: Double(nanoseconds) / 1e9) }

        /// What is below zero or no number counts as zero: clocks are not worth a crash.
        package func observe(seconds: Double) {
            let seconds = seconds > 0 ? min(seconds, 1e9) : 0
            let place = bounds.firstIndex { seconds <= $0 } ?? bounds.count
            cells[place].count.wrappingAdd(1, ordering: .relaxed)
            nanoseconds.wrappingAdd(UInt64(seconds * 1e9), ordering: .relaxed)
        }

        package var count: UInt64 {
            cells.reduce(0) { $0 + $1.count.load(ordering: .relaxed) }
        }

        fileprivate var sumSeconds: Double { Double(nanoseconds.load(ordering: .relaxed)) / 1e9 }
    }

    fileprivate final class Cell: Sendable {
        let count = Atomic<UInt64>(0)
    }

    static let kind = "histogram"
    let header: MetricHeader
    private let table: SeriesTable<Series>

    init(_ header: MetricHeader, buckets: [Double]) {
        precondition(
            zip(buckets, buckets.dropFirst()).allSatisfy { $0 < $1 },
            "metric \(header.name): buckets must rise")
        self.header = header
        table = SeriesTable(labelCount: header.labels.count) { Series(bounds: buckets) }
    }

    package func series(_ values: [String]) -> Series { table.series(values) }

    package func observe(_ duration: Duration, _ values: String...) {
        series(values).observe(duration)
    }

    package func observe(seconds: Double, _ values: String...) {
        series(values).observe(seconds: seconds)
    }

    func write(to text: inout MetricText) {
        for (values, series) in table.all {
            // One reading of each cell, so that the count equals the last bucket.
            var count: UInt64 = 0
            for (place, cell) in series.cells.enumerated() {
                count += cell.count.load(ordering: .relaxed)
                let bound =
                    series.bounds.indices.contains(place)
                    ? MetricText.number(series.bounds[place]) : "+Inf"
                text.sample(header, "_bucket", values, count.description, bucket: bound)
            }
            text.sample(header, "_sum", values, MetricText.number(series.sumSeconds))
            text.sample(header, "_count", values, count.description)
        }
    }
}
