import Retention
import Testing

/// Apple's rules for pixels, at their edges, and every problem in one answer.
@Suite struct ImageRulesTests {
    private func picture(
        _ width: Int, _ height: Int, alpha: Bool = false, transparent: Bool? = false,
        animated: Bool = false
    ) -> PictureFacts {
        PictureFacts(
            width: width, height: height, hasAlphaChannel: alpha,
            hasTransparentPixel: transparent, isAnimated: animated)
    }

    @Test(arguments: [160, 161, 1080, 2159, 2160])
    func `full size is 3840 wide and 160 to 2160 high`(_ height: Int) {
        #expect(ImageSize.fullSize.problems(of: picture(3840, height)).isEmpty)
    }

    @Test func `a bullet point is 1024 by 1024`() {
        #expect(ImageSize.bulletPoint.problems(of: picture(1024, 1024)).isEmpty)
    }

    @Test(arguments: [
        (3840, 159, "height", "159 pixels, Apple wants 160 to 2160 for FULL_SIZE"),
        (3840, 2161, "height", "2161 pixels, Apple wants 160 to 2160 for FULL_SIZE"),
        (3839, 2160, "width", "3839 pixels, Apple wants exactly 3840 for FULL_SIZE"),
        (3841, 160, "width", "3841 pixels, Apple wants exactly 3840 for FULL_SIZE"),
    ])
    func `one pixel off is told with limit and measure`(
        _ width: Int, _ height: Int, _ field: String, _ problem: String
    ) {
        let problems = ImageSize.fullSize.problems(of: picture(width, height))
        #expect(problems.map(\.field) == [field])
        #expect(problems.map(\.problem) == [problem])
        #expect(problems[0].measured == (field == "width" ? width : height))
        #expect(problems[0].limit.map { abs($0 - (problems[0].measured ?? 0)) } == 1)
    }

    @Test(arguments: [(1023, 1024, "width"), (1024, 1025, "height")])
    func `a bullet point one pixel off is told`(_ width: Int, _ height: Int, _ field: String) {
        let problems = ImageSize.bulletPoint.problems(of: picture(width, height))
        #expect(problems.map(\.field) == [field])
        #expect(problems[0].problem.contains("Apple wants exactly 1024 for BULLET_POINT"))
    }

    @Test func `pixels of the other size are told as that`() {
        let bullet = ImageSize.fullSize.problems(of: picture(1024, 1024))
        #expect(bullet.map(\.field) == ["width"])
        #expect(bullet.last?.problem.contains("BULLET_POINT") == true)
        let full = ImageSize.bulletPoint.problems(of: picture(3840, 2160))
        #expect(full.map(\.field) == ["width", "height"])
        #expect(full.last?.problem.contains("FULL_SIZE") == true)
    }

    @Test func `a picture that lies on its side is told to be turned`() {
        let problems = ImageSize.fullSize.problems(of: picture(2160, 3840))
        #expect(problems.map(\.field) == ["width", "height"])
        #expect(problems.last?.problem.contains("turn") == true)
    }

    @Test func `alpha is told apart by what it hides`() {
        let problems = [true, false, nil].map { transparent in
            ImageSize.fullSize.problems(
                of: picture(3840, 2160, alpha: true, transparent: transparent))
        }
        #expect(problems.allSatisfy { $0.map(\.field) == ["alpha"] })
        #expect(problems[0][0].problem.hasPrefix("has transparent pixels"))
        #expect(
            problems.map { $0[0].code } == [.transparent, .hasAlphaChannel, .hasAlphaChannel])
        #expect(
            problems[1][0].problem
                == "has an alpha channel although every pixel is opaque; "
                + "send ?flatten=true or export without alpha")
        #expect(Set(problems).count == 3)
    }

    @Test func `all problems come in one answer`() {
        let problems = ImageSize.bulletPoint.problems(
            of: picture(3840, 160, alpha: true, transparent: true, animated: true))
        #expect(problems.map(\.field) == ["alpha", "animation", "width", "height"])
    }
}
