package import Signing

/// Notifications of which one thing is wrong each, for an app in production; and their signers.
package struct ForgedNotifications: Sendable {
    package struct Forgery: Sendable {
        package let name: String
        package let body: [UInt8]
        /// Codes of refusal, of which the verifier gives one.
        package let codes: Set<String>
    }

    private let good: NotificationSigner
    private let stranger: IssuedChain
    private let ended: IssuedChain
    private let noLeafMarker: IssuedChain
    private let noIntermediateMarker: IssuedChain

    package init(_ good: NotificationSigner) throws {
        self.good = good
        func flawed(_ change: (inout CertificateAuthority.Flaws) -> Void) throws -> IssuedChain {
            var flaws = CertificateAuthority.Flaws()
            change(&flaws)
            return try NotificationSigner.chain(at: good.signedDate, flaws: flaws)
        }
        stranger = try flawed { _ in }
        let twoYears: Int64 = 2 * 365 * 86_400_000
        ended = try NotificationSigner.chain(at: good.signedDate - twoYears)
        noLeafMarker = try flawed { $0.leafMarker = false }
        noIntermediateMarker = try flawed { $0.intermediateMarker = false }
    }

    /// Whose roots are trusted: each forgery is to fail for its own fault alone.
    package var trusted: [IssuedChain] { [good.chain, ended, noLeafMarker, noIntermediateMarker] }

    package func all() throws -> [Forgery] {
        try outer() + inner() + identities() + kinds() + forms()
    }

    private func forgery(
        _ name: String, _ codes: String..., change: (inout NotificationDraft) throws -> Void
    ) throws -> Forgery {
        var draft = NotificationDraft()
        try change(&draft)
        return Forgery(name: name, body: try good.body(draft), codes: Set(codes))
    }

    private func signed(
        _ name: String, _ codes: String..., by sign: ([UInt8]) throws -> String
    ) throws -> Forgery {
        Forgery(
            name: name,
            body: NotificationSigner.body(jws: try sign(try good.payload(NotificationDraft()))),
            codes: Set(codes))
    }

    // MARK: The signature of the whole

    private func outer() throws -> [Forgery] {
        let spliced = IssuedChain(
            root: good.chain.root, intermediate: stranger.intermediate, leaf: stranger.leaf,
            leafKey: stranger.leafKey)
        let x5c = good.chain.x5c.map(Base64.encode)
        let parts = try good.jws(NotificationDraft()).split(separator: ".")
        let others = try good.jws(NotificationDraft()).split(separator: ".")
        return [
            try signed("a stranger's key", "badSignature") {
                try CompactJWS.sign(
                    header: good.chain.jwsHeader, payload: $0, with: stranger.leafKey)
            },
            Forgery(
                name: "another's signature",
                body: NotificationSigner.body(jws: "\(parts[0]).\(parts[1]).\(others[2])"),
                codes: ["badSignature"]),
            try signed("a stranger's chain", "chainUnknownRoot") { try stranger.sign($0) },
            try signed(
                "a stranger's chain under our root", "chainIssuerMismatch", "chainBadSignature",
                "chainPathRefused"
            ) { try spliced.sign($0) },
            try signed("a chain that had ended", "chainNotValidAtSigning") { try ended.sign($0) },
            try signed("a leaf without its mark", "chainLeafMarkerMissing") {
                try noLeafMarker.sign($0)
            },
            try signed("an intermediate without its mark", "chainIntermediateMarkerMissing") {
                try noIntermediateMarker.sign($0)
            },
            try signed("one certificate", "chainWrongLength") {
                try CompactJWS.sign(
                    header: Array("{\"alg\":\"ES256\",\"x5c\":[\"\(x5c[0])\"]}".utf8), payload: $0,
                    with: good.chain.leafKey)
            },
            try signed("alg none", "algorithmRefused") {
                try CompactJWS.sign(header: noAlgorithm, payload: $0, with: good.chain.leafKey)
            },
            try signed("alg none, no signature", "jwsMalformed") {
                Base64URL.encode(noAlgorithm) + "." + Base64URL.encode($0) + "."
            },
            Forgery(
                name: "two parts",
                body: NotificationSigner.body(jws: "\(parts[0]).\(parts[1])"),
                codes: ["jwsMalformed"]),
        ]
    }

    private var noAlgorithm: [UInt8] {
        let list = good.chain.x5c.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        return Array("{\"alg\":\"none\",\"x5c\":[\(list)]}".utf8)
    }

    // MARK: The signatures inside

    private func inner() throws -> [Forgery] {
        let draft = NotificationDraft()
        let payloads = [
            ("signedTransactionInfo", good.transaction(draft)),
            ("signedRenewalInfo", good.renewal(draft)),
        ]
        return try payloads.flatMap { member, payload in
            try inner(member, payload)
        }
    }

    private func inner(_ member: String, _ payload: [UInt8]) throws -> [Forgery] {
        let header = good.chain.jwsHeader
        let texts: [(String, String, String)] = [
            (
                "a stranger's key",
                try CompactJWS.sign(header: header, payload: payload, with: stranger.leafKey),
                "badSignature"
            ),
            ("a stranger's chain", try stranger.sign(payload), "chainUnknownRoot"),
            ("a chain that had ended", try ended.sign(payload), "chainNotValidAtSigning"),
            (
                "a leaf without its mark", try noLeafMarker.sign(payload), "chainLeafMarkerMissing"
            ),
            (
                "alg none",
                try CompactJWS.sign(
                    header: noAlgorithm, payload: payload, with: good.chain.leafKey),
                "algorithmRefused"
            ),
            (
                "no signature", Base64URL.encode(header) + "." + Base64URL.encode(payload) + ".",
                "jwsMalformed"
            ),
            ("no JWS", "signed_info_value", "jwsMalformed"),
            (
                "a payload with a member twice",
                try good.chain.sign(Array("{\"a\":1,\"a\":1,".utf8) + payload.dropFirst()),
                "payloadMalformed"
            ),
        ]
        let forged = try texts.map { name, text, code in
            try forgery("\(member): \(name)", code) { $0.data[member] = "\"\(text)\"" }
        }
        return forged + [
            try forgery("\(member): a number", "payloadMalformed") { $0.data[member] = "5" },
            try forgery("\(member): an object", "payloadMalformed") { $0.data[member] = "{}" },
        ]
    }

    // MARK: Whose it is

    private func identities() throws -> [Forgery] {
        let absent = String?.none
        return [
            try forgery("another bundle", "wrongApp") { $0.data["bundleId"] = "\"com.other\"" },
            try forgery("no bundle", "wrongApp") { $0.data["bundleId"] = absent },
            try forgery("a bundle that begins alike", "wrongApp") {
                $0.data["bundleId"] = "\"\(good.bundleId).other\""
            },
            try forgery("another app", "wrongApp") { $0.data["appAppleId"] = "7" },
            try forgery("no app in production", "wrongApp") { $0.data["appAppleId"] = absent },
            try forgery("an app as a text", "wrongApp") {
                $0.data["appAppleId"] = "\"\(good.appAppleId)\""
            },
            try forgery("the sandbox", "wrongEnvironment") {
                $0.data["environment"] = "\"Sandbox\""
            },
            try forgery("no environment", "wrongEnvironment") { $0.data["environment"] = absent },
            try forgery("Xcode", "wrongEnvironment") { $0.data["environment"] = "\"Xcode\"" },
            try forgery("production in small letters", "wrongEnvironment") {
                $0.data["environment"] = "\"production\""
            },
            try forgery("another bundle's transaction", "wrongApp") {
                $0.transaction["bundleId"] = "\"com.other\""
            },
            try forgery("a transaction without a bundle", "wrongApp") {
                $0.transaction["bundleId"] = absent
            },
            try forgery("a transaction of the sandbox", "wrongEnvironment") {
                $0.transaction["environment"] = "\"Sandbox\""
            },
            try forgery("a renewal of the sandbox", "wrongEnvironment") {
                $0.renewal["environment"] = "\"Sandbox\""
            },
            try forgery("a renewal without an environment", "wrongEnvironment") {
                $0.renewal["environment"] = absent
            },
            try forgery("nothing that names an app", "wrongApp") { $0.outer["data"] = absent },
            try forgery("another app besides", "wrongApp") {
                $0.outer["moreData"] = "{\"bundleId\":\"com.other\",\"appAppleId\":7}"
            },
        ]
    }

    // MARK: Other kinds of what Apple signs

    private func kinds() throws -> [Forgery] {
        let draft = NotificationDraft()
        let app = "\"appAppleId\":\(good.appAppleId),\"bundleId\":\"\(good.bundleId)\""
        func appData(_ members: String) throws -> Forgery {
            let date = "\"receiptCreationDate\":\(good.signedDate)"
            let inner = try good.chain.sign(Array("{\(members),\(date)}".utf8))
            return try forgery("app transaction \(members)", "wrongApp", "wrongEnvironment") {
                $0.replaceData(
                    by: "appData",
                    "{\(app),\"environment\":\"Production\","
                        + "\"signedAppTransactionInfo\":\"\(inner)\"}")
            }
        }
        func alone(_ name: String, _ payload: [UInt8], _ code: String) throws -> Forgery {
            Forgery(
                name: name, body: NotificationSigner.body(jws: try good.chain.sign(payload)),
                codes: [code])
        }
        return [
            try alone("a transaction", good.transaction(draft), "wrongType"),
            try alone("a renewal", good.renewal(draft), "wrongType"),
            try forgery("a summary of another app", "wrongApp") {
                $0.replaceData(
                    by: "summary",
                    "{\"environment\":\"Production\",\"appAppleId\":7,\"bundleId\":\"com.other\"}")
            },
            try forgery("a purchase token of the sandbox", "wrongEnvironment") {
                $0.replaceData(
                    by: "externalPurchaseToken",
                    "{\"externalPurchaseId\":\"SANDBOX_b2158121\",\(app)}")
            },
            try appData("\"receiptType\":\"Sandbox\",\(app)"),
            try appData("\"receiptType\":\"Production\",\"bundleId\":\"\(good.bundleId)\""),
            try appData(
                "\"receiptType\":\"Production\",\"bundleId\":\"com.other\","
                    + "\"appAppleId\":\(good.appAppleId)"),
        ]
    }

    // MARK: Form

    private func forms() throws -> [Forgery] {
        let absent = String?.none
        let nested = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let jws = try good.jws(NotificationDraft())
        func body(_ name: String, _ text: String) -> Forgery {
            Forgery(name: name, body: Array(text.utf8), codes: ["bodyMalformed"])
        }
        return [
            body("an empty body", ""), body("an empty object", "{}"), body("no JSON", "hello"),
            body("null", "{\"signedPayload\":null}"), body("a number", "{\"signedPayload\":5}"),
            body("the JWS alone", jws),
            body("a member twice", "{\"signedPayload\":\"\(jws)\",\"signedPayload\":\"\(jws)\"}"),
            body("too deep", "{\"signedPayload\":\"\(jws)\",\"a\":\(nested)}"),
            try forgery("a payload too deep", "payloadMalformed") { $0.outer["deep"] = nested },
            try forgery("data with a member twice", "payloadMalformed") {
                $0.data["status"] = "1,\"status\":2"
            },
            try forgery("a payload with a member twice", "payloadMalformed") {
                $0.outer["version"] = "\"2.0\",\"version\":\"2.0\""
            },
            try forgery("no date", "payloadMalformed") { $0.outer["signedDate"] = absent },
            try forgery("a date as a text", "payloadMalformed") {
                $0.outer["signedDate"] = "\"\(good.signedDate)\""
            },
            try forgery("a transaction without a date", "payloadMalformed") {
                $0.transaction["signedDate"] = absent
            },
            try forgery("no UUID", "payloadMalformed") { $0.outer["notificationUUID"] = "\"x\"" },
            try forgery("no identifier", "wrongType") { $0.outer["notificationUUID"] = absent },
            try forgery("no type", "wrongType") { $0.outer["notificationType"] = absent },
            try forgery("a type that is a number", "payloadMalformed") {
                $0.outer["notificationType"] = "1"
            },
            try forgery("a type with a NUL", "payloadMalformed") {
                $0.outer["notificationType"] = "\"A\\u0000\""
            },
            try forgery("a type of 129 bytes", "payloadMalformed") {
                $0.outer["notificationType"] = "\"\(String(repeating: "A", count: 129))\""
            },
            try forgery("a transaction's identifier as a number", "payloadMalformed") {
                $0.transaction["originalTransactionId"] = "5"
            },
            try forgery("a transaction's identifier of 65 bytes", "payloadMalformed") {
                $0.transaction["originalTransactionId"] =
                    "\"\(String(repeating: "1", count: 65))\""
            },
        ]
    }
}
