import Foundation
import Service
import Simulator
import TestSupport
import Testing

/// Upload Message, Delete Message, Get Message List, and the three calls of the default message.
struct MessageCallTests {
    private let developer: Developer
    private let full = UUID()
    private let point = UUID()

    init() throws {
        developer = try Developer()
        _ = try developer.upload(PlainPicture().png, full)
        _ = try developer.upload(PlainPicture.bullet.png, point, size: "BULLET_POINT")
    }

    private func bullets(_ count: Int, text: String = "t", alt: String = "a") -> String {
        let one = #"{"text":"\#(text)","imageIdentifier":"\#(point)","altText":"\#(alt)"}"#
        return "\"bulletPoints\":[\([String](repeating: one, count: count).joined(separator: ","))]"
    }

    private func image(_ identifier: UUID, alt: String = "a") -> String {
        #""image":{"imageIdentifier":"\#(identifier)","altText":"\#(alt)"}"#
    }

    private func upload(_ members: String...) throws -> Developer.Reply {
        let all = [#""header":"h","body":"b""#] + members
        return try developer.upload(message: "{\(all.joined(separator: ","))}")
    }

    @Test func anUploadedMessageIsListedWithoutItsText() throws {
        let identifier = UUID()
        #expect(try developer.upload(identifier).isDone)
        let list = try developer.get("\(Developer.message)/list")
        #expect(
            String(decoding: list.body, as: UTF8.self) == """
                {"messageIdentifiers":[{"messageIdentifier":"\(identifier.uuidString)",\
                "messageState":"APPROVED"}]}
                """)
        #expect(developer.state()?.messages.first?.header == "Stay")
    }

