/// What Apple's page about uploading images asks of the pixels.
///
/// Source: developer.apple.com/documentation/retentionmessaging/upload-image
package enum ImageLimit {
    package static let fullSizeWidthPixels = 3840...3840
    package static let fullSizeHeightPixels = 160...2160
    package static let bulletPointWidthPixels = 1024...1024
    package static let bulletPointHeightPixels = 1024...1024
    /// Of both sizes together.
    package static let imagesOfApp = 2_000
}

/// What a decoded picture is, as far as Apple's rules look at it.
package struct PictureFacts: Hashable, Sendable {
    /// In pixels, as they are stored: a viewer that turns the picture is not asked.
    package let width: Int
    /// In pixels.
    package let height: Int
    package let hasAlphaChannel: Bool
    /// `nil` where the pixels were not decoded, as those of a picture refused for its size.
    package let hasTransparentPixel: Bool?
    package let isAnimated: Bool

    package init(
        width: Int, height: Int, hasAlphaChannel: Bool, hasTransparentPixel: Bool?,
        isAnimated: Bool
    ) {
        self.width = width
        self.height = height
        self.hasAlphaChannel = hasAlphaChannel
        self.hasTransparentPixel = hasTransparentPixel
        self.isAnimated = isAnimated
    }
}

extension ImageSize {
    package var widthPixels: ClosedRange<Int> {
        switch self {
        case .fullSize: ImageLimit.fullSizeWidthPixels
        case .bulletPoint: ImageLimit.bulletPointWidthPixels
        }
    }

    package var heightPixels: ClosedRange<Int> {
        switch self {
        case .fullSize: ImageLimit.fullSizeHeightPixels
        case .bulletPoint: ImageLimit.bulletPointHeightPixels
        }
    }

    /// Everything that Apple would refuse in a picture for this use, in one answer; empty when it
    /// would take it.
    package func problems(of picture: PictureFacts) -> [ContentProblem] {
        let hint = sizeHint(for: picture)
        return [
            alphaProblem(of: picture),
            picture.isAnimated
                ? ContentProblem(
                    "animation", .animated, "is animated; export one frame as a plain PNG")
                : nil,
            pixelProblem("width", picture.width, allowed: widthPixels, hint),
            pixelProblem("height", picture.height, allowed: heightPixels, hint),
        ].compactMap(\.self)
    }

    private func alphaProblem(of picture: PictureFacts) -> ContentProblem? {
        guard picture.hasAlphaChannel else { return nil }
        return switch picture.hasTransparentPixel {
        case true:
            ContentProblem(
                "alpha", .transparent,
                "has transparent pixels; put it on a background and export without alpha")
        case false:
            ContentProblem(
                "alpha", .hasAlphaChannel,
                "has an alpha channel although every pixel is opaque; "
                    + "send ?flatten=true or export without alpha")
        case nil:
            ContentProblem(
                "alpha", .hasAlphaChannel, "has an alpha channel; export without alpha")
        }
    }

    private func pixelProblem(
        _ field: String, _ pixels: Int, allowed: ClosedRange<Int>, _ hint: String
    ) -> ContentProblem? {
        guard !allowed.contains(pixels) else { return nil }
        let wanted =
            allowed.count == 1
            ? "exactly \(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)"
        return ContentProblem(
            field, .wrongSize, "\(pixels) pixels, Apple wants \(wanted) for \(rawValue)\(hint)",
            limit: pixels < allowed.lowerBound ? allowed.lowerBound : allowed.upperBound,
            measured: pixels, unit: "pixels")
    }

    /// Wrong pixels that are right ones elsewhere are mostly a mix-up; "" where they are not.
    private func sizeHint(for picture: PictureFacts) -> String {
        guard !fits(picture.width, picture.height) else { return "" }
        let pixels = "\(picture.width) x \(picture.height)"
        if let other = Self.allCases.first(where: { $0.fits(picture.width, picture.height) }) {
            return "; \(pixels) pixels are those of \(other.rawValue), send it as that"
        }
        guard fits(picture.height, picture.width) else { return "" }
        return "; \(pixels) pixels would fit when turned: turn the pixels, "
            + "a note in the file's EXIF data does not"
    }

    private func fits(_ width: Int, _ height: Int) -> Bool {
        widthPixels.contains(width) && heightPixels.contains(height)
    }
}
