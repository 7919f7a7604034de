import AppStore
import FoundationEssentials
import Signing
import Simulator
import Testing

/// V1 signatures: seven parts in order, DER, each field wrong once.
struct LegacyOfferSignatureTests {
    let app: SampleApp
    let judge: AnswerJudge

    init() throws {
        app = try SampleApp()
        judge = try app.judge()
    }

    /// The members of a right signature; `signed` changes what is signed, `sent` what is sent.
    private func answer(
        signed: [String: String] = [:], sent: [String: String?] = [:], key: PrivateKey? = nil
    ) throws -> String {
        var parts = [
            "bundleId": SampleApp.bundleId, "keyId": "KEY1", "productId": SampleApp.annual,
            "offerIdentifier": "third", "appAccountToken": "",
            "nonce": UUID().uuidString.lowercased(), "timestamp": "\(SampleApp.nowMilliseconds)",
        ]
        parts.merge(signed) { $1 }
        let order = [
            "bundleId", "keyId", "productId", "offerIdentifier", "appAccountToken", "nonce",
            "timestamp",
        ]
        let text = order.map { parts[$0] ?? "" }.joined(separator: "\u{2063}")
        let raw = try (key ?? app.key).sign(Array(text.utf8))
        var members: [String: String] = parts.filter { $0.key != "bundleId" && $0.value != "" }
            .mapValues { "\"\($0)\"" }
        members["timestamp"] = parts["timestamp"]
        members["encodedSignature"] = "\"\(Base64.encode(der(raw)))\""
        for (name, value) in sent { members[name] = value }
        let object = members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        return """
            {"promotionalOffer":{"messageIdentifier":"\(app.plain)",\
            "promotionalOfferSignatureV1":{\(object)}}}
            """
    }

    private func der(_ raw: [UInt8]) -> [UInt8] {
        func number(_ half: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(half.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        let numbers = number(raw[..<32]) + number(raw[32...])
        return [0x30, UInt8(numbers.count)] + numbers
    }

    @Test func aRightSignatureIsShownWithOrWithoutAnAccountToken() throws {
        // Many, since a number of the signature is short or negative-looking only at times.
        for _ in 0..<50 {
            #expect(judge.judge(try answer()).shown?.offerIdentifier == "third")
        }
        let token = UUID().uuidString.lowercased()
        #expect(judge.judge(try answer(signed: ["appAccountToken": token])).shown != nil)
    }

    /// The product's own signer, before a judge that shares no code with it.
    @Test func whatTheProductSignsIsShown() throws {
        let signer = try OfferSigner(
            issuerId: "issuer-1", keyId: "KEY1", bundleId: SampleApp.bundleId, key: app.key)
        for count in 0..<200 {
            let signature = try signer.signatureV1(
                productId: SampleApp.annual, offerIdentifier: "third",
                appAccountToken: count % 2 == 0 ? nil : UUID(), nonce: UUID(),
                nowMilliseconds: SampleApp.nowMilliseconds)
            let body = RealtimeResponse.promotionalOfferV1(id: app.plain, signature: signature)
            let verdict = judge.judge(String(decoding: body.json(), as: UTF8.self))
            #expect(verdict.shown?.offerIdentifier == "third", "\(verdict.rules)")
        }
    }

    @Test func whatIsSentMustBeWhatWasSigned() throws {
        let others = [
            "productId": "\"\(SampleApp.monthly)\"", "offerIdentifier": "\"half\"",
            "nonce": "\"\(UUID().uuidString.lowercased())\"", "timestamp": "1790000000001",
            "appAccountToken": "\"\(UUID().uuidString.lowercased())\"",
        ]
        for (name, value) in others {
            #expect(judge.judge(try answer(sent: [name: value])).rules == [.signatureInvalid])
        }
        let otherBundle = try answer(signed: ["bundleId": "example.other"])
        #expect(judge.judge(otherBundle).rules == [.signatureInvalid])
        let otherKey = try answer(key: try PrivateKey.generate())
        #expect(judge.judge(otherKey).rules == [.signatureInvalid])
    }

    @Test func aSignedFieldThatIsWrongIsWrong() throws {
        func rules(_ signed: [String: String]) throws -> [RuleBreach.Rule] {
            judge.judge(try answer(signed: signed)).rules
        }
        #expect(try rules(["nonce": UUID().uuidString]) == [.claimNonce])
        #expect(try rules(["appAccountToken": "x"]) == [.claimNonce])
        #expect(try rules(["timestamp": "1790000000"]) == [.claimIssuedAt])
        #expect(try rules(["timestamp": "1789913599999"]) == [.claimIssuedAt])
        #expect(try rules(["timestamp": "1789913600000"]) == [])
        #expect(try rules(["timestamp": "1790000300001"]) == [.claimIssuedAt])
        #expect(try rules(["keyId": "KEY2"]) == [.signatureKeyUnknown])
        #expect(try rules(["productId": SampleApp.foreign]) == [.productOfAnotherGroup])
        #expect(try rules(["offerIdentifier": "half"]) == [.offerUnknown])
    }

    @Test func aMissingForeignOrMistypedFieldIsOutsideTheSchema() throws {
        func rules(_ sent: [String: String?]) throws -> [RuleBreach.Rule] {
            judge.judge(try answer(sent: sent)).rules
        }
        #expect(try rules(["encodedSignature": nil]) == [.missingField])
        #expect(try rules(["nonce": nil]) == [.missingField])
        #expect(try rules(["timestamp": "\"1790000000000\""]) == [.wrongType])
        #expect(try rules(["timestamp": "1790000000000.0"]) == [.wrongType])
        #expect(try rules(["appAccountToken": "null"]) == [.nullValue])
        #expect(try rules(["transactionId": "\"1\""]) == [.unknownField])
    }

    @Test func anotherFormOfTheSignatureIsMalformed() throws {
        let raw = try app.key.sign([1])
        let long = [0x30, UInt8(raw.count)] + raw
        for bytes in [[], [0x30], [0x30, 0x00], raw, long, der(raw) + [0], [0x30, 2, 2, 0]] {
            let sent = "\"\(Base64.encode(bytes))\""
            #expect(
                judge.judge(try answer(sent: ["encodedSignature": sent])).rules
                    == [.signatureMalformed])
        }
    }
}
