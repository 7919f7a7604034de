import CSPNG
import Images

/// What the product says of bytes: facts, or the codes of all faults.
enum Inspection: Equatable {
    case facts(PNGFacts)
    case faults([PNGFault])

    init(_ bytes: [UInt8], limits: PNGLimits = PNGLimits()) {
        do {
            self = .facts(try PNG.inspect(bytes, limits: limits))
        } catch {
            self = .faults(error.faults)
        }
    }

    var facts: PNGFacts? {
        if case .facts(let facts) = self { return facts }
        return nil
    }

    var faults: [PNGFault] {
        if case .faults(let faults) = self { return faults }
        return []
    }

    var codes: [String] { faults.map(\.code) }
}

/// All pixels as 16-bit RGBA, the way a viewer sees them.
func pixels(of png: [UInt8]) -> [UInt8]? {
    guard let context = unsafe spng_ctx_new(0) else { return nil }
    defer { unsafe spng_ctx_free(context) }
    return unsafe png.withUnsafeBytes { bytes -> [UInt8]? in
        guard unsafe spng_set_png_buffer(context, bytes.baseAddress, bytes.count) == 0 else {
            return nil
        }
        var size = 0
        let format = Int32(SPNG_FMT_RGBA16.rawValue)
        guard unsafe spng_decoded_image_size(context, format, &size) == 0 else { return nil }
        var pixels = [UInt8](repeating: 0, count: size)
        let flags = Int32(SPNG_DECODE_TRNS.rawValue)
        let status = unsafe spng_decode_image(context, &pixels, size, format, flags)
        return status == 0 ? pixels : nil
    }
}

/// zlib's form, as small as zlib can make it.
func deflated(_ data: [UInt8]) -> [UInt8] {
    var size = compressBound(UInt(data.count))
    var bytes = [UInt8](repeating: 0, count: Int(size))
    let status = unsafe compress2(&bytes, &size, data, UInt(data.count), 9)
    return status == Z_OK ? Array(bytes.prefix(Int(size))) : []
}
