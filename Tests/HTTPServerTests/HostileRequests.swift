import Testing

/// One piece of hostile or odd input, and what becomes of it: at our server alone, and through the
/// public door. Held as observed, so that a new version of either that judges otherwise is noticed.
struct HostileRequest: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        /// Answered with this status, or closed without an answer; no handler ran.
        case refused(Int?)
        /// Exactly one request reached the handler, with a body of so many bytes.
        case served(body: Int)

        var isServed: Bool { if case .served = self { true } else { false } }
    }

    let name: String
    let bytes: [UInt8]
    let direct: Outcome
    let door: Outcome

    var testDescription: String { name }

    private init(_ name: String, direct: Outcome, door: Outcome, raw: String) {
        self.name = name
        self.bytes = Array(raw.utf8)
        self.direct = direct
        self.door = door
    }

    /// `head` follows the request line and `Host`.
    private static func framing(
        _ name: String, _ head: String, body: String = "hello", direct: Outcome = .refused(400),
        door: Outcome = .refused(400)
    ) -> HostileRequest {
        HostileRequest(
            name, direct: direct, door: door,
            raw: "POST /realtime/a HTTP/1.1\r\nHost: h\r\n\(head)\r\n\r\n\(body)")
    }

    /// A request that must never be seen by a handler of its own: it hides in another's body.
    private static let hidden = "POST /realtime/hidden HTTP/1.1\r\nHost: h\r\nX: "
    private static let hiddenInChunks = "0\r\n\r\n" + hidden + "\r\n\r\n"
    private static let chunkedHello = "5\r\nhello\r\n0\r\n\r\n"

    static let lengths: [HostileRequest] = [
        framing(
            "Content-Length, then Transfer-Encoding",
            "Content-Length: \(hiddenInChunks.utf8.count)\r\nTransfer-Encoding: chunked",
            body: hiddenInChunks, door: .served(body: 0)),
        framing(
            "Transfer-Encoding, then Content-Length",
            "Transfer-Encoding: chunked\r\nContent-Length: \(hiddenInChunks.utf8.count)",
            body: hiddenInChunks, door: .served(body: 0)),
        framing(
            "two equal lengths", "Content-Length: 5\r\nContent-Length: 5", door: .served(body: 5)),
        framing("two different lengths", "Content-Length: 5\r\nContent-Length: 0"),
        framing("two lengths, first too short", "Content-Length: 0\r\nContent-Length: 5"),
        framing("length with a plus", "Content-Length: +5"),
        framing("negative length", "Content-Length: -1"),
        framing("list of lengths", "Content-Length: 5, 5", door: .served(body: 5)),
        framing("list of different lengths", "Content-Length: 5, 6"),
        framing("hexadecimal length", "Content-Length: 0x5"),
        framing("length with a fraction", "Content-Length: 5.0"),
        framing("empty length", "Content-Length:"),
        framing("length of words", "Content-Length: five"),
        framing("length with a blank inside", "Content-Length: 5 5"),
        framing(
            "length of 20 digits", "Content-Length: 18446744073709551616", direct: .refused(413),
            door: .refused(nil)),
        framing(
            "length of 40 digits", "Content-Length: 1\(String(repeating: "0", count: 39))",
            direct: .refused(413)),
        framing(
            "length with leading blanks", "Content-Length:  \t5", direct: .served(body: 5),
            door: .served(body: 5)),
        framing("length with a trailing blank", "Content-Length: 5 ", door: .served(body: 5)),
        framing(
            "length with leading zeros", "Content-Length: 0005", direct: .served(body: 5),
            door: .served(body: 5)),
        framing("length with a vertical tab", "Content-Length: \u{0B}5"),
        framing("length with a NUL", "Content-Length: 5\u{0}0"),
        framing(
            "announced too much", "Content-Length: 65537", direct: .refused(413),
            door: .refused(413)),
        framing(
            "announced a gigabyte", "Content-Length: 1073741824", direct: .refused(413),
            door: .refused(413)),
        framing(
            "announced a gigabyte and waits for leave",
            "Content-Length: 1073741824\r\nExpect: 100-continue", body: "", direct: .refused(413),
            door: .refused(413)),
        framing(
            "body longer than its length", "Content-Length: 3", direct: .served(body: 3),
            door: .served(body: 3)),
        head(
            "body of a GET",
            "GET /realtime/a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
            direct: .served(body: 5), door: .refused(405)),
    ]

    static let encodings: [HostileRequest] = [
        framing(
            "good chunks", "Transfer-Encoding: chunked", body: chunkedHello,
            direct: .served(body: 5), door: .served(body: 5)),
        framing(
            "chunked in capitals", "Transfer-Encoding: CHUNKED", body: chunkedHello,
            direct: .served(body: 5), door: .served(body: 5)),
        framing("xchunked", "Transfer-Encoding: xchunked", body: chunkedHello),
        framing(
            "gzip, chunked", "Transfer-Encoding: gzip, chunked", body: chunkedHello,
            door: .refused(422)),
        framing("chunked, gzip", "Transfer-Encoding: chunked, gzip", body: chunkedHello),
        framing("chunked, chunked", "Transfer-Encoding: chunked, chunked", body: chunkedHello),
        framing(
            "chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            body: chunkedHello),
        framing(
            "identity, then chunked",
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", body: chunkedHello,
            door: .refused(422)),
        framing("identity", "Transfer-Encoding: identity", body: chunkedHello),
        framing("empty encoding", "Transfer-Encoding:", body: chunkedHello),
        framing(
            "vertical tab before chunked", "Transfer-Encoding: \u{0B}chunked", body: chunkedHello),
        framing("quoted chunked", "Transfer-Encoding: \"chunked\"", body: chunkedHello),
        framing("chunked with a parameter", "Transfer-Encoding: chunked;a=b", body: chunkedHello),
        framing("chunked with a NUL", "Transfer-Encoding: chunked\u{0}x", body: chunkedHello),
        framing(
            "encoding with an underscore", "Transfer_Encoding: chunked", body: chunkedHello,
            direct: .served(body: 0), door: .refused(403)),
        framing("blank before the colon", "Transfer-Encoding : chunked", body: chunkedHello),
        framing(
            "encoding on a folded line", "Transfer-Encoding:\r\n chunked", body: chunkedHello,
            door: .served(body: 5)),
        HostileRequest(
            "HTTP/1.0 with an encoding", direct: .refused(400), door: .refused(400),
            raw: "POST /realtime/a HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n\(hiddenInChunks)"),
    ]

    static let chunks: [HostileRequest] = [
        chunked("hexadecimal mark", "0x5\r\nhello\r\n0\r\n\r\n"),
        chunked("negative chunk", "-5\r\nhello\r\n0\r\n\r\n"),
        chunked("chunk with a plus", "+5\r\nhello\r\n0\r\n\r\n"),
        chunked(
            "chunk size that overflows", "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
            direct: .refused(413)),
        chunked(
            "chunk of 2^64 - 1", "FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n", direct: .refused(nil)),
        chunked("chunk size with an underscore", "0_5\r\nhello\r\n0\r\n\r\n"),
        chunked("no chunk size", "\r\nhello\r\n0\r\n\r\n"),
        chunked(
            "chunk size with leading zeros", "0005\r\nhello\r\n0\r\n\r\n", direct: .served(body: 5),
            door: .served(body: 5)),
        chunked("chunk longer than its size", "3\r\nhello\r\n0\r\n\r\n"),
        chunked(
            "chunk extension", "5;a=b\r\nhello\r\n0\r\n\r\n", direct: .served(body: 5),
            door: .served(body: 5)),
        chunked(
            "chunk extension of 20 KB",
            "5;\(String(repeating: "a", count: 20_000))\r\nhello\r\n0\r\n\r\n",
            direct: .refused(500)),
        chunked(
            "bare line feeds between chunks", "5\nhello\n0\n\n", direct: .served(body: 5),
            door: .served(body: 5)),
        chunked("bare carriage returns between chunks", "5\rhello\r0\r\r"),
        chunked(
            "trailer", "5\r\nhello\r\n0\r\nX: y\r\n\r\n", direct: .served(body: 5),
            door: .served(body: 5)),
        chunked(
            "trailer that names a length", "5\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n",
            direct: .served(body: 5), door: .served(body: 5)),
        chunked("chunks over the limit", largeChunks, direct: .refused(413), door: .refused(413)),
    ]

    private static let largeChunks =
        String(repeating: "4000\r\n\(String(repeating: "a", count: 0x4000))\r\n", count: 5)
        + "0\r\n\r\n"

    private static func chunked(
        _ name: String, _ body: String, direct: Outcome = .refused(400),
        door: Outcome = .refused(400)
    ) -> HostileRequest {
        framing(name, "Transfer-Encoding: chunked", body: body, direct: direct, door: door)
    }

    static let heads: [HostileRequest] = [
        head(
            "bare line feeds", "POST /realtime/a HTTP/1.1\nHost: h\nContent-Length: 0\n\n",
            door: .served(body: 0)),
        head(
            "bare line feed in a field",
            "POST /realtime/a HTTP/1.1\r\nHost: h\r\nX: a\nY: b\r\n\r\n", door: .served(body: 0)),
        head("bare carriage return", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nX: a\rY: b\r\n\r\n"),
        head(
            "folded field", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n",
            door: .served(body: 0)),
        head("blank before the first field", "POST /realtime/a HTTP/1.1\r\n Host: h\r\n\r\n"),
        head("blank before a colon", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nX : a\r\n\r\n"),
        head("NUL in a value", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nX: a\u{0}b\r\n\r\n"),
        head("NUL in a name", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nX\u{0}Y: a\r\n\r\n"),
        head("NUL in the target", "POST /realtime/a\u{0}b HTTP/1.1\r\nHost: h\r\n\r\n"),
        head("empty name", "POST /realtime/a HTTP/1.1\r\nHost: h\r\n: a\r\n\r\n"),
        head("no colon", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nX\r\n\r\n"),
        head("odd byte in a name", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nX(: a\r\n\r\n"),
        head("absolute target", "POST http://h/realtime/a HTTP/1.1\r\nHost: h\r\n\r\n"),
        head("target of another host", "POST http://g/realtime/a HTTP/1.1\r\nHost: h\r\n\r\n"),
        head("target without a slash", "POST realtime/a HTTP/1.1\r\nHost: h\r\n\r\n"),
        head("starred target", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"),
        head("authority target", "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"),
        head("blank in the target", "POST /realtime/a b HTTP/1.1\r\nHost: h\r\n\r\n"),
        head("bytes above ASCII in the target", "POST /realtime/é HTTP/1.1\r\nHost: h\r\n\r\n"),
        head("no Host", "POST /realtime/a HTTP/1.1\r\n\r\n"),
        head("two Hosts", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nHost: g\r\n\r\n"),
        head(
            "two equal Hosts", "POST /realtime/a HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
            door: .served(body: 0)),
        head("HTTP/0.9", "GET /realtime/a\r\n"),
        head(
            "HTTP/0.9 with a version", "GET /realtime/a HTTP/0.9\r\n\r\n", direct: .refused(505),
            door: .refused(405)),
        head(
            "HTTP/1.2", "POST /realtime/a HTTP/1.2\r\nHost: h\r\n\r\n", direct: .refused(505),
            door: .served(body: 0)),
        head(
            "HTTP/2.0", "POST /realtime/a HTTP/2.0\r\nHost: h\r\n\r\n", direct: .refused(505),
            door: .served(body: 0)),
        head("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", direct: .refused(505)),
        head("http in small letters", "POST /realtime/a http/1.1\r\nHost: h\r\n\r\n"),
        head("nonsense", "\u{16}\u{3}\u{1}nonsense\r\n\r\n", direct: .refused(nil)),
        head(
            "blank before the method", " POST /realtime/a HTTP/1.1\r\nHost: h\r\n\r\n",
            direct: .refused(nil)),
        head(
            "HTTP/1.0 without Host", "POST /realtime/a HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
            direct: .served(body: 0), door: .served(body: 0)),
    ]

    private static func head(
        _ name: String, _ raw: String, direct: Outcome = .refused(400),
        door: Outcome = .refused(400)
    ) -> HostileRequest {
        HostileRequest(name, direct: direct, door: door, raw: raw)
    }

    private static let goodHead = "POST /realtime/a HTTP/1.1\r\nHost: h\r\n"

    static let sizes: [HostileRequest] = [
        head(
            "one field of 100 KB",
            "\(goodHead)X: \(String(repeating: "a", count: 100_000))\r\n\r\n",
            direct: .refused(431)),
        head(
            "5,000 small fields",
            "\(goodHead)\(String(repeating: "X: a\r\n", count: 5000))\r\n",
            direct: .refused(431)),
        head(
            "100 small fields",
            "\(goodHead)\(String(repeating: "X: a\r\n", count: 100))\r\n",
            direct: .refused(431)),
        head(
            "target of 20 KB",
            "POST /realtime/\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: h\r\n\r\n",
            direct: .refused(414)),
        head(
            "target of 8,001 bytes",
            "POST /realtime/\(String(repeating: "a", count: 7991)) HTTP/1.1\r\nHost: h\r\n\r\n",
            direct: .refused(414), door: .refused(414)),
        head(
            "query of a thousand names",
            "POST /realtime/a?\(String(repeating: "a&", count: 1000)) HTTP/1.1\r\nHost: h\r\n\r\n",
            direct: .refused(414), door: .refused(414)),
    ]

    static let all = lengths + encodings + chunks + heads + sizes
}

extension HostileRequest {
    /// The same at the admin API; the path is as long.
    var toGateway: HostileRequest {
        let text = String(decoding: bytes, as: UTF8.self)
        return HostileRequest(
            name, direct: direct, door: doorToGateway,
            raw: text.replacing("/realtime/a", with: "/v1/clients"))
    }

    /// The admin API has further methods; all else is judged as for the responder.
    var doorToGateway: Outcome {
        switch name {
        case "body of a GET": .served(body: 5)
        // Within the limit here, so that it is waited for.
        case "announced too much": .refused(408)
        case "HTTP/0.9 with a version": .refused(505)
        default: door
        }
    }
}
