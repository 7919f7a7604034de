import AppStore
import Foundation
import HTTPClient
import HTTPServer
import Retention
import ScriptedServer
import Testing

/// SYN-02: whatever comes back, the outcome is right and the token goes nowhere else.
@Suite struct RetentionMessagingClientTests {
    private static let html = "<html><body>We are sorry</body></html>"

    private static func answer(
        _ call: RetentionMessagingCall, _ step: ScriptedServer.Step
    ) throws -> AppleAnswer {
        let stage = try AppleStage(step)
        defer { stage.server.stop() }
        let answer = stage.send(call)
        #expect(stage.server.requests.count == 1)
        #expect(answer.duration > .zero)
        return answer
    }

    @Test(arguments: 0..<14)
    func `replies that are not Apple's JSON`(_ place: Int) throws {
        let call = try Calls.all[place]
        func outcome(_ step: ScriptedServer.Step) throws -> AppleOutcome {
            try Self.answer(call, step).outcome
        }
        let plain = try Self.answer(
            call, AppleStage.reply("401 Unauthorized", "Unauthenticated", type: "text/plain"))
        #expect(plain.outcome == .keyRefused)
        #expect(plain.status == 401)
        #expect(plain.appleCode == nil)
        #expect(plain.appleMessage == "Unauthenticated")
        let outage = try Self.answer(
            call, AppleStage.reply("500 Internal Server Error", Self.html, type: "text/html"))
        #expect(outage.outcome == .unknown(.serverError))
        #expect(outage.appleMessage == Self.html)
        #expect(try outcome(AppleStage.reply("503 Busy")) == .unknown(.serverError))
        let wait = AppleOutcome.wait(
            until: Instant(milliseconds: AppleStage.now.milliseconds + 30_000))
        #expect(
            try outcome(
                AppleStage.reply(
                    "429 Slow Down", Self.html, type: "text/html",
                    fields: "Retry-After: 1780000030000\r\n")) == wait)
        #expect(try outcome(AppleStage.reply("404 Not Found")) == .noAccess)
        #expect(try outcome(AppleStage.reply("404 Not Found", Self.html)) == .noAccess)
        #expect(
            try outcome(AppleStage.reply("404 Not Found", #"{"errorCode":"4040014"}"#))
                == .noAccess)
        #expect(try outcome(AppleStage.reply("403 No", Self.html)) == .terminal(code: nil))
        let empty: AppleOutcome =
            call.endpoint.hasContent ? .unknown(.unreadableAnswer) : .ok
        #expect(try outcome(AppleStage.reply("200 OK")) == empty)
        #expect(try outcome(.answer("HTTP/1.1 204 No Content\r\n\r\n")) == empty)
        #expect(try outcome(AppleStage.reply("202 Accepted")) == empty)
    }

    @Test(arguments: 0..<14)
    func `Apple's JSON: its code and its text are told`(_ place: Int) throws {
        let call = try Calls.all[place]
        let forbidden = try Self.answer(
            call, AppleStage.refusal("403 Forbidden", 4_030_017, "Not\\nyet."))
        #expect(forbidden.outcome == .notYet(code: 4_030_017))
        #expect(forbidden.appleCode == 4_030_017)
        #expect(forbidden.appleMessage == "Not yet.")
        #expect(forbidden.sentence.hasPrefix("The message is not approved"))
        let bad = try Self.answer(call, AppleStage.refusal("400 Bad", 4_000_999, "New."))
        #expect(bad.outcome == .terminal(code: 4_000_999))
        #expect(bad.sentence.contains("4000999"))
        let isUpload = call.endpoint == .uploadImage || call.endpoint == .uploadMessage
        let conflict = try Self.answer(call, AppleStage.refusal("409 No", 4_090_000, "There."))
        #expect(conflict.outcome == (isUpload ? .same : .terminal(code: 4_090_000)))
        #expect(bad.content == nil && conflict.content == nil)
    }

    @Test(arguments: 0..<14)
    func `a redirect is refused, and nothing goes to the other host`(_ place: Int) throws {
        let call = try Calls.all[place]
        let other = try ScriptedServer { _ in AppleStage.reply("200 OK", "{}") }
        defer { other.stop() }
        for status in ["301 Moved", "302 Found", "303 See Other", "307 Moved", "308 Moved"] {
            let answer = try Self.answer(
                call,
                AppleStage.reply(
                    status, fields: "Location: http://127.0.0.1:\(other.port)/inApps\r\n"))
            #expect(answer.outcome == .terminal(code: nil))
            #expect(answer.sentence.contains("redirect"))
        }
        #expect(other.requests.isEmpty)
    }

