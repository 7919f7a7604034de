internal import CSPNG

/// Whether the compressed data of all IDAT chunks is one whole zlib stream of exactly the bytes
/// that the pixels take.
///
/// libspng stops reading with the last pixel: what comes after it, be it gigabytes, a broken
/// checksum or somebody's secret, it would not see. So the stream is inflated once before, to be
/// counted and thrown away, and never further than one byte past the picture.
@safe
struct InflatedPicture: ~Copyable {
    /// Inflated at a time.
    private static let pieceBytes = 64 * 1024

    /// zlib keeps a pointer to it, so it must stay where it is.
    private let stream: UnsafeMutablePointer<z_stream>
    private var piece = [UInt8](repeating: 0, count: pieceBytes)
    private var count = 0
    private var isEnded = false

    /// The fault of `pixels` in `bytes`; nil when they inflate to `size` bytes and nothing is left.
    static func fault(in bytes: [UInt8], _ pixels: [Chunk], size: Int) -> PNGFault? {
        guard var picture = InflatedPicture() else { return .undecodable("memory is out") }
        for chunk in pixels {
            if let fault = picture.take(bytes, chunk.data, size: size) { return fault }
        }
        if picture.count < size { return .undecodable("the data ends before the picture does") }
        return picture.isEnded ? nil : .undecodable("the compressed data has no end")
    }

    private init?() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let size = Int32(unsafe MemoryLayout<z_stream>.size)
        guard unsafe inflateInit_(stream, ZLIB_VERSION, size) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    private mutating func take(_ bytes: [UInt8], _ range: Range<Int>, size: Int) -> PNGFault? {
        guard !range.isEmpty else { return nil }
        guard !isEnded else { return Self.leftover }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            // zlib does not write to its input; the type has no const for the sake of old callers.
            unsafe stream.pointee.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.advanced(by: range.lowerBound))
            unsafe stream.pointee.avail_in = UInt32(range.count)
            // Where a full piece leaves output inside zlib, the stream's checksum is still to come.
            while unsafe stream.pointee.avail_in > 0 {
                guard let status = inflatePiece(upTo: size) else {
                    return .undecodable("the data goes on after the picture")
                }
                switch status {
                case Z_OK: continue
                case Z_STREAM_END:
                    isEnded = true
                    return unsafe stream.pointee.avail_in == 0 ? nil : Self.leftover
                default: return .undecodable("the compressed data is damaged")
                }
            }
            return nil
        }
    }

    /// nil when more than `size` bytes have come out.
    private mutating func inflatePiece(upTo size: Int) -> Int32? {
        let room = min(Self.pieceBytes, size - count + 1)
        let status = unsafe piece.withUnsafeMutableBufferPointer { piece in
            unsafe stream.pointee.next_out = piece.baseAddress
            unsafe stream.pointee.avail_out = UInt32(room)
            return unsafe inflate(stream, Z_NO_FLUSH)
        }
        count += room - Int(unsafe stream.pointee.avail_out)
        return count > size ? nil : status
    }

    private static let leftover = PNGFault.undecodable("bytes follow the compressed data")
}
