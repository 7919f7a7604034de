/// A PNG of the test's own making, byte by byte, so that what the product reads was not written by
/// the library it reads with.
struct Picture: Sendable {
    var width = 4
    var height = 3
    var depth = 8
    /// As IHDR has it: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha.
    var color: UInt8 = 2
    var isInterlaced = false
    var palette: [UInt8] = []
    var transparency: [UInt8]?
    /// Chunks between IHDR and PLTE.
    var ancillary: [(name: String, data: [UInt8])] = []
    /// The value of a pixel's sample; larger ones are cut to the depth.
    var sample: @Sendable (_ x: Int, _ y: Int, _ channel: Int) -> Int = { x, y, channel in
        x * 7 + y * 13 + channel * 29
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][color] ?? 1 }
    var opaqueSample: Int { 1 << depth - 1 }

    /// Opaque where the kind has alpha.
    static func opaque(color: UInt8, depth: Int, isInterlaced: Bool = false) -> Picture {
        var picture = Picture(width: 9, height: 11, depth: depth, color: color)
        picture.isInterlaced = isInterlaced
        if color == 3 {
            picture.palette = (0..<(3 << depth)).map { UInt8(truncatingIfNeeded: $0 * 5) }
        }
        let channels = picture.channels
        let opaque = picture.opaqueSample
        if color == 4 || color == 6 {
            picture.sample = { x, y, channel in
                channel == channels - 1 ? opaque : x * 97 + y * 1301 + channel * 29
            }
        }
        return picture
    }

    var header: [UInt8] {
        PNGBytes.bigEndian(width) + PNGBytes.bigEndian(height)
            + [UInt8(depth), color, 0, 0, isInterlaced ? 1 : 0]
    }

    /// The scanlines, each with filter 0 before it.
    var scanlines: [UInt8] {
        let steps =
            isInterlaced
            ? [
                (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
                (0, 1, 1, 2),
            ] : [(0, 0, 1, 1)]
        var bytes: [UInt8] = []
        for (x0, y0, stepX, stepY) in steps where x0 < width {
            for y in stride(from: y0, to: height, by: stepY) {
                bytes.append(0)
                var bits = BitRow()
                for x in stride(from: x0, to: width, by: stepX) {
                    for channel in 0..<channels { bits.append(sample(x, y, channel), depth) }
                }
                bytes += bits.bytes
            }
        }
        return bytes
    }

    func encoded(deflated: [UInt8]? = nil) -> [UInt8] {
        var chunks = [("IHDR", header)] + ancillary
        if !palette.isEmpty { chunks.append(("PLTE", palette)) }
        if let transparency { chunks.append(("tRNS", transparency)) }
        chunks.append(("IDAT", deflated ?? PNGBytes.stored(scanlines)))
        chunks.append(("IEND", []))
        return Picture.signature + chunks.flatMap { PNGBytes.chunk($0.0, $0.1) }
    }
}

/// Samples packed from the high bits down; what is left of the last byte is ones, to see that
/// nobody takes it for pixels.
private struct BitRow {
    private(set) var bytes: [UInt8] = []
    private var free = 0

    mutating func append(_ sample: Int, _ depth: Int) {
        if depth >= 8 {
            if depth == 16 { bytes.append(UInt8(truncatingIfNeeded: sample >> 8)) }
            bytes.append(UInt8(truncatingIfNeeded: sample))
            return
        }
        if free == 0 {
            bytes.append(0xFF)
            free = 8
        }
        free -= depth
        let mask = UInt8(1 << depth - 1)
        let value = UInt8(truncatingIfNeeded: sample) & mask
        bytes[bytes.count - 1] &= ~(mask << UInt8(free))
        bytes[bytes.count - 1] |= value << UInt8(free)
    }
}

/// The pieces that a PNG is made of.
enum PNGBytes {
    static func bigEndian(_ value: Int) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + data
        return bigEndian(data.count) + checked + bigEndian(Int(crc(checked)))
    }

    /// zlib's form without compression.
    static func stored(_ data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x78, 0x01]
        var rest = data[...]
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
        return bytes + bigEndian(Int(adler(data)))
    }

    static func adler(_ data: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { place in
        (0..<8).reduce(UInt32(place)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    /// Where each chunk stands, from its length to its checksum.
    static func chunks(of png: [UInt8]) -> [(name: String, range: Range<Int>)] {
        var place = Picture.signature.count
        var found: [(String, Range<Int>)] = []
        while place + 12 <= png.count {
            let length = png[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            let name = String(decoding: png[(place + 4)..<(place + 8)], as: UTF8.self)
            found.append((name, place..<(place + 12 + length)))
            place += 12 + length
        }
        return found
    }

    /// The same file with true checksums.
    static func withChecksums(_ png: [UInt8]) -> [UInt8] {
        var mended = png
        for (_, range) in chunks(of: png) {
            guard range.upperBound <= png.count else { break }
            let checked = Array(png[(range.lowerBound + 4)..<(range.upperBound - 4)])
            mended.replaceSubrange(
                (range.upperBound - 4)..<range.upperBound, with: bigEndian(Int(crc(checked))))
        }
        return mended
    }
}
