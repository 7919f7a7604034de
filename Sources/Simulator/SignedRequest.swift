import FoundationEssentials
import Signing

/// A signed request made on order, right or wrong in one respect, for tests of whoever receives it.
package enum SignedRequest {
    package enum Mutation: String, Codable, Sendable, CaseIterable {
        case genuine
        /// `signedDate` an hour (or `offsetMilliseconds`) ago, or ahead.
        case stale, future
        case wrongApp, wrongEnvironment
        /// The environments that must never be believed, under an otherwise good chain.
        case xcode, localTesting
        /// Without `field`; with `text` in its place.
        case missingField, replacedField
        /// A transaction in place of a request.
        case transaction
        /// One bit of the signature is another; the signature is of another payload.
        case forgedSignature, otherPayload
        /// A chain of the same shape under another root.
        case otherChain
        /// The chain is self-signed and has one certificate, as Xcode's.
        case oneCertificateChain
        /// Leaf or intermediate lack Apple's marker extension.
        case leafMarkerMissing, intermediateMarkerMissing
    }

    package struct Order: Codable, Sendable, Equatable {
        package var appAppleId: Int64
        package var environment: Environment
        package var originalTransactionId: String
        package var productId: String
        package var userLocale: String
        package var mutation: Mutation
        package var field: String?
        package var text: String?
        package var offsetMilliseconds: Int64?

        package init(
            appAppleId: Int64, environment: Environment, originalTransactionId: String,
            productId: String, userLocale: String, mutation: Mutation, field: String? = nil,
            text: String? = nil, offsetMilliseconds: Int64? = nil
        ) {
            self.appAppleId = appAppleId
            self.environment = environment
            self.originalTransactionId = originalTransactionId
            self.productId = productId
            self.userLocale = userLocale
            self.mutation = mutation
            self.field = field
            self.text = text
            self.offsetMilliseconds = offsetMilliseconds
        }
    }

    package struct Product: Codable, Sendable, Equatable {
        package var mutation: Mutation
        package var requestIdentifier: String
        /// The whole body to post, `{"signedPayload":"…"}`.
        package var body: String
    }
}

/// Makes what `SignedRequest.Order` asks for.
struct SignedRequestMaker: Sendable {
    private static let offsetMilliseconds: Int64 = 3_600_000
    private static let offsetMillisecondsLimit: Int64 = 400 * 86_400_000

    var signer: RequestSigner
    var nowMilliseconds: Int64

    func make(_ order: SignedRequest.Order) throws(ControlError) -> SignedRequest.Product {
        let request = try request(for: order)
        do {
            let payload = try payload(request, order)
            let signedPayload = try signed(payload, order.mutation)
            let body = RequestSigner.body(signedPayload: signedPayload)
            return .init(
                mutation: order.mutation, requestIdentifier: request.requestIdentifier,
                body: String(decoding: body, as: UTF8.self))
        } catch let error as ControlError {
            throw error
        } catch {
            throw ControlError(.signingFailed, "Signing failed: \(error)")
        }
    }

    private func request(for order: SignedRequest.Order) throws(ControlError) -> RealtimeRequest {
        let offset = order.offsetMilliseconds ?? SignedRequestMaker.offsetMilliseconds
        guard (0...SignedRequestMaker.offsetMillisecondsLimit).contains(offset) else {
            throw ControlError(.unknownMutation, "offsetMilliseconds is 0 to 400 days.")
        }
        var request = RealtimeRequest(
            originalTransactionId: order.originalTransactionId, appAppleId: order.appAppleId,
            productId: order.productId, userLocale: order.userLocale,
            requestIdentifier: UUID().lowerCase, environment: order.environment,
            signedDate: nowMilliseconds)
        switch order.mutation {
        case .stale: request.signedDate -= offset
        case .future: request.signedDate += offset
        case .wrongApp: request.appAppleId = order.appAppleId == 1 ? 2 : order.appAppleId &- 1
        case .wrongEnvironment: request.environment = order.environment.other
        default: break
        }
        return request
    }

