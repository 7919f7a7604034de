/// The head of an answer, as far as it is needed.
struct AnswerHead {
    let status: Int
    let bodyStart: Int
    let bodyBytes: Int
    let closes: Bool

    /// nil while the head is not whole. An answer without a length counts as one without a body.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.end(of: bytes) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        bodyStart = end + 4
        var (length, closes) = (0, false)
        for line in lines.dropFirst() {
            let field = line.lowercased()
            if field.hasPrefix("content-length:") {
                let digits = field.utf8.dropFirst(15).drop { $0 == UInt8(ascii: " ") }
                length = Int(String(decoding: digits, as: UTF8.self)) ?? 0
            } else if field.hasPrefix("connection:") {
                closes = field.hasSuffix("close")
            }
        }
        bodyBytes = max(0, length)
        self.closes = closes
    }

    private static func end(of bytes: [UInt8]) -> Int? {
        let blank = UInt8(ascii: "\r")
        var place = 0
        while place + 3 < bytes.count {
            if bytes[place] == blank, bytes[place + 1] == 0x0A, bytes[place + 2] == blank,
                bytes[place + 3] == 0x0A
            {
                return place
            }
            place += 1
        }
        return nil
    }
}
