import AppStore
import Foundation
import Signing
import Testing

@Suite struct RealtimeRequestTests {
    @Test func `a genuine request is read whole`() throws {
        let store = try Store()
        let request = try store.verifier().realtimeRequest(
            body: store.body(), appAppleId: Store.appAppleId, environment: "Production",
            nowMilliseconds: Store.now + 250)
        #expect(request.originalTransactionId == "99371282")
        #expect(request.appAppleId == 531_412)
        #expect(request.productId == "com.example.product")
        #expect(request.userLocale == "en-US")
        #expect(request.requestIdentifier.uuidString == "3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9")
        #expect(request.environment == "Production")
        #expect(request.signedDate == Store.now)
    }

    /// JWS-03: configured environment × environment of the payload × app id, in full.
    @Test func `the matrix of environments and app ids has two accepted cells`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        let payloads: [String?] = [
            "\"Production\"", "\"Sandbox\"", "\"Xcode\"", "\"LocalTesting\"", "\"production\"",
            "\"PRODUCTION\"", "\"Production \"", "\"\"", "null", "1", nil,
        ]
        let ids: [String?] = ["531412", "531413", "-531412", "\"531412\"", "531412.0", "null", nil]
        var accepted: [String] = []
        for configured in ["Production", "Sandbox", "Xcode", "LocalTesting", "production", ""] {
            for environment in payloads {
                for id in ids {
                    let fields = Store.fields(["environment": environment, "appAppleId": id])
                    let code = try refusal(
                        store.body(fields), verifier, environment: configured)
                    if code == nil {
                        accepted.append("\(configured) \(environment ?? "-") \(id ?? "-")")
                    } else {
                        #expect(
                            [.wrongType, .wrongEnvironment, .wrongApp, .payloadMalformed]
                                .contains(code))
                    }
                }
            }
        }
        #expect(
            accepted == ["Production \"Production\" 531412", "Sandbox \"Sandbox\" 531412"])
    }

    @Test func `each cell of the matrix is refused by its own name`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        func code(_ changes: [String: String?], _ configured: String) throws
            -> VerificationError.Code?
        {
            try refusal(store.body(Store.fields(changes)), verifier, environment: configured)
        }
        for configured in ["Production", "Sandbox"] {
            let right = "\"\(configured)\""
            for wrong in ["Xcode", "LocalTesting", "production"] {
                #expect(
                    try code(["environment": "\"\(wrong)\""], configured) == .wrongEnvironment)
            }
            #expect(try code(["environment": nil], configured) == .wrongType)
            let wrongApp: [String: String?] = ["environment": right, "appAppleId": "1"]
            #expect(try code(wrongApp, configured) == .wrongApp)
            let noApp: [String: String?] = ["environment": right, "appAppleId": nil]
            #expect(try code(noApp, configured) == .wrongType)
            let textApp: [String: String?] = ["environment": right, "appAppleId": "\"531412\""]
            #expect(try code(textApp, configured) == .payloadMalformed)
        }
        #expect(try code(["environment": "\"Sandbox\""], "Production") == .wrongEnvironment)
        #expect(try code([:], "Sandbox") == .wrongEnvironment)
        // Configured as what must never be served, with data of the same kind.
        #expect(try code(["environment": "\"Xcode\""], "Xcode") == .wrongEnvironment)
    }

    @Test func `data signed by Xcode's one certificate is refused in every environment`() throws {
        let xcode = try CertificateAuthority.xcodeLike(
            name: "StoreKit Testing in Xcode", validity: Store.leafValidity)
        let trusting = SignedDataVerifier(
            anchors: TrustAnchors(roots: [try Certificate(der: xcode.root)]))
        for environment in ["Production", "Sandbox", "Xcode"] {
            let fields = Store.fields(["environment": "\"\(environment)\""])
            let body = Store.body(jws: try xcode.sign(Store.json(fields)))
            #expect(refusal(body, trusting, environment: environment) == .chainWrongLength)
        }
    }

    @Test func `without one of the seven fields it is no real-time request`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        for name in [
            "originalTransactionId", "appAppleId", "productId", "userLocale", "requestIdentifier",
            "environment",
        ] {
            let body = try store.body(Store.fields([name: nil]))
            #expect(refusal(body, verifier) == .wrongType, "\(name)")
        }
        // Without a date the chain cannot be judged at all.
        let undated = try store.body(Store.fields(["signedDate": nil]))
        #expect(refusal(undated, verifier) == .payloadMalformed)
    }

    @Test func `a transaction or a notification posted as a request is refused`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        let transaction = """
            {"transactionId":"1","originalTransactionId":"1","bundleId":"com.example",\
            "productId":"p","environment":"Production","signedDate":\(Store.now)}
            """
        let notification = """
            {"notificationType":"TEST","notificationUUID":"3db5c98d-8acf-4e29-831e-8e1f82f9f6e9",\
            "version":"2.0","signedDate":\(Store.now),"data":{"environment":"Production",\
            "appAppleId":531412,"bundleId":"com.example"}}
            """
        for payload in [transaction, notification] {
            let jws = try store.chain.sign(Array(payload.utf8))
            #expect(refusal(Store.body(jws: jws), verifier) == .wrongType)
            #expect(refusal(jws, verifier) == nil, "it is genuine all the same")
        }
    }

    @Test func `a field of another JSON type or form is malformed`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        let wrong: [String: [String]] = [
            "originalTransactionId": ["1", "null", "\"\"", "[\"1\"]", "\"a\\u0000\"", "\"a\\n\""],
            "productId": [
                "true", "null", "\"\"", "{}", "\"\(String(repeating: "p", count: 256))\"",
            ],
            "userLocale": ["1", "null", "[]", "\"en\\u0000\""],
            "requestIdentifier": [
                "1", "\"\"", "\"3db5c98d8acf4e29831e8e1f82f9f6e9\"",
                "\"3db5c98d-8acf-4e29-831e-8e1f82f9f6e\"",
                "\"3db5c98d-8acf-4e29-831e-8e1f82f9f6eg\"",
                "\"3db5c98d-8acf-4e29-831e8-e1f82f9f6e9\"",
                "\"{3db5c98d-8acf-4e29-831e-8e1f82f9f6e9}\"",
            ],
            "appAppleId": ["\"531412\"", "531412.0", "5e5", "null", "9223372036854775808", "[]"],
            "environment": ["1", "null", "[\"Production\"]"],
            "signedDate": [
                "\"\(Store.now)\"", "\(Store.now).0", "1.75e12", "null", "-1",
                "9223372036854775807", "99999999999999999999", "253402300800000",
            ],
        ]
        for (name, values) in wrong {
            for value in values {
                let body = try store.body(Store.fields([name: value]))
                #expect(refusal(body, verifier) == .payloadMalformed, "\(name): \(value)")
            }
        }
    }

    @Test func `unknown fields are ignored, an upper-case identifier and any locale are read`()
        throws
    {
        let store = try Store()
        let verifier = try store.verifier()
        for changes: [String: String?] in [
            ["newField": "{\"a\":[1,2]}"], ["userLocale": "\"\""],
            ["requestIdentifier": "\"3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9\""],
            ["userLocale": "\"\(String(repeating: "x", count: 10_000))\""],
        ] {
            #expect(try refusal(store.body(Store.fields(changes)), verifier) == nil)
        }
    }

    @Test func `the freshness window holds at both its ends`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        let body = try store.body()
        let age = FreshnessWindow.ageMillisecondsLimit
        let lead = FreshnessWindow.leadMillisecondsLimit
        #expect(age == 300_000)
        #expect(lead == 60_000)
        #expect(refusal(body, verifier, now: Store.now + age) == nil)
        #expect(refusal(body, verifier, now: Store.now + age + 1) == .stale)
        #expect(refusal(body, verifier, now: Store.now - lead) == nil)
        #expect(refusal(body, verifier, now: Store.now - lead - 1) == .signedInFuture)
        #expect(refusal(body, verifier, now: .max) == .stale)
        #expect(refusal(body, verifier, now: .min) == .stale, "refused, whatever the clock says")
    }

    /// JWS-01: (a) stored data of March, (b) data of July, (c) a live body of March, in September.
    @Test func `a past leaf's data stays true, its live bodies are stale`() throws {
        let march: Int64 = 1_741_046_400_000
        let july: Int64 = 1_752_000_000_000
        let september: Int64 = 1_757_000_000_000
        let store = try Store(leafValidity: 1_735_689_600...1_751_327_999)
        let verifier = try store.verifier()
        let old = Store.fields(["signedDate": "\(march)"])
        let late = Store.fields(["signedDate": "\(july)"])
        #expect(refusal(try store.chain.sign(Store.json(old)), verifier) == nil)
        #expect(
            refusal(try store.chain.sign(Store.json(late)), verifier) == .chainNotValidAtSigning)
        #expect(refusal(try store.body(old), verifier, now: september) == .stale)
        #expect(refusal(try store.body(late), verifier, now: july) == .chainNotValidAtSigning)
        let statuses: [VerificationError.Code: Int] = [.stale: 400, .chainNotValidAtSigning: 401]
        #expect(Set(statuses.values).count == 2)
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{}", #"{"signedPayload":null}"#, #"{"signedPayload":1}"#,
        #"{"signedPayload":["a.b.c"]}"#, #"{"signedpayload":"a.b.c"}"#,
        #"{"signedPayload":"a","signedPayload":"b"}"#,
        #"{"signedPayload":"a","signed\u0050ayload":"b"}"#, #"{"signedPayload":"a"}x"#,
    ])
    func `a body that is not strictly the one shape is malformed`(_ text: String) throws {
        #expect(refusal(Array(text.utf8), try Store().verifier()) == .bodyMalformed)
    }

    @Test func `a body of duplicates, however genuine, is malformed`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        let jws = try store.chain.sign(Store.json(Store.fields()))
        let twice = "{\"signedPayload\":\"\(jws)\",\"signedPayload\":\"\(jws)\"}"
        #expect(refusal(Array(twice.utf8), verifier) == .bodyMalformed)
        let withMore = "{\"other\":[1],\"signedPayload\":\"\(jws)\"}"
        #expect(refusal(Array(withMore.utf8), verifier) == nil)
        let long = Array(repeating: UInt8(ascii: " "), count: 64 * 1_024)
        #expect(try refusal(store.body() + long, verifier) == .bodyMalformed)
        let repeated = Store.json(Store.fields() + [("environment", "\"Sandbox\"")])
        let body = Store.body(jws: try store.chain.sign(repeated))
        #expect(refusal(body, verifier) == .payloadMalformed)
    }

    /// What is looked up for a request is begun before its signature is checked, and never kept of
    /// one that is not genuine: so the verdict must be the same whether, when and how often the
    /// look-up asks for it.
    @Test(arguments: [0, 1, 3]) func `a look-up may ask for the signature at any time`(
        times: Int
    ) throws {
        let store = try Store()
        let verifier = try store.verifier()
        let place = SignedDataVerifier.RealtimePlace(
            appAppleId: Store.appAppleId, environment: "Production")
        func look(
            _ body: [UInt8], _ now: Int64 = Store.now
        ) -> (code: VerificationError.Code?, calls: Int, verdicts: [Bool]) {
            var (calls, verdicts) = (0, [Bool]())
            do {
                let (request, found) = try verifier.realtimeRequest(
                    body: body, to: place, nowMilliseconds: now
                ) { claimed, isGenuine in
                    calls += 1
                    for _ in 0..<times { verdicts.append(isGenuine()) }
                    return claimed.requestIdentifier
                }
                #expect(found == request.requestIdentifier)
                return (nil, calls, verdicts)
            } catch { return (error.code, calls, verdicts) }
        }
        let good = try store.body()
        let yes = [Bool](repeating: true, count: times)
        // With a chain that is not known yet, then with one that is.
        for _ in 0..<2 { #expect(look(good) == (nil, 1, yes)) }
        let jws = try store.chain.sign(Store.json(Store.fields()))
        let place0 = jws.lastIndex(of: ".").map { jws.index($0, offsetBy: 9) }
        let letter = try #require(place0)
        let forged = jws[..<letter] + (jws[letter] == "A" ? "B" : "A") + jws[letter...].dropFirst()
        let wrong = look(Store.body(jws: String(forged)))
        #expect(wrong == (.badSignature, 1, yes.map { !$0 }))
        // What is not for us is not looked up at all, genuine or not.
        for changes in [["appAppleId": "1"], ["environment": "\"Sandbox\""], ["productId": nil]] {
            let refused = try look(store.body(Store.fields(changes)))
            #expect(refused.code != nil && refused.calls == 0)
        }
        #expect(look(good, Store.now + 900_000) == (.stale, 0, []))
        #expect(try look(Store().body()).calls == 0)
    }

    @Test func `every code has a status of the four`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        func status(_ body: [UInt8]) -> Int? {
            do {
                _ = try verifier.realtimeRequest(
                    body: body, appAppleId: Store.appAppleId, environment: "Production",
                    nowMilliseconds: Store.now)
            } catch { return error.status }
            return nil
        }
        #expect(status([]) == 400)
        #expect(try status(store.body(Store.fields(["signedDate": "1740000000000"]))) == 400)
        #expect(try status(Store().body()) == 401)
        #expect(try status(store.body(Store.fields(["appAppleId": "1"]))) == 403)
        #expect(try status(store.body(Store.fields(["environment": "\"Sandbox\""]))) == 403)
        #expect(try status(store.body(Store.fields(["productId": nil]))) == 403)
    }
}
