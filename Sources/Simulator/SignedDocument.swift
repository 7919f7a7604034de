import Signing

/// A JSON text and the App Store's signature over it. The compact JWS is put together when it is
/// needed: its header, three certificates, is the same for all and most of its bytes.
struct SignedDocument: Sendable {
    let payload: [UInt8]
    let signature: [UInt8]
}

/// A notification as it is kept: what its payload says itself, and the documents inside it.
struct SignedNotification: Sendable {
    /// The payload without its inner documents. Its last member is the object that holds them.
    let outline: [UInt8]
    let inner: [Inner]
    let signature: [UInt8]

    struct Inner: Sendable {
        var name: String
        var document: SignedDocument
    }
}

/// Signs documents with the simulator's chain.
struct DocumentSigner: Sendable {
    private let chain: IssuedChain
    private let encodedHeader: [UInt8]

    init(_ chain: IssuedChain) {
        self.chain = chain
        encodedHeader = Base64URL.encodedBytes(chain.jwsHeader)
    }

    func sign(_ document: JSONValue) throws(SigningError) -> SignedDocument {
        let payload = document.bytes
        return SignedDocument(payload: payload, signature: try signature(over: payload))
    }

    /// - Parameter outline: an object whose last member is an object, where `inner` is added.
    func sign(
        _ outline: JSONValue, with inner: [SignedNotification.Inner]
    ) throws(SigningError) -> SignedNotification {
        let bytes = outline.bytes
        let payload = payload(bytes, inner)
        return SignedNotification(
            outline: bytes, inner: inner, signature: try signature(over: payload))
    }

    func compact(_ document: SignedDocument) -> String {
        String(decoding: compact(document.payload, document.signature), as: UTF8.self)
    }

    /// The `signedPayload` that Apple posts; the same text each time.
    func compact(_ notification: SignedNotification) -> String {
        let payload = payload(notification.outline, notification.inner)
        return String(decoding: compact(payload, notification.signature), as: UTF8.self)
    }

    private func payload(_ outline: [UInt8], _ inner: [SignedNotification.Inner]) -> [UInt8] {
        guard !inner.isEmpty else { return outline }
        var payload = Array(outline.dropLast(2))
        var isFirst = payload.last == UInt8(ascii: "{")
        for entry in inner {
            payload += Array("\(isFirst ? "" : ",")\"\(entry.name)\":\"".utf8)
            payload += compact(entry.document.payload, entry.document.signature)
            payload.append(UInt8(ascii: "\""))
            isFirst = false
        }
        return payload + Array("}}".utf8)
    }

    private func compact(_ payload: [UInt8], _ signature: [UInt8]) -> [UInt8] {
        signingInput(payload) + [UInt8(ascii: ".")] + Base64URL.encodedBytes(signature)
    }

    private func signingInput(_ payload: [UInt8]) -> [UInt8] {
        encodedHeader + [UInt8(ascii: ".")] + Base64URL.encodedBytes(payload)
    }

    private func signature(over payload: [UInt8]) throws(SigningError) -> [UInt8] {
        try chain.leafKey.sign(signingInput(payload))
    }
}

/// The members of a JSON object, added where they have a value.
struct DocumentMembers: Sendable {
    private var members: [JSONValue.Member] = []

    var object: JSONValue { .object(members) }

    mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { members.append(.init(name: name, value: value)) }
    }

    mutating func add(_ name: String, text: String?) {
        add(name, text.map { JSONValue.string($0) })
    }

    mutating func add(_ name: String, whole: Int64?) {
        add(name, whole.map { JSONValue.whole($0) })
    }

    mutating func add(_ name: String, flag: Bool?) {
        add(name, flag.map { JSONValue.bool($0) })
    }
}
