/// A point in time: whole milliseconds since 1970-01-01 UTC, the resolution of Apple's dates.
/// Never a `Double`, which loses a millisecond on its way through ISO 8601.
package struct Instant: Hashable, Comparable, Codable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (a: Instant, b: Instant) -> Bool {
        a.milliseconds < b.milliseconds
    }

    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

/// Apple's `environment`. Xcode and LocalTesting exist on developers' machines only; here they
/// are not even values, so that nothing can accept them.
package enum StoreEnvironment: String, Codable, Hashable, Sendable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
}
