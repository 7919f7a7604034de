/// CRC-32 as in zlib and PNG: finds a torn or rotten record, not a forged one. Eight bytes at a
/// time, since each answer waits for it.
enum CRC32 {
    /// What each byte comes to, with so many zero bytes behind it.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = (0..<256).map { index in
            (0..<8).reduce(UInt32(index)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
            }
        }
        for place in 256..<8 * 256 {
            let before = tables[place - 256]
            tables.append(before >> 8 ^ tables[Int(before & 0xff)])
        }
        return tables
    }()

    static func checksum(_ bytes: [UInt8], from start: Int = 0) -> UInt32 {
        checksum(bytes[start...])
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe tables.withUnsafeBufferPointer { unsafe checksum(bytes, $0) }
        }
    }

    private static func checksum(
        _ bytes: UnsafeRawBufferPointer, _ tables: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        func part(_ word: UInt64, _ place: Int) -> UInt32 {
            let octet = Int(truncatingIfNeeded: word >> UInt64(place * 8)) & 0xff
            return unsafe tables[(7 - place) * 256 + octet]
        }
        var value = ~UInt32(0)
        var place = 0
        while place + 8 <= bytes.count {
            let loaded = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let word = UInt64(littleEndian: loaded) ^ UInt64(value)
            let near = part(word, 0) ^ part(word, 1) ^ part(word, 2) ^ part(word, 3)
            let far = part(word, 4) ^ part(word, 5) ^ part(word, 6) ^ part(word, 7)
            value = near ^ far
            place += 8
        }
        while place < bytes.count {
            value = unsafe value >> 8 ^ tables[Int((value ^ UInt32(bytes[place])) & 0xff)]
            place += 1
        }
        return ~value
    }
}
