/// A black PNG of one bit a pixel, small enough to be made anew for each test.
package struct PlainPicture: Sendable {
    package var width = 3_840
    package var height = 160
    /// The grey that tRNS says is transparent: 1 is nowhere in it, 0 everywhere.
    package var transparentGrey: UInt8?
    /// Between IHDR and the pixels; makes different bytes of the same picture.
    package var note: String?
    package var isAnimated = false

    package init(
        width: Int = 3_840, height: Int = 160, transparentGrey: UInt8? = nil, note: String? = nil,
        isAnimated: Bool = false
    ) {
        self.width = width
        self.height = height
        self.transparentGrey = transparentGrey
        self.note = note
        self.isAnimated = isAnimated
    }

    package static let bullet = PlainPicture(width: 1_024, height: 1_024)

    package var png: [UInt8] {
        let header = PNGBytes.bigEndian(width) + PNGBytes.bigEndian(height) + [1, 0, 0, 0, 0]
        var chunks: [(String, [UInt8])] = [("IHDR", header)]
        if isAnimated { chunks.append(("acTL", PNGBytes.bigEndian(1) + PNGBytes.bigEndian(0))) }
        if let note { chunks.append(("tEXt", Array("Comment\u{0}\(note)".utf8))) }
        if let transparentGrey { chunks.append(("tRNS", [0, transparentGrey])) }
        let scanlines = [UInt8](repeating: 0, count: (1 + (width + 7) / 8) * height)
        chunks += [("IDAT", PNGBytes.stored(scanlines)), ("IEND", [])]
        return PNGBytes.signature
            + chunks.flatMap { PNGBytes.chunk($0.0, $0.1) }
    }
}
