/// The text format of OpenMetrics 1.0, as far as counters, gauges and histograms need it.
/// Source: prometheus.io/docs/specs/om/open_metrics_spec
struct MetricText {
    private var bytes: [UInt8] = []

    mutating func open(_ header: MetricHeader, kind: String) {
        bytes += "# TYPE \(header.name) \(kind)\n".utf8
        if header.name.hasSuffix("_seconds") { bytes += "# UNIT \(header.name) seconds\n".utf8 }
        bytes += "# HELP \(header.name) \(Self.escaped(header.help))\n".utf8
    }

    mutating func sample(
        _ header: MetricHeader, _ suffix: String, _ values: [String], _ number: String,
        bucket: String? = nil
    ) {
        var labels = zip(header.labels, values).map { "\($0)=\"\(Self.escaped($1))\"" }
        if let bucket { labels.append("le=\"\(bucket)\"") }
        let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        bytes += "\(header.name)\(suffix)\(braces) \(number)\n".utf8
    }

    consuming func finished() -> [UInt8] {
        bytes += "# EOF\n".utf8
        return bytes
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value.description
    }

    /// Scalars, not characters: "\r\n" is one character and would hide its line feed.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
            case "\"": escaped.append(contentsOf: "\\\"".unicodeScalars)
            case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
            case "\0", "\r": escaped.append("\u{fffd}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
