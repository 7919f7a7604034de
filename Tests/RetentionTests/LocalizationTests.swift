import FoundationEssentials
import Retention
import Testing

/// Apple's limits: at each limit a text is right, one unit beyond it is wrong, and the problem
/// names the field.
@Suite struct LocalizationTests {
    private static let image = PlacedImage(image: ImageID(UUID()), altText: "A garden")

    private static func text(_ units: Int) -> String { String(repeating: "a", count: units) }

    private static func localization(
        header: String = "Stay", body: String = "Half price.", position: HeaderPosition? = nil,
        image: PlacedImage? = nil, bullets: [Bullet] = []
    ) -> Localization {
        Localization(
            locale: "en-US", header: header, body: body, headerPosition: position, image: image,
            bullets: bullets)
    }

    private static func bullet(_ text: String = "More", altText: String = "A leaf") -> Bullet {
        Bullet(text: text, image: PlacedImage(image: ImageID(UUID()), altText: altText))
    }

    private static func alt(_ units: Int) -> PlacedImage {
        PlacedImage(image: image.image, altText: text(units))
    }

    private func fields(_ localization: Localization, _ kind: MessageKind = .text) -> [String] {
        localization.problems(for: kind).map(\.field)
    }

    @Test func `each field is right at its limit and wrong one unit beyond`() {
        let make: [(String, Int, (Int) -> Localization)] = [
            ("header", 66, { Self.localization(header: Self.text($0)) }),
            ("body", 144, { Self.localization(body: Self.text($0)) }),
            ("image/altText", 150, { Self.localization(image: Self.alt($0)) }),
            (
                "bulletPoints/0/text", 66,
                { Self.localization(bullets: [Self.bullet(Self.text($0))]) }
            ),
            (
                "bulletPoints/0/altText", 150,
                { Self.localization(bullets: [Self.bullet(altText: Self.text($0))]) }
            ),
        ]
        for (field, limit, localization) in make {
            #expect(fields(localization(limit)) == [], "\(field)")
            #expect(fields(localization(limit + 1)) == [field])
        }
    }

    @Test func `the problem says how much there is and how much is allowed`() throws {
        let problem = try #require(
            Self.localization(header: Self.text(67)).problems(for: .text).first)
        #expect(problem.problem.contains("67"))
        #expect(problem.problem.contains("66"))
        #expect(problem.code == .tooLong)
        #expect(problem.limit == 66 && problem.measured == 67)
    }

    @Test func `what counts are UTF-16 units: an emoji is two, a family eleven`() {
        #expect(fields(Self.localization(header: String(repeating: "🌱", count: 33))) == [])
        #expect(fields(Self.localization(header: String(repeating: "🌱", count: 34))) == ["header"])
        let family = "👨‍👩‍👧‍👦"
        #expect(fields(Self.localization(header: String(repeating: family, count: 6))) == [])
        #expect(
            fields(Self.localization(header: String(repeating: family, count: 7))) == ["header"])
        let accented = String(repeating: "e\u{301}", count: 33)
        #expect(fields(Self.localization(header: accented)) == [])
        #expect(fields(Self.localization(header: accented + "e")) == ["header"])
    }

    @Test func `an empty header, body or bullet is refused`() {
        #expect(fields(Self.localization(header: "")) == ["header"])
        #expect(fields(Self.localization(body: "")) == ["body"])
        #expect(fields(Self.localization(bullets: [Self.bullet("")])) == ["bulletPoints/0/text"])
        let both = Self.localization(header: "", body: "", bullets: [Self.bullet("")])
        #expect(Set(fields(both)) == ["header", "body", "bulletPoints/0/text"])
    }

    @Test func `five bullets are allowed, six are not`() {
        let bullets = (0..<6).map { Self.bullet("\($0)") }
        #expect(fields(Self.localization(bullets: Array(bullets.prefix(5)))) == [])
        #expect(fields(Self.localization(bullets: bullets)) == ["bulletPoints"])
    }

    @Test(arguments: [" ", "\n\t", "\u{200b}", "\u{3000}\u{200f}", "\u{3164}"])
    func `a text in which nothing can be seen is no text`(_ text: String) {
        let blank = Self.localization(header: text, body: text, bullets: [Self.bullet(text)])
        let problems = blank.problems(for: .text)
        #expect(problems.map(\.field) == ["header", "body", "bulletPoints/0/text"])
        #expect(problems.allSatisfy { $0.code == .notAllowed })
        #expect(fields(Self.localization(header: text + "é" + text)) == [])
    }

    @Test func `every wrong bullet is named by its place`() {
        let bullets = [
            Self.bullet(), Self.bullet(Self.text(67)), Self.bullet(), Self.bullet(Self.text(67)),
        ]
        let wrong = fields(Self.localization(bullets: bullets))
        #expect(wrong == ["bulletPoints/1/text", "bulletPoints/3/text"])
    }

    @Test func `a header above the image needs an image`() {
        #expect(fields(Self.localization(position: .aboveImage)) == ["headerPosition"])
        #expect(fields(Self.localization(position: .aboveImage, image: Self.image)) == [])
        #expect(fields(Self.localization(position: .aboveBody)) == [])
    }

    @Test(arguments: [MessageKind.switchPlan, .promotionalOffer])
    func `only a text message has an image or bullets`(kind: MessageKind) {
        let withImage = Self.localization(image: Self.image)
        let withBullets = Self.localization(bullets: [Self.bullet()])
        #expect(fields(withImage, .text) == [])
        #expect(fields(withBullets, .text) == [])
        #expect(fields(withImage, kind) == ["image"])
        #expect(fields(withBullets, kind) == ["bulletPoints"])
        #expect(fields(Self.localization(), kind) == [])
    }

    @Test func `a review state that Apple adds later is kept as it came`() throws {
        let data = Data("[\"APPROVED\",\"ARCHIVED\",\"\"]".utf8)
        let states = try JSONDecoder().decode([ReviewState].self, from: data)
        #expect(
            states == [.approved, ReviewState(rawValue: "ARCHIVED"), ReviewState(rawValue: "")])
        #expect(try JSONEncoder().encode(states) == data)
    }
}
