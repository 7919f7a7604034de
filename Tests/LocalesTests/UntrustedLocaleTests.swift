// `userLocale` comes from a wire: whatever it holds, the matcher answers, and only what it should.

import Dispatch
import Locales
import TestSupport
import Testing

@Suite struct `Nonsense in place of a locale` {
    static let nonsense = [
        "", "C", "root", "POSIX", "xx-YY", "qq-QQ", "und", "und-JP", "mul", "zxx", "../../x", "-",
        "_", "--", "en-", "-en", "en--US", "en-US-", "e", "1n", "en US", " en", "en\n", "en\0US",
        "\0", "\u{0}en", "en-US\r\nX: y", "日本語", "ｅｎ", "zh-H\u{212A}", "\u{212A}o-KR", "é",
        "e\u{301}n", "🇬🇧", "i-klingon",
        "x-private", "en-a-b-c-u-xx", "en-US@currency=EUR", "en_US.UTF-8", "%s%n", "'; drop--",
        "en-" + String(repeating: "a", count: 62), String(repeating: "en-US-", count: 1_700),
        String(repeating: "e", count: 10_240), String(repeating: "\0", count: 10_240),
    ]

    @Test(arguments: nonsense)
    func `has no chain`(text: String) {
        #expect(LocaleMatcher(supported: AppleLocales.all).chain(for: text) == [])
        #expect(LocaleMatcher(supported: []).chain(for: text) == [])
    }

    /// Asked twice: what is remembered must not be another's.
    @Test func `is no reader, and nobody is taken for another`() {
        let matcher = LocaleMatcher(supported: AppleLocales.all)
        let asked = Self.nonsense + AppleLocales.all + ["EN-us", "iw", "nb-NO", "no", "zh_HK"]
        for userLocale in asked + asked.reversed() {
            let reader = matcher.reader(of: userLocale)
            #expect(reader.spellings == LocaleSpelling.all(userLocale))
            #expect(reader.languages == LanguageCodes.of(userLocale))
            #expect(reader.chain == matcher.chain(for: userLocale))
        }
    }

    @Test(arguments: nonsense)
    func `is no reason to support it either`(text: String) {
        let matcher = LocaleMatcher(supported: [text, "en-US"])
        #expect(matcher.chain(for: "en") == ["en-US"])
    }

    @Test func `Twenty thousand random texts get only supported answers`() {
        let matcher = LocaleMatcher(supported: AppleLocales.all)
        var random = SeededNumbers(seed: 2)
        let alphabet = Array("abcdehnrstuzABCHKNTUS0149-_-_-_ .@/\0\u{7f}".utf8)
        var answered = 0
        for round in 0..<20_000 {
            let count = Int.random(in: 0...(round % 50 == 0 ? 300 : 14), using: &random)
            let bytes = (0..<count).map { _ in
                round.isMultiple(of: 4)
                    ? UInt8.random(in: 0...255, using: &random)
                    : alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            let chain = matcher.chain(for: String(decoding: bytes, as: UTF8.self))
            #expect(chain.allSatisfy(AppleLocales.all.contains))
            #expect(Set(chain).count == chain.count)
            answered += chain.isEmpty ? 0 : 1
        }
        #expect(answered > 0, "the generator never made a locale, so the test tried nothing")
    }

    @Test func `More locales than the matcher remembers change no answer`() {
        let matcher = LocaleMatcher(supported: ["en-GB", "en-US"])
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { UnicodeScalar($0) }
        for first in letters {
            for second in letters {
                _ = matcher.chain(for: "en-\(first)\(second)")
            }
        }
        #expect(matcher.chain(for: "en-IN") == ["en-GB", "en-US"])
        #expect(matcher.chain(for: "en-PH") == ["en-US", "en-GB"])
    }

    @Test func `Many threads may ask one matcher`() {
        let matcher = LocaleMatcher(supported: AppleLocales.all)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<500 {
                let locale = AppleLocales.all[(round * 7 + thread) % AppleLocales.all.count]
                #expect(matcher.chain(for: locale).first == locale)
            }
        }
    }
}

@Suite struct `Apple's shortcodes` {
    @Test func `are the fifty that Apple lists, each once`() {
        #expect(AppleLocales.all.count == 50)
        #expect(Set(AppleLocales.all).count == 50)
    }

    @Test(arguments: [
        ("en_us", "en-US"), ("pt_BR", "pt-BR"), ("PT-BR", "pt-BR"), ("pt-br", "pt-BR"),
        ("pt-BR ", "pt-BR"), (" pt-BR", "pt-BR"), ("ZH_HANT", "zh-Hant"), ("NO", "no"),
        ("bn-bd", "bn-BD"), ("sl_SI", "sl-SI"), ("ur-pk", "ur-PK"),
    ])
    func `have one canonical spelling`(written: String, canonical: String) {
        #expect(AppleLocales.canonical(written) == canonical)
    }

    @Test(arguments: AppleLocales.all)
    func `are canonical as listed`(locale: String) {
        #expect(AppleLocales.canonical(locale) == locale)
        #expect(AppleLocales.canonical(locale.uppercased()) == locale)
    }

    @Test(arguments: [
        "ar", "nl-BE", "qq-QQ", "", " ", "pt BR", "pt-BR\0", "pt-BR\n", "pt--BR", "en-US-US",
        String(repeating: " ", count: 10_240), "ｐｔ-BR",
    ])
    func `are not guessed from other text`(text: String) {
        #expect(AppleLocales.canonical(text) == nil)
    }
}
