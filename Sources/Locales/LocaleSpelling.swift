/// How Apple writes a locale: `pt-BR`, `zh-Hant`.
package enum LocaleSpelling {
    /// Language in small letters, script with one capital, region in capitals, `-` between them.
    /// `nil` for what is no language tag.
    package static func canonical(_ userLocale: String) -> String? {
        guard let tag = LocaleTag(userLocale) else { return nil }
        let subtags = tag.text.split(separator: "-")
        return subtags.enumerated().map { place, subtag in
            switch (place, subtag.utf8.count) {
            case (0, _): subtag.lowercased()
            case (_, 4): subtag.prefix(1).uppercased() + subtag.dropFirst().lowercased()
            case (_, 2), (_, 3): subtag.uppercased()
            default: String(subtag)
            }
        }.joined(separator: "-")
    }

    /// The locale as it came and as Apple writes it, where they differ; none for what is no
    /// language tag.
    package static func all(_ userLocale: String) -> [String] {
        guard let canonical = canonical(userLocale) else { return [] }
        if canonical.utf8.elementsEqual(userLocale.utf8) { return [userLocale] }
        return [userLocale, canonical]
    }
}
