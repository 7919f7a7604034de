/// How loud a line is. At `info` and above no line holds a raw subscriber id; never a secret.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

/// JSON lines: `{"time":…,"level":…,"service":…,"event":…, fields}`, one `write` per line.
///
/// An event is a fixed name in snake_case (`snapshot_loaded`), what varies is in the fields; so
/// lines can be counted and searched.
package struct Log: Sendable {
    package let service: String
    package let level: LogLevel
    private let clock: Clock
    private let sink: @Sendable ([UInt8]) -> Void
    private let context: [(String, LogValue)]

    /// - Parameter sink: gets each whole line, line end included, from any thread.
    package init(
        service: String, level: LogLevel = .info, clock: Clock = .system,
        sink: @escaping @Sendable ([UInt8]) -> Void = { StandardStream.error.write($0) }
    ) {
        self.init(service: service, level: level, clock: clock, sink: sink, context: [])
    }

    private init(
        service: String, level: LogLevel, clock: Clock, sink: @escaping @Sendable ([UInt8]) -> Void,
        context: [(String, LogValue)]
    ) {
        self.service = service
        self.level = level
        self.clock = clock
        self.sink = sink
        self.context = context
    }

    /// The same log, with these fields in every line: tenant, app, request id.
    package func with(_ fields: [(String, LogValue)]) -> Log {
        Log(service: service, level: level, clock: clock, sink: sink, context: context + fields)
    }

    package func at(_ level: LogLevel) -> Log {
        Log(service: service, level: level, clock: clock, sink: sink, context: context)
    }

    package func debug(_ event: String, _ fields: [(String, LogValue)] = []) {
        write(.debug, event, fields)
    }

    package func info(_ event: String, _ fields: [(String, LogValue)] = []) {
        write(.info, event, fields)
    }

    package func warning(_ event: String, _ fields: [(String, LogValue)] = []) {
        write(.warning, event, fields)
    }

    package func error(_ event: String, _ fields: [(String, LogValue)] = []) {
        write(.error, event, fields)
    }

    private func write(_ level: LogLevel, _ event: String, _ fields: [(String, LogValue)]) {
        guard level >= self.level else { return }
        var line = LogLine(
            time: InstantText.rfc3339(milliseconds: clock.now()), level: level.rawValue,
            service: service, event: event)
        for (name, value) in context + fields { line.append(name, value) }
        sink(line.finished())
    }
}

/// One line while it is built.
struct LogLine {
    /// Longer texts are cut and end in "…": a line is for reading.
    static let valueBytesLimit = 4_096
    /// Past it, fields are left out and `cut` says so.
    static let lineBytesLimit = 32_768
    private static let reserved = ["time", "level", "service", "event", "cut"]

    private var bytes: [UInt8] = []
    private var isCut = false

    init(time: String, level: String, service: String, event: String) {
        bytes.reserveCapacity(256)
        for (name, text) in [
            ("time", time), ("level", level), ("service", service), ("event", event),
        ] {
            appendName(name)
            appendText(text)
        }
    }

    mutating func append(_ name: String, _ value: LogValue) {
        guard bytes.count < Self.lineBytesLimit else {
            isCut = true
            return
        }
        appendName(Self.reserved.contains(name) ? "field_" + name : name)
        switch value {
        case .string(let text): appendText(text)
        case .integer(let number): bytes += String(number).utf8
        case .double(let number): bytes += number.isFinite ? Array("\(number)".utf8) : Self.null
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .strings(let texts): JSONText.append(shortened(texts), to: &bytes)
        case .null: bytes += Self.null
        }
    }

    consuming func finished() -> [UInt8] {
        if isCut { bytes += ",\"cut\":true".utf8 }
        bytes += "}\n".utf8
        return bytes
    }

    private static let null = Array("null".utf8)

    private mutating func appendName(_ name: String) {
        bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
        JSONText.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func appendText(_ text: String) {
        JSONText.append(Self.shortened(text), to: &bytes)
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > valueBytesLimit else { return text }
        return String(decoding: text.utf8.prefix(valueBytesLimit), as: UTF8.self) + "…"
    }

    /// As many as fit into one value's bytes.
    private mutating func shortened(_ texts: [String]) -> [String] {
        var room = Self.valueBytesLimit
        let kept = texts.prefix { text in
            room -= text.utf8.count
            return room >= 0
        }
        if kept.count < texts.count { isCut = true }
        return Array(kept)
    }
}