    private func payload(
        _ request: RealtimeRequest, _ order: SignedRequest.Order
    ) throws(ControlError) -> JSONValue {
        switch order.mutation {
        case .xcode: request.json.replacing("environment", .string("Xcode"))
        case .localTesting: request.json.replacing("environment", .string("LocalTesting"))
        case .missingField: request.json.replacing(try field(of: order), nil)
        case .replacedField: request.json.replacing(try field(of: order), try text(of: order))
        case .transaction: transaction(like: request)
        default: request.json
        }
    }

    private func field(of order: SignedRequest.Order) throws(ControlError) -> String {
        guard let field = order.field, field.utf8.count <= 64 else {
            throw ControlError(.unknownMutation, "\(order.mutation.rawValue) needs field.")
        }
        return field
    }

    private func text(of order: SignedRequest.Order) throws(ControlError) -> JSONValue {
        guard let text = order.text else {
            throw ControlError(.unknownMutation, "\(order.mutation.rawValue) needs text.")
        }
        return .string(text)
    }

    private func transaction(like request: RealtimeRequest) -> JSONValue {
        .object([
            .init(name: "transactionId", value: .string(request.originalTransactionId)),
            .init(
                name: "originalTransactionId", value: .string(request.originalTransactionId)),
            .init(name: "productId", value: .string(request.productId)),
            .init(name: "type", value: .string("Auto-Renewable Subscription")),
            .init(name: "purchaseDate", value: .whole(request.signedDate)),
            .init(name: "inAppOwnershipType", value: .string("PURCHASED")),
            .init(name: "environment", value: .string(request.environment.rawValue)),
            .init(name: "signedDate", value: .whole(request.signedDate)),
        ])
    }

    private func signed(
        _ payload: JSONValue, _ mutation: SignedRequest.Mutation
    ) throws -> String {
        var flaws = CertificateAuthority.Flaws()
        switch mutation {
        case .forgedSignature:
            return try forged(try signer.chain.sign(payload.bytes)) { $0[0] ^= 1 }
        case .otherPayload:
            let other = payload.replacing("requestIdentifier", .string(UUID().lowerCase))
            let compact = try signer.chain.sign(payload.bytes).split(separator: ".")
            let foreign = try signer.chain.sign(other.bytes).split(separator: ".")
            return "\(compact[0]).\(compact[1]).\(foreign[2])"
        case .otherChain: return try sign(payload, flaws)
        case .leafMarkerMissing:
            flaws.leafMarker = false
            return try sign(payload, flaws)
        case .intermediateMarkerMissing:
            flaws.intermediateMarker = false
            return try sign(payload, flaws)
        case .oneCertificateChain:
            let validity = RequestSigner.leafValidity(nowMilliseconds / 1000)
            return try CertificateAuthority.xcodeLike(name: "Xcode", validity: validity)
                .sign(payload.bytes)
        default: return try signer.chain.sign(payload.bytes)
        }
    }

    private func sign(_ payload: JSONValue, _ flaws: CertificateAuthority.Flaws) throws -> String {
        try CertificateAuthority.appleLike(
            name: "Holdfast Simulator",
            leafValidity: RequestSigner.leafValidity(nowMilliseconds / 1000), flaws: flaws
        ).sign(payload.bytes)
    }

    private func forged(
        _ compact: String, _ change: (inout [UInt8]) -> Void
    ) throws -> String {
        var signature = try CompactJWS(Array(compact.utf8)).signature
        change(&signature)
        let signed = compact.split(separator: ".").prefix(2).joined(separator: ".")
        return "\(signed).\(Base64URL.encode(signature))"
    }
}

extension JSONValue {
    /// The object with another value for one member, or without it.
    fileprivate func replacing(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.compactMap { member in
                guard sameBytes(member.name, name) else { return member }
                return value.map { JSONValue.Member(name: name, value: $0) }
            })
    }
}
