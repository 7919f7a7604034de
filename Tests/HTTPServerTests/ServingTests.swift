import HTTPServer
import Testing

@Suite struct ServingTests {
    private static let post = "POST /a HTTP/1.1\r\nHost: h\r\n"

    @Test(arguments: [ServerSettings.Threads.pool(1), .pool(2), .perConnection(maximum: 10)])
    func `requests on one connection are answered in order`(
        threads: ServerSettings.Threads
    ) throws {
        let server = try TestServer(threads: threads) { Response(status: 200, body: $0.body) }
        let connection = try #require(RawConnection(port: server.port))
        for text in ["one", "two"] {
            connection.send(Self.post + "Content-Length: 3\r\n\r\n\(text)")
        }
        let chunks = "3\r\nthr\r\n2\r\nee\r\n0\r\n\r\n"
        connection.send(Self.post + "Transfer-Encoding: chunked\r\n\r\n" + chunks)
        let answer = connection.receive { $0.text.hasSuffix("three") }
        #expect(answer.statuses == [200, 200, 200])
        #expect(!answer.isClosed)
        #expect(
            server.requests.map { String(decoding: $0.body, as: UTF8.self) }
                == ["one", "two", "three"])
        #expect(server.refusals.isEmpty)
    }

    @Test func `a request carries its method, raw target, fields and peer`() throws {
        let server = try TestServer()
        let connection = try #require(RawConnection(port: server.port))
        connection.send(
            "GET /a%20b/c?x=%2F&y HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nConnection: close\r\n\r\n")
        #expect(connection.receive().isClosed)
        let request = try #require(server.requests.first)
        #expect(request.method == .get)
        #expect(request.path == "/a%20b/c")
        #expect(request.query == "x=%2F&y")
        #expect(request.header("x-oNE") == "1")
        #expect(request.header("x-two") == nil)
        #expect(request.peer == "127.0.0.1")
    }

    @Test func `the server alone frames its answers`() throws {
        let server = try TestServer { request in
            switch request.path {
            case "/lies":
                Response(
                    status: 200,
                    headers: [
                        ("Content-Length", "99"), ("Transfer-Encoding", "gzip"),
                        ("X-Bad", "a\r\nX-Injected: b"), ("X-Good", "c"),
                    ], body: [0x61])
            case "/slip": Response(status: 42)
            default: Response(status: 200, body: Array("body".utf8))
            }
        }
        let connection = try #require(RawConnection(port: server.port))
        for target in ["GET /lies", "GET /slip", "HEAD /", "GET /"] {
            connection.send("\(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        }
        let answer = connection.receive { $0.text.hasSuffix("body") }
        #expect(answer.statuses == [200, 500, 200, 200])
        #expect(answer.text.contains("Content-Length: 1\r\n"))
        #expect(answer.text.contains("X-Good: c\r\n"))
        #expect(!answer.text.contains("99"))
        #expect(!answer.text.contains("gzip"))
        #expect(!answer.text.contains("X-Injected"))
        #expect(answer.text.components(of: "body") == 1)
    }
}

extension String {
    fileprivate func components(of text: String) -> Int {
        let wanted = Array(text.utf8)
        let bytes = Array(utf8)
        return bytes.indices.count { bytes[$0...].starts(with: wanted) }
    }
}
