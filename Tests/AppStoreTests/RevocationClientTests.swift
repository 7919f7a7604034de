import AppStore
import Foundation
import Signing
import StatusServer
import Testing

/// Real requests to a real server that answers as `openssl ocsp` does, and in every wrong way.
@Suite struct RevocationClientTests {
    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970) }

    private struct Asked {
        let leaf: RevocationVerdict
        let intermediate: RevocationVerdict
        let took: Duration
    }

    private static func ask(
        _ server: StatusServer, at seconds: Int64 = now(), timeout: Duration = .seconds(10)
    ) throws -> Asked {
        let client = RevocationClient(timeout: timeout)
        let chain = server.authority.chain
        let leaf = try Certificate(der: chain.leaf)
        let intermediate = try Certificate(der: chain.intermediate)
        let root = try Certificate(der: chain.root)
        let start = ContinuousClock.now
        let first = client.verdict(on: leaf, issuer: intermediate, root: root, at: seconds)
        let second = client.verdict(on: intermediate, issuer: root, root: root, at: seconds)
        return Asked(leaf: first, intermediate: second, took: .now - start)
    }

    private static func isUnknown(_ verdict: RevocationVerdict) -> Bool {
        guard case .unknown(let reason) = verdict else { return false }
        return !reason.isEmpty
    }

    @Test func `the chain that openssl made is one we believe`() throws {
        let server = try StatusServer(.good)
        let chain = server.authority.chain
        let anchors = TrustAnchors(roots: [try Certificate(der: chain.root)])
        _ = try anchors.verify(x5c: chain.x5c, at: Self.now())
        #expect(try Certificate(der: chain.leaf).statusURL?.hasSuffix("/leaf") == true)
        #expect(
            try Certificate(der: chain.intermediate).statusURL?.hasSuffix("/intermediate") == true)
        #expect(try Certificate(der: chain.root).statusURL == nil)
    }

    @Test func `Apple's certificates name Apple's responder, the simulator's name none`() throws {
        let apple = try AppleChainTests.x5c().map { try Certificate(der: $0).statusURL }
        #expect(
            apple == [
                "http://ocsp.apple.com/ocsp03-wwdrg602",
                "http://ocsp.apple.com/ocsp03-applerootcag3", nil,
            ])
        let store = try Store()
        let own = try store.chain.x5c.map { try Certificate(der: $0) }
        #expect(own.allSatisfy { $0.statusURL == nil })
        #expect(
            RevocationClient().verdict(on: own[0], issuer: own[1], root: own[2], at: 0)
                == .notOffered)
    }

    @Test(arguments: StatusBehaviour.allCases)
    func `each behaviour of a responder has its verdict`(_ behaviour: StatusBehaviour) throws {
        let server = try StatusServer(behaviour)
        let asked = try Self.ask(
            server, timeout: behaviour == .hanging ? .seconds(1) : .seconds(10))
        switch behaviour {
        case .leafRevoked:
            #expect(asked.leaf == .revoked)
            #expect(asked.intermediate == .good)
        case .intermediateRevoked:
            #expect(asked.leaf == .good)
            #expect(asked.intermediate == .revoked)
        case _ where behaviour.isTold:
            #expect(asked.leaf == .good)
            #expect(asked.intermediate == .good)
        default:
            #expect(Self.isUnknown(asked.leaf), "\(asked.leaf)")
            #expect(Self.isUnknown(asked.intermediate), "\(asked.intermediate)")
        }
        // Never more than its own timeout for each.
        #expect(asked.took < .seconds(behaviour == .hanging ? 5 : 22))
    }

    @Test func `an answer holds for its own time, and not before it`() throws {
        let server = try StatusServer(.good)
        let now = Self.now()
        // 60 minutes, and 5 for clocks that differ.
        #expect(try Self.ask(server, at: now + 64 * 60).leaf == .good)
        #expect(Self.isUnknown(try Self.ask(server, at: now + 67 * 60).leaf))
        #expect(Self.isUnknown(try Self.ask(server, at: now - 6 * 60).leaf))
        server.behave(.leafRevoked)
        #expect(Self.isUnknown(try Self.ask(server, at: now + 67 * 60).leaf))
    }

    @Test func `no bit of an answer may differ`() throws {
        let server = try StatusServer(.good)
        let chain = server.authority.chain
        let leaf = try Certificate(der: chain.leaf)
        let issuer = try Certificate(der: chain.intermediate)
        let root = try Certificate(der: chain.root)
        let request = try StatusRequest(for: leaf, issuer: issuer, root: root)
        let good = try server.authority.answer(to: request.der, ofLeaf: true, isRevoked: true)
        #expect(try request.status(in: good, at: Self.now()) == .revoked)
        var other = 0
        for position in good.indices {
            var answer = good
            answer[position] ^= 1 << UInt8(position % 8)
            let status = try? request.status(in: answer, at: Self.now())
            // What is not signed may differ, such as the spelling of an identifier of a hash; then
            // it says the same.
            #expect(status == nil || status == .revoked, "byte \(position)")
            if status != nil { other += 1 }
        }
        #expect(other < good.count / 10, "\(other) of \(good.count) bytes may differ")
        for count in stride(from: 0, to: good.count, by: 7) {
            #expect((try? request.status(in: Array(good.prefix(count)), at: Self.now())) == nil)
        }
        #expect((try? request.status(in: good + [0], at: Self.now())) == nil)
    }

    @Test func `an answer to another certificate's request is no answer`() throws {
        let server = try StatusServer(.good)
        let chain = server.authority.chain
        let leaf = try Certificate(der: chain.leaf)
        let intermediate = try Certificate(der: chain.intermediate)
        let root = try Certificate(der: chain.root)
        let ofLeaf = try StatusRequest(for: leaf, issuer: intermediate, root: root)
        let ofOther = try StatusRequest(for: intermediate, issuer: root, root: root)
        let answer = try server.authority.answer(to: ofOther.der, ofLeaf: false)
        #expect(try ofOther.status(in: answer, at: Self.now()) == .good)
        #expect((try? ofLeaf.status(in: answer, at: Self.now())) == nil)
        // Under another root nobody has the right to sign it.
        let elsewhere = try Certificate(der: try Store().chain.root)
        let stranger = try StatusRequest(for: leaf, issuer: intermediate, root: elsewhere)
        let own = try server.authority.answer(to: stranger.der, ofLeaf: true)
        #expect((try? stranger.status(in: own, at: Self.now())) == nil)
    }
}
