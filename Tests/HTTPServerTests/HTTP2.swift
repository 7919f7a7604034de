/// The least of HTTP/2 (RFC 9113) that asks one question: connection preface, settings, one header
/// frame without compression, one data frame.
enum HTTP2 {
    /// `:status` as the static table of RFC 7541 has it.
    static let status200: UInt8 = 0x88
    static let status404: UInt8 = 0x8D

    static func request(path: String, host: String, body: String) -> [UInt8] {
        let fields = [
            (":method", "POST"), (":scheme", "https"), (":authority", host), (":path", path),
        ]
        // Literal without indexing, name and value as they are.
        let block = fields.reduce(into: [UInt8]()) { $0 += [0] + text($1.0) + text($1.1) }
        return Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(type: 4, stream: 0, [])
            + frame(type: 1, flags: 0x4, stream: 1, block)
            + frame(type: 0, flags: 0x1, stream: 1, Array(body.utf8))
    }

    /// The first byte of the first header frame; nil until it has come.
    static func statusByte(in bytes: [UInt8]) -> UInt8? {
        var rest = bytes[...]
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let payload = rest.dropFirst(9).prefix(length)
            if head[3] == 1 { return payload.first }
            rest = rest.dropFirst(9 + length)
        }
        return nil
    }

    private static func frame(
        type: UInt8, flags: UInt8 = 0, stream: UInt8, _ payload: [UInt8]
    ) -> [UInt8] {
        [0, UInt8(payload.count / 256), UInt8(payload.count % 256), type, flags, 0, 0, 0, stream]
            + payload
    }

    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }
}
