internal import CSPNG

/// Takes what libspng writes, up to a limit.
final class EncodedBytes {
    private let limit: Int
    fileprivate(set) var bytes: [UInt8] = []
    private(set) var isOverLimit = false

    init(limit: Int) { self.limit = limit }

    func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= limit - bytes.count else {
            isOverLimit = true
            return false
        }
        unsafe bytes.append(contentsOf: piece)
        return true
    }
}

/// libspng writing one picture of greyscale or RGB, scanline by scanline in the order of the file.
@safe
struct ScanlineEncoder: ~Copyable {
    private let context: OpaquePointer
    /// libspng borrows it.
    private let output: EncodedBytes
    private let bytesLimit: Int

    /// Ready for the first scanline of a picture with this header, but of `color`.
    static func open(
        _ header: PNGHeader, color: PNGFacts.ColorType, bytesLimit: Int
    ) throws(PNGFault) -> ScanlineEncoder {
        guard let encoder = ScanlineEncoder(bytesLimit: bytesLimit) else {
            throw .undecodable("memory is out")
        }
        try encoder.start(header, color: color)
        return encoder
    }

    private init?(bytesLimit: Int) {
        let flags = Int32(bitPattern: SPNG_CTX_ENCODER.rawValue)
        guard let made = unsafe spng_ctx_new(flags) else { return nil }
        unsafe context = made
        output = EncodedBytes(limit: bytesLimit)
        self.bytesLimit = bytesLimit
    }

    private func start(_ header: PNGHeader, color: PNGFacts.ColorType) throws(PNGFault) {
        let user = unsafe Unmanaged.passUnretained(output).toOpaque()
        try ScanlineDecoder.require(unsafe spng_set_png_stream(context, writeCallback, user))
        var written = spng_ihdr(
            width: UInt32(header.width), height: UInt32(header.height),
            bit_depth: UInt8(header.bitDepth), color_type: color.rawValue,
            compression_method: 0, filter_method: 0, interlace_method: header.isInterlaced ? 1 : 0)
        try ScanlineDecoder.require(unsafe spng_set_ihdr(context, &written))
        let format = Int32(bitPattern: SPNG_FMT_RAW.rawValue)
        let flags = SPNG_ENCODE_PROGRESSIVE.rawValue | SPNG_ENCODE_FINALIZE.rawValue
        try ScanlineDecoder.require(
            unsafe spng_encode_image(context, nil, 0, format, Int32(bitPattern: flags)))
    }

    deinit { unsafe spng_ctx_free(context) }

    /// The first `count` bytes of the array are a scanline.
    borrowing func append(_ scanline: [UInt8], count: Int) throws(PNGFault) {
        let status = unsafe spng_encode_scanline(context, scanline, count)
        if output.isOverLimit { throw .tooManyBytes(count: bytesLimit + 1, limit: bytesLimit) }
        guard status == SPNG_EOI.status || status == 0 else {
            throw ScanlineDecoder.fault(status)
        }
    }

    /// The file, complete after the last scanline.
    consuming func finish() -> [UInt8] { output.bytes }
}

private let writeCallback:
    @convention(c) (
        OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32 = { _, user, source, count in
        guard let user = unsafe user, let source = unsafe source else {
            return SPNG_IO_ERROR.status
        }
        let output = unsafe Unmanaged<EncodedBytes>.fromOpaque(user).takeUnretainedValue()
        let piece = unsafe UnsafeRawBufferPointer(start: source, count: count)
        return unsafe output.take(piece) ? 0 : SPNG_IO_ERROR.status
    }
