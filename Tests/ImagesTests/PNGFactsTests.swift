import Images
import TestSupport
import Testing

/// Every kind of PNG, told apart by what a viewer would see in it.
@Suite struct PNGFactsTests {
    struct Kind: CustomTestStringConvertible {
        let color: UInt8
        let depth: Int
        let isInterlaced: Bool
        var testDescription: String {
            "colour type \(color), \(depth) bits\(isInterlaced ? ", interlaced" : "")"
        }
        var picture: Picture {
            .opaque(color: color, depth: depth, isInterlaced: isInterlaced)
        }
    }

    static let kinds: [Kind] = [
        (0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16]),
    ].flatMap { (color: UInt8, depths: [Int]) in
        depths.flatMap { depth in
            [false, true].map { Kind(color: color, depth: depth, isInterlaced: $0) }
        }
    }

    @Test(arguments: kinds)
    func `each colour type and bit depth is told`(_ kind: Kind) throws {
        let facts = try #require(Inspection(kind.picture.encoded()).facts)
        #expect(facts.width == 9 && facts.height == 11)
        #expect(facts.bitDepth == kind.depth)
        #expect(facts.colorType.rawValue == kind.color)
        #expect(facts.isInterlaced == kind.isInterlaced)
        #expect(facts.hasAlphaChannel == (kind.color >= 4))
        #expect(!facts.hasTransparentPixel)
        #expect(!facts.isAnimated)
    }

    @Test(arguments: kinds.filter { $0.color >= 4 })
    func `one pixel a little less than opaque is found, wherever it is`(_ kind: Kind) {
        let opaque = kind.picture
        let last = opaque.channels - 1
        for y in 0..<opaque.height {
            for x in 0..<opaque.width {
                var picture = opaque
                picture.sample = { px, py, channel in
                    let isIt = px == x && py == y && channel == last
                    return isIt ? opaque.opaqueSample - 1 : opaque.sample(px, py, channel)
                }
                let facts = Inspection(picture.encoded()).facts
                #expect(facts?.hasTransparentPixel == true, "\(x), \(y)")
            }
        }
    }

    /// Ones in the unused bits of a row must not be taken for a white pixel.
    @Test(arguments: kinds.filter { $0.color == 0 || $0.color == 2 })
    func `tRNS of grey and RGB counts where a pixel has just that colour`(_ kind: Kind) {
        let opaque = kind.picture.opaqueSample
        for y in [0, 5, 10] {
            for x in [0, 3, 8] {
                var picture = kind.picture
                picture.transparency = (0..<picture.channels).flatMap { _ in
                    [UInt8(opaque >> 8), UInt8(opaque & 0xFF)]
                }
                picture.sample = { _, _, channel in channel == 0 ? 0 : opaque }
                let unused = Inspection(picture.encoded()).facts
                #expect(unused?.hasAlphaChannel == true)
                #expect(unused?.hasTransparentPixel == false)
                picture.sample = { px, py, channel in
                    channel > 0 || (px == x && py == y) ? opaque : 0
                }
                let used = Inspection(picture.encoded()).facts
                #expect(used?.hasTransparentPixel == true, "\(x), \(y)")
            }
        }
    }

    @Test func `bits of tRNS above the depth do not count`() {
        var picture = Picture.opaque(color: 0, depth: 2)
        picture.sample = { _, _, _ in 1 }
        picture.transparency = [0xFF, 0xFD]
        #expect(Inspection(picture.encoded()).facts?.hasTransparentPixel == true)
        picture.transparency = [0xFF, 0xFE]
        #expect(Inspection(picture.encoded()).facts?.hasTransparentPixel == false)
        picture = Picture.opaque(color: 2, depth: 8)
        picture.sample = { _, _, _ in 7 }
        picture.transparency = [1, 7, 2, 7, 3, 7]
        #expect(Inspection(picture.encoded()).facts?.hasTransparentPixel == true)
    }

    @Test(arguments: kinds.filter { $0.color == 3 })
    func `tRNS of a palette counts where a pixel names a transparent colour`(_ kind: Kind) {
        var picture = kind.picture
        picture.transparency = [255, 254]
        picture.sample = { _, _, _ in 0 }
        let unused = Inspection(picture.encoded()).facts
        #expect(unused?.hasAlphaChannel == true && unused?.hasTransparentPixel == false)
        picture.sample = { x, y, _ in x == 8 && y == 10 ? 1 : 0 }
        #expect(Inspection(picture.encoded()).facts?.hasTransparentPixel == true)
        picture.transparency = [255, 255]
        let opaque = Inspection(picture.encoded()).facts
        #expect(opaque?.hasAlphaChannel == true && opaque?.hasTransparentPixel == false)
    }

    @Test func `a pixel that names a colour the palette does not have is a fault`() {
        var picture = Picture.opaque(color: 3, depth: 4)
        picture.palette = Array(picture.palette.prefix(15 * 3))
        picture.sample = { x, _, _ in x == 8 ? 15 : 14 }
        #expect(Inspection(picture.encoded()).codes == ["undecodable"])
        picture.sample = { _, _, _ in 14 }
        #expect(Inspection(picture.encoded()).facts != nil)
    }

    @Test func `metadata changes nothing, an EXIF orientation included`() {
        let plain = Inspection(Picture().encoded())
        var picture = Picture()
        let turned: [UInt8] = [
            0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0,
            0, 0,
        ]
        picture.ancillary = [
            ("gAMA", [0, 0, 0xB1, 0x8F]), ("eXIf", turned), ("tEXt", Array("a\0b".utf8)),
            ("zTXt", Array("a\0\0rubbish".utf8)), ("iCCP", Array("a\0\0rubbish".utf8)),
            ("quRk", [1, 2, 3]),
        ]
        #expect(plain.facts != nil)
        #expect(Inspection(picture.encoded()) == plain)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func `interlaced pictures too small for all passes are read`(_ side: Int) {
        for height in 1...8 {
            var picture = Picture(width: side, height: height, depth: 1, color: 0)
            picture.isInterlaced = true
            picture.transparency = [0, 1]
            picture.sample = { _, _, _ in 0 }
            #expect(Inspection(picture.encoded()).facts?.hasTransparentPixel == false)
            picture.sample = { x, y, _ in x == side - 1 && y == height - 1 ? 1 : 0 }
            #expect(Inspection(picture.encoded()).facts?.hasTransparentPixel == true)
        }
    }

    /// Around 64 KB, by which the data is inflated, and in chunks that end anywhere in it.
    @Test(arguments: [65_534, 65_535, 65_536, 131_071], [1, 7, 4096])
    func `data of any length in chunks of any length is read to its end`(
        _ width: Int, _ chunkBytes: Int
    ) {
        let picture = Picture(width: width, height: 1, depth: 8, color: 0)
        let data = deflated([UInt8](repeating: 0, count: width + 1))
        let pieces = stride(from: 0, to: data.count, by: chunkBytes).flatMap {
            PNGBytes.chunk("IDAT", Array(data[$0..<min($0 + chunkBytes, data.count)]))
        }
        let bytes =
            PNGBytes.signature + PNGBytes.chunk("IHDR", picture.header) + pieces
            + PNGBytes.chunk("IEND", [])
        var limits = PNGLimits()
        limits.width = width
        #expect(Inspection(bytes, limits: limits).facts?.width == width)
    }

    @Test func `pixels in many small pieces, some of them empty, are one picture`() throws {
        let whole = PNGBytes.stored(Picture().scanlines)
        let pieces = whole.flatMap { PNGBytes.chunk("IDAT", []) + PNGBytes.chunk("IDAT", [$0]) }
        let bytes =
            PNGBytes.signature + PNGBytes.chunk("IHDR", Picture().header) + pieces
            + PNGBytes.chunk("IDAT", []) + PNGBytes.chunk("IEND", [])
        #expect(Inspection(bytes) == Inspection(Picture().encoded()))
    }
}
