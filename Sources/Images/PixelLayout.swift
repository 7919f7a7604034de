/// How the pixels lie in the inflated data: scanlines, each after a filter byte, of one picture or
/// of the seven that an interlaced one is made of.
struct PixelLayout {
    struct Pass {
        /// In pixels.
        let width: Int
        /// In scanlines.
        let height: Int
        /// Of a scanline, without its filter byte.
        let rowBytes: Int
    }

    /// Those that hold a pixel, in the order of the data.
    let passes: [Pass]

    /// Adam7: the first pixel of each pass and the step to its next.
    private static let interlacing: [(x: Int, y: Int, stepX: Int, stepY: Int)] = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
        (0, 1, 1, 2),
    ]

    init(_ header: PNGHeader) {
        let steps = header.isInterlaced ? Self.interlacing : [(0, 0, 1, 1)]
        passes = steps.compactMap { step in
            let width = (header.width - step.x + step.stepX - 1) / step.stepX
            let height = (header.height - step.y + step.stepY - 1) / step.stepY
            guard width > 0, height > 0 else { return nil }
            return Pass(
                width: width, height: height, rowBytes: (width * header.bitsPerPixel + 7) / 8)
        }
    }

    /// Of the longest scanline, which is never more than that of the whole picture.
    var rowBytesLimit: Int { passes.map(\.rowBytes).max() ?? 0 }

    /// Of all scanlines with their filter bytes; the largest number there is where it has no room.
    var decodedBytes: Int {
        passes.reduce(0) { sum, pass in
            let (bytes, isOver) = pass.height.multipliedReportingOverflow(by: pass.rowBytes + 1)
            let (total, isSumOver) = sum.addingReportingOverflow(bytes)
            return isOver || isSumOver ? .max : total
        }
    }
}
