// Whom each locale reaches: the cases LOC-01 and LOC-03 as their whole kind, and every pair of
// Apple's locales.

import Locales
import Testing

@Suite struct `A reader gets a text in a script they read` {
    static let traditional = [
        "zh-Hant-HK", "zh-HK", "zh-MO", "zh-TW", "zh-Hant", "zh_Hant_TW", "yue-HK", "yue",
        "zh-yue-HK", "ZH-hant-mo", "cmn-TW", "zh-Hant-u-nu-hant",
    ]
    static let simplified = [
        "zh-Hans-HK", "zh-SG", "zh-CN", "zh", "zh-Hans", "zh_Hans_CN", "zh-MY", "yue-CN", "cmn",
    ]
    let both = LocaleMatcher(supported: ["en-US", "zh-Hans", "zh-Hant"])
    let withoutHant = LocaleMatcher(supported: ["en-US", "zh-Hans"])
    let withoutHans = LocaleMatcher(supported: ["en-US", "zh-Hant"])

    @Test(arguments: traditional)
    func `Traditional readers get zh-Hant, or nothing once it is gone`(locale: String) {
        #expect(both.chain(for: locale) == ["zh-Hant"])
        #expect(withoutHant.chain(for: locale) == [])
    }

    @Test(arguments: simplified)
    func `Simplified readers get zh-Hans, or nothing once it is gone`(locale: String) {
        #expect(both.chain(for: locale) == ["zh-Hans"])
        #expect(withoutHans.chain(for: locale) == [])
    }

    @Test(arguments: [
        ("sr-Latn", "sr"), ("pa-PK", "pa-IN"), ("ur-Deva", "ur-PK"), ("az-IR", "az"),
        ("zh-Latn", "zh-Hans"),
    ])
    func `Another script of the same language is no match`(asked: String, supported: String) {
        #expect(LocaleMatcher(supported: [supported]).chain(for: asked) == [])
    }
}

@Suite struct `A near locale is found` {
    static let found: [(asked: String, supported: [String], chain: [String])] = [
        ("en-IN", ["fr-FR", "en-US"], ["en-US"]),
        ("en", ["fr-FR", "en-US"], ["en-US"]),
        ("en-IE", ["fr-FR", "en-US"], ["en-US"]),
        ("nb-NO", ["no"], ["no"]),
        ("nn-NO", ["no"], ["no"]),
        ("nb", ["no"], ["no"]),
        ("no-NO", ["no"], ["no"]),
        ("no", ["nb"], ["nb"]),
        ("ja-JP", ["ja"], ["ja"]),
        ("ja", ["ja-JP"], ["ja-JP"]),
        ("iw-IL", ["he"], ["he"]),
        ("iw", ["he"], ["he"]),
        ("in-ID", ["id"], ["id"]),
        ("tl-PH", ["fil"], ["fil"]),
        ("mo", ["ro"], ["ro"]),
        ("fr-CH", ["fr-CA", "fr-FR"], ["fr-FR", "fr-CA"]),
        ("fr-BE", ["fr-CA", "fr-FR"], ["fr-FR", "fr-CA"]),
        ("de-AT", ["de-DE"], ["de-DE"]),
        ("de-DE-1996", ["de-DE"], ["de-DE"]),
        ("nl-BE", ["nl-NL"], ["nl-NL"]),
        ("ar-EG", ["ar-SA"], ["ar-SA"]),
        ("ur-IN", ["ur-PK"], ["ur-PK"]),
        ("en-US-u-hc-h12", ["en-GB", "en-US"], ["en-US", "en-GB"]),
    ]

    @Test(arguments: found)
    func `across regions, variants, aliases and extensions`(
        asked: String, supported: [String], chain: [String]
    ) {
        #expect(LocaleMatcher(supported: supported).chain(for: asked) == chain)
    }

    @Test(arguments: ["es-419", "es-AR", "es-BO", "es-CL", "es-CO", "es-PE", "es-US", "es-UY"])
    func `Latin America reads es-MX before es-ES`(locale: String) {
        let matcher = LocaleMatcher(supported: AppleLocales.all)
        #expect(matcher.chain(for: locale) == ["es-MX", "es-ES"])
    }

    @Test(arguments: ["pt-AO", "pt-MZ", "pt-CV", "pt-CH", "pt-MO"])
    func `Portuguese outside the Americas reads pt-PT before pt-BR`(locale: String) {
        let matcher = LocaleMatcher(supported: AppleLocales.all)
        #expect(matcher.chain(for: locale) == ["pt-PT", "pt-BR"])
    }

    @Test(arguments: ["en-IN", "en-NZ", "en-ZA", "en-IE", "en-SG"])
    func `English of the Commonwealth reads en-GB or en-AU before en-US`(locale: String) {
        let chain = LocaleMatcher(supported: AppleLocales.all).chain(for: locale)
        #expect(chain.count == 4)
        #expect(["en-GB", "en-AU"].contains(chain.first))
    }

    @Test func `The answer keeps the spelling it was supported in, and the order of equals`() {
        let matcher = LocaleMatcher(supported: ["EN_us", "en", "en-US", "not a locale", "en"])
        #expect(matcher.chain(for: "en-us") == ["EN_us", "en-US", "en"])
        #expect(matcher.chain(for: "en-Latn") == ["EN_us", "en", "en-US"])
    }
}

@Suite struct `A far locale is not offered` {
    @Test(arguments: [
        ("uk", "ru"), ("cy", "en-US"), ("cy-GB", "en-GB"), ("be", "ru"), ("ca", "es-ES"),
        ("gl", "pt-PT"), ("af", "nl-NL"), ("gsw", "de-DE"), ("kk", "ru"), ("eu", "es-ES"),
        ("sr", "hr"), ("ms", "id"), ("da", "no"), ("sv", "no"), ("hi", "mr-IN"), ("ku", "tr"),
    ])
    func `though ICU by itself may think it near`(asked: String, supported: String) {
        #expect(LocaleMatcher(supported: [supported]).chain(for: asked) == [])
    }

    @Test(arguments: AppleLocales.all)
    func `Each of Apple's locales answers itself first`(locale: String) {
        #expect(LocaleMatcher(supported: AppleLocales.all).chain(for: locale).first == locale)
        #expect(LocaleMatcher(supported: [locale]).chain(for: locale) == [locale])
    }

    /// Written by hand, so that a fault in ICU or in the wrapper cannot hide itself.
    static let sameReaders: [Set<String>] = [
        ["en-AU", "en-CA", "en-GB", "en-US"], ["es-ES", "es-MX"], ["fr-CA", "fr-FR"],
        ["pt-BR", "pt-PT"],
    ]

    @Test func `Of all pairs of Apple's locales only those of one language and script match`() {
        for asked in AppleLocales.all {
            for supported in AppleLocales.all {
                let related =
                    asked == supported
                    || Self.sameReaders.contains { $0.contains(asked) && $0.contains(supported) }
                let chain = LocaleMatcher(supported: [supported]).chain(for: asked)
                #expect(chain == (related ? [supported] : []), "\(asked) offered \(supported)")
            }
        }
    }
}
