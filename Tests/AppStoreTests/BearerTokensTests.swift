import AppStore
import Dispatch
import Foundation
import Retention
import Signing
import Synchronization
import Testing

@Suite struct BearerTokensTests {
    static let now = Instant(milliseconds: 1_780_000_000_999)

    static func later(_ seconds: Int64, _ milliseconds: Int64 = 0) -> Instant {
        Instant(milliseconds: now.milliseconds + seconds * 1_000 + milliseconds)
    }

    static func holder(
        tenant: TenantID = TenantID(UUID()), app: AppID = AppID(UUID()),
        environment: StoreEnvironment = .production, keyId: String = "2X9R4HXF34"
    ) -> BearerTokens.Holder {
        BearerTokens.Holder(tenant: tenant, app: app, environment: environment, keyId: keyId)
    }

    /// One key for all: making one takes longer than signing with it.
    struct Mint {
        let tokens: BearerTokens
        let key: PrivateKey

        init(limit: Int = BearerTokens.tokensLimit) throws {
            tokens = BearerTokens(tokensLimit: limit)
            key = try PrivateKey.generate()
        }

        func token(
            _ holder: BearerTokens.Holder, at now: Instant = BearerTokensTests.now,
            issuer: String = "57246542-96fe-1a63-e053-0824d011072a", bundle: String = "com.example",
            key: PrivateKey? = nil
        ) throws -> BearerToken {
            try tokens.token(
                for: holder, issuerId: issuer, bundleId: bundle, key: key ?? self.key, now: now)
        }
    }

    @Test func `header and claims are exactly Apple's, and the key signed them`() throws {
        let mint = try Mint()
        let token = try mint.token(Self.holder())
        let jws = try CompactJWS(Array(token.secretText.utf8))
        #expect(jws.isSigned(by: mint.key.publicKey))
        #expect(
            try String(decoding: jws.header, as: UTF8.self)
                == #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#)
        #expect(
            String(decoding: jws.payload, as: UTF8.self)
                == #"{"iss":"57246542-96fe-1a63-e053-0824d011072a","iat":1779999970,"#
                + #""exp":1780000870,"aud":"appstoreconnect-v1","bid":"com.example"}"#)
        #expect(token.expiry == Instant(milliseconds: 1_780_000_870_000))
        #expect(token.authorization == "Bearer " + token.secretText)
    }

    @Test func `a token is handed out again for ten minutes, and never with little life left`()
        throws
    {
        let mint = try Mint()
        let holder = Self.holder()
        let first = try mint.token(holder)
        #expect(try mint.token(holder, at: Self.later(599, 999)) == first)
        let second = try mint.token(holder, at: Self.later(600))
        #expect(second != first)
        #expect(try mint.token(holder, at: Self.later(1_199, 999)) == second)
        // Whatever the time, what is handed out lives on for two minutes and at most fifteen.
        for seconds in stride(from: Int64(0), through: 40_000, by: 37) {
            let now = Self.later(seconds)
            let token = try mint.token(holder, at: now)
            let left = token.expiry.milliseconds - now.milliseconds
            #expect(left >= BearerTokens.leastLeftMilliseconds)
            #expect(left <= BearerTokens.lifeSeconds * 1_000)
        }
    }

    @Test func `a clock that was set back gets a token of its own time`() throws {
        let mint = try Mint()
        let holder = Self.holder()
        let first = try mint.token(holder)
        #expect(try mint.token(holder, at: Self.later(-30)) == first)
        let earlier = try mint.token(holder, at: Self.later(-31))
        #expect(earlier != first)
        #expect(earlier.expiry < first.expiry)
    }

    @Test func `no two holders share a token`() throws {
        let mint = try Mint()
        let (tenant, app) = (TenantID(UUID()), AppID(UUID()))
        let holders = [
            Self.holder(tenant: tenant, app: app), Self.holder(app: app),
            Self.holder(tenant: tenant),
            Self.holder(tenant: tenant, app: app, environment: .sandbox),
            Self.holder(tenant: tenant, app: app, keyId: "OTHERKEY01"),
        ]
        let tokens = try holders.map { try mint.token($0) }
        #expect(Set(tokens).count == holders.count)
        #expect(try holders.map { try mint.token($0) } == tokens)
        #expect(mint.tokens.count == holders.count)
    }

