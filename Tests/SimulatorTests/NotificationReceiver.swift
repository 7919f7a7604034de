import Foundation
import HTTPServer
import Signing
import Simulator
import Synchronization

/// A developer's server on a real socket that takes notifications, and answers what a test says.
final class NotificationReceiver: Sendable {
    private let server: Server
    private let mailbox: Mailbox

    /// - Parameter script: the status for the body that came as so-and-so many.
    init(_ script: @escaping @Sendable (Int) -> Int = { _ in 200 }) throws {
        let mailbox = Mailbox()
        self.mailbox = mailbox
        server = try Server(ServerSettings(port: 0, threads: .perConnection(maximum: 64))) {
            .empty(script(mailbox.append($0.body)))
        }
    }

    deinit { server.stop(drain: .seconds(2)) }

    var origin: String { "http://127.0.0.1:\(server.port)" }

    /// The bodies in the order they came.
    var bodies: [[UInt8]] { mailbox.all }

    var payloads: [String] {
        bodies.compactMap { (try? JSONValue($0))?["signedPayload"]?.text }
    }

    private final class Mailbox: Sendable {
        private let bodies = Mutex<[[UInt8]]>([])

        func append(_ body: [UInt8]) -> Int {
            bodies.withLock { bodies in
                bodies.append(body)
                return bodies.count
            }
        }

        var all: [[UInt8]] { bodies.withLock { $0 } }
    }
}
