/// A language code whose readers are served by another code. The whole list is here, because each
/// entry is a promise about people, not about spelling.
///
/// Regions need no entries: within one language and script ICU orders them by CLDR's data
/// (es-419 and es-AR before es-MX, pt-AO before pt-PT, en-IN before en-GB), and the script of
/// zh-HK, zh-MO and zh-TW follows from likely subtags. Tests hold those answers.
struct LanguageAlias: Sendable {
    let code: String
    let language: String
    let reason: String
    /// Whether `language`, where a rule names it, means readers of `code` too.
    var isCovered = true

    static let all = [
        LanguageAlias(
            code: "cmn", language: "zh",
            reason: "Mandarin by its own code; CLDR and Apple write zh"),
        LanguageAlias(
            code: "in", language: "id",
            reason: "Indonesian before 1989; older Java and Android still say it"),
        LanguageAlias(
            code: "iw", language: "he",
            reason: "Hebrew before 1989; older Java and Android still say it"),
        LanguageAlias(
            code: "mo", language: "ro",
            reason: "Moldavian was merged into Romanian in 2008"),
        LanguageAlias(
            code: "nb", language: "no",
            reason: "Bokmål is what Apple's `no` is written in"),
        LanguageAlias(
            code: "nn", language: "no",
            reason: "readers of Nynorsk read Bokmål from school on; ICU holds the two apart"),
        LanguageAlias(
            code: "tl", language: "fil",
            reason: "Filipino is standardised Tagalog; CLDR writes fil"),
        LanguageAlias(
            code: "yue", language: "zh",
            reason: "written Cantonese readers read written Chinese of their script",
            isCovered: false),
    ]
}
