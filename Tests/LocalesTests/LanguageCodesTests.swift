import Locales
import Testing

/// Under which codes a rule meets a reader.
@Suite struct LanguageCodesTests {
    @Test(arguments: [
        ("zh", ["zh"]), ("zh-Hant-TW", ["zh"]), ("zh_TW", ["zh"]), ("ZH-hant", ["zh"]),
        ("zho", ["zho"]), ("yue-HK", ["yue"]), ("cmn-Hans-CN", ["cmn", "zh"]),
        ("no", ["no"]), ("nb-NO", ["nb", "no"]), ("nn_NO", ["nn", "no"]), ("NB", ["nb", "no"]),
        ("he-IL", ["he"]), ("iw_IL", ["iw", "he"]), ("id-ID", ["id"]), ("in-ID", ["in", "id"]),
        ("mo", ["mo", "ro"]), ("tl-PH", ["tl", "fil"]), ("ja-JP", ["ja"]), ("uk-UA", ["uk"]),
    ])
    func `a language has its own code and the one that covers it`(
        locale: String, codes: [String]
    ) {
        #expect(LanguageCodes.of(locale) == codes)
    }

    @Test(arguments: ["", "-zh", "zh-", "C", "zh\u{301}", "中文", "z", "english", "../zh"])
    func `what is no language tag has no code`(locale: String) {
        #expect(LanguageCodes.of(locale) == [])
    }

    /// A rule written in Apple's codes reaches the readers of each of Apple's locales.
    @Test func `each of Apple's locales is met under its own language`() {
        for locale in AppleLocales.all {
            #expect(LanguageCodes.of(locale).first == locale.prefix { $0 != "-" }.lowercased())
        }
    }
}
