import AppStore
import Foundation
import HTTPClient
import Retention
import ScriptedServer
import Signing
import TestSupport
import Testing

@Suite struct NotificationHistoryTests {
    private static let now = Instant(milliseconds: 1_780_000_000_000)
    private static let question = NotificationHistoryQuestion(
        from: Instant(milliseconds: 1_779_000_000_000), to: now)

    private struct Stage {
        let server: ScriptedServer
        let client: NotificationHistoryClient
        let token: BearerToken

        init(_ script: @escaping @Sendable (ScriptedServer.Seen) -> ScriptedServer.Step) throws {
            server = try ScriptedServer(script)
            let port = server.port
            client = NotificationHistoryClient(
                hosts: try AppleHosts(
                    production: "http://127.0.0.1:\(port)",
                    sandbox: "http://127.0.0.1:\(port)/sandbox"), now: { now })
            token = try BearerTokens().token(
                for: BearerTokensTests.holder(),
                issuerId: "57246542-96fe-1a63-e053-0824d011072a", bundleId: "com.example",
                key: .generate(), now: now)
        }

        func page(
            _ question: NotificationHistoryQuestion = question, after token: String? = nil,
            in environment: StoreEnvironment = .production
        ) -> NotificationHistoryAnswer {
            client.page(question, after: token, in: environment, with: self.token)
        }
    }

    private static func result(
        _ status: String, _ body: String = "", fields: String = ""
    ) throws -> NotificationHistoryAnswer {
        try Stage { _ in AppleStage.reply(status, body, fields: fields) }.page()
    }

    private static func entries(_ numbers: Range<Int>) -> String {
        numbers.map { "{\"signedPayload\":\"payload-\($0)\",\"sendAttempts\":[]}" }
            .joined(separator: ",")
    }

    /// NOT-04: a gap of forty over three pages.
    @Test func `pages are walked to the last one by Apple's tokens`() throws {
        let stage = try Stage { seen in
            let target = seen.text.prefix { $0 != "\r" }
            let (numbers, next): (Range<Int>, String?) =
                if target.contains("paginationToken=b%2F%3D") {
                    (40..<43, nil)
                } else if target.contains("paginationToken=a") {
                    (20..<40, "b/=")
                } else {
                    (0..<20, "a")
                }
            let token = next.map { ",\"paginationToken\":\"\($0)\"" } ?? ""
            return AppleStage.reply(
                "200 OK",
                "{\"hasMore\":\(next != nil)\(token),"
                    + "\"notificationHistory\":[\(Self.entries(numbers))]}")
        }
        var found: [String] = []
        var next: String?
        repeat {
            guard case .page(let page) = stage.page(after: next).result else { break }
            found += page.entries.map { String(decoding: $0.signedPayload, as: UTF8.self) }
            next = page.paginationToken
        } while next != nil
        #expect(found == (0..<43).map { "payload-\($0)" })
        let bodies = Set(
            stage.server.requests.map { $0.text.components(separatedBy: "\r\n\r\n")[1] })
        #expect(bodies == ["{\"startDate\":1779000000000,\"endDate\":1780000000000}"])
        let first = try #require(stage.server.requests.first?.text)
        #expect(first.hasPrefix("POST /inApps/v1/notifications/history HTTP/1.1\r\n"))
        #expect(first.contains("Authorization: \(stage.token.authorization)\r\n"))
    }

