import Foundation
import HTTPServer
import Signing
import Simulator
import Synchronization

/// A responder on a real socket that answers what a test scripts, and keeps what it was sent.
final class RealtimeResponder: Sendable {
    private let server: Server
    private let mailbox: Mailbox

    init(_ script: @escaping @Sendable (RealtimeRequest) -> Response) throws {
        let mailbox = Mailbox()
        self.mailbox = mailbox
        server = try Server(ServerSettings(port: 0, threads: .perConnection(maximum: 32))) {
            request in
            mailbox.append(request)
            guard let decoded = RealtimeResponder.decode(request.body) else { return .empty(400) }
            return script(decoded)
        }
    }

    var origin: String { "http://127.0.0.1:\(server.port)" }

    var received: [[UInt8]] { mailbox.all.map(\.body) }

    var hosts: [String?] { mailbox.all.map { $0.header("Host") } }

    func stop() { server.stop(drain: .seconds(2)) }

    static func decode(_ body: [UInt8]) -> RealtimeRequest? {
        guard let signed = (try? JSONValue(body))?["signedPayload"]?.text,
            let jws = try? CompactJWS(Array(signed.utf8))
        else { return nil }
        return try? JSONDecoder().decode(RealtimeRequest.self, from: Data(jws.payload))
    }

    private final class Mailbox: Sendable {
        private let requests = Mutex<[Request]>([])

        func append(_ request: Request) { requests.withLock { $0.append(request) } }

        var all: [Request] { requests.withLock { $0 } }
    }
}
