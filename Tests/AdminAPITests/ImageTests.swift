import AdminAPI
import Foundation
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

@Suite(.database) struct ImageTests {
    private func app() throws -> ContentApp {
        try ContentApp(try GatewayStage().makeAgency())
    }

    private func upload(
        _ app: ContentApp, _ png: [UInt8], _ query: String = "", key: TestAgency? = nil,
        headers: [(String, String)] = [("Content-Type", "image/png")]
    ) throws -> TestAnswer {
        try app.agency.stage.send(
            "POST", "\(app.path)/images\(query)", token: (key ?? app.agency).token,
            headers: headers, body: png)
    }

    @Test func `a picture is kept byte for byte, read, listed and removed`() throws {
        let app = try app()
        let agency = app.agency
        let png = PlainPicture().png
        let made = try upload(app, png)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(made.json["id"]?.text)
        let path = "\(app.path)/images/\(id)"
        #expect(made.header("Location") == path)
        let digest = SHA256.digest(png).map { String(format: "%02x", $0) }.joined()
        #expect(made.json["sha256"]?.text == digest)
        #expect(made.json["imageSize"] == "FULL_SIZE")
        #expect(made.json["width"] == 3_840 && made.json["height"] == 160)
        #expect(made.json["byteCount"]?.number == Int64(png.count))
        #expect(made.json["placements"] == [])
        #expect(try app.audit() == "image.create \(id)")
        let read = try agency.get(path)
        #expect(read.json == made.json && read.header("ETag") == made.header("ETag"))

        let content = try agency.get("\(path)/content")
        #expect(content.status == 200)
        #expect(content.body == png)
        #expect(content.header("Content-Type") == "image/png")
        #expect(content.header("ETag") == "\"\(digest)\"")
        #expect(content.header("Cache-Control") == "private")
        let held = try agency.get("\(path)/content", headers: [("If-None-Match", "\"\(digest)\"")])
        #expect(held.status == 304 && held.body.isEmpty)
        #expect(held.header("ETag") == "\"\(digest)\"")

        let bullet = try upload(app, PlainPicture.bullet.png, "?imageSize=BULLET_POINT")
        #expect(bullet.status == 201, "\(bullet.text)")
        #expect(try agency.all("\(app.path)/images", limit: 1) == [made.json, bullet.json])
        app.later()
        #expect(try agency.send("DELETE", path).status == 204)
        #expect(try app.audit() == "image.delete \(id)")
        for gone in [path, "\(path)/content"] { #expect(try agency.get(gone).status == 404) }
        #expect(try agency.send("DELETE", path).status == 404)
    }

    @Test func `the same bytes are the same image, of an app and a use`() throws {
        let app = try app()
        let png = PlainPicture().png
        let first = try upload(app, png)
        let again = try upload(app, png)
        #expect(again.status == 200)
        #expect(again.json == first.json)
        #expect(try app.auditEvents().filter { $0.action == "image.create" }.count == 1)
        let other = try ContentApp(app.agency)
        let elsewhere = try upload(other, png)
        #expect(elsewhere.status == 201)
        #expect(elsewhere.json["id"] != first.json["id"])
        let noted = try upload(app, PlainPicture(note: "another file").png)
        #expect(noted.status == 201)
        // The bytes go with the last image that has them.
        let path = "\(other.path)/images/\(elsewhere.json["id"]?.text ?? "")"
        #expect(try app.agency.send("DELETE", path).status == 204)
        let content = "\(app.path)/images/\(first.json["id"]?.text ?? "")/content"
        #expect(try app.agency.get(content).body == png)
    }

    @Test func `a limited key uploads and reads what its own app has`() throws {
        let app = try app()
        let other = try ContentApp(app.agency)
        let png = PlainPicture().png
        #expect(try upload(other, png).status == 201)
        let key = try app.agency.stage.makeKey(of: app.agency, apps: [app.id])
        let made = try upload(app, png, key: key)
        #expect(made.status == 201, "\(made.text)")
        let content = "\(app.path)/images/\(made.json["id"]?.text ?? "")/content"
        #expect(try key.get(content).body == png)
        #expect(try upload(other, png, key: key).status == 404)
    }

    @Test func `an alpha channel that hides nothing is taken away when asked`() throws {
        let app = try app()
        let opaque = PlainPicture(transparentGrey: 1).png
        let refused = try upload(app, opaque)
        #expect(refused.status == 422)
        #expect(refused.errors == [" hasAlphaChannel"])
        #expect(refused.text.contains("flatten=true"))
        let made = try upload(app, opaque, "?flatten=true")
        #expect(made.status == 201, "\(made.text)")
        let content = "\(app.path)/images/\(made.json["id"]?.text ?? "")/content"
        #expect(try app.agency.get(content).body == PlainPicture().png)
        #expect(try upload(app, opaque, "?flatten=true").status == 200)
        let transparent = PlainPicture(transparentGrey: 0).png
        for query in ["", "?flatten=true"] {
            #expect(try upload(app, transparent, query).errors == [" transparent"])
        }
    }

    /// IMG-02: all faults in one answer, with what was measured.
    @Test(arguments: [
        (3_840, 159, "FULL_SIZE", [" wrongSize"]), (3_840, 2_161, "FULL_SIZE", [" wrongSize"]),
        (3_839, 2_160, "FULL_SIZE", [" wrongSize"]),
        (2_160, 3_840, "FULL_SIZE", [" wrongSize", " wrongSize"]),
        (1_024, 1_024, "FULL_SIZE", [" wrongSize"]),
        (3_840, 160, "BULLET_POINT", [" wrongSize", " wrongSize"]),
        (1_024, 1_023, "BULLET_POINT", [" wrongSize"]),
    ])
    func `wrong pixels are told beside a wrong alpha`(
        width: Int, height: Int, size: String, errors: [String]
    ) throws {
        let app = try app()
        let picture = PlainPicture(width: width, height: height, transparentGrey: 1)
        let answer = try upload(app, picture.png, "?imageSize=\(size)")
        #expect(answer.status == 422)
        #expect(answer.errors == [" hasAlphaChannel"] + errors)
        let pixels = try #require(answer.json["errors"]).elements.last
        #expect(pixels?["unit"] == "pixels")
        #expect([width, height].map { Int64($0) }.contains(pixels?["measured"]?.number ?? 0))
        #expect(pixels?["limit"]?.number != nil)
        let flattened = try upload(app, picture.png, "?imageSize=\(size)&flatten=true")
        #expect(flattened.errors == errors)
        #expect(try app.agency.all("\(app.path)/images").isEmpty)
    }

    @Test func `a right one of the other size is told as that`() throws {
        let answer = try upload(try app(), PlainPicture.bullet.png)
        #expect(answer.text.contains("BULLET_POINT"))
    }

    /// IMG-04 and IMG-03: what is no complete, static PNG is refused, whatever its name says.
    @Test func `only whole and still PNGs are taken`() throws {
        let app = try app()
        let png = PlainPicture().png
        let cases: [([UInt8], [String])] = [
            ([], [" required"]), ([0xFF, 0xD8, 0xFF, 0xE0] + png, [" notPNG"]),
            (Array("<!doctype html><p>".utf8), [" notPNG"]),
            (Array(png.prefix(png.count * 9 / 10)), [" truncated"]),
            (Array(png.dropLast(12)), [" truncated"]),
            (png + [UInt8](repeating: 0, count: 10_240), [" damaged"]),
            (PlainPicture(isAnimated: true).png, [" animated"]),
        ]
        for (bytes, errors) in cases {
            let answer = try upload(app, bytes)
            #expect(answer.status == 422, "\(errors) \(answer.text)")
            #expect(answer.errors == errors, "\(answer.text)")
        }
        var damaged = png
        damaged[20] ^= 1
        #expect(try upload(app, damaged).errors.contains(" damaged"))
        // 60 bytes that announce ten gigapixels.
        var bomb = PlainPicture(width: 8, height: 8).png
        bomb.replaceSubrange(16..<24, with: [0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0])
        #expect(try upload(app, bomb).status == 422)
        #expect(try app.agency.all("\(app.path)/images").isEmpty)
    }

    @Test func `the type and the parameters are checked before the bytes`() throws {
        let app = try app()
        let png = PlainPicture().png
        for type in ["image/jpeg", "multipart/form-data; boundary=x", "application/json"] {
            #expect(try upload(app, png, headers: [("Content-Type", type)]).status == 415)
        }
        #expect(try upload(app, png, headers: []).status == 415)
        for query in ["?imageSize=HUGE", "?flatten=yes", "?flatten=", "?size=FULL_SIZE"] {
            #expect(try upload(app, png, query).status == 400, "\(query)")
        }
        let large = [UInt8](repeating: 0, count: (20 << 20) + 1)
        #expect(try upload(app, large).status == 413)
    }

    @Test func `a repeated upload with one key is one upload`() throws {
        let app = try app()
        let headers = [("Content-Type", "image/png"), ("Idempotency-Key", "k")]
        let first = try upload(app, PlainPicture().png, headers: headers)
        let again = try upload(app, PlainPicture().png, headers: headers)
        #expect(again.status == 201 && again.body == first.body)
        #expect(again.header("Idempotency-Replayed") == "true")
        let other = try upload(app, PlainPicture(note: "x").png, headers: headers)
        #expect(other.code == "idempotencyKeyReused")
    }

    @Test func `an image that is shown stays`() throws {
        let app = try app()
        let made = try upload(app, PlainPicture().png)
        let id = try #require(made.json["id"]?.text)
        let localization = try app.localization(
            try app.message(), "en-US",
            ["header": "h", "body": "b", "image": ["imageId": .string(id), "altText": "a"]])
        let refused = try app.agency.send("DELETE", "\(app.path)/images/\(id)")
        #expect(refused.status == 409)
        #expect(refused.code == "inUse")
        _ = try app.agency.patch(localization, ["image": .null])
        #expect(try app.agency.send("DELETE", "\(app.path)/images/\(id)").status == 204)
    }

    @Test func `placements tell what became of it at Apple`() throws {
        let app = try app()
        let made = try upload(app, PlainPicture().png)
        let id = try #require(made.json["id"]?.text)
        let image = try #require(ImageID(id))
        let appleId = try app.change { transaction in
            try StoreEnvironment.allCases.map {
                try transaction.placeImage(
                    image, at: AppEnvironment(app: app.id, environment: $0), state: .pending)
            }
        }
        let read = try app.agency.get("\(app.path)/images/\(id)")
        let placements = try #require(read.json["placements"]).elements
        #expect(placements.compactMap { $0["environment"]?.text } == ["Production", "Sandbox"])
        #expect(
            Set(placements.compactMap { $0["identifier"]?.text })
                == Set(appleId.map { $0.uuidString.lowercased() }))
        #expect(placements.allSatisfy { $0["state"] == "PENDING" })
        #expect(read.header("ETag") != made.header("ETag"))
    }

