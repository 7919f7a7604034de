import Dispatch
import HTTPServer
import Testing

@Suite struct DoorTests {
    private static let post = "POST /realtime/a HTTP/1.1\r\nHost: h\r\n"

    @Test func `requests go through in order, without what only a proxy may say`() throws {
        let server = try TestServer { Response(status: 200, body: $0.body) }
        let door = try Door(to: server.port)
        let connection = try #require(RawConnection(port: door.port))
        let claims = "X-Forwarded-For: 1.2.3.4\r\nForwarded: for=1.2.3.4\r\nX-Real-IP: 1.2.3.4\r\n"
        for text in ["one", "two"] {
            connection.send(Self.post + claims + "Content-Length: 3\r\n\r\n\(text)")
        }
        #expect(connection.receive { $0.text.hasSuffix("two") }.statuses == [200, 200])
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["one", "two"])
        for request in server.requests {
            #expect(request.header("x-forwarded-for") == nil)
            #expect(request.header("forwarded") == nil)
            #expect(request.header("x-real-ip") == nil)
            #expect(request.header("host") == "h")
        }
        withExtendedLifetime(door) {}
    }

    @Test(arguments: [
        ("GET /realtime/a", 405), ("PUT /realtime/a", 405), ("POST /", 404),
        ("POST /realtime", 404),
        ("POST /Realtime/a", 404), ("POST /metrics", 404), ("GET /readyz", 404),
        ("POST /x/../realtime/a", 404),
    ])
    func `of the responder only the real-time route is open, and refusals have no body`(
        line: String, status: Int
    ) throws {
        let server = try TestServer()
        let door = try Door(to: server.port)
        let connection = try #require(RawConnection(port: door.port))
        connection.send("\(line) HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
        let answer = connection.receive { $0.text.hasSuffix("\r\n\r\n") }
        #expect(answer.statuses == [status])
        #expect(answer.text.contains("content-length: 0\r\n"))
        #expect(answer.text.contains("allow: POST\r\n") == (status == 405))
        #expect(server.requests.isEmpty)
        withExtendedLifetime(door) {}
    }

    @Test func `a service that is down is answered for at once`() throws {
        let server = try TestServer()
        let door = try Door(to: server.port)
        server.server.stop(drain: .zero)
        let connection = try #require(RawConnection(port: door.port))
        connection.send(Self.post + "Content-Length: 0\r\n\r\n")
        let answer = connection.receive(within: 5) { $0.text.hasSuffix("\r\n\r\n") }
        #expect(answer.statuses == [503])
        #expect(answer.text.contains("content-length: 0\r\n"))
        withExtendedLifetime(door) {}
    }

    @Test func `a request that was taken and not answered is not sent again`() throws {
        let service = try HangUp()
        defer { service.stop() }
        let door = try Door(to: service.port)
        let connection = try #require(RawConnection(port: door.port))
        connection.send(Self.post + "Content-Length: 5\r\n\r\nhello")
        let answer = connection.receive(within: 15) { $0.text.hasSuffix("\r\n\r\n") }
        #expect(answer.statuses == [502])
        #expect(service.requestCount == 1)
        withExtendedLifetime(door) {}
    }

    /// In clear text, which the door otherwise refuses: TLS would add a certificate and no rule.
    @Test func `an HTTP2 request goes on as one of HTTP1`() throws {
        let server = try TestServer()
        let door = try Door(to: server.port, bindWords: "proto h2")
        let statuses = try ["/realtime/a", "/other"].map { path in
            let connection = try #require(RawConnection(port: door.port))
            connection.send(HTTP2.request(path: path, host: "example.test", body: "hello"))
            return connection.receive { HTTP2.statusByte(in: $0.bytes) != nil }
        }.map { HTTP2.statusByte(in: $0.bytes) }
        #expect(statuses == [HTTP2.status200, HTTP2.status404])
        #expect(server.requests.map(\.path) == ["/realtime/a"])
        #expect(server.requests.first?.header("host") == "example.test")
        #expect(server.requests.first?.body == Array("hello".utf8))
        withExtendedLifetime(door) {}
    }

    @Test func `one address has a share of connections`() throws {
        let server = try TestServer()
        let door = try Door(to: server.port, overrides: ["HOLDFAST_PROXY_ADDRESS_CONNECTIONS=2"])
        let kept = try (0..<2).map { _ in
            let connection = try #require(RawConnection(port: door.port))
            connection.send(Self.post + "Content-Length: 0\r\n\r\n")
            #expect(connection.receive { !$0.statuses.isEmpty }.statuses == [200])
            return connection
        }
        let third = try #require(RawConnection(port: door.port))
        #expect(third.isClosed(within: 5))
        withExtendedLifetime((door, kept)) {}
    }

    @Test func `one address has a share of requests`() throws {
        let server = try TestServer()
        let door = try Door(to: server.port, overrides: ["HOLDFAST_PROXY_ADDRESS_REQUESTS=3"])
        let statuses = try (0..<4).map { _ in
            let connection = try #require(RawConnection(port: door.port))
            connection.send(Self.post + "Content-Length: 0\r\n\r\n")
            return connection.receive { !$0.statuses.isEmpty }.statuses
        }
        #expect(statuses == [[200], [200], [200], [429]])
        withExtendedLifetime(door) {}
    }

    @Test func `the configuration is valid with the settings of the demo`() throws {
        #expect(
            try Door.check(environment: [
                "HOLDFAST_PROXY_BIND=127.0.0.1:8080", "HOLDFAST_RESPONDER_ADDRESS=127.0.0.1:8081",
                "HOLDFAST_GATEWAY_ADDRESS=127.0.0.1:8082",
            ]) == 0)
        #expect(try Door.check(environment: []) != 0)
    }
}
