/// The locale shortcodes that Apple's Retention Messaging API takes.
///
/// Data, not an enum: Apple adds to the list (eleven came in 2026), and a locale stored by a newer
/// release must not break an older one. The API compares them case-sensitively.
/// Source: developer.apple.com/documentation/retentionmessaging/locale
package enum AppleLocales {
    package static let all = [
        "ar-SA", "bn-BD", "ca", "cs", "da", "de-DE", "el", "en-AU", "en-CA", "en-GB", "en-US",
        "es-ES", "es-MX", "fi", "fr-CA", "fr-FR", "gu-IN", "he", "hi", "hr", "hu", "id", "it",
        "ja", "kn-IN", "ko", "ml-IN", "mr-IN", "ms", "nl-NL", "no", "or-IN", "pa-IN", "pl",
        "pt-BR", "pt-PT", "ro", "ru", "sk", "sl-SI", "sv", "ta-IN", "te-IN", "th", "tr", "uk",
        "ur-PK", "vi", "zh-Hans", "zh-Hant",
    ]

    private static let spellings = Dictionary(
        uniqueKeysWithValues: all.map { (folded($0.utf8), $0) })

    /// Longer than any shortcode with some blanks around it.
    private static let inputBytesLimit = 32

    /// Apple's spelling of a shortcode written with other case, `_` for `-`, or blanks around it:
    /// "pt_br " is "pt-BR". Nil for everything else; a near locale is not a spelling
    /// ("ar" is not "ar-SA": ask `LocaleMatcher` for what to suggest).
    package static func canonical(_ text: String) -> String? {
        guard text.utf8.count <= inputBytesLimit else { return nil }
        let blank = UInt8(ascii: " ")
        let trimmed = text.utf8.drop { $0 == blank }.reversed().drop { $0 == blank }.reversed()
        return spellings[folded(trimmed)]
    }

    private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case UInt8(ascii: "_"): UInt8(ascii: "-")
            default: byte
            }
        }
    }
}
