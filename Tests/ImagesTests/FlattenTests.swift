import Images
import TestSupport
import Testing

/// The same pixels, no alpha.
@Suite struct FlattenTests {
    @Test(arguments: PNGFactsTests.kinds)
    func `every kind comes back pixel for pixel, without alpha`(
        _ kind: PNGFactsTests.Kind
    ) throws {
        var picture = kind.picture
        switch kind.color {
        case 3: picture.transparency = [255, 255]
        case 0, 2:
            picture.transparency = [UInt8](repeating: 0xFF, count: kind.color == 0 ? 2 : 6)
            picture.sample = { x, y, _ in (x + y * 300) & ~1 }
        default: break
        }
        let bytes = picture.encoded()
        let before = try PNG.inspect(bytes)
        #expect(before.hasAlphaChannel && !before.hasTransparentPixel)
        let flat = try PNG.flatten(bytes)
        let after = try PNG.inspect(flat)
        #expect(!after.hasAlphaChannel && !after.hasTransparentPixel)
        #expect(after.width == before.width && after.height == before.height)
        #expect(after.bitDepth == before.bitDepth && after.isInterlaced == before.isInterlaced)
        #expect(after.colorType.rawValue == [4: 0, 6: 2][kind.color] ?? kind.color)
        let expected = try #require(pixels(of: bytes))
        #expect(pixels(of: flat) == expected)
        // One bit of grey with one of two greys transparent has but one colour.
        let isPlain = kind.color == 0 && kind.depth == 1
        #expect(isPlain || Set(expected).count > 2, "one colour would show nothing")
    }

    @Test(arguments: PNGFactsTests.kinds.filter { $0.color < 4 })
    func `what has no alpha comes back as it is`(_ kind: PNGFactsTests.Kind) throws {
        let bytes = kind.picture.encoded()
        #expect(try PNG.flatten(bytes) == bytes)
    }

    @Test func `a transparent pixel is no picture to flatten`() {
        var alpha = Picture.opaque(color: 6, depth: 8)
        alpha.sample = { _, _, channel in channel == 3 ? 254 : 9 }
        var grey = Picture.opaque(color: 0, depth: 8)
        grey.transparency = [0, 0]
        for picture in [alpha, grey] {
            let refusal = #expect(throws: PNGRefusal.self) {
                try PNG.flatten(picture.encoded())
            }
            #expect(refusal?.faults == [.transparentPixels])
            #expect(refusal?.header?.hasAlphaChannel == true)
        }
    }

    /// A profile and text that inflate to nothing sensible show that nobody tried.
    @Test func `what is said about colours and orientation stays, byte for byte`() throws {
        var picture = Picture.opaque(color: 6, depth: 8)
        picture.ancillary = [
            ("gAMA", [0, 0, 0xB1, 0x8F]), ("cHRM", [UInt8](repeating: 1, count: 32)),
            ("sRGB", [0]), ("iCCP", Array("name\0\0rubbish".utf8)),
            ("pHYs", [0, 0, 1, 0, 0, 0, 1, 0, 1]), ("sBIT", [8, 8, 8, 8]),
            ("bKGD", [0, 1, 0, 2, 0, 3]), ("zTXt", Array("a\0\0rubbish".utf8)),
            ("tIME", [7, 0xE8, 1, 1, 1, 1, 1]), ("eXIf", [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 0]),
        ]
        let bytes = picture.encoded()
        let flat = try PNG.flatten(bytes)
        let kept = ["gAMA", "cHRM", "sRGB", "iCCP", "pHYs", "zTXt", "eXIf"]
        let names = PNGBytes.chunks(of: flat).map(\.name)
        #expect(names == ["IHDR"] + kept + ["IDAT", "IEND"])
        for (name, range) in PNGBytes.chunks(of: flat) where kept.contains(name) {
            let source = PNGBytes.chunks(of: bytes).first { $0.name == name }?.range
            #expect(source.map { Array(bytes[$0]) } == Array(flat[range]))
        }
        #expect(pixels(of: flat) == pixels(of: bytes))
    }

    @Test func `only tRNS goes from a palette, the compressed pixels stay`() throws {
        var picture = Picture.opaque(color: 3, depth: 8)
        picture.ancillary = [("sBIT", [8, 8, 8]), ("tEXt", Array("a\0b".utf8))]
        let without = picture.encoded()
        picture.transparency = [255]
        #expect(try PNG.flatten(picture.encoded()) == without)
    }

    /// Filters, which pay for most pictures, do not for noise of two colours.
    @Test func `a result over the limit of bytes is refused`() throws {
        var picture = Picture(width: 200, height: 200, depth: 8, color: 6)
        picture.sample = { x, y, channel in
            let noise = UInt64(x * 200 + y + 1) &* 0x9E37_79B9_7F4A_7C15
            let isLight = (noise ^ noise >> 29) &* 0xBF58_476D_1CE4_E5B9 >> 63 == 1
            return channel == 3 || isLight ? 255 : 60
        }
        let bytes = picture.encoded(deflated: deflated(picture.scanlines))
        let free = try PNG.flatten(bytes).count
        #expect(free > bytes.count)
        var limits = PNGLimits()
        limits.bytes = free
        #expect(try PNG.flatten(bytes, limits: limits).count == free)
        limits.bytes = free - 1
        let refusal = #expect(throws: PNGRefusal.self) { try PNG.flatten(bytes, limits: limits) }
        #expect(refusal?.faults.map(\.code) == ["tooManyBytes"])
    }
}
