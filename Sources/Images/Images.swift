/// What a PNG is, found without trusting it.
///
/// People upload pictures; anything may be in the bytes. So nothing is believed and little is
/// spent before it is known to be worth it:
///
/// ```
/// bytes ──ChunkWalk──► structure, checksums, size, metadata: every fault in one answer
///            │         (nothing is inflated; a picture over the limits ends here)
///            ├─InflatedPicture─► does the compressed data end exactly where the picture does?
///            └─ScanlineDecoder─► libspng, one scanline in memory ──Transparency──► PNGFacts
/// ```
///
/// libspng gets the critical chunks only. Text, profiles and other metadata are never inflated, so
/// what hides in them costs nothing, and bugs in reading them cannot be reached. How large a
/// picture must be, and whether it may have an alpha channel, is not known here.
package enum PNG {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Decodes the whole picture, and tells what it is. Costs less than a second and little memory
    /// besides `bytes`; how many of these run at one time is for the caller to limit.
    package static func inspect(
        _ bytes: [UInt8], limits: PNGLimits = PNGLimits()
    ) throws(PNGRefusal) -> PNGFacts {
        try InspectedPNG(bytes, limits: limits).facts
    }

    /// The same pixels without alpha channel or tRNS: bit depth, colours and interlacing stay as
    /// they are. Refused where a pixel is transparent, since no colour could then be the right one.
    /// A picture without alpha comes back byte for byte. Compressing anew takes a second or two for
    /// the largest pictures, so this is for those who ask for it.
    package static func flatten(
        _ bytes: [UInt8], limits: PNGLimits = PNGLimits()
    ) throws(PNGRefusal) -> [UInt8] {
        let inspected = try InspectedPNG(bytes, limits: limits)
        guard inspected.facts.hasAlphaChannel else { return bytes }
        guard !inspected.facts.hasTransparentPixel else {
            throw PNGRefusal([.transparentPixels], header: inspected.structure.header)
        }
        do {
            return try inspected.flattened(bytes, limits: limits)
        } catch {
            throw PNGRefusal([error], header: inspected.structure.header)
        }
    }
}
