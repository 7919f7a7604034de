private import Synchronization

/// The series of one metric by their label values; bounded, because label values that come from
/// outside would otherwise fill the memory of this process and of the one that scrapes it.
final class SeriesTable<Series: Sendable>: Sendable {
    /// Past it, further label values are counted together under `other`.
    static var seriesLimit: Int { 256 }
    /// Longer values are cut.
    static var labelBytesLimit: Int { 64 }

    /// The one series of a metric without labels, at hand without a look-up.
    let only: Series
    private let labelCount: Int
    private let make: @Sendable () -> Series
    private let known: Mutex<[[String]: Series]>

    init(labelCount: Int, make: @escaping @Sendable () -> Series) {
        self.labelCount = labelCount
        self.make = make
        only = make()
        // Without labels the series is there from the start, so that a scrape sees its zero.
        known = Mutex(labelCount == 0 ? [[]: only] : [:])
    }

    func series(_ values: [String]) -> Series {
        if labelCount == 0 { return only }
        let key = fitted(values)
        return known.withLock { known in
            if let series = known[key] { return series }
            let isFull = known.count >= Self.seriesLimit
            let place = isFull ? [String](repeating: "other", count: labelCount) : key
            if let series = known[place] { return series }
            let series = make()
            known[place] = series
            return series
        }
    }

    /// In the order of their label values.
    var all: [(values: [String], series: Series)] {
        known.withLock { known in
            known.map { (values: $0.key, series: $0.value) }
                .sorted { $0.values.lexicographicallyPrecedes($1.values) }
        }
    }

    /// Exactly one value per label: a missing one is empty, one too many is dropped.
    private func fitted(_ values: [String]) -> [String] {
        (0..<labelCount).map { place in
            guard values.indices.contains(place) else { return "" }
            let value = values[place]
            return value.utf8.count <= Self.labelBytesLimit
                ? value : String(decoding: value.utf8.prefix(Self.labelBytesLimit), as: UTF8.self)
        }
    }
}

/// Counts up.
package final class Counter: MetricFamily {
    package final class Series: Sendable {
        private let count = Atomic<UInt64>(0)

        package func add(_ amount: UInt64 = 1) { count.wrappingAdd(amount, ordering: .relaxed) }
        package var value: UInt64 { count.load(ordering: .relaxed) }
    }

    static let kind = "counter"
    let header: MetricHeader
    private let table: SeriesTable<Series>

    init(_ header: MetricHeader) {
        self.header = header
        table = SeriesTable(labelCount: header.labels.count) { Series() }
    }

    package func series(_ values: [String]) -> Series { table.series(values) }

    package func add(_ amount: UInt64 = 1, _ values: String...) { series(values).add(amount) }

    package func value(_ values: String...) -> UInt64 { series(values).value }

    func write(to text: inout MetricText) {
        for (values, series) in table.all {
            text.sample(header, "_total", values, series.value.description)
        }
    }
}

/// Goes up and down.
package final class Gauge: MetricFamily {
    package final class Series: Sendable {
        private let bits = Atomic<UInt64>(0)

        package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

        package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

        package func add(_ amount: Double) {
            var old = bits.load(ordering: .relaxed)
            while true {
                let new = (Double(bitPattern: old) + amount).bitPattern
                let (isDone, found) = bits.compareExchange(
                    expected: old, desired: new, ordering: .relaxed)
                if isDone { return }
                old = found
            }
        }
    }

    static let kind = "gauge"
    let header: MetricHeader
    private let table: SeriesTable<Series>

    init(_ header: MetricHeader) {
        self.header = header
        table = SeriesTable(labelCount: header.labels.count) { Series() }
    }

    package func series(_ values: [String]) -> Series { table.series(values) }

    package func set(_ value: Double, _ values: String...) { series(values).set(value) }

    package func add(_ amount: Double, _ values: String...) { series(values).add(amount) }

    func write(to text: inout MetricText) {
        for (values, series) in table.all {
            text.sample(header, "", values, MetricText.number(series.value))
        }
    }
}

/// A gauge that is asked at every scrape.
final class ReadGauge: MetricFamily {
    static let kind = "gauge"
    let header: MetricHeader
    private let read: @Sendable () -> Double

    init(_ header: MetricHeader, _ read: @escaping @Sendable () -> Double) {
        self.header = header
        self.read = read
    }

    func write(to text: inout MetricText) {
        text.sample(header, "", [], MetricText.number(read()))
    }
}
