/// The codes that a rule may use for the language of a reader.
package enum LanguageCodes {
    /// The language's own code, in lower case, and the one that covers it: `nb` is also `no`, `iw`
    /// also `he`. Empty for what is no language tag.
    package static func of(_ userLocale: String) -> [String] {
        guard let tag = LocaleTag(userLocale) else { return [] }
        let subtag = tag.text.utf8.prefix { $0 != UInt8(ascii: "-") }
        let code = String(decoding: subtag.map { $0 | 0x20 }, as: UTF8.self)
        let alias = LanguageAlias.all.first { $0.code == code && $0.isCovered }
        return [code] + (alias.map { [$0.language] } ?? [])
    }
}
