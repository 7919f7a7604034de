private import Synchronization

/// A program's numbers, as OpenMetrics text at `/metrics`.
///
/// A metric has a name, a help sentence and label names; each combination of label values is a
/// series. Series are counted with atomics: hold on to one (`series(["message"])`) where every
/// microsecond matters. Labels have few values: never an id of a subscriber, message or request.
package final class Metrics: Sendable {
    package static let contentType =
        "application/openmetrics-text; version=1.0.0; charset=utf-8"

    private let families = Mutex<[String: any MetricFamily]>([:])

    package init() {}

    /// Only rises; the text shows it as `name_total`.
    package func counter(_ name: String, _ help: String, labels: [String] = []) -> Counter {
        register(Counter(MetricHeader(name, help, labels)))
    }

    package func gauge(_ name: String, _ help: String, labels: [String] = []) -> Gauge {
        register(Gauge(MetricHeader(name, help, labels)))
    }

    /// A gauge that is asked at every scrape, on the thread of the admin port.
    package func gauge(_ name: String, _ help: String, read: @escaping @Sendable () -> Double) {
        _ = register(ReadGauge(MetricHeader(name, help, []), read))
    }

    /// - Parameter buckets: upper bounds in seconds, rising; one for everything above is added.
    package func histogram(
        _ name: String, _ help: String, labels: [String] = [],
        buckets: [Double] = Histogram.answerBuckets
    ) -> Histogram {
        register(Histogram(MetricHeader(name, help, labels), buckets: buckets))
    }

    /// The whole page, families and series in the order of their names.
    package func openMetrics() -> [UInt8] {
        var text = MetricText()
        let sorted = families.withLock { $0.values.sorted { $0.header.name < $1.header.name } }
        for family in sorted {
            text.open(family.header, kind: type(of: family).kind)
            family.write(to: &text)
        }
        return text.finished()
    }

    /// The same metric asked for twice is one metric; two metrics of one name are a mistake in
    /// the program that its first start shows.
    private func register<F: MetricFamily>(_ family: F) -> F {
        families.withLock { families in
            let name = family.header.name
            guard let known = families[name] else {
                families[name] = family
                return family
            }
            let same = known as? F
            precondition(
                same?.header.labels == family.header.labels,
                "metric \(name) exists with another kind or other labels; rename one")
            return same ?? family
        }
    }
}

/// What all kinds have.
struct MetricHeader: Sendable {
    let name: String
    let help: String
    let labels: [String]

    init(_ name: String, _ help: String, _ labels: [String]) {
        // The text adds it; a name that holds it already means the same metric.
        self.name = name.hasSuffix("_total") ? String(name.dropLast(6)) : name
        self.help = help
        self.labels = labels
        precondition(
            ([name] + labels).allSatisfy(Self.isName), "metric \(name): use a-z, 0-9 and _ in names"
        )
    }

    private static func isName(_ name: String) -> Bool {
        let isLower = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        return name.utf8.first.map(isLower) == true
            && name.utf8.allSatisfy { isLower($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }
}

protocol MetricFamily: Sendable {
    static var kind: String { get }
    var header: MetricHeader { get }
    func write(to text: inout MetricText)
}
