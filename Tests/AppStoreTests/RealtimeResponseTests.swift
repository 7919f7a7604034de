import AppStore
import Foundation
import Testing

@Suite struct RealtimeResponseTests {
    static let id = UUID(uuidString: "3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9") ?? UUID()

    static func text(_ response: RealtimeResponse) -> String {
        String(decoding: response.json(), as: UTF8.self)
    }

    @Test func `each kind is one key with exactly its members`() {
        let id = "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9"
        #expect(
            Self.text(.message(id: Self.id)) == #"{"message":{"messageIdentifier":"\#(id)"}}"#)
        #expect(
            Self.text(.alternateProduct(id: Self.id, productId: "p.year", billingPlanType: nil))
                == #"{"alternateProduct":{"messageIdentifier":"\#(id)","productId":"p.year"}}"#)
        let monthly = RealtimeResponse.alternateProduct(
            id: Self.id, productId: "p", billingPlanType: "MONTHLY")
        #expect(
            Self.text(monthly)
                == #"{"alternateProduct":{"messageIdentifier":"\#(id)","productId":"p","#
                + #""billingPlanType":"MONTHLY"}}"#)
        #expect(
            Self.text(.promotionalOffer(id: Self.id, signatureV2: "a.b.c"))
                == #"{"promotionalOffer":{"messageIdentifier":"\#(id)","#
                + #""promotionalOfferSignatureV2":"a.b.c"}}"#)
    }

    @Test func `every text survives the way through JSON`() throws {
        let text = "a\"b\\c/d\u{0}\u{1F}\n\t\u{7F}é\u{2028}😀"
        let response = RealtimeResponse.alternateProduct(
            id: Self.id, productId: text, billingPlanType: "NEW \"PLAN\"")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(response.json())) as? [String: Any])
        let inner = try #require(object["alternateProduct"] as? [String: String])
        #expect(Array((inner["productId"] ?? "").utf8) == Array(text.utf8))
        #expect(inner["billingPlanType"] == "NEW \"PLAN\"")
        #expect(Set(inner.keys) == ["messageIdentifier", "productId", "billingPlanType"])
    }
}
