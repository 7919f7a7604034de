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
    private let spent: [[UInt8]: [Int32]]
    let images: [ImageID: AppleIdentity]

    init(_ transaction: TenantTransaction, _ key: AppEnvironment) throws {
        self.key = key
        let salt = try transaction.appleIdSalt(key.app)
        let spent = try transaction.spentGenerations(at: key)
        self.salt = salt
        self.spent = spent
        images = try transaction.imageContents(of: key.app).mapValues {
            try Self.identity(.image, $0, key, salt, spent)
        }
    }

    /// `nil` where the app does not have a picture that it shows.
    func identity(of text: Localization) throws -> AppleIdentity? {
        guard let content = text.canonicalContent(appleImages: images.mapValues(\.id)) else {
            return nil
        }
        return try Self.identity(.message, content, key, salt, spent)
    }

    private static func identity(
        _ kind: AppleContent.Kind, _ content: [UInt8], _ key: AppEnvironment, _ salt: [UInt8],
        _ spent: [[UInt8]: [Int32]]
    ) throws -> AppleIdentity {
        func digest(_ generation: Int32) -> [UInt8] {
            let source = AppleContent(
                app: key.app, environment: key.environment, kind: kind,
                canonicalContent: content, generation: generation)
            return SHA256.digest(source.bytesToDigest(salt: salt))
        }
        let first = digest(0)
        let generation = ObservedState.generation(spent: spent[first] ?? [])
        guard let id = UUID.version8(digest: generation == 0 ? first : digest(generation)) else {
            throw StoreError(code: .invalid, message: "a SHA-256 digest has 32 bytes")
        }
        return AppleIdentity(id: id, digest: first, generation: generation)
    }
}

extension TenantTransaction {
    fileprivate func spentGenerations(at key: AppEnvironment) throws -> [[UInt8]: [Int32]] {
        let rows = try connection.query(
            """
            select content_digest, generation from holdfast.apple_object
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and content_digest is not null
              and (presence in ('withdrawing', 'gone') or superseded_at is not null)
            """)
        var spent: [[UInt8]: [Int32]] = [:]
        for row in rows {
            let digest: [UInt8] = try row.decode("content_digest")
            spent[digest, default: []].append(try row.decode("generation"))
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
