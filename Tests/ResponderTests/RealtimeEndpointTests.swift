import Foundation
import HTTPClient
import Operator
import Responder
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

/// Signed requests in, Apple's answers out, over real HTTP.
@Suite(.database) struct RealtimeEndpointTests {
    @Test func `each treatment is answered in Apple's shape`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let message = try Answered(stage.send(Asked(app), to: app))
        #expect(message.kind == "message")
        #expect(try message.header(in: app) == "New in Tideline News this month")
        let japanese = try Answered(stage.send(Asked(app, locale: "ja-JP"), to: app))
        #expect(japanese.kind == "alternateProduct")
        #expect(japanese.content["productId"] as? String == app.products[1].productId)
        #expect(japanese.content["billingPlanType"] as? String == "MONTHLY")
        let annual = app.products[1].productId
        let standard = try Answered(stage.send(Asked(app, product: annual), to: app))
        #expect(standard.kind == "message")
        #expect(try standard.header(in: app) == "Thank you for being with us")
    }

    /// SIG-07: every claim in its place, the transaction of this request, a nonce never seen.
    @Test func `an offer is signed for this subscriber alone, anew each time`() throws {
        let stage = try Stage()
        let app = try stage.app(kids)
        var nonces: Set<String> = []
        for transaction in ["2000000000000001", "2000000000000001", "2000000000000002"] {
            let asked = Asked(app).with("originalTransactionId", transaction)
            let answer = try Answered(stage.send(asked, to: app))
            #expect(answer.kind == "promotionalOffer")
            #expect(
                Set(answer.content.keys) == ["messageIdentifier", "promotionalOfferSignatureV2"])
            let text = try #require(answer.content["promotionalOfferSignatureV2"] as? String)
            let jws = try CompactJWS(Array(text.utf8))
            let key = try PublicKey(pem: Array(app.offerKeys[0].publicKeyPEM.utf8))
            #expect(jws.isSigned(by: key))
            let claims = try #require(
                JSONSerialization.jsonObject(with: Data(jws.payload)) as? [String: Any])
            #expect(claims["transactionId"] as? String == transaction)
            #expect(claims["productId"] as? String == app.promotionalOffers[0].productId)
            #expect(
                claims["offerIdentifier"] as? String == app.promotionalOffers[0].offerIdentifier)
            #expect(claims["bid"] as? String == app.bundleId)
            #expect(claims["iss"] as? String == app.offerKeys[0].issuerId)
            #expect(claims["aud"] as? String == "promotional-offer")
            #expect(claims["exp"] == nil)
            nonces.insert(try #require(claims["nonce"] as? String))
        }
        #expect(nonces.count == 3)
    }

    /// Apple takes the first form still; it is answered where a rule asks for it.
    @Test func `an offer may be signed in the first form`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let offer = try #require(app.promotionalOffers.first)
        let head = try #require(stage.apps.heads.first { $0.key == stage.agency.keys[0] })
        let served = try #require(stage.apps.find(head))
        let halfPrice = try #require(
            served.snapshot.messages.first { $0.kind == .promotionalOffer })
        let treatment = Treatment.promotionalOffer(
            halfPrice.id, productId: offer.productId, offerIdentifier: offer.offerIdentifier,
            signature: .v1)
        try stage.publish(
            RuleSet(rules: [
                Rule(id: RuleID(UUID()), name: "r", when: .always, treatment: treatment)
            ]))
        let answer = try Answered(stage.send(Asked(app), to: app))
        #expect(answer.kind == "promotionalOffer")
        let signed = try #require(
            answer.content["promotionalOfferSignatureV1"] as? [String: Any])
        #expect(answer.content["promotionalOfferSignatureV2"] == nil)
        #expect(signed["productId"] as? String == offer.productId)
        #expect(signed["offerIdentifier"] as? String == offer.offerIdentifier)
        #expect(signed["keyId"] as? String == app.offerKeys[0].keyId)
        #expect(signed["appAccountToken"] == nil)
        let nonce = try #require(signed["nonce"] as? String)
        #expect(nonce == nonce.lowercased() && UUID(uuidString: nonce) != nil)
        #expect(signed["timestamp"] as? Int64 == stage.clock.clock.now())
        // What it was made over is judged by `OfferSignatureV1Tests` and Apple's own library.
        let encoded = try #require(signed["encodedSignature"] as? String)
        let der = try #require(Data(base64Encoded: encoded))
        #expect(der.first == 0x30 && (66...72).contains(der.count))
        #expect(try stage.shipped().first?.signatureVersion == 1)
    }

    @Test func `a key that does not open costs the offer, not the answer`() throws {
        let stage = try Stage(opensWith: try PrivateKey.generate())
        let app = try stage.app(kids)
        let answer = try Answered(stage.send(Asked(app), to: app))
        #expect(answer.kind == "message")
        #expect(try answer.header(in: app) == "Thank you for being with us")
        #expect(stage.metrics.keyRefused.value() > 0)
    }

    /// Apple's performance test asks for one transaction over and over, many at a time.
    @Test func `a thousand requests for one transaction are all answered alike`() throws {
        let stage = try Stage()
        let app = try stage.app(news, "Sandbox")
        let now = stage.clock.clock.now()
        let bodies = try (0..<1_000).map { _ in
            try Asked(app).body(signedBy: stage.chain, now: now)
        }
        let answers = ThreadTeam(threads: 8).map(bodies) { body in
            (try? stage.post(body, to: app)).map { [UInt8("\($0.status / 100)") ?? 0] + $0.body }
        }
        let first = try #require(answers[0])
        #expect(first[0] == 2)
        #expect(answers.allSatisfy { $0 == first })
    }

    @Test func `a deliberate fallback is 503 without a body, and recorded`() throws {
        let stage = try Stage()
        let app = try stage.app(kids)
        let response = try stage.send(Asked(app, product: app.products[1].productId), to: app)
        #expect(response.status == 503 && response.body.isEmpty)
        #expect(try stage.shipped().map(\.kind) == [.fallback])
    }

    @Test func `a rule on a language meets its readers, whatever their phone calls it`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let key = stage.agency.keys[0]
        try stage.store.transaction(
            stage.agency.scope, at: Instant(milliseconds: stage.clock.clock.now())
        ) { transaction in
            let rule = Rule(
                id: RuleID(UUID()), name: "r", when: Condition.of(languages: ["no", "he", "zh"]),
                treatment: .fallback)
            let version = try transaction.createRuleSet(RuleSet(rules: [rule]), of: key.app)
            try transaction.publishRuleSet(version: version, at: key)
        }
        try stage.feed.poll()
        let expected = [
            ("no", 503), ("nb-NO", 503), ("nn_NO", 503), ("he-IL", 503), ("iw", 503),
            ("zh-Hant-TW", 503), ("yue-HK", 200), ("da-DK", 200), ("en-NO", 200), ("", 200),
        ]
        for (locale, status) in expected {
            #expect(
                try stage.send(Asked(app, locale: locale), to: app).status == status, "\(locale)")
        }
    }

    @Test func `a repeat is decided again and stored once`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let body = try Asked(app).body(signedBy: stage.chain, now: stage.clock.clock.now())
        for _ in 0..<3 { #expect(try stage.post(body, to: app).status == 200) }
        #expect(stage.metrics.decided.value("message") == 3)
        let stored = try stage.shipped()
        #expect(stored.count == 1)
        #expect(stored.first?.localeAsked == "en-US")
        #expect(stored.first?.localeServed == "en-US")
        #expect(stored.first?.snapshotNumber == 1)
        #expect(stored.first?.rule != nil)
    }

    @Test func `nobody's token is 404`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let body = try Asked(app).body(signedBy: stage.chain, now: stage.clock.clock.now())
        let response = try stage.post(body, path: "/realtime/nobodys")
        #expect(response.status == 404 && response.body.isEmpty)
    }

    /// JWS-03: the whole matrix, in both environments; only what fits entirely is answered.
    @Test(arguments: ["Production", "Sandbox"])
    func `only the right app in the right environment is answered`(environment: String) throws {
        let stage = try Stage()
        let app = try stage.app(news, environment)
        let environments: [String?] = [
            "Production", "Sandbox", "Xcode", "LocalTesting", nil, "production",
        ]
        var served = 0
        for claimed in environments {
            for appAppleId: Int64? in [news, kids, nil] {
                let asked = Asked(app).with("environment", claimed)
                    .with("appAppleId", appAppleId)
                let response = try stage.send(asked, to: app)
                let fits = claimed == environment && appAppleId == news
                #expect(
                    response.status == (fits ? 200 : 403), "\(claimed ?? "-") \(appAppleId ?? 0)")
                #expect(response.body.isEmpty == !fits)
                if fits { served += 1 }
            }
        }
        #expect(served == 1)
        #expect(try stage.shipped().count == 1)
    }

    @Test func `data of Xcode with its one certificate is refused`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let seconds = stage.clock.clock.now() / 1_000
        let xcode = try CertificateAuthority.xcodeLike(
            name: "Xcode", validity: seconds - Stage.day...seconds + Stage.day)
        for environment in ["Production", "Xcode"] {
            let asked = Asked(app).with("environment", environment)
            let body = try asked.body(signedBy: xcode, now: stage.clock.clock.now())
            let response = try stage.post(body, to: app)
            #expect(response.status == 401 && response.body.isEmpty)
        }
    }

    /// JWS-01 (c): genuine and long past, judged by our clock; and what the clock has not reached.
    @Test func `what is stale or ahead has its own status and code`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let now = stage.clock.clock.now()
        let minute: Int64 = 60_000
        for (offset, status) in [
            (-4 * minute, 200), (-6 * minute, 400), (-20 * 24 * 60 * minute, 400),
            (minute / 2, 200), (2 * minute, 400),
        ] {
            let asked = Asked(app).with("signedDate", now + offset)
            #expect(try stage.send(asked, to: app).status == status, "\(offset)")
        }
        #expect(stage.metrics.refused.value("stale") == 2)
        #expect(stage.metrics.refused.value("signedInFuture") == 1)
        // Outside the life of the certificate it is not even genuine.
        let ancient = Asked(app).with("signedDate", now - 60 * 24 * 60 * minute)
        #expect(try stage.send(ancient, to: app).status == 401)
    }

    @Test func `what is no request is refused and leaves only a counter`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let transaction: [String: Any] = [
            "transactionId": "1", "bundleId": app.bundleId, "type": "Auto-Renewable Subscription",
        ]
        var asked = Asked(app)
        asked.fields.merge(transaction) { _, new in new }
        for field in ["requestIdentifier", "userLocale", "appAppleId"] {
            asked = asked.with(field, nil)
        }
        let posted = try stage.send(asked, to: app)
        #expect(posted.status == 403 && posted.body.isEmpty)
        for body in ["", "{}", "null", #"{"signedPayload":"a.b.c"}"#, #"{"signedPayload":1}"#] {
            let response = try stage.post(Array(body.utf8), to: app)
            #expect(response.status == 400 && response.body.isEmpty, "\(body)")
        }
        let stranger = try CertificateAuthority.appleLike(
            name: "Test", leafValidity: 1_700_000_000...2_000_000_000)
        let forged = try Asked(app).body(signedBy: stranger, now: stage.clock.clock.now())
        #expect(try stage.post(forged, to: app).status == 401)
        #expect(try stage.shipped().isEmpty)
        #expect(stage.metrics.refused.value("wrongType") == 1)
    }

    /// LOC-01 and LOC-03 through the answer: whose text is named.
    @Test func `readers get a text they read, or the app's default`() throws {
        let stage = try Stage()
        let app = try stage.app(fit)
        let annual = app.products[1].productId
        let english = "Thank you for being with us"
        let hant = "感謝您的支持"
        let expected: [(String, String)] = [
            ("zh-Hant-HK", hant), ("zh-HK", hant), ("zh-MO", hant), ("zh-TW", hant),
            ("zh-Hant", hant), ("zh_Hant_TW", hant), ("yue-HK", hant),
            ("zh-Hans-HK", english), ("zh-SG", english), ("zh-CN", english), ("zh", english),
            ("ja-JP", "ご利用ありがとうございます"), ("es-AR", "Gracias por estar con nosotros"),
            ("es-419", "Gracias por estar con nosotros"), ("en-IN", english), ("en-IE", english),
            ("uk-UA", english), ("cy-GB", english), ("", english), ("C", english),
            ("root", english), ("xx-YY", english), ("../../x", english),
            (String(repeating: "a", count: 10_000), english),
        ]
        for (locale, header) in expected {
            let answer = try Answered(
                stage.send(Asked(app, product: annual, locale: locale), to: app))
            #expect(try answer.header(in: app) == header, "\(locale.prefix(40))")
        }
        #expect(try stage.shipped().count == expected.count)
    }
}
