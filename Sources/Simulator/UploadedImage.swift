import HTTPServer
import Images
import Signing

/// An upload of an image, judged as Apple judges it (`retentionmessaging/upload-image`): one
/// whole, static PNG without alpha of exactly the size's pixels.
struct UploadedImage {
    /// Apple names no limit. Larger ones are refused with the wrapper's own limits.
    static let bytesLimit = 32 << 20

    var image: AppState.Image

    init(_ request: Request, identifier: String) throws(AppleError) {
        let size = try UploadedImage.size(request.query)
        guard request.header("Content-Type") == "image/png",
            let facts = try? PNG.inspect(request.body), !facts.hasAlphaChannel,
            UploadedImage.isRight(facts, size)
        else { throw .invalidImage }
        image = AppState.Image(
            imageIdentifier: identifier, imageState: .pending, imageSize: size,
            sha256: HexadecimalText.of(SHA256.digest(request.body)), byteCount: request.body.count)
    }

    private static func size(_ query: String?) throws(AppleError) -> AppState.Image.Size {
        guard let query, !query.isEmpty else { return .fullSize }
        guard let text = ControlQuery(query)["imageSize"],
            let size = AppState.Image.Size(rawValue: text)
        else { throw .generalBadRequest }
        return size
    }

    private static func isRight(_ facts: PNGFacts, _ size: AppState.Image.Size) -> Bool {
        switch size {
        case .fullSize: facts.width == 3840 && (160...2160).contains(facts.height)
        case .bulletPoint: facts.width == 1024 && facts.height == 1024
        }
    }
}
