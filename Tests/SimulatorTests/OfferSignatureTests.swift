import FoundationEssentials
import Signing
import Simulator
import Synchronization
import Testing

/// SIG-07: claims in their place, the right key, a fresh nonce; each claim wrong once.
struct OfferSignatureTests {
    let app: SampleApp
    let judge: AnswerJudge

    init() throws {
        app = try SampleApp()
        judge = try app.judge()
    }

    @Test func aRightOfferOnTheSameOrAnotherProductOfTheGroupIsShown() throws {
        let same = judge.judge(app.offerAnswer(try app.offerSignature()))
        #expect(same.shown?.kind == .promotionalOffer)
        #expect(same.shown?.offerIdentifier == "half")
        let other = try app.offerSignature {
            $0["productId"] = "\"\(SampleApp.annual)\""
            $0["offerIdentifier"] = #""third""#
        }
        #expect(judge.judge(app.offerAnswer(other)).shown?.productId == SampleApp.annual)
    }

    @Test func anOfferTakesATextOnlyApprovedMessage() throws {
        let signature = try app.offerSignature()
        let judged = [app.withImage, app.withBullets, app.pending].map {
            judge.judge(app.offerAnswer(signature, message: $0)).rules
        }
        #expect(judged == [[.messageHasImage], [.messageHasBullets], [.messageNotApproved]])
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        var claim: String
        var value: String?
        var rule: RuleBreach.Rule
        var testDescription: String { "\(claim) = \(value ?? "nothing")" }

        init(_ claim: String, _ value: String?, _ rule: RuleBreach.Rule) {
            self.claim = claim
            self.value = value
            self.rule = rule
        }
    }

    @Test(arguments: [
        Flaw("iss", nil, .claimIssuer), Flaw("iss", #""issuer-2""#, .claimIssuer),
        Flaw("aud", nil, .claimAudience), Flaw("aud", #""appstoreconnect-v1""#, .claimAudience),
        Flaw("aud", #"["promotional-offer"]"#, .claimAudience),
        Flaw("bid", nil, .claimBundle), Flaw("bid", #""example.other""#, .claimBundle),
        Flaw("nonce", nil, .claimNonce), Flaw("nonce", #""abc""#, .claimNonce),
        Flaw("nonce", "7", .claimNonce),
        Flaw("iat", nil, .claimIssuedAt), Flaw("iat", "1790000000000", .claimIssuedAt),
        Flaw("iat", "1789999699", .claimIssuedAt), Flaw("iat", "1790000301", .claimIssuedAt),
        Flaw("iat", #""1790000000""#, .claimIssuedAt), Flaw("iat", "1790000000.5", .claimIssuedAt),
        Flaw("iat", "-9223372036854775808", .claimIssuedAt),
        Flaw("exp", "1790000100", .claimExpiry), Flaw("appAccountToken", #""x""#, .claimUnknown),
        Flaw("transactionId", nil, .claimTransaction),
        Flaw("transactionId", #""2000000123456780""#, .claimTransaction),
        Flaw("transactionId", "2000000123456789", .claimTransaction),
        Flaw("productId", nil, .claimMissing), Flaw("productId", #""unheard.of""#, .productUnknown),
        Flaw("productId", "\"\(SampleApp.foreign)\"", .productOfAnotherGroup),
        Flaw("offerIdentifier", nil, .claimMissing),
        Flaw("offerIdentifier", #""third""#, .offerUnknown),
    ])
    func aClaimThatIsWrongMakesTheAnswerWrong(_ flaw: Flaw) throws {
        let signature = try app.offerSignature { $0[flaw.claim] = flaw.value }
        let verdict = judge.judge(app.offerAnswer(signature))
        #expect(verdict.rules == [flaw.rule])
        #expect(verdict.reason == .invalidResponse)
    }

    @Test func issuedAtMayBeFiveMinutesAwayEitherWay() throws {
        for issuedAt in ["1789999700", "1790000300"] {
            let signature = try app.offerSignature { $0["iat"] = issuedAt }
            #expect(judge.judge(app.offerAnswer(signature)).shown != nil)
        }
    }

    @Test(arguments: [
        #"{"alg":"HS256","kid":"KEY1","typ":"JWT"}"#, #"{"alg":"ES256","kid":"KEY1"}"#,
        #"{"alg":"es256","kid":"KEY1","typ":"JWT"}"#, #"{"alg":"ES256","typ":"JWT"}"#,
        #"{"alg":"ES256","kid":"KEY1","typ":"JWS"}"#,
        #"{"alg":"ES256","kid":"KEY1","typ":"JWT","x5c":[]}"#,
    ])
    func anotherHeaderIsWrong(_ header: String) throws {
        let signature = try app.offerSignature(header: header)
        #expect(judge.judge(app.offerAnswer(signature)).rules == [.signatureHeader])
    }

    @Test func anUnknownOrAnotherKeyIsWrong() throws {
        let unknown = try app.offerSignature(header: #"{"alg":"ES256","kid":"KEY2","typ":"JWT"}"#)
        #expect(judge.judge(app.offerAnswer(unknown)).rules == [.signatureKeyUnknown])
        let forged = try app.offerSignature(signedWith: try PrivateKey.generate())
        #expect(judge.judge(app.offerAnswer(forged)).rules == [.signatureInvalid])
    }

    @Test func aSignatureInAnotherFormIsMalformed() throws {
        let signature = try app.offerSignature()
        let cut = signature.dropLast(1)
        for form in ["", "x", "\(signature).x", "\(signature)=", String(cut)] {
            #expect(judge.judge(app.offerAnswer(form)).rules == [.signatureMalformed])
        }
    }

    @Test func aNonceIsGoodForOneAnswer() throws {
        let seen = Mutex<Set<UUID>>([])
        let judge = try app.judge { nonce in seen.withLock { $0.insert(nonce).inserted } }
        let answer = app.offerAnswer(try app.offerSignature())
        #expect(judge.judge(answer).shown != nil)
        #expect(judge.judge(answer).rules == [.nonceUsed])
    }

    @Test func bothSignaturesAtOnceAreWrong() {
        let both = judge.judge(
            """
            {"promotionalOffer":{"messageIdentifier":"\(app.plain)",\
            "promotionalOfferSignatureV1":{},"promotionalOfferSignatureV2":"x"}}
            """)
        #expect(both.rules == [.signatureVersion])
    }
}
