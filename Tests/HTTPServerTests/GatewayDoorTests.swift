import Dispatch
import HTTPServer
import Testing

/// The admin API's part of the public door.
@Suite struct GatewayDoorTests {
    private static let megabyte = 1 << 20

    /// Two servers behind one door, so that each test sees who got what.
    private struct Both {
        let responder: TestServer
        let gateway: TestServer
        let door: Door

        init(
            overrides: [String] = [], gateway limits: Limits = .small,
            handler: @escaping @Sendable (Request) -> Response = { request in
                Response(status: 200, body: Array(String(request.body.count).utf8))
            }
        ) throws {
            responder = try TestServer()
            gateway = try TestServer(
                threads: .perConnection(maximum: 64), limits: limits, handler: handler)
            door = try Door(to: responder.port, gateway: gateway.port, overrides: overrides)
        }

        func send(_ head: String, _ body: [UInt8] = []) throws -> RawConnection.Answer {
            let connection = try #require(RawConnection(port: door.port))
            connection.send("\(head)\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
            return connection.receive(within: 20) { !$0.statuses.isEmpty }
        }
    }

    @Test(arguments: [
        ("GET /v1/clients", "gateway"), ("HEAD /v1/clients", "gateway"),
        ("POST /v1/clients", "gateway"), ("PUT /v1/apps/a/products/b", "gateway"),
        ("PATCH /v1/apps/a", "gateway"), ("DELETE /v1/apps/a", "gateway"),
        ("GET /openapi.json", "gateway"), ("GET /v1/../realtime/a", "gateway"),
        ("GET /v1/clients?limit=1", "gateway"), ("POST /realtime/a", "responder"),
        ("POST /realtime/../v1/clients", "responder"), ("POST /notifications/a", "gateway"),
        ("POST /notifications", "404"), ("POST /Notifications/a", "404"),
        ("POST /v1/../notifications/a", "gateway"),
        ("GET /v1", "404"), ("GET /v2/clients", "404"), ("GET /V1/clients", "404"),
        ("GET //v1/clients", "404"), ("GET /%761/clients", "404"), ("GET /metrics", "404"),
        ("GET /openapi.json/x", "404"), ("GET /openapi.jsonx", "404"), ("GET /readyz", "404"),
        ("OPTIONS /v1/clients", "405"), ("TRACE /v1/clients", "405"), ("PROPFIND /v1/", "405"),
    ])
    func `a path leads to one service or nowhere`(line: String, end: String) throws {
        let both = try Both()
        let answer = try both.send("\(line) HTTP/1.1")
        #expect(both.gateway.requests.count == (end == "gateway" ? 1 : 0))
        #expect(both.responder.requests.count == (end == "responder" ? 1 : 0))
        #expect(answer.statuses == [Int(end) ?? 200])
        if end == "405" {
            #expect(answer.text.contains("allow: GET, HEAD, POST, PUT, PATCH, DELETE\r\n"))
        }
    }

    @Test(arguments: ["GET", "PUT", "OPTIONS"])
    func `notifications are posted`(method: String) throws {
        let both = try Both()
        let answer = try both.send("\(method) /notifications/a HTTP/1.1")
        #expect(answer.statuses == [405])
        #expect(answer.text.contains("allow: POST\r\n"))
        #expect(both.gateway.requests.isEmpty)
    }

