import FoundationEssentials
import Retention
import Testing

/// The bytes from which an identifier at Apple is made: equal for equal content, and different as
/// soon as anything differs.
@Suite struct AppleContentTests {
    private let app = AppID(UUID())
    private let salt = [UInt8](repeating: 7, count: 32)

    private func content(
        app: AppID? = nil, environment: StoreEnvironment = .production,
        kind: AppleContent.Kind = .message, bytes: [UInt8] = [1, 2, 3], generation: Int32 = 0
    ) -> AppleContent {
        AppleContent(
            app: app ?? self.app, environment: environment, kind: kind, canonicalContent: bytes,
            generation: generation)
    }

    @Test func `equal content gives equal bytes, each part makes them differ`() {
        let base = content().bytesToDigest(salt: salt)
        #expect(base == content().bytesToDigest(salt: salt))
        let others = [
            content(app: AppID(UUID())), content(environment: .sandbox), content(kind: .image),
            content(bytes: [1, 2]), content(bytes: [1, 2, 3, 0]), content(generation: 1),
        ].map { $0.bytesToDigest(salt: salt) }
        let salted = content().bytesToDigest(salt: [UInt8](repeating: 8, count: 32))
        #expect(Set([base, salted] + others).count == 8)
    }

    @Test func `moving a character from one part to the next makes other bytes`() {
        let images = [ImageID: UUID]()
        let texts = [("ab", "c"), ("a", "bc"), ("abc", " "), ("a", "b c")].map {
            Localization(locale: "ja", header: $0.0, body: $0.1)
                .canonicalContent(appleImages: images)
        }
        #expect(Set(texts).count == texts.count)
    }

    @Test func `the locale is no part of the content, since Apple's message has none`() {
        let texts = ["en-US", "en-GB"].map {
            Localization(locale: $0, header: "h", body: "b").canonicalContent(appleImages: [:])
        }
        #expect(texts[0] == texts[1])
    }

    @Test func `every part of a text changes its content`() {
        let image = ImageID(UUID())
        let other = ImageID(UUID())
        let atApple = [image: UUID(), other: UUID()]
        func placed(_ id: ImageID, _ alt: String) -> PlacedImage {
            PlacedImage(image: id, altText: alt)
        }
        func text(
            _ header: String = "h", _ body: String = "b", _ position: HeaderPosition? = nil,
            _ image: PlacedImage? = nil, _ bullets: [Bullet] = []
        ) -> [UInt8]? {
            Localization(
                locale: "ja", header: header, body: body, headerPosition: position, image: image,
                bullets: bullets
            ).canonicalContent(appleImages: atApple)
        }
        let bullet = Bullet(text: "t", image: placed(image, "a"))
        let reworded = Bullet(text: "u", image: placed(image, "a"))
        let contents = [
            text(), text("H"), text("h", "B"), text("h", "b", .aboveBody),
            text("h", "b", nil, placed(image, "a")), text("h", "b", nil, placed(other, "a")),
            text("h", "b", nil, placed(image, "A")),
            text("h", "b", .aboveImage, placed(image, "a")),
            text("h", "b", nil, nil, [bullet]), text("h", "b", nil, nil, [reworded]),
            text("h", "b", nil, nil, [bullet, reworded]),
            text("h", "b", nil, nil, [reworded, bullet]),
            text("h", "b", nil, placed(image, "a"), [bullet]),
        ]
        #expect(!contents.contains(nil))
        #expect(Set(contents).count == contents.count)
    }

    @Test func `a text whose image is not at Apple has no content yet`() {
        let image = PlacedImage(image: ImageID(UUID()), altText: "a")
        let shown = Localization(locale: "ja", header: "h", body: "b", image: image)
        let listed = Localization(
            locale: "ja", header: "h", body: "b", bullets: [Bullet(text: "t", image: image)])
        for text in [shown, listed] {
            #expect(text.canonicalContent(appleImages: [:]) == nil)
            #expect(text.canonicalContent(appleImages: [image.image: UUID()]) != nil)
        }
    }

    @Test func `what a key is sealed to differs in each part`() {
        let tenant = TenantID(UUID())
        let credential = CredentialID(UUID())
        func context(
            _ tenant: TenantID, _ app: AppID, _ credential: CredentialID, _ keyId: String
        ) -> [UInt8] {
            SealedSigningKey.sealContext(
                tenant: tenant, app: app, credential: credential, keyId: keyId)
        }
        let contexts = [
            context(tenant, app, credential, "K1"),
            context(TenantID(UUID()), app, credential, "K1"),
            context(tenant, AppID(UUID()), credential, "K1"),
            context(tenant, app, CredentialID(UUID()), "K1"),
            context(tenant, app, credential, "K2"),
            context(TenantID(app.uuid), AppID(tenant.uuid), credential, "K1"),
        ]
        #expect(Set(contexts).count == contexts.count)
        #expect(context(tenant, app, credential, "K1") == contexts[0])
    }
}
