import Foundation
import Signing
import Simulator
import Testing

/// JWS-03 and its kind: each mutation differs from the genuine request in one respect.
struct SignedRequestTests {
    let app: SampleApp
    let driver: ControlDriver

    init() throws {
        app = try SampleApp()
        driver = try ControlDriver()
    }

    private func make(
        _ mutation: SignedRequest.Mutation, field: String? = nil, text: String? = nil
    ) throws -> CompactJWS {
        let order = SignedRequest.Order(
            appAppleId: SampleApp.appAppleId, environment: .production,
            originalTransactionId: SampleApp.subscriber, productId: SampleApp.monthly,
            userLocale: "ja", mutation: mutation, field: field, text: text)
        let report = try driver.post(
            SignedRequestReport.self, "/signed-requests",
            SignedRequestBatch(signedRequests: [order]))
        let body = try JSONValue(Array(try #require(report.signedRequests.first).body.utf8))
        return try CompactJWS(Array(try #require(body["signedPayload"]?.text).utf8))
    }

    private func leaf(of jws: CompactJWS) throws -> Certificate {
        guard case .array(let x5c)? = try JSONValue(try jws.header)["x5c"] else {
            throw JSONValueMissing()
        }
        let chain = x5c.compactMap { Base64.decode(Array(($0.text ?? "").utf8)) }
        let root = try Certificate(der: driver.simulator.rootCertificate)
        return try TrustAnchors(roots: [root])
            .verify(x5c: chain, at: SampleApp.nowMilliseconds / 1000)
    }

    private struct JSONValueMissing: Error {}

    private func isGenuine(_ jws: CompactJWS) throws -> Bool {
        jws.isSigned(by: try #require(leaf(of: jws).publicKey))
    }

    @Test func aGenuineRequestVerifies() throws {
        defer { driver.stop() }
        #expect(try isGenuine(try make(.genuine)))
    }

    @Test func datesAppsAndEnvironmentsAreWrongUnderAGoodSignature() throws {
        defer { driver.stop() }
        func value(_ mutation: SignedRequest.Mutation, _ field: String) throws -> JSONValue? {
            let jws = try make(mutation)
            #expect(try isGenuine(jws))
            return try JSONValue(jws.payload)[field]
        }
        let now = SampleApp.nowMilliseconds
        #expect(try value(.stale, "signedDate")?.integer == now - 3_600_000)
        #expect(try value(.future, "signedDate")?.integer == now + 3_600_000)
        #expect(try value(.wrongApp, "appAppleId")?.integer != SampleApp.appAppleId)
        #expect(try value(.wrongEnvironment, "environment")?.text == "Sandbox")
        #expect(try value(.xcode, "environment")?.text == "Xcode")
        #expect(try value(.localTesting, "environment")?.text == "LocalTesting")
        #expect(try value(.transaction, "requestIdentifier") == nil)
        #expect(try value(.transaction, "transactionId")?.text == SampleApp.subscriber)
    }

    @Test func aFieldIsLeftOutOrReplaced() throws {
        defer { driver.stop() }
        let without = try JSONValue(try make(.missingField, field: "signedDate").payload)
        #expect(without["signedDate"] == nil)
        #expect(without["productId"]?.text == SampleApp.monthly)
        let replaced = try JSONValue(
            try make(.replacedField, field: "environment", text: "production").payload)
        #expect(replaced["environment"]?.text == "production")
    }

    @Test func forgedSignaturesDoNotVerifyThoughTheChainDoes() throws {
        defer { driver.stop() }
        #expect(try isGenuine(try make(.forgedSignature)) == false)
        #expect(try isGenuine(try make(.otherPayload)) == false)
    }

    @Test(arguments: [
        SignedRequest.Mutation.otherChain, .oneCertificateChain, .leafMarkerMissing,
        .intermediateMarkerMissing,
    ])
    func anotherChainIsNotTrusted(_ mutation: SignedRequest.Mutation) throws {
        defer { driver.stop() }
        let jws = try make(mutation)
        #expect(throws: ChainError.self) { try leaf(of: jws) }
    }

    @Test func anOrderThatLacksItsFieldIsRefused() throws {
        defer { driver.stop() }
        let body = """
            {"signedRequests":[{"appAppleId":1,"environment":"Sandbox","originalTransactionId":"1",\
            "productId":"p","userLocale":"ja","mutation":"missingField"}]}
            """
        let (status, error) = try driver.refusal("POST", "/signed-requests", body)
        #expect(status == 400)
        #expect(error.code == .unknownMutation)
    }
}
