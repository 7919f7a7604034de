// /v1/apps/{appId}/images: pictures of messages.
internal import Dispatch
internal import FoundationEssentials
internal import HTTPServer
internal import Images
internal import Retention
internal import RetentionStore
internal import Signing

enum Images {
    private static let path = "/v1/apps/{appId}/images"
    /// Apple names no limit of a file; a picture of its sizes needs no more.
    private static let bytesLimit = 20 << 20
    /// How long an upload waits for others to be decoded.
    private static let turnLimit: DispatchTimeInterval = .seconds(10)

    static let operations: [Operation] = [
        .list("listImages", path, .content, list),
        upload,
        .get("getImage", "\(path)/{imageId}", .content, get),
        .delete("deleteImage", "\(path)/{imageId}", .content, delete),
        .get("getImageContent", "\(path)/{imageId}/content", .content, content),
    ]

    private static var upload: Operation {
        var operation = Operation.post(
            "createImage", path, .content, body: .bytes(types: ["image/png"], limit: bytesLimit),
            query: ["imageSize", "flatten"], create)
        operation.prepare = judge
        return operation
    }

    // MARK: - Shapes

    private static func form(_ image: StoredImage) -> JSONTree {
        [
            "id": .id(image.id), "imageSize": .string(image.size.rawValue),
            "width": .integer(Int64(image.width)), "height": .integer(Int64(image.height)),
            "byteCount": .integer(Int64(image.byteCount)),
            "sha256": .string(digest(of: image)), "createdAt": .instant(image.createdAt),
            "placements": .array(image.placements.map(form)),
        ]
    }

    private static func form(_ placement: ImagePlacement) -> JSONTree {
        [
            "environment": .string(placement.environment.rawValue),
            "identifier": .string(placement.appleId.uuidString.lowercased()),
            "state": .string(placement.state.rawValue),
        ]
    }

    private static func digest(of image: StoredImage) -> String {
        HexadecimalText.of(image.sha256)
    }

    // MARK: - Before the transaction

    /// A picture that Apple would take.
    private struct JudgedPicture: Call.Prepared {
        let png: [UInt8]
        let size: ImageSize
        let width: Int32
        let height: Int32
    }

    /// Decodes the picture: some of this runs at once, and no database connection waits for it.
    private static func judge(_ preparation: Preparation) throws -> any Call.Prepared {
        let size = try preparation.query.choice("imageSize", ImageSize.self) ?? .fullSize
        let flattens = try preparation.query.boolean("flatten") ?? false
        let gate = preparation.gateway.pictureGate
        guard gate.wait(timeout: .now() + turnLimit) == .success else {
            throw Problem.unavailable("Many pictures are being decoded; send it again soon.")
        }
        defer { gate.signal() }
        do {
            return try judge(preparation.body, size, flattens: flattens)
        } catch let refusal as PNGRefusal {
            throw Problem.validation(problems(of: refusal, size, flattens: flattens))
        }
    }

    private static func judge(
        _ png: [UInt8], _ size: ImageSize, flattens: Bool
    ) throws -> JudgedPicture {
        let facts = try PNG.inspect(png)
        let isFlattened = flattens && facts.hasAlphaChannel && !facts.hasTransparentPixel
        let problems = size.problems(
            of: PictureFacts(
                width: facts.width, height: facts.height,
                hasAlphaChannel: facts.hasAlphaChannel && !isFlattened,
                hasTransparentPixel: facts.hasTransparentPixel, isAnimated: facts.isAnimated))
        guard problems.isEmpty else {
            throw Problem.validation(problems.map { FieldProblem($0, at: .pointer("")) })
        }
        return JudgedPicture(
            png: isFlattened ? try PNG.flatten(png) : png, size: size,
            width: Int32(clamping: facts.width), height: Int32(clamping: facts.height))
    }

    /// What is wrong with the file, and with the picture as far as the file tells.
    private static func problems(
        of refusal: PNGRefusal, _ size: ImageSize, flattens: Bool
    ) -> [FieldProblem] {
        let ofFile = refusal.faults.compactMap { fault in
            code(of: fault).map {
                FieldProblem(.pointer(""), $0, "The picture: \(fault.message).")
            }
        }
        guard let header = refusal.header else { return ofFile }
        // Whether an alpha channel could be taken away is not known before the pixels are.
        let picture = PictureFacts(
            width: header.width, height: header.height,
            hasAlphaChannel: header.hasAlphaChannel && !flattens, hasTransparentPixel: nil,
            isAnimated: header.isAnimated)
        let ofPicture = size.problems(of: picture).map { FieldProblem($0, at: .pointer("")) }
        return ofFile + ofPicture
    }

    /// `nil` for what Apple's rules say better, from the file's header.
    private static func code(of fault: PNGFault) -> FieldProblem.Code? {
        switch fault {
        case .empty: .required
        case .notPNG: .notPNG
        case .truncated: .truncated
        case .badChecksum, .badChunk, .trailingBytes, .undecodable: .damaged
        case .tooManyBytes, .tooManyDecodedBytes, .tooManyChunks, .tooMuchMetadata: .tooLarge
        case .transparentPixels: .transparent
        case .tooWide, .tooHigh, .animated: nil
        }
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        let rows = try call.transaction.listImages(
            of: app, after: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        let app = try call.app()
        guard let picture = call.prepared as? JudgedPicture else { throw Problem.notFound }
        let limit = ImageLimit.imagesOfApp
        guard try call.transaction.countImages(of: app) < limit else {
            throw Problem(
                .quotaExceeded, "Apple takes \(limit) images of an app; delete some first.")
        }
        let new = NewImage(
            id: .make(at: call.now), size: picture.size, png: picture.png, width: picture.width,
            height: picture.height)
        let id = try call.transaction.storeImage(new, of: app)
        let form = form(try call.transaction.getImage(id, of: app))
        guard id == new.id else { return .resource(form) }
        try call.audit("image.create", "image", id.description, app: app, after: form)
        return .created(form, at: "/v1/apps/\(app)/images/\(id)")
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.app()
        return .resource(
            form(try call.transaction.getImage(try call.identifier("imageId"), of: app)))
    }

    private static func content(_ call: Call) throws -> Answer {
        let app = try call.app()
        let image = try call.transaction.getImage(try call.identifier("imageId"), of: app)
        let tag = "\"\(digest(of: image))\""
        // Megabytes that would become a 304 are not read.
        let isHeld = call.request.header("If-None-Match").map { EntityTags($0).contain(tag) }
        return Answer(
            status: 200,
            headers: [("Content-Type", "image/png"), ("ETag", tag), ("Cache-Control", "private")],
            body: isHeld == true ? [] : try call.transaction.imageFile(image.id, of: app))
    }

    private static func delete(_ call: Call) throws -> Answer {
        let app = try call.app()
        let old = try call.transaction.getImage(try call.identifier("imageId"), of: app)
        try call.transaction.deleteImage(old.id, of: app)
        try call.audit("image.delete", "image", old.id.description, app: app, before: form(old))
        return .noContent
    }
}
