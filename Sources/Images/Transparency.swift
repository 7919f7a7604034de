/// Tells in a scanline, as it stands in the file, whether a pixel is less than opaque.
enum Transparency {
    case none
    /// Alpha of each colour that a pixel may name.
    case palette(alpha: [UInt8], bitDepth: Int)
    /// One grey value of less than a byte.
    case grey(UInt8, bitDepth: Int)
    /// Pixels of just these bytes, of tRNS in greyscale or RGB.
    case pixel([UInt8])
    /// The last bytes of each pixel are its alpha.
    case channel(pixelBytes: Int, alphaBytes: Int)

    init(_ structure: PNGStructure) {
        let header = structure.header
        let sampleBytes = header.bitDepth == 16 ? 2 : 1
        // Samples of tRNS have 16 bits each, of which those above the bit depth do not count.
        let low = structure.transparency.map { transparency in
            stride(from: 1, to: transparency.count, by: 2).map { transparency[$0] }
        }
        switch header.colorType {
        case .greyscaleAlpha, .rgbAlpha:
            self = .channel(pixelBytes: header.bitsPerPixel / 8, alphaBytes: sampleBytes)
        case .palette:
            let alpha = structure.transparency ?? []
            let opaque = [UInt8](repeating: 255, count: structure.paletteCount - alpha.count)
            self = .palette(alpha: alpha + opaque, bitDepth: header.bitDepth)
        case .greyscale where header.bitDepth < 8:
            let mask = UInt8(1 << header.bitDepth - 1)
            self = low.map { .grey($0[0] & mask, bitDepth: header.bitDepth) } ?? .none
        case .greyscale, .rgb:
            let pixel = sampleBytes == 2 ? structure.transparency : low
            self = pixel.map { .pixel($0) } ?? .none
        }
    }

    /// Every pixel is looked at: one that names a colour the palette does not have is a fault.
    func isInside(_ scanline: [UInt8], width: Int) throws(PNGFault) -> Bool {
        switch self {
        case .none: return false
        case .palette(let alpha, let bitDepth):
            var least: UInt8 = 255
            for place in 0..<width {
                let colour = Int(sample(scanline, place, bitDepth: bitDepth))
                guard colour < alpha.count else {
                    throw .undecodable("a pixel names colour \(colour) of \(alpha.count)")
                }
                least = min(least, alpha[colour])
            }
            return least < 255
        case .grey(let grey, let bitDepth):
            return (0..<width).contains { sample(scanline, $0, bitDepth: bitDepth) == grey }
        case .pixel(let pixel):
            return stride(from: 0, to: width * pixel.count, by: pixel.count).contains { start in
                pixel.indices.allSatisfy { scanline[start + $0] == pixel[$0] }
            }
        case .channel(let pixelBytes, let alphaBytes):
            var all: UInt8 = 255
            for end in stride(from: pixelBytes, through: width * pixelBytes, by: pixelBytes) {
                all &= scanline[end - 1] & scanline[end - alphaBytes]
            }
            return all < 255
        }
    }

    /// Samples of less than a byte stand from the high bits down.
    private func sample(_ scanline: [UInt8], _ place: Int, bitDepth: Int) -> UInt8 {
        if bitDepth == 8 { return scanline[place] }
        let bit = place * bitDepth
        let shift = 8 - bitDepth - bit % 8
        return (scanline[bit / 8] >> UInt8(shift)) & UInt8(1 << bitDepth - 1)
    }
}
