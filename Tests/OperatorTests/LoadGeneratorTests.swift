import Dispatch
import Operator
import ScriptedServer
import Testing

@Suite("The load generator") struct LoadGeneratorTests {
    private static let message =
        #"{"message":{"messageIdentifier":"0a6ad27e-8c34-5a55-9f3f-0f5b5d3c1a01"}}"#

    private static func answer(_ body: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func generator(
        _ server: ScriptedServer, bodies: Int, connections: Int = 1
    ) throws -> LoadGenerator {
        let target = LoadTarget(port: server.port, path: "/realtime/token")
        let corpus = RequestCorpus(
            target: target, bodies: (0..<bodies).map { Array("{\"n\":\($0)}".utf8)[...] })
        return try LoadGenerator(corpus, to: target, connections: connections)
    }

    @Test func `a stall is charged to every request that was due meanwhile`() throws {
        let stall = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { seen in
            // The first request is held for half a second; nobody signals.
            if seen.text.hasSuffix("{\"n\":0}") { _ = stall.wait(timeout: .now() + 0.5) }
            return .answer(Self.answer(Self.message))
        }
        defer { server.stop() }
        var generator = try Self.generator(server, bodies: 100)
        let result = try generator.run(
            .open(perSecond: 200), within: .init(requests: 100, time: .seconds(5)))
        #expect(result.answers == ["message": 100])
        // A hundred requests were due within the half second: half of them waited for a quarter
        // of a second or more, though each but the first was answered at once when it was sent.
        #expect(result.latency.quantile(0.5) >= 200_000_000)
        #expect(result.latency.maximum >= 450_000_000)
    }

    @Test func `as fast as it goes, a stall is one request's`() throws {
        let stall = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { seen in
            if seen.text.hasSuffix("{\"n\":0}") { _ = stall.wait(timeout: .now() + 0.5) }
            return .answer(Self.answer(Self.message))
        }
        defer { server.stop() }
        var generator = try Self.generator(server, bodies: 100)
        let result = try generator.run(.closed, within: .init(requests: 100, time: .seconds(60)))
        #expect(result.good == 100)
        #expect(result.latency.quantile(0.5) < result.latency.maximum / 2)
    }

    @Test func `each body is sent once, as one well-formed request`() throws {
        let server = try ScriptedServer { _ in .answer(Self.answer(Self.message)) }
        defer { server.stop() }
        var generator = try Self.generator(server, bodies: 40, connections: 4)
        let first = try generator.run(.closed, within: .init(requests: 15, time: .seconds(60)))
        let second = try generator.run(.closed, within: .init(requests: 99, time: .seconds(60)))
        #expect(first.good == 15)
        #expect(second.good == 25)
        let texts = server.requests.map(\.text)
        #expect(Set(texts).count == 40)
        #expect(texts.allSatisfy { $0.hasPrefix("POST /realtime/token HTTP/1.1\r\nHost: ") })
        #expect(Set(server.requests.map(\.connection)).count == 4)
    }

    @Test func `an answer is looked at, not only counted`() throws {
        let id = "0a6ad27e-8c34-5a55-9f3f-0f5b5d3c1a01"
        let answers = [
            Self.answer(Self.message), Self.answer("", status: "503 Service Unavailable"),
            Self.answer("{}"), Self.answer("not JSON"), Self.answer(#"{"message":{}}"#),
            Self.answer(#"{"greeting":{"messageIdentifier":"\#(id)"}}"#),
            Self.answer(#"{"promotionalOffer":{"messageIdentifier":"\#(id)"}}"#),
            Self.answer(
                #"{"promotionalOffer":{"messageIdentifier":"\#(id)","#
                    + #""promotionalOfferSignatureV2":"a.b.c"}}"#),
            Self.answer(Self.message.replacing("}}", with: "},\"more\":1}")),
        ]
        let server = try ScriptedServer { seen in
            let number = answers.indices.first { seen.text.hasSuffix("{\"n\":\($0)}") }
            return .answer(answers[number ?? 0])
        }
        defer { server.stop() }
        var generator = try Self.generator(server, bodies: answers.count)
        let result = try generator.run(.closed, within: .init(requests: 99, time: .seconds(60)))
        #expect(result.answers == ["message": 1, "promotionalOffer": 1])
        #expect(result.refusals == [503: 1])
        #expect(result.malformed == 6)
        #expect(result.wrong == 7)
    }

    @Test func `broken connections and silence are counted, and the rest goes on`() throws {
        let server = try ScriptedServer { seen in
            if seen.text.hasSuffix("{\"n\":3}") {
                return .answerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")
            }
            return seen.text.hasSuffix("{\"n\":7}") ? .silence : .answer(Self.answer(Self.message))
        }
        defer { server.stop() }
        var generator = try Self.generator(server, bodies: 10, connections: 2)
        var bounds = LoadGenerator.Bounds(requests: 10, time: .seconds(2))
        bounds.patience = .milliseconds(10)
        let result = try generator.run(.open(perSecond: 100), within: bounds)
        #expect(result.good == 8)
        #expect(result.broken == 1)
        #expect(result.unanswered == 1)
        // The silent one is charged with the whole wait.
        #expect(result.latency.maximum >= 1_000_000_000)
    }

    @Test(arguments: [
        "http://192.0.2.1:80/realtime/a", "http://example.com:80/realtime/a",
        "https://127.0.0.1:443/realtime/a", "http://127.0.0.1/realtime/a",
        "http://127.0.0.1.example.com:80/a", "http://127.0.0.1@example.com:80/a",
        "http://127.0.0.1:0/a", "http://127.0.0.1:80", "http://127.0.0.1:80/a b",
        "http://127.0.0.1:80/a\r\nHost: b", "127.0.0.1:80/a", "",
    ])
    func `load goes to this machine alone`(url: String) {
        #expect(throws: (any Error).self) { try LoadTarget(url: url) }
    }

    @Test func `a local target is taken apart`() throws {
        let target = try LoadTarget(url: "http://127.0.0.1:8081/realtime/token")
        #expect(target == LoadTarget(port: 8_081, path: "/realtime/token"))
        #expect(try LoadTarget(url: "http://localhost:1/") == LoadTarget(port: 1, path: "/"))
    }
}
