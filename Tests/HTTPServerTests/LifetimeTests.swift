import Dispatch
import Foundation
import HTTPServer
import Synchronization
import Testing

@Suite struct LifetimeTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test func `past the limit on connections, further ones are closed at once`() throws {
        var limits = Limits()
        limits.connections = 5
        let server = try TestServer(limits: limits)
        var kept = try (0..<5).map { _ in try #require(RawConnection(port: server.port)) }
        for connection in kept {
            connection.send(Self.get)
            #expect(connection.receive { $0.text.hasSuffix("0") }.statuses == [200])
        }
        let refused = try #require(RawConnection(port: server.port))
        #expect(refused.isClosed(within: 5))
        #expect(server.refusals == [.connectionLimit])
        kept.removeLast()
        #expect(
            eventually {
                let next = RawConnection(port: server.port)
                next?.send(Self.get)
                return next?.receive(within: 5) { $0.text.hasSuffix("0") }.statuses == [200]
            })
        withExtendedLifetime(kept) {}
    }

    @Test func `a thread per connection lets a slow handler hold up nobody`() throws {
        let isReleased = DispatchSemaphore(value: 0)
        let server = try TestServer(threads: .perConnection(maximum: 4)) { request in
            if request.path == "/slow" { isReleased.wait() }
            return .empty(200)
        }
        let slow = try #require(RawConnection(port: server.port))
        slow.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(eventually { server.requests.count == 1 })
        let quick = try #require(RawConnection(port: server.port))
        quick.send(Self.get)
        #expect(quick.receive { !$0.statuses.isEmpty }.statuses == [200])
        isReleased.signal()
        #expect(slow.receive { !$0.statuses.isEmpty }.statuses == [200])
    }

    @Test func `a handler may take longer than a request may`() throws {
        var limits = Limits()
        limits.requestDeadline = .milliseconds(300)
        let never = DispatchSemaphore(value: 0)
        let server = try TestServer(limits: limits) { _ in
            _ = never.wait(timeout: .now() + 1)
            return .empty(200)
        }
        let connection = try #require(RawConnection(port: server.port))
        connection.send(Self.get)
        #expect(connection.receive { !$0.statuses.isEmpty }.statuses == [200])
        #expect(server.refusals.isEmpty)
    }

    @Test(arguments: [ServerSettings.Threads.pool(2), .perConnection(maximum: 4)])
    func `stopping finishes what is under way and takes nothing new`(
        threads: ServerSettings.Threads
    ) throws {
        let isReleased = DispatchSemaphore(value: 0)
        let server = try TestServer(threads: threads) { _ in
            isReleased.wait()
            return .empty(200)
        }
        let underWay = try #require(RawConnection(port: server.port))
        underWay.send(Self.get)
        #expect(eventually { server.requests.count == 1 })
        let stopped = DispatchGroup()
        DispatchQueue(label: "stop").async(group: stopped) {
            server.server.stop(drain: .seconds(10))
        }
        #expect(eventually { RawConnection(port: server.port) == nil })
        isReleased.signal()
        let answer = underWay.receive()
        #expect(answer.statuses == [200])
        #expect(answer.isClosed)
        #expect(answer.text.lowercased().contains("connection: close"))
        #expect(stopped.wait(timeout: .now() + 10) == .success)
        server.server.stop(drain: .seconds(10))
    }

    @Test func `stopping closes idle connections and forgets half a request at its deadline`()
        throws
    {
        let server = try TestServer(limits: Limits())
        let idle = try #require(RawConnection(port: server.port))
        idle.send(Self.get)
        #expect(idle.receive { $0.text.hasSuffix("0") }.statuses == [200])
        let half = try #require(RawConnection(port: server.port))
        half.send("GET / HTTP/1.1\r\nHost: h\r\nX: ")
        server.server.stop(drain: .milliseconds(300))
        #expect(idle.isClosed(within: 5))
        #expect(half.isClosed(within: 5))
    }

    /// Its threads are at work on new connections in the very moment when it is told to end:
    /// whoever takes the listening socket away must not trip over them.
    @Test(arguments: [ServerSettings.Threads.pool(8), .perConnection(maximum: 16)])
    func `a server is stopped under load any number of times`(
        threads: ServerSettings.Threads
    ) throws {
        let port = Atomic<UInt16>(0)
        let isOver = Atomic<Bool>(false)
        let callers = DispatchGroup()
        for _ in 0..<6 {
            callers.enter()
            Thread.detachNewThread {
                while !isOver.load(ordering: .relaxed) {
                    let current = port.load(ordering: .relaxed)
                    if current > 0, let connection = RawConnection(port: current) {
                        connection.send(Self.get)
                    }
                }
                callers.leave()
            }
        }
        for _ in 0..<300 {
            let server = try TestServer(threads: threads)
            port.store(server.port, ordering: .relaxed)
            #expect(eventually { server.requests.count >= 10 })
            server.server.stop(drain: .seconds(5))
        }
        isOver.store(true, ordering: .relaxed)
        #expect(callers.wait(timeout: .now() + 30) == .success)
    }

    @Test func `a port in use and a wrong address are named`() throws {
        let server = try TestServer()
        #expect(throws: ServerError.self) {
            try Server(ServerSettings(port: server.port)) { _ in .empty(200) }
        }
        for (host, code) in [
            ("localhost", ServerError.Code.badAddress), ("192.0.2.1", .badAddress),
        ] {
            do {
                _ = try Server(ServerSettings(host: host, port: 0)) { _ in .empty(200) }
                Issue.record("started on \(host)")
            } catch {
                #expect(error.code == code)
            }
        }
    }

    @Test func `a stopped server's port can be taken again at once`() throws {
        let first = try TestServer()
        let connection = try #require(RawConnection(port: first.port))
        connection.send(Self.get)
        #expect(connection.receive { $0.text.hasSuffix("0") }.statuses == [200])
        first.server.stop(drain: .zero)
        let second = try Server(ServerSettings(port: first.port)) { _ in .empty(204) }
        let again = try #require(RawConnection(port: second.port))
        again.send(Self.get)
        #expect(again.receive { !$0.statuses.isEmpty }.statuses == [204])
    }
}
