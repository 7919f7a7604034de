/// A locale as far as reading is concerned: likely subtags filled in, variants and extensions gone.
struct LanguageParts: Sendable, Hashable {
    var language: String
    var script: String
    var region: String

    /// "language-Script-REGION", absent parts left out.
    var tag: String {
        [language, script, region].filter { !$0.isEmpty }.joined(separator: "-")
    }

    /// Whether a reader of one can read the other, whatever the regions.
    func isReadable(as other: LanguageParts) -> Bool {
        language == other.language && script == other.script
    }

    /// Nil for anything that is not a language tag.
    init?(_ tag: LocaleTag) {
        guard let parts = ICU.maximize(tag.text) else { return nil }
        guard let alias = LanguageAlias.all.first(where: { $0.code == parts.language }) else {
            self = parts
            return
        }
        // Maximised again: a code that ICU does not know has no script before it is replaced.
        var renamed = parts
        renamed.language = alias.language
        self = ICU.maximize(renamed.tag) ?? renamed
    }

    init(language: String, script: String, region: String) {
        self.language = language
        self.script = script
        self.region = region
    }
}
