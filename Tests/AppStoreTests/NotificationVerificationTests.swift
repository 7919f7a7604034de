import AppStore
import Foundation
import Retention
import Signing
import TestSupport
import Testing

@Suite struct NotificationVerificationTests {
    private static let bundleId = "com.example.app"
    private static let appAppleId: Int64 = 531_412

    private static func signer(
        _ environment: StoreEnvironment = .production
    ) throws -> NotificationSigner {
        var signer = NotificationSigner(
            chain: try NotificationSigner.chain(at: Store.now), bundleId: bundleId,
            appAppleId: appAppleId, signedDate: Store.now)
        signer.environment = environment.rawValue
        return signer
    }

    private static func verifier(_ chains: [IssuedChain]) throws -> SignedDataVerifier {
        SignedDataVerifier(
            anchors: TrustAnchors(roots: try chains.map { try Certificate(der: $0.root) }))
    }

    private static func app(_ environment: StoreEnvironment = .production) -> NotifiedApp {
        NotifiedApp(bundleId: bundleId, appAppleId: appAppleId, environment: environment)
    }

    private static func code(
        _ body: [UInt8], _ verifier: SignedDataVerifier,
        for environment: StoreEnvironment = .production
    ) -> String? {
        do { _ = try verifier.notification(body: body, for: app(environment)) } catch {
            return error.code.rawValue
        }
        return nil
    }

    private static func head(
        _ change: (inout NotificationDraft) throws -> Void
    ) throws -> NotificationHead {
        let signer = try signer()
        var draft = NotificationDraft()
        try change(&draft)
        return try verifier([signer.chain]).notification(
            body: signer.body(draft), for: app()
        ).head
    }

    @Test func `a notification tells what names it and whom it is about`() throws {
        let signer = try Self.signer()
        let draft = NotificationDraft()
        let verified = try Self.verifier([signer.chain]).notification(
            body: signer.body(draft), for: Self.app())
        let head = verified.head
        #expect(head.notificationUUID == draft.uuid)
        #expect(head.notificationType == "DID_CHANGE_RENEWAL_STATUS")
        #expect(head.subtype == "AUTO_RENEW_DISABLED")
        #expect(head.signedDate == Store.now)
        #expect(head.originalTransactionId == draft.originalTransactionId)
        #expect(head.appTransactionId == "704000000000000001")
        // What is kept can be verified again.
        let again = try Self.verifier([signer.chain]).notification(
            verified.signedPayload[...], for: Self.app())
        #expect(again.head == head)
    }

    @Test func `each fault is refused by its own name`() throws {
        let signer = try Self.signer()
        let forged = try ForgedNotifications(signer)
        let all = try forged.all()
        #expect(all.count > 60)
        let verifier = try Self.verifier(forged.trusted)
        #expect(Self.code(try signer.body(), verifier) == nil)
        for forgery in all {
            let code = Self.code(forgery.body, verifier)
            #expect(code.map(forgery.codes.contains) == true, "\(forgery.name): \(code ?? "taken")")
        }
        #expect(Self.code(try signer.body(), verifier) == nil)
    }

    @Test func `what has no transaction is as good`() throws {
        let app = "\"appAppleId\":\(Self.appAppleId),\"bundleId\":\"\(Self.bundleId)\""
        let absent = String?.none
        let test = try Self.head {
            $0.outer = ["notificationType": "\"TEST\"", "subtype": absent]
            $0.data = ["signedTransactionInfo": absent, "signedRenewalInfo": absent]
        }
        #expect(test.notificationType == "TEST" && test.subtype == nil)
        #expect(test.originalTransactionId == nil && test.appTransactionId == nil)
        let others = [
            ("summary", "{\"environment\":\"Production\",\(app),\"succeededCount\":5}"),
            ("externalPurchaseToken", "{\"externalPurchaseId\":\"b2158121-7af9\",\(app)}"),
            ("thingOfTomorrow", "{\"environment\":\"Production\",\(app),\"x\":[1]}"),
        ]
        for (name, object) in others {
            let head = try Self.head { $0.replaceData(by: name, object) }
            #expect(head.originalTransactionId == nil, "\(name)")
        }
    }

    @Test func `consent taken back names the customer`() throws {
        let signer = try Self.signer()
        let app = "\"appAppleId\":\(Self.appAppleId),\"bundleId\":\"\(Self.bundleId)\""
        let inner = try signer.chain.sign(
            Array(
                "{\"receiptType\":\"Production\",\(app),\"appTransactionId\":\"71134\","
                    .utf8) + Array("\"receiptCreationDate\":\(Store.now)}".utf8))
        var draft = NotificationDraft()
        draft.replaceData(
            by: "appData",
            "{\(app),\"environment\":\"Production\",\"signedAppTransactionInfo\":\"\(inner)\"}")
        let head = try Self.verifier([signer.chain]).notification(
            body: signer.body(draft), for: Self.app()
        ).head
        #expect(head.appTransactionId == "71134")
        #expect(head.originalTransactionId == nil)
    }

