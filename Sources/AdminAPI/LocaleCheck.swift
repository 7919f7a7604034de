internal import Locales

/// Whether a text is one of Apple's locales, letter by letter. What is meant is named, never taken
/// in its stead: the caller would read back something else than it sent, and Apple compares
/// exactly.
enum LocaleCheck {
    /// How many near locales a refusal names.
    private static let suggestionsLimit = 5
    private static let matcher = LocaleMatcher(supported: AppleLocales.all)

    /// `nil` where `text` is Apple's spelling of a locale.
    static func problem(with text: String, at place: FieldProblem.Place) -> FieldProblem? {
        if AppleLocales.all.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return nil }
        if let meant = AppleLocales.canonical(text) {
            return FieldProblem(place, .nearMiss, "Apple spells this locale \(meant); write that.")
        }
        let near = matcher.chain(for: text).prefix(suggestionsLimit)
        guard near.isEmpty else {
            return FieldProblem(
                place, .unknownValue,
                "This is none of Apple's locales; near ones are: \(list(near)).")
        }
        return FieldProblem(
            place, .unknownValue,
            "This is none of Apple's locales; they are: \(list(AppleLocales.all)).")
    }

    private static func list(_ locales: some Sequence<String>) -> String {
        locales.joined(separator: ", ")
    }
}

extension BodyReader {
    /// One of Apple's locales.
    ///
    /// - Parameter kept: what is stored already; it stays as it is, also where this release does
    ///   not know it.
    mutating func locale(_ name: String, kept: String? = nil) -> String {
        let lengthLimit = 35
        let text = text(name, 1...lengthLimit)
        if text.isEmpty || kept.map({ $0.utf8.elementsEqual(text.utf8) }) ?? false { return text }
        if let problem = LocaleCheck.problem(with: text, at: .pointer(path(name))) { note(problem) }
        return text
    }
}
