/// What a PNG is, from a complete, bounded decode.
package struct PNGFacts: Equatable, Sendable {
    package enum ColorType: UInt8, Sendable, CaseIterable {
        case greyscale = 0
        case rgb = 2
        case palette = 3
        case greyscaleAlpha = 4
        case rgbAlpha = 6
    }

    /// In pixels.
    package let width: Int
    /// In pixels.
    package let height: Int
    /// Of a sample, or of a palette's index.
    package let bitDepth: Int
    package let colorType: ColorType
    package let isInterlaced: Bool
    /// A colour type with alpha, or a tRNS chunk, whatever is in it.
    package let hasAlphaChannel: Bool
    /// A pixel of the picture is less than opaque.
    package let hasTransparentPixel: Bool
    /// `PNG.inspect` refuses animation, so its facts say no.
    package let isAnimated: Bool

    init(_ header: PNGHeader, hasTransparentPixel: Bool) {
        width = header.width
        height = header.height
        bitDepth = header.bitDepth
        colorType = header.colorType
        isInterlaced = header.isInterlaced
        hasAlphaChannel = header.hasAlphaChannel
        self.hasTransparentPixel = hasTransparentPixel
        isAnimated = header.isAnimated
    }
}

/// What a PNG says of itself before a pixel is decoded: for a refused file too, so that its size
/// and alpha channel can be judged in the same answer.
package struct PNGHeader: Equatable, Sendable {
    package let width: Int
    package let height: Int
    package let bitDepth: Int
    package let colorType: PNGFacts.ColorType
    package let isInterlaced: Bool
    package internal(set) var hasAlphaChannel: Bool
    package internal(set) var isAnimated = false

    /// The 13 bytes of IHDR, or what is wrong with them.
    static func read(_ data: ArraySlice<UInt8>) -> Result<PNGHeader, HeaderProblem> {
        guard data.count == 13 else { return .failure(.init("has \(data.count) bytes, not 13")) }
        let width = Int(data.bigEndian(at: 0))
        let height = Int(data.bigEndian(at: 4))
        let rest = Array(data.suffix(5))
        let depth = Int(rest[0])
        guard 1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height else {
            return .failure(.init("gives the impossible size \(width) x \(height)"))
        }
        guard let color = PNGFacts.ColorType(rawValue: rest[1]), color.bitDepths.contains(depth)
        else { return .failure(.init("gives colour type \(rest[1]) a bit depth of \(depth)")) }
        guard rest[2] == 0, rest[3] == 0, rest[4] <= 1 else {
            return .failure(
                .init("names the unknown methods \(rest[2]), \(rest[3]) and \(rest[4])"))
        }
        return .success(
            PNGHeader(
                width: width, height: height, bitDepth: depth, colorType: color,
                isInterlaced: rest[4] == 1, hasAlphaChannel: color.hasAlpha))
    }

    struct HeaderProblem: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    var bitsPerPixel: Int { bitDepth * colorType.channels }
}

extension PNGFacts.ColorType {
    var channels: Int {
        switch self {
        case .greyscale, .palette: 1
        case .greyscaleAlpha: 2
        case .rgb: 3
        case .rgbAlpha: 4
        }
    }

    var hasAlpha: Bool { self == .greyscaleAlpha || self == .rgbAlpha }

    var withoutAlpha: PNGFacts.ColorType {
        switch self {
        case .greyscaleAlpha: .greyscale
        case .rgbAlpha: .rgb
        case .greyscale, .rgb, .palette: self
        }
    }

    fileprivate var bitDepths: [Int] {
        switch self {
        case .greyscale: [1, 2, 4, 8, 16]
        case .palette: [1, 2, 4, 8]
        case .rgb, .greyscaleAlpha, .rgbAlpha: [8, 16]
        }
    }
}

extension ArraySlice<UInt8> {
    /// The four bytes at `offset` from the start; the caller has looked at the count.
    func bigEndian(at offset: Int) -> UInt32 {
        self[(startIndex + offset)..<(startIndex + offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
