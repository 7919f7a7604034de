import HTTPServer
import Testing

/// A server told to answer badly does exactly that, and serves the next connection as ever.
@Suite struct DepartureTests {
    private static let body = Array("0123456789".utf8)

    private func answer(_ departure: Departure) throws -> RawConnection.Answer {
        let server = try TestServer { request in
            var response = Response(
                status: 200, headers: [("X-One", "1"), ("X-Two", "a\r\nX-Injected: b")],
                body: DepartureTests.body)
            if request.path == "/bad" { response.departure = departure }
            return response
        }
        let connection = try #require(RawConnection(port: server.port))
        connection.send("GET /bad HTTP/1.1\r\nHost: h\r\n\r\n")
        let answer = connection.receive()
        let next = try #require(RawConnection(port: server.port))
        next.send("GET /good HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(next.receive { $0.text.hasSuffix("0123456789") }.statuses == [200])
        #expect(server.refusals.isEmpty)
        return answer
    }

    @Test func `a cut answer is an orderly end without a byte`() throws {
        let answer = try answer(.cut)
        #expect(answer.bytes.isEmpty)
        #expect(answer.isClosed && !answer.isReset)
    }

    @Test func `a reset is a reset`() throws {
        let answer = try answer(.reset)
        #expect(answer.bytes.isEmpty)
        #expect(answer.isReset)
    }

    @Test func `a body cut short was announced whole`() throws {
        let answer = try answer(.cutInBody(afterBytes: 4))
        #expect(answer.text.contains("Content-Length: 10\r\n"))
        #expect(answer.text.contains("X-One: 1\r\n"))
        #expect(!answer.text.contains("Injected"))
        #expect(answer.text.hasSuffix("\r\n\r\n0123"))
        #expect(answer.isClosed && !answer.isReset)
    }

    @Test func `a dripping answer is whole in the end`() throws {
        let answer = try answer(.drip(pieceBytes: 16, pause: .milliseconds(2)))
        #expect(answer.statuses == [200])
        #expect(answer.text.hasSuffix("\r\n\r\n0123456789"))
        #expect(answer.isClosed)
    }

    @Test func `a dripping answer ends with the request deadline and with the server`() throws {
        let server = try TestServer { _ in
            var response = Response(status: 200, body: DepartureTests.body)
            response.departure = .drip(pieceBytes: 1, pause: .seconds(60))
            return response
        }
        let late = try #require(RawConnection(port: server.port))
        late.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(late.isClosed(within: 10))
        let last = try #require(RawConnection(port: server.port))
        last.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        server.server.stop(drain: .seconds(1))
        #expect(last.isClosed(within: 10))
    }

    @Test func `a late answer comes after a silence that no deadline cuts`() throws {
        let answer = try answer(.late(after: .milliseconds(2_500)))
        #expect(answer.statuses == [200])
        #expect(answer.text.hasSuffix("\r\n\r\n0123456789"))
    }

    @Test func `a silence ends without an answer`() throws {
        let answer = try answer(.silent(for: .milliseconds(5)))
        #expect(answer.bytes.isEmpty)
        #expect(answer.isClosed && !answer.isReset)
    }

    @Test func `a silence ends when the client goes and when the server does`() throws {
        let server = try TestServer(threads: .perConnection(maximum: 1)) { request in
            var response = Response(status: 200, body: DepartureTests.body)
            if request.path == "/bad" { response.departure = .late(after: .seconds(600)) }
            return response
        }
        func ask(_ path: String) -> RawConnection? {
            let connection = RawConnection(port: server.port)
            connection?.send("GET \(path) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            return connection
        }
        var first = ask("/bad")
        #expect(first?.receive(within: 0.1).bytes.isEmpty == true)
        first = nil
        let due = Due(in: 20)
        while ask("/good")?.receive().statuses != [200], !due.isPassed { due.pause() }
        #expect(!due.isPassed)
        let last = try #require(ask("/bad"))
        #expect(last.receive(within: 0.1).bytes.isEmpty)
        server.server.stop(drain: .seconds(60))
        #expect(last.isClosed(within: 10))
    }
}