    @Test(arguments: 0..<14)
    func `an answer that is cut short proves nothing`(_ place: Int) throws {
        let call = try Calls.all[place]
        let good = Calls.contents[call.endpoint] ?? "{}"
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(good.utf8.count)\r\n\r\n"
        for cut in ["", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-", head, head + good.dropLast()]
        {
            let answer = try Self.answer(call, .answerAndClose(cut))
            #expect(answer.outcome == .unknown(.interrupted))
            #expect(answer.status == nil)
        }
        #expect(
            try Self.answer(call, .answerAndClose("nonsense\r\n\r\n")).outcome
                == .unknown(.interrupted))
        guard call.endpoint.hasContent else { return }
        let truncated = try Self.answer(
            call, AppleStage.reply("200 OK", String(good.dropLast())))
        #expect(truncated.outcome == .unknown(.unreadableAnswer))
        #expect(truncated.status == 200)
        #expect(try Self.answer(call, AppleStage.reply("200 OK", good)).outcome == .ok)
    }

    @Test func `silence ends with the time, and nobody there is nothing sent`() throws {
        let stage = try AppleStage(.silence, total: .milliseconds(300))
        #expect(stage.send(.deleteImage(id: Calls.id)).outcome == .unknown(.timedOut))
        stage.server.stop()
        let (descriptor, port) = try boundSocket()
        defer { close(descriptor) }
        let nobody = try AppleStage(port: port, stage.server)
        let answer = nobody.send(.deleteImage(id: Calls.id))
        #expect(answer.outcome == .notSent(.connectFailed))
        #expect(answer.sentence.contains("could not be reached"))
    }

    @Test func `a handshake that is never answered sends nothing, and is known to`() throws {
        let stage = try AppleStage(.silence)
        defer { stage.server.stop() }
        var settings = RetentionMessagingClient.settings
        settings.connectTimeout = .milliseconds(300)
        let client = RetentionMessagingClient(
            hosts: try AppleHosts(
                production: "https://127.0.0.1:\(stage.server.port)",
                sandbox: "https://127.0.0.1:1"),
            settings: settings, now: { AppleStage.now })
        let answer = client.send(.deleteRealtimeURL, in: .production, with: stage.token)
        #expect(answer.outcome == .notSent(.connectFailed))
    }

    @Test func `a server without TLS where TLS is asked gets no token`() throws {
        let stage = try AppleStage(AppleStage.reply("200 OK"))
        let server = try Server(ServerSettings(port: 0)) { _ in Response(status: 200) }
        let client = RetentionMessagingClient(
            hosts: try AppleHosts(
                production: "https://127.0.0.1:\(server.port)", sandbox: "https://127.0.0.1:1"),
            now: { AppleStage.now })
        let answer = client.send(.deleteRealtimeURL, in: .production, with: stage.token)
        #expect(answer.outcome == .notSent(.tls))
    }

    @Test func `a list over its limit is not read, one at its limit is`() throws {
        let entry = #"{"messageIdentifier":"\#(Calls.lowerId)","messageState":"PENDING"}"#
        let entries = Array(repeating: entry, count: 20_000).joined(separator: ",")
        let list = #"{"messageIdentifiers":[\#(entries)]}"#
        let padding = RetentionMessagingClient.responseBytesLimit - list.utf8.count
        try #require(padding > 0)
        let full = list + String(repeating: " ", count: padding)
        let answer = try Self.answer(.listMessages, AppleStage.reply("200 OK", full))
        guard case .messages(let read)? = answer.content else {
            Issue.record("no list: \(answer.outcome)")
            return
        }
        #expect(read.entries.count == 20_000)
        #expect(
            try Self.answer(.listMessages, AppleStage.reply("200 OK", full + " ")).outcome
                == .unknown(.responseTooLarge))
        let chunk = "1E8481\r\n" + full + " \r\n0\r\n\r\n"
        #expect(
            try Self.answer(
                .listMessages,
                .answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk)
            ).outcome == .unknown(.responseTooLarge))
    }

    /// SYN-02: what Apple or a proxy repeats of the request is not handed on.
    @Test func `no text of an answer repeats the token, or the token of the real-time URL`() throws
    {
        let seen = try ScriptedServer { request in
            AppleStage.reply("400 Bad Request", request.text, type: "text/plain")
        }
        defer { seen.stop() }
        let stage = try AppleStage(port: seen.port, seen)
        let echoed = stage.send(.setRealtimeURL(Calls.realtimeURL))
        let message = try #require(echoed.appleMessage)
        #expect(message.contains("(hidden)"))
        #expect(message.contains("PUT /sandbox/inApps/v1/messaging/realtime/url"))
        #expect(!message.contains(Calls.urlToken))
        for part in stage.token.secretText.split(separator: ".") {
            #expect(!message.contains(part))
            #expect(!message.contains(part.prefix(16)))
        }
        #expect(!"\(echoed)".contains(stage.token.secretText.suffix(20)))
        let told = try Self.answer(
            .getRealtimeURL,
            AppleStage.reply("200 OK", Calls.contents[.getRealtimeURL] ?? ""))
        #expect(told.content == .realtimeURL(Calls.realtimeURL))
        let call = RetentionMessagingCall.setRealtimeURL(Calls.realtimeURL)
        for text in ["\(told)", String(reflecting: told), "\(call)", String(reflecting: call)] {
            #expect(!text.contains(Calls.urlToken))
        }
    }
}