    @Test func `another key, issuer or bundle id under the same key id is another token`() throws {
        let mint = try Mint()
        let holder = Self.holder()
        let first = try mint.token(holder)
        let other = try PrivateKey.generate()
        let changed = try mint.token(holder, key: other)
        #expect(changed != first)
        #expect(try CompactJWS(Array(changed.secretText.utf8)).isSigned(by: other.publicKey))
        let moved = try mint.token(holder, bundle: "com.example.other")
        #expect(
            String(decoding: try CompactJWS(Array(moved.secretText.utf8)).payload, as: UTF8.self)
                .contains(#""bid":"com.example.other""#))
        #expect(try mint.token(holder, issuer: "another") != moved)
        #expect(mint.tokens.count == 1)
    }

    @Test func `what is forgotten is made anew, and nothing else is`() throws {
        let mint = try Mint()
        let (one, two) = (Self.holder(), Self.holder())
        let tokens = (try mint.token(one), try mint.token(two))
        mint.tokens.forget(one)
        #expect(mint.tokens.count == 1)
        #expect(try mint.token(one) != tokens.0)
        #expect(try mint.token(two) == tokens.1)
    }

    @Test func `the number of tokens is bounded: the ended go first, then the oldest`() throws {
        let mint = try Mint(limit: 3)
        let holders = (0..<5).map { _ in Self.holder() }
        let first = try (0..<3).map { try mint.token(holders[$0], at: Self.later(Int64($0))) }
        let fourth = try mint.token(holders[3], at: Self.later(3))
        #expect(mint.tokens.count == 3)
        #expect(try mint.token(holders[1], at: Self.later(4)) == first[1])
        #expect(try mint.token(holders[3], at: Self.later(4)) == fourth)
        #expect(try mint.token(holders[0], at: Self.later(4)) != first[0])
        _ = try mint.token(holders[4], at: Self.later(700))
        #expect(mint.tokens.count == 1)
    }

    @Test(arguments: ["", " \n", "\u{0}", String(repeating: "x", count: 256)])
    func `an empty or endless value is refused by its name, and nothing is kept`(
        _ value: String
    ) throws {
        let mint = try Mint()
        func refused(_ body: () throws -> BearerToken) -> String? {
            do { _ = try body() } catch let error as SigningError { return error.message } catch {}
            return nil
        }
        #expect(refused { try mint.token(Self.holder(keyId: value)) }?.hasPrefix("keyId") == true)
        #expect(
            refused { try mint.token(Self.holder(), issuer: value) }?.hasPrefix("issuerId") == true)
        #expect(
            refused { try mint.token(Self.holder(), bundle: value) }?.hasPrefix("bundleId") == true)
        #expect(mint.tokens.count == 0)
    }

    @Test func `no description shows the token`() throws {
        let mint = try Mint()
        let holder = Self.holder()
        let token = try mint.token(holder)
        let optional: BearerToken? = token
        var dumped = ""
        dump(token, to: &dumped)
        dump(mint.tokens, to: &dumped)
        let texts = [
            "\(token)", String(reflecting: token), "\(optional as Any)", "\([holder: token])",
            "\(mint.tokens)", String(reflecting: mint.tokens), dumped,
        ]
        for text in texts {
            for part in token.secretText.split(separator: ".") { #expect(!text.contains(part)) }
        }
    }

    @Test func `many threads get one token of a holder, and what is forgotten stays so`() throws {
        let mint = try Mint(limit: 8)
        let holders = (0..<8).map { _ in Self.holder() }
        let seen = Mutex<[BearerTokens.Holder: Set<BearerToken>]>([:])
        DispatchQueue.concurrentPerform(iterations: 400) { turn in
            let holder = holders[turn % 8]
            guard let token = try? mint.token(holder) else { return }
            seen.withLock { _ = $0[holder, default: []].insert(token) }
        }
        #expect(seen.withLock { $0.values.map(\.count) } == Array(repeating: 1, count: 8))
        DispatchQueue.concurrentPerform(iterations: 400) { turn in
            let holder = holders[turn % 8]
            if turn % 3 == 0 { mint.tokens.forget(holder) } else { _ = try? mint.token(holder) }
        }
        for holder in holders { mint.tokens.forget(holder) }
        #expect(mint.tokens.count == 0)
    }
}
