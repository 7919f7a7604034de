package import FoundationEssentials
internal import Retention

/// Our answer to a real-time request: exactly one of the kinds Apple knows.
/// Apple's page: retentionmessaging/realtimeresponsebody.
package enum RealtimeResponse: Sendable, Equatable {
    case message(id: UUID)
    /// A switch to another product of the same subscription group. `billingPlanType` is an open
    /// set of Apple's, handed on as it is: `MONTHLY` (a commitment of twelve months) and
    /// `BILLED_UPFRONT` are the values of Apple's own library.
    case alternateProduct(id: UUID, productId: String, billingPlanType: String?)
    /// `signatureV2` is a compact JWS of `OfferSigner`.
    case promotionalOffer(id: UUID, signatureV2: String)
    /// The same with a signature of the first version; Apple takes one of the two.
    case promotionalOfferV1(id: UUID, signature: OfferSignatureV1)

    /// The body: one key at the top, UUIDs in lower case, absent values left out and never null.
    package func json() -> [UInt8] {
        var inner = JSONText()
        switch self {
        case .message(let id):
            inner.add("messageIdentifier", id.lowerCaseText)
        case .alternateProduct(let id, let productId, let billingPlanType):
            inner.add("messageIdentifier", id.lowerCaseText)
            inner.add("productId", productId)
            if let billingPlanType { inner.add("billingPlanType", billingPlanType) }
        case .promotionalOffer(let id, let signatureV2):
            inner.add("messageIdentifier", id.lowerCaseText)
            inner.add("promotionalOfferSignatureV2", signatureV2)
        case .promotionalOfferV1(let id, let signature):
            inner.add("messageIdentifier", id.lowerCaseText)
            inner.add("promotionalOfferSignatureV1", signature.json)
        }
        var body = JSONText()
        body.add(key, inner)
        return body.closed()
    }

    private var key: String {
        switch self {
        case .message: "message"
        case .alternateProduct: "alternateProduct"
        case .promotionalOffer, .promotionalOfferV1: "promotionalOffer"
        }
    }
}

extension UUID {
    /// Apple demands lower case in places and takes it everywhere; `uuidString` is upper case.
    /// Written digit by digit: to make the other text first costs more than the rest of an answer.
    var lowerCaseText: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, octet) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                text.append(UInt8(ascii: "-"))
            }
            text.append(Hexadecimal.digit(octet >> 4))
            text.append(Hexadecimal.digit(octet & 0xF))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