    @Test func `a notification has 256 KB, and beyond it nobody is asked for the body`() throws {
        var limits = Limits()
        limits.bodyBytes = Self.megabyte
        let both = try Both(gateway: limits)
        let body = [UInt8](repeating: 0x61, count: 256 * 1_024)
        #expect(try both.send("POST /notifications/a HTTP/1.1", body).statuses == [200])
        #expect(both.gateway.requests.map(\.body.count) == [body.count])
        #expect(both.gateway.requests.first?.header("X-Forwarded-For") == nil)
        let connection = try #require(RawConnection(port: both.door.port))
        connection.send(
            "POST /notifications/a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                + "Content-Length: \(body.count + 1)\r\n\r\n")
        let refused = connection.receive { !$0.statuses.isEmpty }
        #expect(refused.text.hasPrefix("HTTP/1.1 413"))
        #expect(both.gateway.requests.count == 1)
    }

    /// As in `deploy/haproxy.cfg`.
    private static let notificationsLimit = 20

    @Test func `notifications and people do not take each other's threads`() throws {
        let release = DispatchSemaphore(value: 0)
        let both = try Both { request in
            guard request.path.hasPrefix("/notifications/") else { return .empty(200) }
            release.wait()
            release.signal()
            return .empty(200)
        }
        let running = try (0..<Self.notificationsLimit + 5).map { _ in
            let connection = try #require(RawConnection(port: both.door.port))
            connection.send(
                "POST /notifications/a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
            return connection
        }
        let due = Due(in: 20)
        while both.gateway.requests.count < Self.notificationsLimit, !due.isPassed { due.pause() }
        #expect(both.gateway.requests.count == Self.notificationsLimit)
        #expect(try both.send("GET /v1/clients HTTP/1.1").statuses == [200])
        release.signal()
        for connection in running {
            #expect(connection.receive { !$0.statuses.isEmpty }.statuses == [200])
        }
    }

    @Test func `the gateway is told who asks, by the door alone`() throws {
        let both = try Both()
        let connection = try #require(RawConnection(port: both.door.port))
        let claims =
            "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 5.6.7.8\r\nForwarded: for=1.2.3.4\r\n"
            + "X-Forwarded-Host: other\r\nX-Real-IP: 1.2.3.4\r\n"
        connection.send("GET /v1/clients HTTP/1.1\r\nHost: h\r\n\(claims)\r\n")
        #expect(connection.receive { !$0.statuses.isEmpty }.statuses == [200])
        let request = try #require(both.gateway.requests.first)
        #expect(request.header("X-Forwarded-For") == "127.0.0.1")
        for name in ["Forwarded", "X-Real-IP", "X-Forwarded-Host"] {
            #expect(request.header(name) == nil)
        }
    }

    @Test(arguments: [
        ("/v1/apps/app_1/images", 20), ("/v1/apps/app_1/images?imageSize=FULL_SIZE", 20),
        ("/v1/apps/app_1/localization-imports?dryRun=true", 4), ("/v1/clients", 1),
        ("/v1/apps/app_1/images/img_1", 1), ("/v1/apps/a/b/images", 1), ("/openapi.json", 1),
    ])
    func `each path has its own limit of a body`(path: String, megabytes: Int) throws {
        var limits = Limits()
        limits.bodyBytes = 20 * Self.megabyte
        let both = try Both(gateway: limits)
        let body = [UInt8](repeating: 0x61, count: megabytes * Self.megabyte)
        let whole = try both.send("POST \(path) HTTP/1.1", body)
        #expect(whole.statuses == [200])
        #expect(both.gateway.requests.map(\.body.count) == [body.count])
        let connection = try #require(RawConnection(port: both.door.port))
        connection.send(
            "POST \(path) HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                + "Content-Length: \(body.count + 1)\r\n\r\n")
        let refused = connection.receive { !$0.statuses.isEmpty }
        #expect(refused.text.hasPrefix("HTTP/1.1 413"), "nobody is asked for the body")
        #expect(both.gateway.requests.count == 1)
    }

    @Test func `an image in chunks streams through`() throws {
        var limits = Limits()
        limits.bodyBytes = 20 * Self.megabyte
        let both = try Both(gateway: limits)
        let connection = try #require(RawConnection(port: both.door.port))
        connection.send(
            "POST /v1/apps/a/images HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk =
            Array("100000\r\n".utf8) + [UInt8](repeating: 0x61, count: Self.megabyte)
            + Array("\r\n".utf8)
        for _ in 0..<20 { #expect(connection.send(chunk)) }
        connection.send("0\r\n\r\n")
        #expect(connection.receive(within: 20) { !$0.statuses.isEmpty }.statuses == [200])
        #expect(both.gateway.requests.map(\.body.count) == [20 * Self.megabyte])
    }

    @Test func `a gateway that is down costs Apple's calls nothing`() throws {
        let both = try Both()
        both.gateway.server.stop(drain: .zero)
        #expect(try both.send("GET /v1/clients HTTP/1.1").statuses == [503])
        #expect(try both.send("POST /realtime/a HTTP/1.1").statuses == [200])
    }

    @Test func `one address has a share of the admin API, and Apple's calls are not in it`() throws
    {
        let both = try Both(overrides: ["HOLDFAST_PROXY_ADDRESS_API_REQUESTS=3"])
        for _ in 0..<5 {
            #expect(try both.send("POST /realtime/a HTTP/1.1").statuses == [200])
        }
        let statuses = try (0..<4).map { _ in try both.send("GET /v1/clients HTTP/1.1").statuses }
        #expect(statuses == [[200], [200], [200], [429]])
        #expect(try both.send("POST /realtime/a HTTP/1.1").statuses == [200])
    }

    /// As in `deploy/haproxy.cfg`.
    private static let runningLimit = 24

    @Test func `one address cannot take every thread of the gateway`() throws {
        let release = DispatchSemaphore(value: 0)
        let both = try Both { _ in
            release.wait()
            release.signal()
            return .empty(200)
        }
        let running = try (0..<Self.runningLimit).map { _ in
            let connection = try #require(RawConnection(port: both.door.port))
            connection.send("GET /v1/clients HTTP/1.1\r\nHost: h\r\n\r\n")
            return connection
        }
        let due = Due(in: 20)
        while both.gateway.requests.count < running.count, !due.isPassed { due.pause() }
        let oneMore = try both.send("GET /v1/clients HTTP/1.1").statuses
        release.signal()
        #expect(oneMore == [429])
        for connection in running {
            #expect(connection.receive { !$0.statuses.isEmpty }.statuses == [200])
        }
        #expect(try both.send("GET /v1/clients HTTP/1.1").statuses == [200])
    }
}