    @Test func `types, members and nulls of tomorrow are taken`() throws {
        let head = try Self.head {
            $0.outer = [
                "notificationType": "\"FUTURE_THING\"", "subtype": "\"NEVER_SEEN\"",
                "more": "[{\"a\":null}]",
            ]
            $0.data = ["signedRenewalInfo": "null", "status": "\"new\""]
            $0.transaction = ["offerType": "99"]
        }
        #expect(head.notificationType == "FUTURE_THING" && head.subtype == "NEVER_SEEN")
        #expect(head.originalTransactionId == NotificationDraft().originalTransactionId)
    }

    @Test func `the sandbox may leave out the app's number, and is the sandbox's alone`() throws {
        let signer = try Self.signer(.sandbox)
        let verifier = try Self.verifier([signer.chain])
        var draft = NotificationDraft()
        draft.data["appAppleId"] = String?.none
        #expect(Self.code(try signer.body(draft), verifier, for: .sandbox) == nil)
        draft.data["appAppleId"] = "null"
        #expect(Self.code(try signer.body(draft), verifier, for: .sandbox) == nil)
        draft.data["appAppleId"] = "7"
        #expect(Self.code(try signer.body(draft), verifier, for: .sandbox) == "wrongApp")
        #expect(Self.code(try signer.body(), verifier) == "wrongEnvironment")
        let production = try signer.environment(.production).body()
        #expect(Self.code(production, verifier, for: .sandbox) == "wrongEnvironment")
    }

    /// JWS-01: a repeat after 157 hours, and a history of 180 days across a change of the leaf.
    @Test func `what was signed long ago stays true after its signer's end`() throws {
        let days: Int64 = 86_400_000
        let now = try Self.signer()
        var then = NotificationSigner(
            chain: try NotificationSigner.chain(at: Store.now - 400 * days),
            bundleId: Self.bundleId, appAppleId: Self.appAppleId,
            signedDate: Store.now - 400 * days)
        let verifier = try Self.verifier([now.chain, then.chain])
        #expect(Self.code(try then.body(), verifier) == nil)
        var mixed = NotificationDraft()
        mixed.transactionChain = then.chain
        mixed.transaction["signedDate"] = "\(then.signedDate)"
        #expect(Self.code(try now.body(mixed), verifier) == nil)
        then.signedDate = Store.now
        #expect(Self.code(try then.body(), verifier) == "chainNotValidAtSigning")
    }

    /// Genuine signatures over what no App Store would write: refused, or of the right app still.
    @Test func `whatever is signed, nothing ends the process`() throws {
        let signer = try Self.signer()
        let verifier = try Self.verifier([signer.chain])
        var random = SeededNumbers(seed: 20_261_130)
        var taken = 0
        for round in 0..<1_500 {
            let draft = NotificationDraft()
            let body: [UInt8]
            if round % 2 == 0 {
                let mangled = Mangling.mangled(signer.transaction(draft), &random)
                var changed = draft
                changed.data["signedTransactionInfo"] = "\"\(try signer.chain.sign(mangled))\""
                body = try signer.body(changed)
            } else {
                let mangled = Mangling.mangled(try signer.payload(draft), &random)
                body = NotificationSigner.body(jws: try signer.chain.sign(mangled))
            }
            guard let read = try? verifier.notification(body: body, for: Self.app()) else {
                continue
            }
            taken += 1
            let limit = 64
            #expect((read.head.originalTransactionId?.utf8.count ?? 1) <= limit)
            #expect((1...128).contains(read.head.notificationType.utf8.count))
        }
        // Most bytes of a payload are of no interest here, or part of a signature.
        #expect(taken < 1_500)
    }

    @Test(.enabled(if: Files.vectorsArePresent, Files.absence))
    func `Apple's test notification is read as Apple's library reads it`() throws {
        let root = try Certificate(der: Files.vector("mock-signed-data/testCA.der"))
        let verifier = SignedDataVerifier(anchors: TrustAnchors(roots: [root], rules: .lenient))
        func text(_ name: String) throws -> [UInt8] {
            Array(
                String(
                    decoding: try Files.vector("mock-signed-data/\(name)"), as: UTF8.self
                ).trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        }
        let app = NotifiedApp(bundleId: "com.example", appAppleId: 1234, environment: .sandbox)
        let head = try verifier.notification(text("testNotification")[...], for: app).head
        #expect(head.notificationType == "TEST")
        #expect(head.signedDate == 1_681_314_324_000)
        #expect(throws: VerificationError.self) {
            try verifier.notification(text("transactionInfo")[...], for: app)
        }
    }
}

extension NotificationSigner {
    fileprivate func environment(_ environment: StoreEnvironment) -> NotificationSigner {
        var signer = self
        signer.environment = environment.rawValue
        return signer
    }
}
