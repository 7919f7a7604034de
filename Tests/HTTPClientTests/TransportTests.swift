import Foundation
import Glibc
import HTTPClient
import HTTPServer
import ScriptedServer
import Synchronization
import Testing

@Suite struct TransportTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    private static func settings(
        total: Duration = .seconds(10), limit: Int = 1000, connections: Int = 4
    ) -> TransportSettings {
        var settings = TransportSettings()
        settings.connectTimeout = .seconds(2)
        settings.totalTimeout = total
        settings.responseBytesLimit = limit
        settings.connections = connections
        return settings
    }

    private static func url(_ port: UInt16) -> String { "http://127.0.0.1:\(port)/a" }

    private static func error(
        _ transport: Transport, _ request: ClientRequest
    ) -> TransportError? {
        do {
            _ = try transport.send(request)
            return nil
        } catch {
            return error
        }
    }

    private static func code(
        _ transport: Transport, _ request: ClientRequest
    ) -> TransportError.Code? {
        error(transport, request)?.code
    }

    @Test func `method, path, fields and body arrive, and the answer comes back`() throws {
        let server = try Server(ServerSettings(port: 0)) { request in
            let told = [
                request.method.rawValue, request.path, request.query ?? "-",
                request.header("host") ?? "-", request.header("x-empty") ?? "nil",
                request.header("content-type") ?? "nil", request.header("expect") ?? "nil",
                "\(request.body.count)",
            ].joined(separator: " ")
            return Response(
                status: 418, headers: [("X-Told", told)], body: Array(request.body.reversed()))
        }
        let transport = Transport(Self.settings(limit: 100_000))
        let body = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let response = try transport.send(
            ClientRequest(
                method: "POST", url: "http://127.0.0.1:\(server.port)/x/../y?q=1",
                headers: [("Host", "example.test"), ("X-Empty", "")], body: body))
        #expect(response.status == 418)
        #expect(response.header("x-TOLD") == "POST /x/../y q=1 example.test  nil nil 50000")
        #expect(response.body == body.reversed())
        #expect(response.header("x-other") == nil)
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    func `an empty body is sent as none`(method: String) throws {
        let server = try Server(ServerSettings(port: 0)) { request in
            Response(
                status: request.method.rawValue == method && request.body.isEmpty ? 200 : 500,
                body: Array("body".utf8))
        }
        let response = try Transport().send(
            ClientRequest(method: method, url: Self.url(server.port)))
        #expect(response.status == 200)
        #expect(response.body.count == (method == "HEAD" ? 0 : 4))
    }

    @Test func `connections are kept between requests`() throws {
        let server = try ScriptedServer { _ in .answer(Self.ok) }
        defer { server.stop() }
        let transport = Transport(Self.settings())
        for _ in 0..<5 {
            let response = try transport.send(
                ClientRequest(method: "POST", url: Self.url(server.port), body: [1, 2]))
            #expect(response.body == Array("hi".utf8))
        }
        #expect(server.requests.map(\.connection) == [0, 0, 0, 0, 0])
    }

    @Test func `many threads send at once over a bounded number of connections`() throws {
        let server = try ScriptedServer { _ in .answer(Self.ok) }
        defer { server.stop() }
        let transport = Transport(Self.settings(connections: 3))
        let good = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 60) { _ in
            let response = try? transport.send(
                ClientRequest(method: "POST", url: Self.url(server.port), body: [7]))
            if response?.status == 200 { good.withLock { $0 += 1 } }
        }
        #expect(good.withLock { $0 } == 60)
        #expect(Set(server.requests.map(\.connection)).count <= 3)
    }

    @Test func `a request that finds all connections busy gives up at its deadline`() throws {
        let server = try ScriptedServer { _ in .silence }
        defer { server.stop() }
        let transport = Transport(Self.settings(total: .seconds(8), connections: 1))
        let group = DispatchGroup()
        Thread.start(in: group) {
            _ = try? transport.send(ClientRequest(method: "GET", url: Self.url(server.port)))
        }
        let due = DispatchTime.now() + 6
        while server.requests.isEmpty && DispatchTime.now() < due { sched_yield() }
        let second = ClientRequest(
            method: "GET", url: Self.url(server.port), deadline: .milliseconds(200))
        let error = Self.error(transport, second)
        #expect(error?.code == .timedOut)
        #expect(error?.isSent == false)
        #expect(server.requests.count == 1)
        #expect(group.wait(timeout: .now() + 20) == .success)
    }

    @Test func `a silent server is given up at the deadline`() throws {
        let server = try ScriptedServer { _ in .silence }
        defer { server.stop() }
        let byTotal = Transport(Self.settings(total: .milliseconds(300)))
        let error = Self.error(byTotal, ClientRequest(method: "GET", url: Self.url(server.port)))
        #expect(error?.code == .timedOut)
        #expect(error?.isSent == true)
        let byRequest = ClientRequest(
            method: "GET", url: Self.url(server.port), deadline: .milliseconds(300))
        #expect(Self.code(Transport(Self.settings()), byRequest) == .timedOut)
    }

    @Test func `an address that does not answer is given up at the connect timeout`() throws {
        // A full backlog: the kernel lets further connections wait.
        let (descriptor, port) = try boundSocket()
        defer { close(descriptor) }
        listen(descriptor, 0)
        let filling = (0..<4).map { _ in Filler(port: port) }
        var settings = Self.settings()
        settings.connectTimeout = .milliseconds(300)
        let error = Self.error(
            Transport(settings), ClientRequest(method: "GET", url: Self.url(port)))
        #expect(error?.code == .timedOut)
        #expect(error?.isSent == false)
        _ = filling
    }

    @Test func `nobody listening is named`() throws {
        let (descriptor, port) = try boundSocket()
        defer { close(descriptor) }
        let error = Self.error(
            Transport(Self.settings()), ClientRequest(method: "GET", url: Self.url(port)))
        #expect(error?.code == .connectFailed)
        #expect(error?.isSent == false)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3E9\r\n"
            + String(repeating: "a", count: 1001) + "\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "a", count: 1001),
        "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 40_000) + "\r\n\r\n",
        "HTTP/1.1 200 OK\r\n" + String(repeating: "X: a\r\n", count: 9000) + "\r\n",
        String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 3000),
    ])
    func `an answer over the limit is cut`(answer: String) throws {
        let server = try ScriptedServer { _ in .answerAndClose(answer) }
        defer { server.stop() }
        let request = ClientRequest(method: "GET", url: Self.url(server.port))
        let error = Self.error(Transport(Self.settings()), request)
        #expect(error?.code == .responseTooLarge)
        #expect(error?.isSent == true)
    }

    @Test func `an answer of exactly the limit is taken`() throws {
        let text = String(repeating: "a", count: 1000)
        let server = try ScriptedServer { _ in
            .answer("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\(text)")
        }
        defer { server.stop() }
        let response = try Transport(Self.settings()).send(
            ClientRequest(method: "GET", url: Self.url(server.port)))
        #expect(response.body.count == 1000)
    }

    @Test(arguments: [
        "", "HTT", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab",
        "an HTTP/0.9 answer\n", "220 mail.example ESMTP\r\n",
    ])
    func `an incomplete or senseless answer is an interruption`(answer: String) throws {
        let server = try ScriptedServer { _ in .answerAndClose(answer) }
        defer { server.stop() }
        let request = ClientRequest(method: "POST", url: Self.url(server.port), body: [1])
        #expect(Self.code(Transport(Self.settings()), request) == .interrupted)
    }

    @Test func `a redirect is an answer and is not followed`() throws {
        let target = try ScriptedServer { _ in .answer(Self.ok) }
        defer { target.stop() }
        let location = "Location: \(Self.url(target.port))"
        let server = try ScriptedServer { _ in
            .answer("HTTP/1.1 302 Found\r\n\(location)\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let response = try Transport(Self.settings()).send(
            ClientRequest(method: "GET", url: Self.url(server.port)))
        #expect(response.status == 302)
        #expect(response.header("location") == Self.url(target.port))
        #expect(target.requests.isEmpty)
    }

    @Test func `interim answers are skipped and trailers left out`() throws {
        let server = try ScriptedServer { _ in
            .answer(
                "HTTP/1.1 103 Early Hints\r\nX-A: early\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nX-A:  late \t\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "2\r\nhi\r\n0\r\nX-B: trailer\r\n\r\n")
        }
        defer { server.stop() }
        let response = try Transport(Self.settings()).send(
            ClientRequest(method: "GET", url: Self.url(server.port)))
        #expect(response.header("x-a") == "late")
        #expect(response.header("x-b") == nil)
        #expect(response.body == Array("hi".utf8))
    }

    @Test(arguments: [
        "ftp://127.0.0.1/a", "file:///etc/passwd", "gopher://127.0.0.1/", "nonsense://x", "http://",
        "", "http://127.0.0.1:99999/", "http://a b/", "http://h/\r\nX: y",
    ])
    func `only http and https are spoken`(url: String) {
        let code = Self.code(Transport(Self.settings()), ClientRequest(method: "GET", url: url))
        #expect(code == .badURL)
    }

    @Test(arguments: [
        ("GE\nT", "X", "y"), ("GET", "X\r\nZ", "y"), ("GET", "X", "y\r\nZ: z"),
        ("GET", "X", "y\u{0}"),
    ])
    func `a control byte in a method or field is refused`(parts: (String, String, String)) {
        let request = ClientRequest(
            method: parts.0, url: "http://127.0.0.1:1/", headers: [(parts.1, parts.2)])
        #expect(Self.code(Transport(Self.settings()), request) == .badRequest)
    }

    @Test func `plain text where TLS was expected is named`() throws {
        let server = try Server(ServerSettings(port: 0)) { _ in .empty(200) }
        let request = ClientRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/")
        #expect(Self.code(Transport(Self.settings()), request) == .tls)
    }

    @Test(arguments: [("POST", 2, TransportError.Code.interrupted), ("PATCH", 2, .interrupted)])
    func `a request that changes something is never sent twice`(
        method: String, times: Int, code: TransportError.Code
    ) throws {
        // The first request is answered; the second comes on the kept connection, which dies.
        let server = try ScriptedServer { seen in
            seen.text.hasPrefix("GET") ? .answer(Self.ok) : .answerAndClose("")
        }
        defer { server.stop() }
        for body in [[UInt8](), [1, 2, 3]] {
            let transport = Transport(Self.settings())
            _ = try transport.send(ClientRequest(method: "GET", url: Self.url(server.port)))
            let request = ClientRequest(method: method, url: Self.url(server.port), body: body)
            let error = Self.error(transport, request)
            #expect(error?.code == code)
            #expect(error?.isSent == true)
        }
        #expect(server.requests.filter { $0.text.hasPrefix(method) }.count == times)
    }

    @Test func `a second try that reaches nobody does not undo the first`() throws {
        let server = try ScriptedServer { seen in
            seen.text.hasPrefix("GET") ? .answer(Self.ok) : .answerAndClose("")
        }
        let transport = Transport(Self.settings())
        _ = try transport.send(ClientRequest(method: "GET", url: Self.url(server.port)))
        server.stop()
        let error = Self.error(
            transport, ClientRequest(method: "PUT", url: Self.url(server.port), body: [1]))
        #expect(error?.code == .connectFailed)
        #expect(error?.isSent == true)
        #expect(server.requests.count == 2)
    }

    @Test func `a question is asked again when the kept connection was dead`() throws {
        let server = try ScriptedServer { seen in
            seen.text.hasPrefix("POST") || seen.connection > 0
                ? .answer(Self.ok) : .answerAndClose("")
        }
        defer { server.stop() }
        let transport = Transport(Self.settings())
        _ = try transport.send(
            ClientRequest(method: "POST", url: Self.url(server.port), body: [1]))
        let response = try transport.send(
            ClientRequest(method: "GET", url: Self.url(server.port)))
        #expect(response.status == 200)
        #expect(server.requests.map(\.connection) == [0, 0, 1])
    }
}

/// Opens a connection and leaves it alone; never waits.
private final class Filler {
    private let descriptor: Int32

    init(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = unsafe withUnsafePointer(to: address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }
}

extension Thread {
    static func start(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        detachNewThread {
            body()
            group.leave()
        }
    }
}
