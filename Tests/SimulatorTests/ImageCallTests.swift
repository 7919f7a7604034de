import Foundation
import Service
import Signing
import Simulator
import TestSupport
import Testing

/// Upload Image, Delete Image, Get Image List.
struct ImageCallTests {
    private let full = PlainPicture().png
    private let bullet = PlainPicture.bullet.png

    @Test func anUploadedImageIsListedWithItsStateAndSizeAndNothingElse() throws {
        let developer = try Developer()
        let first = UUID()
        let second = UUID()
        #expect(try developer.upload(full, first).isDone)
        #expect(try developer.upload(bullet, second, size: "BULLET_POINT").isDone)
        let list = try developer.get("\(Developer.image)/list")
        #expect(list.status == 200)
        #expect(
            String(decoding: list.body, as: UTF8.self) == """
                {"imageIdentifiers":[{"imageIdentifier":"\(first.uuidString)",\
                "imageState":"APPROVED","imageSize":"FULL_SIZE"},\
                {"imageIdentifier":"\(second.uuidString)","imageState":"APPROVED",\
                "imageSize":"BULLET_POINT"}]}
                """)
        let image = try #require(developer.state()?.images.first)
        #expect(image.byteCount == full.count)
        #expect(image.sha256 == HexadecimalText.of(SHA256.digest(full)))
        #expect(developer.state(.production)?.images == [])
    }

    @Test func anIdentifierIsUsedOnceInWhateverCase() throws {
        let developer = try Developer()
        let identifier = UUID()
        #expect(try developer.upload(full, identifier).isDone)
        let path = "\(Developer.image)/\(identifier.uuidString.lowercased())"
        let again = try developer.send("PUT", path, full, type: "image/png")
        #expect(again.isRefusal(.imageAlreadyExists))
        #expect(try developer.delete(path).isDone)
        #expect(try developer.delete(path).isRefusal(.imageNotFound))
        #expect(try developer.upload(full, identifier).isDone)
    }

    /// IMG-02 and IMG-04: one whole, static PNG without alpha, of exactly the pixels.
    @Test(
        arguments: [
            (PlainPicture(height: 159), nil), (PlainPicture(height: 2161), nil),
            (PlainPicture(width: 3839), nil), (PlainPicture(width: 2160, height: 3840), nil),
            (PlainPicture(transparentGrey: 1), nil), (PlainPicture(isAnimated: true), nil),
            (PlainPicture.bullet, nil), (PlainPicture.bullet, "FULL_SIZE"),
            (PlainPicture(), "BULLET_POINT"),
            (PlainPicture(width: 1024, height: 1023), "BULLET_POINT"),
        ] as [(PlainPicture, String?)])
    func aPictureOfTheWrongKindIsRefused(_ picture: PlainPicture, _ size: String?) throws {
        let developer = try Developer()
        #expect(try developer.upload(picture.png, size: size).isRefusal(.invalidImage))
        #expect(developer.state()?.images == [])
    }

    @Test func theLargestAndTheSmallestAreTaken() throws {
        let developer = try Developer()
        #expect(try developer.upload(PlainPicture(height: 2160).png, size: "FULL_SIZE").isDone)
        #expect(try developer.upload(PlainPicture(height: 160).png).isDone)
    }

    @Test func whatIsNoWholePNGIsRefused() throws {
        let developer = try Developer()
        var damaged = full
        damaged[20] ^= 1
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 100)
        let files = [[], jpeg, Array(full.dropLast(12)), full + [0], damaged]
        for file in files {
            #expect(try developer.upload(file).isRefusal(.invalidImage))
        }
        #expect(try developer.upload(full, type: "image/jpeg").isRefusal(.invalidImage))
        #expect(try developer.upload(full, type: nil).isRefusal(.invalidImage))
    }

    @Test func anIdentifierIsAUUIDAndASizeIsOneOfTwo() throws {
        let developer = try Developer()
        for name in ["list", "1", "{\(UUID())}"] {
            let path = "\(Developer.image)/\(name)"
            let reply = try developer.send("PUT", path, full, type: "image/png")
            #expect(reply.isRefusal(.generalBadRequest))
        }
        #expect(try developer.upload(full, size: "LARGE").isRefusal(.generalBadRequest))
        #expect(try developer.delete("\(Developer.image)/1").isRefusal(.generalBadRequest))
    }

    @Test func anImageThatAMessageShowsStays() throws {
        let developer = try Developer()
        let image = UUID()
        let point = UUID()
        let message = UUID()
        _ = try developer.upload(full, image)
        _ = try developer.upload(bullet, point, size: "BULLET_POINT")
        let json = """
            {"header":"h","body":"b","image":{"imageIdentifier":"\(image)","altText":"a"},\
            "bulletPoints":[{"text":"t","imageIdentifier":"\(point)","altText":"a"}]}
            """
        #expect(try developer.upload(message: json, message).isDone)
        for identifier in [image, point] {
            let reply = try developer.delete("\(Developer.image)/\(identifier)")
            #expect(reply.isRefusal(.imageInUse))
        }
        #expect(try developer.delete("\(Developer.message)/\(message)").isDone)
        #expect(try developer.delete("\(Developer.image)/\(image)").isDone)
        #expect(try developer.delete("\(Developer.image)/\(point)").isDone)
    }

    @Test func imagesAreCountedTogetherUpToTheLimit() throws {
        let developer = try Developer()
        try developer.simulator.setLimits(RateLimits(imagesLimit: 2))
        let first = UUID()
        #expect(try developer.upload(full, first).isDone)
        #expect(try developer.upload(bullet, size: "BULLET_POINT").isDone)
        #expect(try developer.upload(full).isRefusal(.maximumNumberOfImagesReached))
        #expect(try developer.upload(full, first).isRefusal(.imageAlreadyExists))
        #expect(try developer.delete("\(Developer.image)/\(first)").isDone)
        #expect(try developer.upload(full).isDone)
    }
}
