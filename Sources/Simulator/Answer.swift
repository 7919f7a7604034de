package import FoundationEssentials

/// The body of a 200 answer, read as strictly as Apple's schema allows
/// (`retentionmessaging/realtimeresponsebody`): one JSON object with exactly one of four keys, no
/// further ones at any level, no nulls.
package enum Answer: Sendable, Equatable {
    case message(UUID)
    case alternateProduct(UUID, productId: String, billingPlanType: String?)
    case promotionalOffer(UUID, OfferProof)
    case advancedCommerceInfo

    package enum OfferProof: Sendable, Equatable {
        /// `promotionalOfferSignatureV2`: a compact JWS.
        case version2(String)
        /// `promotionalOfferSignatureV1`: an object with a DER signature.
        case version1(LegacyOfferSignature)
    }

    package init(_ body: [UInt8]) throws(RuleBreach) {
        let value: JSONValue
        do {
            value = try JSONValue(body)
        } catch {
            throw RuleBreach(
                error.code == .notUTF8 ? .charset : .notJSON,
                "The body is not one unambiguous JSON text: \(error.message)")
        }
        guard case .object(let members) = value else {
            throw RuleBreach(.notAnObject, "The body is JSON, but not an object.")
        }
        try Answer.checkNames(of: members)
        guard members.count == 1, let only = members.first else {
            throw RuleBreach(
                .notExactlyOneKind,
                "Name exactly one of message, alternateProduct, promotionalOffer and "
                    + "advancedCommerceInfo; there are \(members.count).")
        }
        self = try Answer.kind(only)
    }

    private static func checkNames(of members: [JSONValue.Member]) throws(RuleBreach) {
        let known = ["message", "alternateProduct", "promotionalOffer", "advancedCommerceInfo"]
        for member in members {
            guard known.contains(where: { sameBytes($0, member.name) }) else {
                throw RuleBreach(.unknownField, "The answer has a key that Apple does not know.")
            }
            guard !member.value.isNull else {
                throw RuleBreach(.nullValue, "\(member.name) is null; leave it out instead.")
            }
        }
    }

    private static func kind(_ member: JSONValue.Member) throws(RuleBreach) -> Answer {
        switch member.name {
        case "message":
            let fields = try Fields(member, ["messageIdentifier"])
            return .message(try fields.identifier("messageIdentifier"))
        case "alternateProduct":
            let fields = try Fields(member, ["messageIdentifier", "productId", "billingPlanType"])
            return .alternateProduct(
                try fields.identifier("messageIdentifier"),
                productId: try fields.text("productId"),
                billingPlanType: try fields.optionalText("billingPlanType"))
        case "promotionalOffer":
            let names = [
                "messageIdentifier", "promotionalOfferSignatureV1", "promotionalOfferSignatureV2",
            ]
            let fields = try Fields(member, names)
            return .promotionalOffer(try fields.identifier("messageIdentifier"), try fields.proof())
        default:
            return .advancedCommerceInfo
        }
    }
}

/// The members of the one object that an answer holds.
private struct Fields {
    private let kind: String
    private let value: JSONValue

    init(_ member: JSONValue.Member, _ known: [String]) throws(RuleBreach) {
        kind = member.name
        value = member.value
        guard case .object(let members) = member.value else {
            throw RuleBreach(.wrongType, "\(member.name) is an object.")
        }
        for inner in members {
            guard known.contains(where: { sameBytes($0, inner.name) }) else {
                throw RuleBreach(.unknownField, "\(kind) has a field that Apple does not know.")
            }
            guard !inner.value.isNull else {
                throw RuleBreach(.nullValue, "\(kind).\(inner.name) is null; leave it out instead.")
            }
        }
    }

    func text(_ name: String) throws(RuleBreach) -> String {
        guard let text = try optionalText(name) else {
            throw RuleBreach(.missingField, "\(kind).\(name) is required.")
        }
        return text
    }

    func optionalText(_ name: String) throws(RuleBreach) -> String? {
        guard let member = value[name] else { return nil }
        guard let text = member.text else {
            throw RuleBreach(.wrongType, "\(kind).\(name) is a string.")
        }
        return text
    }

    func identifier(_ name: String) throws(RuleBreach) -> UUID {
        guard let identifier = uuid(try text(name)) else {
            throw RuleBreach(.wrongType, "\(kind).\(name) is a UUID of 36 characters.")
        }
        return identifier
    }

    func wholeNumber(_ name: String) throws(RuleBreach) -> Int64 {
        guard let member = value[name] else {
            throw RuleBreach(.missingField, "\(kind).\(name) is required.")
        }
        guard let number = member.integer else {
            throw RuleBreach(.wrongType, "\(kind).\(name) is a whole number.")
        }
        return number
    }

    private func member(_ name: String) -> JSONValue.Member? {
        value[name].map { JSONValue.Member(name: name, value: $0) }
    }

    private static func legacySignature(
        _ member: JSONValue.Member
    ) throws(RuleBreach) -> LegacyOfferSignature {
        let names = [
            "encodedSignature", "productId", "nonce", "timestamp", "keyId", "offerIdentifier",
            "appAccountToken",
        ]
        let fields = try Fields(member, names)
        return LegacyOfferSignature(
            encodedSignature: try fields.text("encodedSignature"),
            productId: try fields.text("productId"), nonce: try fields.text("nonce"),
            timestamp: try fields.wholeNumber("timestamp"), keyId: try fields.text("keyId"),
            offerIdentifier: try fields.text("offerIdentifier"),
            appAccountToken: try fields.optionalText("appAccountToken"))
    }

    func proof() throws(RuleBreach) -> Answer.OfferProof {
        let first = member("promotionalOfferSignatureV1")
        let second = try optionalText("promotionalOfferSignatureV2")
        switch (first, second) {
        case (nil, let compact?): return .version2(compact)
        case (let object?, nil): return .version1(try Fields.legacySignature(object))
        case (nil, nil):
            throw RuleBreach(.missingField, "\(kind) needs promotionalOfferSignatureV2.")
        case (_?, _?):
            throw RuleBreach(.signatureVersion, "Send V1 or V2 of the signature, never both.")
        }
    }
}
