import Glibc
import HTTPServer
import Testing

@Suite struct LargeBodyTests {
    private static let gigabyte = 1 << 30
    /// What is on its way in the kernel's and the proxy's buffers when the refusal comes.
    private static let sentLimit = 64 << 20

    private static let chunk =
        Array("10000\r\n".utf8) + [UInt8](repeating: 0x61, count: 0x10000) + Array("\r\n".utf8)

    static let heads = [
        "POST /realtime/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /unknown HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
        "PUT /realtime/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /realtime/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
            + "Expect: 100-continue\r\n\r\n",
        "POST /realtime/a HTTP/1.1\r\nHost: h\r\nContent-Length: \(gigabyte)\r\n\r\n",
    ]

    @Test(arguments: heads)
    func `a gigabyte is refused while it streams, and memory stays flat`(head: String) throws {
        let server = try TestServer()
        let before = Self.residentBytes()
        let connection = try #require(RawConnection(port: server.port))
        #expect(Self.stream(head, to: connection) < Self.sentLimit)
        #expect(Self.residentBytes() - before < 128 << 20)
        let answer = connection.receive()
        #expect(answer.isClosed)
        #expect([[413], []].contains(answer.statuses))
        #expect(server.refusals == [.bodyTooLarge])
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: heads)
    func `a gigabyte through the door is refused`(head: String) throws {
        let server = try TestServer()
        let door = try Door(to: server.port)
        let connection = try #require(RawConnection(port: door.port))
        #expect(Self.stream(head, to: connection) < Self.sentLimit)
        #expect(connection.receive(within: 20).isClosed)
        #expect(server.requests.isEmpty)
        withExtendedLifetime(door) {}
    }

    @Test func `leave to send a body is given only to one that will be taken`() throws {
        let server = try TestServer()
        let head = "POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: "
        let refused = try #require(RawConnection(port: server.port))
        refused.send(head + "1073741824\r\n\r\n")
        let answer = refused.receive()
        #expect(answer.isClosed)
        #expect(answer.text.hasPrefix("HTTP/1.1 413"))
        let taken = try #require(RawConnection(port: server.port))
        taken.send(head + "5\r\n\r\n")
        #expect(taken.receive { $0.text.hasSuffix("\r\n\r\n") }.text.hasPrefix("HTTP/1.1 100"))
        taken.send("hello")
        #expect(taken.receive { $0.text.hasSuffix("5") }.statuses == [200])
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "Content-Length: 9\r\n\r\nhello",
    ])
    func `a body cut short reaches no handler`(rest: String) throws {
        let bytes = "POST /realtime/a HTTP/1.1\r\nHost: h\r\n\(rest)"
        let server = try TestServer()
        let door = try Door(to: server.port)
        for port in [server.port, door.port] {
            let connection = try #require(RawConnection(port: port))
            connection.send(bytes)
            connection.finishSending()
            #expect(connection.isClosed(within: 15))
        }
        #expect(server.requests.isEmpty)
        withExtendedLifetime(door) {}
    }

    @Test func `bodies of exactly the limit are taken`() throws {
        let server = try TestServer()
        let door = try Door(to: server.port)
        for port in [server.port, door.port] {
            let connection = try #require(RawConnection(port: port))
            connection.send(Self.heads[0])
            connection.send(Self.chunk + Array("0\r\n\r\n".utf8))
            #expect(connection.receive { $0.text.hasSuffix("65536") }.statuses == [200])
        }
        withExtendedLifetime(door) {}
    }

    /// Sends until the other end takes no more; tells how much went out.
    private static func stream(_ head: String, to connection: RawConnection) -> Int {
        connection.send(head)
        var sent = 0
        while sent < gigabyte, connection.send(chunk, within: 15) { sent += chunk.count }
        return sent
    }

    private static func residentBytes() -> Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var line = [UInt8](repeating: 0, count: 200)
        let count = unsafe fread(&line, 1, line.count, file)
        let words = line.prefix(count).split(separator: UInt8(ascii: " "))
        let pages = words.dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        return (pages ?? 0) * 4096
    }
}
