/// The pieces that a PNG is made of.
package enum PNGBytes {
    package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    package static func bigEndian(_ value: Int) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    package static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + data
        return bigEndian(data.count) + checked + bigEndian(Int(crc(checked)))
    }

    /// zlib's form without compression.
    package static func stored(_ data: [UInt8]) -> [UInt8] {
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

    package static func adler(_ data: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    package static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { place in
        (0..<8).reduce(UInt32(place)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    /// Where each chunk stands, from its length to its checksum.
    package static func chunks(of png: [UInt8]) -> [(name: String, range: Range<Int>)] {
        var place = signature.count
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
    package static func withChecksums(_ png: [UInt8]) -> [UInt8] {
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
