import Dispatch
import HTTPServer
import Synchronization
import Testing

/// What a handler is told of the line before it.
@Suite struct LoadTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    private static let held: Duration = .milliseconds(300)

    /// A server of one thread whose first request is held until told otherwise.
    private final class Line: Sendable {
        let loads = Mutex<[RequestLoad]>([])
        let isHeld = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)

        func start(measuresLoad: Bool) throws -> Server {
            var settings = ServerSettings(port: 0, threads: .pool(1))
            settings.measuresLoad = measuresLoad
            return try Server(settings) { request in
                // How long it waited is told while the connection is open, and no longer.
                let load = RequestLoad(
                    inFlight: request.load.inFlight, waited: request.load.waited)
                let count = self.loads.withLock { loads in
                    loads.append(load)
                    return loads.count
                }
                if count == 1 {
                    self.isHeld.signal()
                    _ = self.release.wait(timeout: .now() + 20)
                }
                return .empty(204)
            }
        }
    }

    @Test func `who waits to be accepted counts, and its time since it came`() throws {
        let line = Line()
        let server = try line.start(measuresLoad: true)
        defer { server.stop(drain: .zero) }
        let first = try #require(RawConnection(port: server.port))
        first.send(Self.request)
        #expect(line.isHeld.wait(timeout: .now() + 20) == .success)
        let others = try (0..<6).map { _ in try #require(RawConnection(port: server.port)) }
        for other in others { other.send(Self.request) }
        // Nothing tells when time has passed but time itself.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.35)
        line.release.signal()
        for connection in [first] + others { #expect(connection.receive().statuses == [204]) }
        let loads = line.loads.withLock { $0 }
        #expect(loads.count == 7)
        #expect(loads[0].inFlight == 1)
        #expect(loads.map(\.inFlight).max() ?? 0 >= 5)
        #expect(loads.last?.inFlight == 1)
        #expect(loads.dropFirst().allSatisfy { $0.waited >= Self.held })
    }

    @Test func `a server that is not asked to measure does not`() throws {
        let line = Line()
        let server = try line.start(measuresLoad: false)
        defer { server.stop(drain: .zero) }
        let connection = try #require(RawConnection(port: server.port))
        line.release.signal()
        connection.send(Self.request)
        #expect(connection.receive().statuses == [204])
        #expect(line.loads.withLock { $0 } == [.none])
    }
}