    /// IMG-03 (e).
    @Test func `many hostile pictures at once do not keep out a good one`() throws {
        let stage = try GatewayStage()
        let (hostile, good) = (
            try ContentApp(try stage.makeAgency()), try ContentApp(try stage.makeAgency())
        )
        var bomb = PlainPicture(width: 8, height: 8).png
        bomb.replaceSubrange(16..<24, with: [0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0])
        let uploads = (0..<20).map { _ in
            ParallelWork { [bomb] in try upload(hostile, bomb).status }
        }
        #expect(try upload(good, PlainPicture().png).status == 201)
        #expect(try uploads.map { try $0.value() }.allSatisfy { $0 == 422 })
    }

    @Test func `no stranger learns of an image`() throws {
        let app = try app()
        let made = try upload(app, PlainPicture().png)
        let path = "\(app.path)/images/\(made.json["id"]?.text ?? "")"
        let strangers = try Strangers(to: app)
        try strangers.expectNothing([
            ("GET", "\(app.path)/images", nil), ("GET", path, nil),
            ("GET", "\(path)/content", nil), ("DELETE", path, nil),
        ])
        for key in strangers.keys {
            #expect(try upload(app, PlainPicture().png, key: key).status == 404)
        }
        #expect(try app.agency.get(path).status == 200)
    }
}
