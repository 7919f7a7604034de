/// Takes passwords out of connection strings before they are shown.
///
/// Secrets belong in files, but a URL given by someone in a hurry may hold one all the same:
/// `postgresql://user:PASSWORD@host/…`, `…?password=PASSWORD`, `host=… password='PASS WORD'`.
enum PasswordMask {
    private static let mask = "***"
    private static let names = ["password=", "passwd=", "secret=", "token="]

    static func masked(_ text: String) -> String {
        maskedPairs(maskedAuthority(text))
    }

    /// Up to the last "@" of the authority: passwords may hold one.
    private static func maskedAuthority(_ text: String) -> String {
        guard let scheme = range(of: "://", in: text[...]) else { return text }
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        // A raw "/" in a password ends the authority early; then all up to the last "@" goes.
        guard let at = rest[..<end].lastIndex(of: "@") ?? rest.lastIndex(of: "@"),
            let colon = rest[..<at].firstIndex(of: ":")
        else { return text }
        return text[...colon] + mask + text[at...]
    }

    private static func maskedPairs(_ text: String) -> String {
        var masked = text
        for name in names {
            var from = masked.startIndex
            while let found = range(of: name, in: masked[from...]) {
                let end = endOfValue(in: masked[found.upperBound...])
                let shown = masked[..<found.upperBound] + mask
                let resume = shown.utf8.count
                masked = String(shown) + masked[end...]
                from = masked.utf8.index(masked.startIndex, offsetBy: resume)
            }
        }
        return masked
    }

    /// A quoted value ends with its quote, any other with a blank or "&".
    private static func endOfValue(in rest: Substring) -> String.Index {
        guard rest.first == "'" else {
            return rest.firstIndex { $0 == " " || $0 == "&" } ?? rest.endIndex
        }
        var isEscaped = false
        for place in rest.indices.dropFirst() {
            if rest[place] == "'" && !isEscaped { return rest.index(after: place) }
            isEscaped = rest[place] == "\\" && !isEscaped
        }
        return rest.endIndex
    }

    private static func range(of name: String, in text: Substring) -> Range<String.Index>? {
        text.indices.lazy
            .filter { text[$0...].prefix(name.count).lowercased() == name }
            .first
            .map { $0..<text.index($0, offsetBy: name.count) }
    }
}