    @Test func `a question says which ones, in either environment`() throws {
        let stage = try Stage { _ in
            AppleStage.reply("200 OK", "{\"hasMore\":false}")
        }
        var question = Self.question
        question.onlyFailures = true
        question.filter = .transaction("2000000000000001")
        _ = stage.page(question, in: .sandbox)
        question.onlyFailures = false
        question.filter = .type("DID_RENEW", subtype: "BILLING_RECOVERY")
        _ = stage.page(question)
        let texts = stage.server.requests.map(\.text)
        #expect(texts[0].hasPrefix("POST /sandbox/inApps/v1/notifications/history HTTP/1.1"))
        #expect(
            texts[0].hasSuffix("\"transactionId\":\"2000000000000001\",\"onlyFailures\":true}"))
        #expect(
            texts[1].hasSuffix(
                "\"notificationType\":\"DID_RENEW\",\"notificationSubtype\":\"BILLING_RECOVERY\"}"))
        let days = Duration.seconds(86_400)
        #expect(NotificationHistoryQuestion.reach(in: .production) == days * 180)
        #expect(NotificationHistoryQuestion.reach(in: .sandbox) == days * 30)
    }

    @Test func `attempts are told, open ones too, and an odd entry costs itself alone`() throws {
        let answer = try Self.result(
            "200 OK",
            """
            {"hasMore":false,"paginationToken":"x","notificationHistory":[\
            {"signedPayload":"a","sendAttempts":[\
            {"attemptDate":1,"sendAttemptResult":"NO_RESPONSE"},\
            {"attemptDate":2,"sendAttemptResult":"SUCCESS"}]},\
            {"signedPayload":5},{"sendAttempts":[]},7,\
            {"signedPayload":"b","sendAttempts":[{"attemptDate":3,"sendAttemptResult":"NEW"},8]}]}
            """)
        guard case .page(let page) = answer.result else {
            Issue.record("\(answer.result)")
            return
        }
        #expect(page.paginationToken == nil)
        #expect(page.skipped == 3)
        #expect(page.entries.map(\.wasTaken) == [true, false])
        #expect(page.entries[0].sendAttempts.map(\.date.milliseconds) == [1, 2])
        #expect(page.entries[1].sendAttempts.map(\.result.rawValue) == ["NEW"])
    }

    @Test(.enabled(if: Files.vectorsArePresent, Files.absence))
    func `Apple's example is read`() throws {
        let body = String(
            decoding: try Files.vector("models/getNotificationHistoryResponse.json"),
            as: UTF8.self)
        guard case .page(let page) = try Self.result("200 OK", body).result else {
            Issue.record("no page")
            return
        }
        #expect(page.entries.count == 2 && page.skipped == 0)
        #expect(page.paginationToken == "57715481-805a-4283-8499-1c19b5d6b20a")
        #expect(page.entries.map(\.wasTaken) == [true, false])
    }

    @Test func `each refusal says what to do`() throws {
        func outcome(_ answer: NotificationHistoryAnswer) -> AppleOutcome? {
            guard case .failed(let outcome) = answer.result else { return nil }
            return outcome
        }
        func refusal(_ status: String, _ code: Int) throws -> NotificationHistoryAnswer {
            try Self.result(status, "{\"errorCode\":\(code),\"errorMessage\":\"m\"}")
        }
        for code in [4_000_014, 4_000_017] {
            let answer = try refusal("400 Bad Request", code)
            guard case .beginAnew = answer.result else {
                Issue.record("\(code)")
                continue
            }
            #expect(answer.appleCode == code && answer.appleMessage == "m")
        }
        #expect(outcome(try refusal("400 Bad Request", 4_000_012)) == .terminal(code: 4_000_012))
        #expect(outcome(try refusal("404 Not Found", 4_040_003)) == .noAccess)
        #expect(outcome(try refusal("404 Not Found", 4_040_002)) == .unknown(.serverError))
        #expect(outcome(try refusal("404 Not Found", 4_040_010)) == .terminal(code: 4_040_010))
        #expect(outcome(try Self.result("404 Not Found")) == .noAccess)
        #expect(outcome(try Self.result("401 Unauthorized")) == .keyRefused)
        #expect(outcome(try Self.result("500 Oops", "<html>")) == .unknown(.serverError))
        #expect(outcome(try Self.result("302 Found")) == .terminal(code: nil))
        let until = Instant(milliseconds: Self.now.milliseconds + 30_000)
        #expect(
            outcome(
                try Self.result(
                    "429 Too Many", fields: "Retry-After: \(until.milliseconds)\r\n"))
                == .wait(until: until))
        for body in ["", "[]", "<html>", "{\"hasMore\":true}", "{\"notificationHistory\":5}"] {
            #expect(
                outcome(try Self.result("200 OK", body)) == .unknown(.unreadableAnswer), "\(body)")
        }
        let stage = try Stage { _ in
            .answerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
        }
        #expect(outcome(stage.page()) == .unknown(.interrupted))
        stage.server.stop()
    }
}
