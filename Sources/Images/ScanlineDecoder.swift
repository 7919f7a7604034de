internal import CSPNG

/// Lends libspng the critical chunks of a file, in their order: the only bytes it ever sees.
final class ChunkFeed {
    private let bytes: [UInt8]
    private var pieces: ArraySlice<Range<Int>>

    init(_ bytes: [UInt8], _ structure: PNGStructure) {
        self.bytes = bytes
        let critical = structure.chunks.filter(\.type.isCritical).map(\.whole)
        pieces = ([0..<PNG.signature.count] + critical)[...]
    }

    /// The next bytes; false where there are not as many.
    func fill(_ target: UnsafeMutableRawBufferPointer) -> Bool {
        var filled = 0
        while filled < target.count {
            guard let piece = pieces.first else { return false }
            let count = min(piece.count, target.count - filled)
            let taken = piece.lowerBound..<(piece.lowerBound + count)
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...])
            unsafe place.copyBytes(from: bytes[taken])
            filled += count
            pieces[pieces.startIndex] = taken.upperBound..<piece.upperBound
            if count == piece.count { pieces.removeFirst() }
        }
        return true
    }
}

/// libspng reading one picture, scanline by scanline and pass by pass: only two scanlines are ever
/// in memory, interlaced or not.
@safe
struct ScanlineDecoder: ~Copyable {
    private let context: OpaquePointer
    /// libspng borrows it.
    private let feed: ChunkFeed
    private let layout: PixelLayout

    /// Ready for the first scanline.
    static func open(
        _ bytes: [UInt8], _ structure: PNGStructure
    ) throws(PNGFault) -> ScanlineDecoder {
        guard let decoder = ScanlineDecoder(bytes, structure) else {
            throw .undecodable("memory is out")
        }
        try decoder.start(structure.header)
        return decoder
    }

    private init?(_ bytes: [UInt8], _ structure: PNGStructure) {
        guard let made = unsafe spng_ctx_new(0) else { return nil }
        unsafe context = made
        feed = ChunkFeed(bytes, structure)
        layout = PixelLayout(structure.header)
    }

    private func start(_ header: PNGHeader) throws(PNGFault) {
        let user = unsafe Unmanaged.passUnretained(feed).toOpaque()
        try Self.require(
            unsafe spng_set_image_limits(context, UInt32(header.width), UInt32(header.height)))
        try Self.require(unsafe spng_set_png_stream(context, readCallback, user))
        // RAW: samples as they stand in the file, so that nothing is rounded or expanded.
        let format = Int32(bitPattern: SPNG_FMT_RAW.rawValue)
        let flags = Int32(bitPattern: SPNG_DECODE_PROGRESSIVE.rawValue)
        try Self.require(unsafe spng_decode_image(context, nil, 0, format, flags))
    }

    deinit { unsafe spng_ctx_free(context) }

    /// Every scanline with its pixels' number; its bytes are the first of the array.
    consuming func forEachScanline(
        _ body: (_ scanline: [UInt8], _ pass: PixelLayout.Pass) throws(PNGFault) -> Void
    ) throws(PNGFault) {
        var scanline = [UInt8](repeating: 0, count: layout.rowBytesLimit)
        var status: Int32 = 0
        for pass in layout.passes {
            for _ in 0..<pass.height {
                // The end is told together with the last scanline, not after it.
                guard status == 0 else { throw .undecodable("the picture ends early") }
                status = unsafe spng_decode_scanline(context, &scanline, scanline.count)
                guard status == SPNG_EOI.status || status == 0 else { throw Self.fault(status) }
                try body(scanline, pass)
            }
        }
        guard status == SPNG_EOI.status else { throw .undecodable("the picture goes on") }
    }

    static func require(_ status: Int32) throws(PNGFault) {
        if status != 0 { throw fault(status) }
    }

    static func fault(_ status: Int32) -> PNGFault {
        .undecodable(unsafe String(cString: spng_strerror(status)))
    }
}

extension spng_errno {
    var status: Int32 { Int32(truncatingIfNeeded: rawValue) }
}

private let readCallback:
    @convention(c) (
        OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32 = { _, user, target, count in
        guard let user = unsafe user, let target = unsafe target else {
            return SPNG_IO_ERROR.status
        }
        let feed = unsafe Unmanaged<ChunkFeed>.fromOpaque(user).takeUnretainedValue()
        let place = unsafe UnsafeMutableRawBufferPointer(start: target, count: count)
        return unsafe feed.fill(place) ? 0 : SPNG_IO_EOF.status
    }
