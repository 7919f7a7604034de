/// A file whose structure, checksums and pixels have all been found right.
struct InspectedPNG {
    let structure: PNGStructure
    let facts: PNGFacts

    init(_ bytes: [UInt8], limits: PNGLimits) throws(PNGRefusal) {
        structure = try ChunkWalk.structure(of: bytes, limits: limits)
        let size = PixelLayout(structure.header).decodedBytes
        let pixels = structure.chunks(of: .pixels)
        if let fault = InflatedPicture.fault(in: bytes, pixels, size: size) {
            throw PNGRefusal([fault], header: structure.header)
        }
        do {
            facts = try Self.facts(bytes, structure)
        } catch {
            throw PNGRefusal([error], header: structure.header)
        }
    }

    private static func facts(
        _ bytes: [UInt8], _ structure: PNGStructure
    ) throws(PNGFault) -> PNGFacts {
        let transparency = Transparency(structure)
        var hasTransparentPixel = false
        try ScanlineDecoder.open(bytes, structure).forEachScanline {
            scanline, pass throws(PNGFault) in
            if try transparency.isInside(scanline, width: pass.width) { hasTransparentPixel = true }
        }
        return PNGFacts(structure.header, hasTransparentPixel: hasTransparentPixel)
    }

    /// Of an opaque picture.
    func flattened(_ bytes: [UInt8], limits: PNGLimits) throws(PNGFault) -> [UInt8] {
        guard structure.header.colorType.hasAlpha else { return withoutTransparency(bytes) }
        return try withoutAlphaChannel(bytes, limits: limits)
    }

    /// tRNS changes no sample, so all else stays, the compressed pixels too.
    private func withoutTransparency(_ bytes: [UInt8]) -> [UInt8] {
        structure.chunks.filter { $0.type != .transparency }
            .reduce(into: PNG.signature) { $0 += bytes[$1.whole] }
    }

    /// The other samples are written anew. Chunks that say how colours are meant are copied as
    /// they stand, as are those marked safe to copy (orientation, resolution, text): nothing in
    /// them is inflated for it. The rest goes, since it may speak of alpha: sBIT and bKGD do.
    private func withoutAlphaChannel(
        _ bytes: [UInt8], limits: PNGLimits
    ) throws(PNGFault) -> [UInt8] {
        let kept = structure.chunks.map { isKept($0.type) ? Array(bytes[$0.whole]) : [] }
        let first = structure.chunks.firstIndex { $0.type == .pixels } ?? 0
        let before = Array(kept[..<first].joined())
        let after = Array(kept[first...].joined())
        let header = structure.header
        let encoder = try ScanlineEncoder.open(
            header, color: header.colorType.withoutAlpha,
            bytesLimit: limits.bytes - before.count - after.count)
        let sampleBytes = header.bitDepth / 8
        let pixelBytes = header.bitsPerPixel / 8
        var opaque = [UInt8](repeating: 0, count: PixelLayout(header).rowBytesLimit)
        try ScanlineDecoder.open(bytes, structure).forEachScanline {
            scanline, pass throws(PNGFault) in
            var count = 0
            for start in stride(from: 0, to: pass.width * pixelBytes, by: pixelBytes) {
                for place in start..<(start + pixelBytes - sampleBytes) {
                    opaque[count] = scanline[place]
                    count += 1
                }
            }
            try encoder.append(opaque, count: count)
        }
        let written = encoder.finish()
        let headerEnd = PNG.signature.count + Chunk.frameBytes + 13
        let end = written.count - Chunk.frameBytes
        return Array(written[..<headerEnd]) + before + written[headerEnd..<end] + after
            + written[end...]
    }

    private func isKept(_ type: ChunkType) -> Bool {
        !type.isCritical && (ChunkType.colour.contains(type) || type.isSafeToCopy)
    }
}
