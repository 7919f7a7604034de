// Log lines: always one line, always JSON, harmless on a terminal.

import Foundation
import Service
import Synchronization
import Testing

@Suite struct `A log line` {
    final class Lines: Sendable {
        private let lines = Mutex<[[UInt8]]>([])
        var all: [[UInt8]] { lines.withLock { $0 } }

        func log(_ level: LogLevel = .debug) -> Log {
            Log(
                service: "test", level: level,
                clock: .fixed(milliseconds: 1_796_011_445_678)
            ) { line in self.lines.withLock { $0.append(line) } }
        }

        func only() throws -> [String: Any] {
            let line = try #require(all.first)
            #expect(all.count == 1 && line.last == UInt8(ascii: "\n"))
            #expect(!line.dropLast().contains { $0 < 0x20 || $0 == 0x7f })
            let object = try JSONSerialization.jsonObject(with: Data(line))
            return try #require(object as? [String: Any])
        }
    }

    @Test func `has time, level, service, event and fields in that order`() throws {
        let lines = Lines()
        lines.log().with([("app", "a1")]).warning(
            "slow_answer",
            [
                ("count", 3), ("ratio", 0.5), ("late", true), ("none", nil), ("ids", ["x", "y"]),
                ("time", "mine"), ("nan", .double(.nan)), ("took", LogValue(.milliseconds(12))),
            ])
        let text = String(decoding: try #require(lines.all.first), as: UTF8.self)
        let expected =
            #"{"time":"2026-11-30T04:04:05.678Z","level":"warning","service":"test","#
            + #""event":"slow_answer","app":"a1","count":3,"ratio":0.5,"late":true,"none":null,"#
            + #""ids":["x","y"],"field_time":"mine","nan":null,"took":12.0}"# + "\n"
        #expect(text == expected)
    }

    @Test(arguments: [
        "a\r\nb", "\u{1b}[31mred", "\u{9b}31m", "quote\"back\\slash", "\0\u{7f}\u{85}",
        "\u{2028}\u{2029}", "\u{202e}evil", "tag \u{e0041}", "ünï 日本 👩‍👩‍👧", "\u{feff}",
    ])
    func `carries any text unchanged, and shows none that could do harm`(text: String) throws {
        let lines = Lines()
        lines.log().info("event", [("value", .string(text))])
        let value = try #require(try lines.only()["value"] as? String)
        #expect(Array(value.unicodeScalars) == Array(text.unicodeScalars))
        let shown = String(decoding: try #require(lines.all.first).dropLast(), as: UTF8.self)
        let harmful: Set<Unicode.Scalar> = [
            "\u{1b}", "\u{9b}", "\u{85}", "\u{2028}", "\u{2029}", "\u{202e}", "\u{e0041}",
        ]
        #expect(!shown.unicodeScalars.contains { harmful.contains($0) })
    }

    @Test func `stays JSON for any bytes`() throws {
        for byte in UInt8.min...UInt8.max {
            let lines = Lines()
            lines.log().info("event", [("value", LogValue(untrusted: [0x61, byte, 0xff]))])
            _ = try lines.only()
        }
    }

    @Test func `is bounded`() throws {
        let lines = Lines()
        let long = String(repeating: "é", count: 100_000)
        let fields = (0..<100).map { ("field\($0)", LogValue.string(long)) }
        lines.log().info("event", fields + [("list", .strings([long]))])
        #expect(try #require(lines.all.first).count < 40_000)
        #expect(try lines.only()["cut"] as? Bool == true)
    }

    @Test func `is written only from its level on`() {
        let lines = Lines()
        let log = lines.log(.warning)
        log.debug("a")
        log.info("b")
        #expect(lines.all.isEmpty)
        log.warning("c")
        log.error("d")
        #expect(lines.all.count == 2)
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    ])
    func `tells the time in RFC 3339`(milliseconds: Int64, text: String) {
        #expect(InstantText.rfc3339(milliseconds: milliseconds) == text)
    }

    @Test func `and no instant is too far`() {
        #expect(InstantText.rfc3339(milliseconds: .max).hasSuffix("Z"))
        #expect(InstantText.rfc3339(milliseconds: .min).hasSuffix("Z"))
    }

    @Test func `The system clock and a manual clock tell milliseconds`() {
        let wall = Int64(Date().timeIntervalSince1970 * 1_000)
        #expect(abs(Clock.system.now() - wall) < 10_000)
        let manual = ManualClock(milliseconds: 5)
        let clock = manual.clock
        manual.advance(milliseconds: 7)
        #expect(clock.now() == 12)
    }
}
