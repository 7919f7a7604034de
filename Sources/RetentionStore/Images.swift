// Tables: image, image_placement.
package import FoundationEssentials
internal import Postgres
package import Retention
internal import Signing

/// A picture to keep, as it was measured.
package struct NewImage: Sendable {
    package let id: ImageID
    package let size: ImageSize
    package let png: [UInt8]
    /// In pixels.
    package let width: Int32
    package let height: Int32

    package init(id: ImageID, size: ImageSize, png: [UInt8], width: Int32, height: Int32) {
        self.id = id
        self.size = size
        self.png = png
        self.width = width
        self.height = height
    }
}

extension TenantTransaction {
    /// Keeps a picture for an app: its bytes once per tenant, one identifier per app and use. The
    /// same bytes again return the identifier they have.
    package func storeImage(_ image: NewImage, of app: AppID) throws -> ImageID {
        let digest = SHA256.digest(image.png)
        _ = try connection.query(
            """
            insert into holdfast.image_file (tenant_id, sha256, png, created_at)
            values (\(tenant.uuid), \(digest), \(image.png), \(timestamp))
            on conflict (tenant_id, sha256) do nothing
            """)
        _ = try connection.query(
            """
            insert into holdfast.image (tenant_id, app_id, image_id, image_size, sha256, width,
              height, byte_count, created_at)
            values (\(tenant.uuid), \(app.uuid), \(image.id.uuid), \(image.size.rawValue),
              \(digest), \(image.width), \(image.height), \(Int32(clamping: image.png.count)),
              \(timestamp))
            on conflict on constraint image_content_unique do nothing
            """)
        let rows = try connection.query(
            """
            select image_id from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and sha256 = \(digest)
              and image_size = \(image.size.rawValue)
            """)
        guard let row = rows.first else {
            throw StoreError(code: .notFound, message: "the image just stored is gone; try again")
        }
        return ImageID(try row.decode("image_id"))
    }

    /// Records the image as an object of the app at Apple, with Apple's review state.
    @discardableResult
    package func placeImage(
        _ image: ImageID, at key: AppEnvironment, state: ReviewState
    ) throws -> UUID {
        let rows = try connection.query(
            """
            select sha256, image_size from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and image_id = \(image.uuid)
            """)
        guard let row = rows.first else {
            throw StoreError(code: .notFound, message: "there is no image \(image)")
        }
        // With the use: at Apple an image has one, so the same picture for both is two images.
        let content =
            try row.decode([UInt8].self, "sha256") + row.decode(String.self, "image_size").utf8
        let appleId = try appleIdentifier(.image, content: content, at: key)
        try recordAppleObject(appleId, .image, at: key, state: state)
        _ = try connection.query(
            """
            insert into holdfast.image_placement (tenant_id, app_id, environment, image_id,
              apple_id)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), \(image.uuid),
              \(appleId))
            on conflict (tenant_id, app_id, environment, image_id)
              do update set apple_id = excluded.apple_id
            """)
        touch(key)
        return appleId
    }

    func imageSize(_ image: ImageID, of app: AppID) throws -> ImageSize? {
        let rows = try connection.query(
            """
            select image_size from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and image_id = \(image.uuid)
            """)
        guard let row = rows.first else {
            throw StoreError(code: .notFound, message: "there is no image \(image)")
        }
        return ImageSize(rawValue: try row.decode("image_size"))
    }

    /// The identifier at Apple of every image placed there.
    func appleImages(at key: AppEnvironment) throws -> [ImageID: UUID] {
        let rows = try connection.query(
            """
            select image_id, apple_id from holdfast.image_placement
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        var images: [ImageID: UUID] = [:]
        for row in rows {
            images[ImageID(try row.decode("image_id"))] = try row.decode("apple_id")
        }
        return images
    }
}
