import Dispatch
import ScriptedServer
import Signing
import Synchronization

/// What a responder of a certificate authority does, and all it may do wrong.
package enum StatusBehaviour: Sendable, CaseIterable {
    case good
    case goodByIssuer
    case leafRevoked
    case intermediateRevoked
    /// A good answer, 300 ms late.
    case slow
    /// None, for as long as the other end waits.
    case hanging
    case refusedConnection
    case html
    case redirect
    case serverError
    case aboutAnother
    case signedByStranger
    case signedByUnnamed
    /// A good answer to a request of long ago: its nonce is another.
    case replayed
    case huge
    case cutShort

    /// Whether it should give a verdict.
    package var isTold: Bool {
        switch self {
        case .good, .goodByIssuer, .leafRevoked, .intermediateRevoked, .slow: true
        default: false
        }
    }

    package var isRevoked: Bool {
        self == .leafRevoked || self == .intermediateRevoked
    }
}

/// A real HTTP server in the place of a certificate authority's, and its authority.
package final class StatusServer: Sendable {
    private struct State {
        var behaviour: StatusBehaviour
        var recorded: [String: [UInt8]] = [:]
    }

    package let authority: StatusAuthority
    private let server: ScriptedServer?
    private let state: Mutex<State>

    package init(_ behaviour: StatusBehaviour) throws {
        let setup = Setup()
        if behaviour == .refusedConnection {
            // Bound and not listening: the port is refused, and nobody else gets it.
            let port = try boundSocket().port
            server = nil
            authority = try StatusAuthority(origin: "http://127.0.0.1:\(port)")
        } else {
            let server = try ScriptedServer { setup.step($0) }
            self.server = server
            authority = try StatusAuthority(origin: "http://127.0.0.1:\(server.port)")
        }
        state = Mutex(State(behaviour: behaviour))
        setup.owner.withLock { [weak self] in $0.server = self }
    }

    deinit { server?.stop() }

    /// Requests that came so far.
    package var count: Int { server?.requests.count ?? 0 }

    package func behave(_ behaviour: StatusBehaviour) {
        state.withLock { $0.behaviour = behaviour }
    }

    fileprivate func step(_ seen: ScriptedServer.Seen) -> ScriptedServer.Step {
        let ofLeaf = seen.text.hasPrefix("POST /leaf ")
        let mark = Array("\r\n\r\n".utf8)
        let start = seen.bytes.indices.first { seen.bytes[$0...].starts(with: mark) } ?? 0
        let request = Array(seen.bytes[min(start + 4, seen.bytes.count)...])
        do {
            return try step(request, ofLeaf: ofLeaf)
        } catch {
            return .answer("HTTP/1.1 500 \(error)\r\nContent-Length: 0\r\n\r\n")
        }
    }

    private func step(_ request: [UInt8], ofLeaf: Bool) throws -> ScriptedServer.Step {
        switch state.withLock({ $0.behaviour }) {
        case .good: return ok(try authority.answer(to: request, ofLeaf: ofLeaf))
        case .goodByIssuer:
            return ok(try authority.answer(to: request, ofLeaf: ofLeaf, signer: .issuer))
        case .leafRevoked:
            return ok(try authority.answer(to: request, ofLeaf: ofLeaf, isRevoked: ofLeaf))
        case .intermediateRevoked:
            return ok(try authority.answer(to: request, ofLeaf: ofLeaf, isRevoked: !ofLeaf))
        case .slow:
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(300))
            return ok(try authority.answer(to: request, ofLeaf: ofLeaf))
        case .hanging, .refusedConnection: return .silence
        case .html: return ok(Array("<html><body>Down for maintenance</body></html>".utf8))
        case .redirect:
            return .answer(
                "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
        case .serverError:
            return .answer("HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n")
        case .aboutAnother: return ok(try authority.answerAboutAnother(ofLeaf: ofLeaf))
        case .signedByStranger:
            return ok(try authority.answer(to: request, ofLeaf: ofLeaf, signer: .stranger))
        case .signedByUnnamed:
            return ok(try authority.answer(to: request, ofLeaf: ofLeaf, signer: .unnamed))
        case .replayed: return ok(try replayed(request, ofLeaf: ofLeaf))
        case .huge: return ok([UInt8](repeating: 0x30, count: 8 << 20))
        case .cutShort:
            return ok(Array(try authority.answer(to: request, ofLeaf: ofLeaf).dropLast(20)))
        }
    }

    /// The answer to the first request for this certificate, whatever is asked.
    private func replayed(_ request: [UInt8], ofLeaf: Bool) throws -> [UInt8] {
        let key = ofLeaf ? "leaf" : "intermediate"
        if let recorded = state.withLock({ $0.recorded[key] }) { return recorded }
        var other = request
        // Of the nonce, which stands last.
        other[other.count - 1] ^= 0xFF
        let answer = try authority.answer(to: other, ofLeaf: ofLeaf)
        state.withLock { $0.recorded[key] = answer }
        return answer
    }

    private func ok(_ body: [UInt8]) -> ScriptedServer.Step {
        .bytes(
            Array(
                ("HTTP/1.1 200 OK\r\nContent-Type: application/ocsp-response\r\n"
                    + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
    }
}

/// The server begins before its authority is known, which needs its port.
private final class Setup: Sendable {
    let owner = Mutex<WeakServer>(WeakServer())

    func step(_ seen: ScriptedServer.Seen) -> ScriptedServer.Step {
        owner.withLock { $0.server }?.step(seen) ?? .silence
    }
}

private struct WeakServer {
    weak var server: StatusServer?
}
