// Tables: image, apple_object. Which identifiers at Apple content has.
internal import FoundationEssentials
internal import Postgres
internal import Retention
internal import Signing

/// The identifier at Apple of one content, and what it was made from.
struct AppleIdentity {
    let id: UUID
    /// Of the content at its first generation: the same for all its identifiers.
    let digest: [UInt8]
    let generation: Int32
}

/// Which identifiers at Apple the content of one app and environment has: read once, asked for each
/// text. Content whose identifier was deleted, has vanished or was superseded has the next one.
struct AppleIdentities {
    private let key: AppEnvironment
    private let salt: [UInt8]
    private let spent: SpentIdentities
    let images: [ImageID: AppleIdentity]
    private let imageIds: [ImageID: UUID]

    init(_ transaction: TenantTransaction, _ key: AppEnvironment) throws {
        self.key = key
        let salt = try transaction.appleIdSalt(key.app)
        let spent = try transaction.spentIdentities(at: key)
        self.salt = salt
        self.spent = spent
        images = try transaction.imageContents(of: key.app).mapValues {
            try Self.identity(.image, $0, key, salt, spent)
        }
        imageIds = images.mapValues(\.id)
    }

    /// `nil` where the app does not have a picture that it shows.
    func identity(of text: Localization) throws -> AppleIdentity? {
        guard let content = text.canonicalContent(appleImages: imageIds) else {
            return nil
        }
        return try Self.identity(.message, content, key, salt, spent)
    }

    private static func identity(
        _ kind: AppleContent.Kind, _ content: [UInt8], _ key: AppEnvironment, _ salt: [UInt8],
        _ spent: SpentIdentities
    ) throws -> AppleIdentity {
        func digest(_ generation: Int32) -> [UInt8] {
            let source = AppleContent(
                app: key.app, environment: key.environment, kind: kind,
                canonicalContent: content, generation: generation)
            return SHA256.digest(source.bytesToDigest(salt: salt))
        }
        let first = digest(0)
        func id(_ generation: Int32) throws -> UUID {
            guard let id = UUID.version8(digest: generation == 0 ? first : digest(generation))
            else { throw StoreError(code: .invalid, message: "a SHA-256 digest has 32 bytes") }
            return id
        }
        var generation = ObservedState.generation(spent: spent.generations[first] ?? [])
        var current = try id(generation)
        while spent.ofUnknownContent.contains(current) {
            generation += 1
            current = try id(generation)
        }
        return AppleIdentity(id: current, digest: first, generation: generation)
    }
}

/// What is never used again in one app and environment.
private struct SpentIdentities {
    /// By the digest of their content.
    var generations: [[UInt8]: [Int32]] = [:]
    /// Of objects that were placed before their content was written down.
    var ofUnknownContent: Set<UUID> = []
}

extension TenantTransaction {
    fileprivate func spentIdentities(at key: AppEnvironment) throws -> SpentIdentities {
        let rows = try connection.query(
            """
            select apple_id, content_digest, generation from holdfast.apple_object
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and (presence in ('withdrawing', 'gone') or superseded_at is not null)
            """)
        var spent = SpentIdentities()
        for row in rows {
            guard let digest: [UInt8] = try row.decode([UInt8]?.self, "content_digest") else {
                spent.ofUnknownContent.insert(try row.decode("apple_id"))
                continue
            }
            spent.generations[digest, default: []].append(try row.decode("generation"))
        }
        return spent
    }

    /// What an image's identifier is derived from: its bytes and its use, since at Apple an image
    /// has one: the same picture for both is two images.
    fileprivate func imageContents(of app: AppID) throws -> [ImageID: [UInt8]] {
        let rows = try connection.query(
            """
            select image_id, sha256, image_size from holdfast.image
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        var contents: [ImageID: [UInt8]] = [:]
        for row in rows {
            let digest: [UInt8] = try row.decode("sha256")
            let size: String = try row.decode("image_size")
            contents[ImageID(try row.decode("image_id"))] = digest + Array(size.utf8)
        }
        return contents
    }
}