    /// SYN-04: create only, whatever the text.
    @Test func anIdentifierIsUsedOnceAndDeletedOnce() throws {
        let identifier = UUID()
        #expect(try developer.upload(identifier).isDone)
        #expect(try developer.upload(identifier).isRefusal(.messageAlreadyExists))
        let other = #"{"header":"Other","body":"text"}"#
        #expect(
            try developer.upload(message: other, identifier).isRefusal(.messageAlreadyExists))
        #expect(developer.state()?.messages.first?.header == "Stay")
        let path = "\(Developer.message)/\(identifier.uuidString.lowercased())"
        #expect(try developer.delete(path).isDone)
        #expect(try developer.delete(path).isRefusal(.messageNotFound))
        #expect(try developer.delete("\(Developer.message)/x").isRefusal(.generalBadRequest))
    }

    @Test func eachLimitIsTakenAndOnePastItIsNot() throws {
        func text(_ count: Int) -> String { String(repeating: "é", count: count) }
        func headed(_ count: Int) -> String { #"{"header":"\#(text(count))","body":"b"}"# }
        func bodied(_ count: Int) -> String { #"{"header":"h","body":"\#(text(count))"}"# }
        #expect(try developer.upload(message: headed(66)).isDone)
        #expect(try developer.upload(message: headed(67)).isRefusal(.headerTooLong))
        #expect(try developer.upload(message: bodied(144)).isDone)
        #expect(try developer.upload(message: bodied(145)).isRefusal(.bodyTooLong))
        #expect(try upload(image(full, alt: text(150))).isDone)
        #expect(try upload(image(full, alt: text(151))).isRefusal(.altTextTooLong))
        #expect(try upload(bullets(5, text: text(66), alt: text(150))).isDone)
        #expect(try upload(bullets(1, text: text(67))).isRefusal(.bulletPointTextTooLong))
        #expect(try upload(bullets(1, alt: text(151))).isRefusal(.altTextTooLong))
        #expect(try upload(bullets(6)).isRefusal(.tooManyBulletPoints))
        // UTF-16 units, the strictest reading: 34 emoji are 68 of them.
        let emoji = String(repeating: "🌊", count: 34)
        let json = #"{"header":"\#(emoji)","body":"b"}"#
        #expect(try developer.upload(message: json).isRefusal(.headerTooLong))
    }

    @Test func imagesAreThereAndOfTheSizeOfTheirUse() throws {
        #expect(try upload(image(full), #""headerPosition":"ABOVE_IMAGE""#).isDone)
        #expect(try upload(#""headerPosition":"ABOVE_BODY""#).isDone)
        let above = #""headerPosition":"ABOVE_IMAGE""#
        #expect(try upload(above).isRefusal(.aboveImageRequiresImage))
        #expect(try upload(image(point)).isRefusal(.badImageSize))
        let wrong = bullets(1).replacing("\(point)", with: "\(full)")
        #expect(try upload(wrong).isRefusal(.badImageSize))
        #expect(try upload(image(UUID())).isRefusal(.imageNotFound))
        #expect(developer.state()?.messages.count == 2)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"header":"h"}"#, #"{"header":"","body":"b"}"#,
        #"{"header":1,"body":"b"}"#, #"{"header":"h","body":"b","kind":"text"}"#,
        #"{"header":"h","header":"h","body":"b"}"#, #"{"header":"h","body":"b","image":"x"}"#,
        #"{"header":"h","body":"b","headerPosition":"LEFT"}"#,
        #"{"header":"h","body":"b","bulletPoints":{}}"#,
        #"{"header":"h","body":"b","image":{"imageIdentifier":"x","altText":"a"}}"#,
        #"{"header":"h","body":"b","image":{"altText":"a"}}"#,
    ])
    func aBodyOfAnotherShapeIsRefused(_ json: String) throws {
        #expect(try developer.upload(message: json).isRefusal(.generalBadRequest))
        #expect(developer.state()?.messages == [])
    }

    @Test func aBodyIsSaidToBeJSON() throws {
        let path = "\(Developer.message)/\(UUID())"
        let body = Array(#"{"header":"h","body":"b"}"#.utf8)
        for type in ["text/plain", "application/xml", nil] {
            let reply = try developer.send("PUT", path, body, type: type)
            #expect(reply.isRefusal(.generalBadRequest))
        }
        let type = "application/json; charset=utf-8"
        #expect(try developer.send("PUT", path, body, type: type).isDone)
    }

    @Test func messagesAreCountedUpToTheLimit() throws {
        try developer.simulator.setLimits(RateLimits(messagesLimit: 1))
        #expect(try developer.upload().isDone)
        #expect(try developer.upload().isRefusal(.maximumNumberOfMessagesReached))
    }

    @Test func aDefaultIsSetReplacedReadAndDeleted() throws {
        let first = UUID()
        let second = UUID()
        _ = try developer.upload(first)
        _ = try developer.upload(second)
        let path = Developer.defaultPath()
        #expect(try developer.get(path).isRefusal(.defaultMessageNotFound))
        #expect(try developer.delete(path).isRefusal(.defaultMessageNotFound))
        #expect(try developer.configure(first).isDone)
        #expect(try developer.configure(first).isDone)
        #expect(try developer.configure(second).isDone)
        #expect(try developer.get(path).json?["messageIdentifier"]?.text == second.uuidString)
        #expect(developer.state()?.defaults.count == 1)
        #expect(try developer.get(Developer.defaultPath(SampleApp.annual)).status == 404)
        #expect(try developer.delete(path).isDone)
        #expect(developer.state()?.defaults == [])
        _ = try developer.configure(first)
        #expect(try developer.delete("\(Developer.message)/\(first)").isDone)
        #expect(try developer.get(path).isRefusal(.defaultMessageNotFound))
    }

    @Test func aDefaultNamesWhatThereIs() throws {
        let identifier = UUID()
        _ = try developer.upload(identifier)
        for method in ["PUT", "GET", "DELETE"] {
            let body = Array(#"{"messageIdentifier":"\#(identifier)"}"#.utf8)
            func reply(_ path: String) throws -> Developer.Reply {
                try developer.send(method, path, body, type: "application/json")
            }
            let unknown = try reply(Developer.defaultPath("unheard.of"))
            #expect(unknown.isRefusal(.invalidProductId))
            for locale in ["en-us", "EN-US", "en", "en_US", "xx"] {
                let path = Developer.defaultPath(SampleApp.monthly, locale)
                #expect(try reply(path).isRefusal(.invalidLocale))
            }
        }
        #expect(try developer.configure(UUID()).isRefusal(.messageNotFound))
        for json in [#"{"messageIdentifier":"x"}"#, "{}", #"{"messageIdentifier":1}"#] {
            #expect(try developer.put(Developer.defaultPath(), json).isRefusal(.generalBadRequest))
        }
    }

    /// SYN-06: text and image are reviewed apart, and both must have passed.
    @Test func aDefaultNeedsAnApprovedMessageAndApprovedImages() throws {
        let simulator = developer.simulator
        let identifier = UUID()
        let json = "{\"header\":\"h\",\"body\":\"b\",\(image(full)),\(bullets(1))}"
        _ = try developer.upload(message: json, identifier)
        func decide(_ identifier: UUID, _ state: AppState.ReviewState) throws {
            try simulator.decide(
                identifier.uuidString, state, appAppleId: SampleApp.appAppleId,
                environment: .sandbox)
        }
        for state in [AppState.ReviewState.pending, .rejected] {
            try decide(identifier, state)
            #expect(try developer.configure(identifier).isRefusal(.messageNotApproved))
            try decide(identifier, .approved)
            for image in [full, point] {
                try decide(image, state)
                #expect(try developer.configure(identifier).isRefusal(.imageNotApproved))
                try decide(image, .approved)
            }
        }
        #expect(try developer.configure(identifier).isDone)
    }
}

extension Developer {
    fileprivate func upload(_ identifier: UUID) throws -> Reply {
        try upload(message: #"{"header":"Stay","body":"Half the price."}"#, identifier)
    }
}
