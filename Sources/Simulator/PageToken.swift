import Signing

/// Where a reader of pages stands. It holds for the same question alone.
struct PageToken: Sendable {
    /// Where the next page begins, or after which change.
    var position: Int64
    /// Milliseconds since 1970.
    var issued: Int64

    private static func seal(_ text: String, _ question: String) -> String {
        let digest = SHA256.digest(Array("\(text)|\(question)".utf8))
        return HexadecimalText.of(digest.prefix(8))
    }

    func text(for question: String) -> String {
        let plain = "\(position).\(issued)"
        return Base64URL.encode(Array("\(plain).\(PageToken.seal(plain, question))".utf8))
    }

    init(position: Int64, issued: Int64) {
        self.position = position
        self.issued = issued
    }

    /// Nil where the text is no token, or one for another question.
    init?(_ text: String, for question: String) {
        guard let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".")
        guard parts.count == 3, let position = Int64(parts[0]), let issued = Int64(parts[1]),
            position >= 0, issued >= 0,
            sameBytes(String(parts[2]), PageToken.seal("\(position).\(issued)", question))
        else { return nil }
        self.init(position: position, issued: issued)
    }
}
