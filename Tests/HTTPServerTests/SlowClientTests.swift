import HTTPServer
import Testing

@Suite struct SlowClientTests {
    /// What a client says at once, and what it then repeats for ever, byte by byte.
    struct Slow: Sendable {
        let name: String
        let start: String
        let drip: String
        var served = 0
    }

    private static let head = "POST /realtime/a HTTP/1.1\r\nHost: h\r\n"
    private static let good = head + "Content-Length: 0\r\n\r\n"

    static let slow = [
        Slow(name: "says nothing", start: "", drip: ""),
        Slow(name: "stops in the request line", start: "POST /rea", drip: ""),
        Slow(name: "drips the request line", start: "POST /", drip: "a"),
        Slow(name: "drips empty lines", start: "", drip: "\r\n"),
        Slow(name: "stops after the request line", start: "POST / HTTP/1.1\r\n", drip: ""),
        Slow(name: "drips a field", start: head + "X: ", drip: "a"),
        Slow(name: "drips fields", start: head, drip: "X: a\r\n"),
        Slow(name: "never ends the head", start: head + "Content-Length: 5\r\n", drip: ""),
        Slow(name: "stops before the body", start: head + "Content-Length: 5\r\n\r\n", drip: ""),
        Slow(
            name: "body shorter than its length", start: head + "Content-Length: 9\r\n\r\nhello",
            drip: ""),
        Slow(name: "drips the body", start: head + "Content-Length: 9999\r\n\r\n", drip: "a"),
        Slow(
            name: "drips chunks", start: head + "Transfer-Encoding: chunked\r\n\r\n",
            drip: "1\r\na\r\n"),
        Slow(
            name: "drips a chunk's size",
            start: head + "Transfer-Encoding: chunked\r\n\r\n", drip: "0"),
        Slow(
            name: "drips a trailer",
            start: head + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", drip: "a"),
        Slow(
            name: "asks for leave and sends no body",
            start: head + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n", drip: ""),
        Slow(name: "idles after an answer", start: good, drip: "", served: 1),
        Slow(name: "drips the next request", start: good + "POST /", drip: "a", served: 1),
    ]

    @Test(arguments: [ServerSettings.Threads.pool(1), .perConnection(maximum: 50)])
    func `each is cut at the deadline, however it drips`(
        threads: ServerSettings.Threads
    ) throws {
        var limits = Limits()
        limits.requestDeadline = .seconds(1)
        limits.idleTimeout = .seconds(1)
        let server = try TestServer(threads: threads, limits: limits)
        #expect(try Self.survivors(of: Self.slow, at: server.port) == [])
        #expect(server.requests.count == Self.slow.reduce(0) { $0 + $1.served })
        // Expiry of an idle connection is nobody's fault and not counted.
        let late = Self.slow.count { $0.served == 0 }
        #expect(eventually { server.refusals.count { $0 == .deadline } == late })
    }

    @Test func `each is cut by the door before the service sees it`() throws {
        let server = try TestServer(limits: Limits())
        let door = try Door(to: server.port)
        let slow = Self.slow.filter { $0.served == 0 }
        #expect(try Self.survivors(of: slow, at: door.port) == [])
        #expect(server.requests.isEmpty)
        withExtendedLifetime(door) {}
    }

    /// The names of those that were not cut, all of them having dripped at the same time.
    private static func survivors(of slow: [Slow], at port: UInt16) throws -> [String] {
        var open = try slow.map { ($0, try #require(RawConnection(port: port))) }
        for (slow, connection) in open { connection.send(slow.start) }
        let due = Due(in: 15)
        while !open.isEmpty && !due.isPassed {
            // The pause between two drips, ended by the other end's closing.
            open.removeAll { $0.1.isClosed(within: 0.02) }
            for (slow, connection) in open where !slow.drip.isEmpty { connection.send(slow.drip) }
        }
        return open.map(\.0.name)
    }

    @Test func `a client that does not read its answer is cut`() throws {
        var limits = Limits.small
        limits.requestDeadline = .seconds(1)
        let size = 64 * 1024 * 1024
        let server = try TestServer(limits: limits) { _ in
            Response(status: 200, body: [UInt8](repeating: 0, count: size))
        }
        let connection = try #require(RawConnection(port: server.port))
        connection.send(Self.good)
        #expect(eventually { server.refusals.contains(.deadline) })
        let answer = connection.receive()
        #expect(answer.isClosed)
        #expect(answer.bytes.count < size)
    }

    @Test func `a client that leaves before its answer does no harm`() throws {
        let server = try TestServer { _ in
            Response(status: 200, body: [UInt8](repeating: 0, count: 4_000_000))
        }
        for _ in 0..<20 {
            let connection = try #require(RawConnection(port: server.port))
            connection.send(Self.good)
        }
        #expect(eventually { server.requests.count == 20 })
        let connection = try #require(RawConnection(port: server.port))
        connection.send(Self.good)
        #expect(connection.receive { $0.bytes.count > 4_000_000 }.statuses == [200])
    }

    @Test func `hundreds of idle and dripping connections do not hold up good requests`() throws {
        let server = try TestServer()
        let idle = try (0..<200).map { _ in try #require(RawConnection(port: server.port)) }
        let dripping = try (0..<100).map { _ in try #require(RawConnection(port: server.port)) }
        let good = try #require(RawConnection(port: server.port))
        for _ in 0..<50 {
            for connection in dripping { connection.send("G") }
            good.send(Self.good)
            let answer = good.receive(within: 5) { $0.text.hasSuffix("0") }
            #expect(answer.statuses == [200])
        }
        for connection in idle + dripping { #expect(connection.isClosed(within: 10)) }
        #expect(server.requests.count == 50)
    }
}

/// Asks again and again, for a condition that no signal announces.
func eventually(within seconds: Double = 10, _ condition: () -> Bool) -> Bool {
    let due = Due(in: seconds)
    while !due.isPassed {
        if condition() { return true }
        due.pause()
    }
    return condition()
}
