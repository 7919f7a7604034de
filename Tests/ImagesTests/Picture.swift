import TestSupport

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
        return PNGBytes.signature + chunks.flatMap { PNGBytes.chunk($0.0, $0.1) }
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
