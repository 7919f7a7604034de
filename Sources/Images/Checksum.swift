internal import CSPNG

/// The CRC-32 of PNG.
enum Checksum {
    static func crc32(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            let piece = unsafe UnsafeBufferPointer(rebasing: bytes[range])
            return UInt32(
                truncatingIfNeeded: unsafe crc32_z(0, piece.baseAddress, piece.count))
        }
    }
}
