/// A black PNG of one bit a pixel, small enough to be made anew for each test.
package struct PlainPicture: Sendable {
    package var width = 3_840
    package var height = 160
    /// The grey that tRNS says is transparent: 1 is nowhere in it, 0 everywhere.
    package var transparentGrey: UInt8?
    /// Between IHDR and the pixels; makes different bytes of the same picture.
    package var note: String?
    package var isAnimated = false

    package init(
        width: Int = 3_840, height: Int = 160, transparentGrey: UInt8? = nil, note: String? = nil,
        isAnimated: Bool = false
    ) {
        self.width = width
        self.height = height
        self.transparentGrey = transparentGrey
        self.note = note
        self.isAnimated = isAnimated
    }

    package static let bullet = PlainPicture(width: 1_024, height: 1_024)

    package var png: [UInt8] {
        let header = Self.bigEndian(width) + Self.bigEndian(height) + [1, 0, 0, 0, 0]
        var chunks: [(String, [UInt8])] = [("IHDR", header)]
        if isAnimated { chunks.append(("acTL", Self.bigEndian(1) + Self.bigEndian(0))) }
        if let note { chunks.append(("tEXt", Array("Comment\u{0}\(note)".utf8))) }
        if let transparentGrey { chunks.append(("tRNS", [0, transparentGrey])) }
        let scanlines = [UInt8](repeating: 0, count: (1 + (width + 7) / 8) * height)
        chunks += [("IDAT", Self.stored(scanlines)), ("IEND", [])]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunks.flatMap { Self.chunk($0.0, $0.1) }
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + data
        return bigEndian(data.count) + checked + bigEndian(Int(crc(checked)))
    }

    /// zlib's form without compression.
    private static func stored(_ zeros: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x78, 0x01]
        var rest = zeros[...]
        repeat {
            let piece = rest.prefix(65_535)
            rest = rest.dropFirst(piece.count)
            let count = UInt16(piece.count)
            bytes.append(rest.isEmpty ? 1 : 0)
            for value in [count, ~count] {
                bytes += [UInt8(value & 0xFF), UInt8(value >> 8)]
            }
            bytes += piece
        } while !rest.isEmpty
        // Adler-32 of zeros: the low sum stays 1, the high one counts them.
        return bytes + bigEndian((zeros.count % 65_521) << 16 | 1)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = ~0
        for byte in bytes { crc = table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
        return ~crc
    }

    private static let table: [UInt32] = (0..<256).map { place in
        (0..<8).reduce(UInt32(place)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }
}
