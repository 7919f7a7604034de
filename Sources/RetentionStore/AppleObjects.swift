// Table: apple_object. Images and messages at Apple as people look at them.
package import FoundationEssentials
internal import Postgres
package import Retention

/// What was sent, as it was sent: Apple never shows it again.
package enum SentContent: Sendable {
    case image(ImageID, ImageSize)
    case text(Localization)
}

package struct StoredAppleObject: Sendable {
    package let object: AppleObject
    package let generation: Int32
    /// Of the content without its generation; `nil` where it is not known here.
    package let contentDigest: [UInt8]?
    /// `nil` where it is not known here: another tool's, or older than the sync.
    package let content: SentContent?
    /// When a list first showed another state than `PENDING`.
    package let decidedAt: Instant?
    package let supersededAt: Instant?
}

/// One picture at Apple: what it is here, and what Apple says of it.
package struct ShownImage: Sendable {
    package let image: ImageID?
    package let state: ReviewState
}

extension TenantTransaction {
    /// In the order of their identifiers; `after` is the last one of the page before.
    package func listAppleObjects(
        at key: AppEnvironment, kind: AppleObjectKind?, after: UUID?, limit: Int32
    ) throws -> [StoredAppleObject] {
        try storedAppleObjects(at: key, kind: kind, one: nil, after: after, limit: limit)
    }

    package func findAppleObject(_ id: UUID, at key: AppEnvironment) throws -> StoredAppleObject? {
        try storedAppleObjects(at: key, kind: nil, one: id, after: nil, limit: 1).first
    }

    private func storedAppleObjects(
        at key: AppEnvironment, kind: AppleObjectKind?, one: UUID?, after: UUID?, limit: Int32
    ) throws -> [StoredAppleObject] {
        let rows = try connection.query(
            """
            select apple_id, kind, is_ours, presence, state, images, attempted_at, uncertain_since,
              uploaded_at, listed_at, absent_since, unnamed_since,
              superseded_at is not null as is_superseded, refused_at, refusal_code, generation,
              content_digest, content, decided_at, superseded_at
            from holdfast.apple_object
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and (\(kind?.rawValue)::text is null or kind = \(kind?.rawValue))
              and (\(one)::uuid is null or apple_id = \(one))
              and (\(after)::uuid is null or apple_id > \(after))
            order by apple_id
            limit \(limit)
            """)
        return try rows.map(StoredAppleObject.init(row:))
    }

    /// What the pictures at Apple are here; those that Apple is not known to have are left out.
    package func shownImages(
        _ ids: [UUID], at key: AppEnvironment
    ) throws -> [UUID: ShownImage] {
        guard !ids.isEmpty else { return [:] }
        let rows = try connection.query(
            """
            select o.apple_id, o.state, o.content, p.image_id
            from holdfast.apple_object o
            left join holdfast.image_placement p using (tenant_id, app_id, environment, apple_id)
            where o.tenant_id = \(tenant.uuid) and o.app_id = \(key.app.uuid)
              and o.environment = \(key.environment.rawValue) and o.apple_id = any(\(ids))
              and o.kind = 'image'
            """)
        var shown: [UUID: ShownImage] = [:]
        for row in rows {
            var image: ImageID? = try row.decode(UUID?.self, "image_id").map { ImageID($0) }
            if case .image(let sent, _) = try row.sentContent(.image) { image = sent }
            shown[try row.decode("apple_id")] = ShownImage(
                image: image, state: ReviewState(rawValue: try row.decode("state")))
        }
        return shown
    }

    /// Gives the content of a rejected object the next identifier, so that Apple reviews it anew.
    ///
    /// - Returns: `false`, and nothing is done, where it is not ours, not at Apple, not rejected,
    ///   superseded before, or its content is not known.
    package func supersedeAppleObject(_ id: UUID, at key: AppEnvironment) throws -> Bool {
        let isSuperseded =
            try connection.query(
                """
                update holdfast.apple_object set superseded_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
                  and environment = \(key.environment.rawValue) and apple_id = \(id)
                  and is_ours and state = 'REJECTED' and presence in ('uploaded', 'listed')
                  and superseded_at is null and content_digest is not null
                """
            ).affected == 1
        if isSuperseded { try wakeSync(key) }
        return isSuperseded
    }
}

extension StoredAppleObject {
    fileprivate init(row: Row) throws {
        let object = try AppleObject(row: row)
        self.object = object
        generation = try row.decode("generation")
        contentDigest = try row.decode("content_digest")
        content = try row.sentContent(object.kind)
        decidedAt = try row.optionalInstant("decided_at")
        supersededAt = try row.optionalInstant("superseded_at")
    }
}

extension Row {
    fileprivate func sentContent(_ kind: AppleObjectKind) throws -> SentContent? {
        guard let json = try decode(JSON?.self, "content") else { return nil }
        let data = Data(json.bytes)
        switch kind {
        case .message:
            return .text(try JSONDecoder().decode(Localization.self, from: data))
        case .image:
            let sent = try JSONDecoder().decode([String: String].self, from: data)
            guard let image = sent["image"].flatMap({ ImageID($0) }),
                let size = sent["imageSize"].flatMap(ImageSize.init(rawValue:))
            else { return nil }
            return .image(image, size)
        }
    }
}
