import HTTPServer
import Synchronization

/// A real server that writes down what its handler saw and what was refused.
final class TestServer: Sendable {
    let server: Server
    let record = Record()

    final class Record: Sendable {
        private let requestsSeen = Mutex<[Request]>([])
        private let refusalsSeen = Mutex<[Refusal]>([])

        var requests: [Request] { requestsSeen.withLock { $0 } }
        var refusals: [Refusal] { refusalsSeen.withLock { $0 } }
        func note(_ request: Request) { requestsSeen.withLock { $0.append(request) } }
        func note(_ refusal: Refusal) { refusalsSeen.withLock { $0.append(refusal) } }
    }

    var port: UInt16 { server.port }
    var requests: [Request] { record.requests }
    var refusals: [Refusal] { record.refusals }

    /// Answers 200 with the length of the body as text, whatever is asked.
    init(
        threads: ServerSettings.Threads = .pool(2), limits: Limits = .small,
        handler: @escaping @Sendable (Request) -> Response = { request in
            Response(status: 200, body: Array(String(request.body.count).utf8))
        }
    ) throws {
        let record = record
        server = try Server(
            ServerSettings(port: 0, threads: threads, limits: limits),
            refused: { record.note($0) },
            handler: { request in
                record.note(request)
                return handler(request)
            })
    }
}

extension Limits {
    /// Deadlines short enough to wait for, sizes as in production.
    static var small: Limits {
        var limits = Limits()
        limits.requestDeadline = .seconds(2)
        limits.idleTimeout = .seconds(3)
        return limits
    }
}
