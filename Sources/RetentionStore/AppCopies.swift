// Tables: image, message, default_message. What a copy of an app's set-up looks up; the copying
// itself is each table's own.
internal import FoundationEssentials
internal import Postgres
package import Retention

extension TenantTransaction {
    /// Gives another app of the tenant all pictures of an app.
    ///
    /// - Parameter limit: how many the target may have.
    /// - Returns: each picture of the source, and whether the target has it now for the first time;
    ///   `nil` where there was no room.
    package func copyImages(
        from source: AppID, to target: AppID, limit: Int64
    ) throws -> [(image: ImageID, isNew: Bool?)] {
        let rows = try connection.query(
            """
            select s.image_id, exists (
                select from holdfast.image t
                where t.tenant_id = s.tenant_id and t.app_id = \(target.uuid)
                  and t.sha256 = s.sha256 and t.image_size = s.image_size) as exists
            from holdfast.image s
            where s.tenant_id = \(tenant.uuid) and s.app_id = \(source.uuid)
            order by s.image_id
            """)
        var count = try countImages(of: target)
        return try rows.map { row in
            let image = ImageID(try row.decode(UUID.self, "image_id"))
            if try row.decode("exists") { return (image, false) }
            guard count < limit else { return (image, nil) }
            _ = try copyImage(image, from: source, to: target)
            count += 1
            return (image, true)
        }
    }
}
