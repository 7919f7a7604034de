// Tables: localization, bullet. How a text is put together from its rows, for whoever reads texts.
internal import FoundationEssentials
internal import Postgres
internal import Retention

extension TenantTransaction {
    /// Of all texts of these messages, each in its order.
    func bullets(of messages: [UUID], _ app: AppID) throws -> [TextPlace: [Bullet]] {
        let rows = try connection.query(
            """
            select message_id, locale, text, image_id, alt_text from holdfast.bullet
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = any(\(messages))
            order by message_id, locale, ordinal
            """)
        var bullets: [TextPlace: [Bullet]] = [:]
        for row in rows {
            guard let image = try row.placedImage() else { continue }
            let place = TextPlace(
                message: MessageID(try row.decode(UUID.self, "message_id")),
                locale: try row.decode("locale"))
            bullets[place, default: []].append(Bullet(text: try row.decode("text"), image: image))
        }
        return bullets
    }
}

extension Localization {
    /// From a row with locale, header, body, header_position, image_id and alt_text.
    init(row: Row, of message: MessageID, _ bullets: [TextPlace: [Bullet]]) throws {
        let locale: String = try row.decode("locale")
        let position: String? = try row.decode("header_position")
        self.init(
            locale: locale, header: try row.decode("header"), body: try row.decode("body"),
            headerPosition: position.flatMap(HeaderPosition.init(rawValue:)),
            image: try row.placedImage(),
            bullets: bullets[TextPlace(message: message, locale: locale)] ?? [])
    }
}

extension Row {
    fileprivate func placedImage() throws -> PlacedImage? {
        guard let image = try decode(UUID?.self, "image_id"),
            let altText = try decode(String?.self, "alt_text")
        else { return nil }
        return PlacedImage(image: ImageID(image), altText: altText)
    }
}
