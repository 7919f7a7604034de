import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore

/// What the isolation tests try on another agency's messages, localizations, defaults and images.
extension IsolationTests {
    /// Of the first agency.
    private struct Content {
        let key: AppEnvironment
        let message: MessageID
        let image: ImageID
        let product = "com.example.tideline.plus.annual"
        let text = Localization(locale: "en-US", header: "x", body: "x")

        init(_ agencies: Agencies) throws {
            let tenant = agencies.first.scope.tenant.uuid
            key = agencies.first.keys[0]
            message = MessageID(
                try agencies.value(
                    """
                    select message_id from holdfast.message
                    where tenant_id = \(tenant) and app_id = \(key.app.uuid) and kind = 'text'
                    """))
            image = ImageID(
                try agencies.value(
                    """
                    select image_id from holdfast.image
                    where tenant_id = \(tenant) and app_id = \(key.app.uuid)
                    """))
        }
    }

    /// Refused.
    func contentChanges(_ agencies: Agencies) throws -> [Attempt] {
        let content = try Content(agencies)
        let (key, message, image) = (content.key, content.message, content.image)
        let (text, product) = (content.text, content.product)
        let own = agencies.second.keys[0].app
        return [
            ("getMessage", { _ = try $0.getMessage(message, of: key.app) }),
            ("deleteMessage", { try $0.deleteMessage(message, of: key.app) }),
            (
                "copyMessage",
                {
                    try $0.copyMessage(
                        message, from: key.app, to: own, as: MessageID(UUID()), name: "x")
                }
            ),
            ("updateLocalization", { try $0.updateLocalization(text, of: message, app: key.app) }),
            (
                "deleteLocalization",
                { try $0.deleteLocalization("en-US", of: message, app: key.app) }
            ),
            (
                "setDefaultMessages",
                {
                    _ = try $0.setDefaultMessages(
                        message, products: [product], locales: ["en-US"], at: key)
                }
            ),
            (
                "deleteDefault",
                { try $0.deleteDefault(product: product, locale: "en-US", at: key) }
            ),
            ("getImage", { _ = try $0.getImage(image, of: key.app) }),
            ("imageFile", { _ = try $0.imageFile(image, of: key.app) }),
            ("deleteImage", { try $0.deleteImage(image, of: key.app) }),
        ]
    }

    /// Finds nothing, and does nothing to the first agency.
    func contentQuestions(_ agencies: Agencies) throws -> [Attempt] {
        let content = try Content(agencies)
        let (key, message, image) = (content.key, content.message, content.image)
        let product = content.product
        return [
            (
                "updateMessage",
                { try $0.updateMessage(message, name: "y", dates: .none, of: key.app) }
            ),
            ("findMessage", { try expectNothing(try $0.findMessage(message, of: key.app)) }),
            (
                "findMessage named",
                { try expectNothing(try $0.findMessage(named: "thanks", of: key.app)) }
            ),
            (
                "listMessages",
                {
                    try expectNothing(
                        try $0.listMessages(of: key.app, after: nil, limit: 9).first)
                }
            ),
            ("countMessages", { try expectNone(try $0.countMessages(of: key.app)) }),
            (
                "findLocalization",
                {
                    try expectNothing(
                        try $0.findLocalization("en-US", of: message, app: key.app))
                }
            ),
            (
                "listLocalizations",
                {
                    try expectNothing(
                        try $0.listLocalizations(of: message, app: key.app, after: nil, limit: 9)
                            .first)
                }
            ),
            (
                "findDefault",
                {
                    try expectNothing(
                        try $0.findDefault(
                            product: product, locale: "en-US", at: key, forUpdate: true))
                }
            ),
            (
                "listDefaults",
                { try expectNothing(try $0.listDefaults(at: key, after: nil, limit: 9).first) }
            ),
            (
                "existingProducts",
                { try expectNothing(try $0.existingProducts([product], of: key.app).first) }
            ),
            ("imageSizes", { try expectNothing(try $0.imageSizes([image], of: key.app).first) }),
            (
                "listImages",
                { try expectNothing(try $0.listImages(of: key.app, after: nil, limit: 9).first) }
            ),
            ("countImages", { try expectNone(try $0.countImages(of: key.app)) }),
        ]
    }

    private func expectNone(_ count: Int64) throws {
        if count != 0 { throw FoundForeign() }
    }
}
