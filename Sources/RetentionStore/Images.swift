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

package struct StoredImage: Sendable {
    package let id: ImageID
    package let size: ImageSize
    /// In pixels.
    package let width: Int32
    /// In pixels.
    package let height: Int32
    package let byteCount: Int32
    package let sha256: [UInt8]
    package let createdAt: Instant
    package let placements: [ImagePlacement]
}

/// An image as an object at Apple.
package struct ImagePlacement: Sendable {
    package let environment: StoreEnvironment
    package let appleId: UUID
    package let state: ReviewState
}

extension TenantTransaction {
    /// Keeps a picture for an app: its bytes once per tenant, one identifier per app and use. The
    /// same bytes again return the identifier they have.
    package func storeImage(_ image: NewImage, of app: AppID) throws -> ImageID {
        let digest = SHA256.digest(image.png)
        // Without naming the key: that would be reading, which a limited key may not before an
        // image of its apps has these bytes.
        _ = try connection.query(
            """
            insert into holdfast.image_file (tenant_id, sha256, png, created_at)
            values (\(tenant.uuid), \(digest), \(image.png), \(timestamp))
            on conflict do nothing
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
        guard let identity = try AppleIdentities(self, key).images[image] else {
            throw StoreError.noImage(image)
        }
        try recordAppleObject(identity, .image, images: [], at: key, state: state)
        try setImagePlacement(image, identity.id, at: key)
        touch(key)
        return identity.id
    }

    /// Which identifier of Apple's stands for the image.
    func setImagePlacement(_ image: ImageID, _ appleId: UUID, at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            insert into holdfast.image_placement (tenant_id, app_id, environment, image_id,
              apple_id)
            select i.tenant_id, i.app_id, \(key.environment.rawValue), i.image_id, \(appleId)
            -- A picture that was removed meanwhile has no place.
            from holdfast.image i
            where i.tenant_id = \(tenant.uuid) and i.app_id = \(key.app.uuid)
              and i.image_id = \(image.uuid)
            on conflict (tenant_id, app_id, environment, image_id)
              do update set apple_id = excluded.apple_id
            """)
    }

    /// What each image of the app was stored for; those it does not have are left out.
    package func imageSizes(
        _ images: Set<ImageID>, of app: AppID
    ) throws -> [ImageID: ImageSize] {
        guard !images.isEmpty else { return [:] }
        let rows = try connection.query(
            """
            select image_id, image_size from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and image_id = any(\(images.map(\.uuid)))
            """)
        var sizes: [ImageID: ImageSize] = [:]
        for row in rows {
            sizes[ImageID(try row.decode("image_id"))] = ImageSize(
                rawValue: try row.decode("image_size"))
        }
        return sizes
    }

    /// Gives another app of the tenant the same picture for the same use.
    ///
    /// - Returns: its identifier there: the one it has where it is there already.
    func copyImage(_ image: ImageID, from app: AppID, to target: AppID) throws -> ImageID {
        guard app != target else { return image }
        _ = try connection.query(
            """
            insert into holdfast.image (tenant_id, app_id, image_id, image_size, sha256, width,
              height, byte_count, created_at)
            select tenant_id, \(target.uuid), \(ImageID.make(at: now).uuid), image_size, sha256,
              width, height, byte_count, \(timestamp)
            from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and image_id = \(image.uuid)
            on conflict on constraint image_content_unique do nothing
            """)
        let rows = try connection.query(
            """
            select t.image_id from holdfast.image t
            join holdfast.image s using (tenant_id, sha256, image_size)
            where s.tenant_id = \(tenant.uuid) and s.app_id = \(app.uuid)
              and s.image_id = \(image.uuid) and t.app_id = \(target.uuid)
            """)
        guard let row = rows.first else { throw StoreError.noImage(image) }
        return ImageID(try row.decode("image_id"))
    }

    /// In the order they were made; `after` is the last one of the page before.
    package func listImages(
        of app: AppID, after: ImageID?, limit: Int32
    ) throws -> [StoredImage] {
        let rows = try connection.query(
            """
            select image_id, image_size, width, height, byte_count, sha256, created_at
            from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and (\(after?.uuid)::uuid is null or image_id > \(after?.uuid))
            order by image_id
            limit \(limit)
            """)
        return try stored(rows, of: app)
    }

    package func countImages(of app: AppID) throws -> Int64 {
        let rows = try connection.query(
            """
            select count(*) as count from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        return try rows.first?.decode("count") ?? 0
    }

    /// - Throws: `StoreError.notFound`, also where this scope may not see it.
    package func getImage(_ image: ImageID, of app: AppID) throws -> StoredImage {
        let rows = try connection.query(
            """
            select image_id, image_size, width, height, byte_count, sha256, created_at
            from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and image_id = \(image.uuid)
            """)
        guard let stored = try stored(rows, of: app).first else { throw StoreError.noImage(image) }
        return stored
    }

    /// The file, byte for byte.
    package func imageFile(_ image: ImageID, of app: AppID) throws -> [UInt8] {
        let rows = try connection.query(
            """
            select f.png from holdfast.image i
            join holdfast.image_file f using (tenant_id, sha256)
            where i.tenant_id = \(tenant.uuid) and i.app_id = \(app.uuid)
              and i.image_id = \(image.uuid)
            """)
        guard let row = rows.first else { throw StoreError.noImage(image) }
        return try row.decode("png")
    }

    /// - Throws: a foreign key's `PostgresError` while a localization shows it.
    package func deleteImage(_ image: ImageID, of app: AppID) throws {
        let rows = try connection.query(
            """
            delete from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and image_id = \(image.uuid)
            """)
        guard rows.affected == 1 else { throw StoreError.noImage(image) }
    }

    private func stored(_ rows: Rows, of app: AppID) throws -> [StoredImage] {
        let ids: [UUID] = try rows.map { try $0.decode("image_id") }
        let placed = try connection.query(
            """
            select p.image_id, p.environment, p.apple_id, o.state
            from holdfast.image_placement p
            join holdfast.apple_object o using (tenant_id, app_id, environment, apple_id)
            where p.tenant_id = \(tenant.uuid) and p.app_id = \(app.uuid)
              and p.image_id = any(\(ids))
            order by p.image_id, p.environment
            """)
        var placements: [UUID: [ImagePlacement]] = [:]
        for row in placed {
            guard let environment = StoreEnvironment(rawValue: try row.decode("environment")) else {
                continue
            }
            placements[try row.decode("image_id"), default: []].append(
                ImagePlacement(
                    environment: environment, appleId: try row.decode("apple_id"),
                    state: ReviewState(rawValue: try row.decode("state"))))
        }
        return try rows.map { row in
            let id: UUID = try row.decode("image_id")
            return try StoredImage(row: row, placements: placements[id] ?? [])
        }
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

extension StoredImage {
    fileprivate init(row: Row, placements: [ImagePlacement]) throws {
        id = ImageID(try row.decode("image_id"))
        let size: String = try row.decode("image_size")
        guard let known = ImageSize(rawValue: size) else {
            throw StoreError(code: .invalid, message: "image size \(size) is not known here")
        }
        self.size = known
        width = try row.decode("width")
        height = try row.decode("height")
        byteCount = try row.decode("byte_count")
        sha256 = try row.decode("sha256")
        createdAt = try row.instant("created_at")
        self.placements = placements
    }
}

extension StoreError {
    static func noImage(_ image: ImageID) -> StoreError {
        StoreError(code: .notFound, message: "there is no image \(image)")
    }
}
