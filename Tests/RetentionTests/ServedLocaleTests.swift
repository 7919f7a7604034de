import FoundationEssentials
import Retention
import Testing

/// Which text of a message is served, and what stands in when there is none.
@Suite struct ServedLocaleTests {
    private let fixture = SnapshotFixture()

    @Test func `the first locale of the chain that has the text is served`() {
        let ruled = fixture.with(.message(fixture.text))
        let table: [([String], UUID, String)] = [
            (["ja"], fixture.japanese, "ja"), (["ja", "en-US"], fixture.japanese, "ja"),
            (["en-US", "ja"], fixture.english, "en-US"),
            (["fr-FR", "ja", "en-US"], fixture.japanese, "ja"),
            (["fr-FR"], fixture.english, "en-US"), ([], fixture.english, "en-US"),
        ]
        for (chain, identifier, locale) in table {
            let decision = ruled.decide(chain: chain)
            #expect(decision.answer == .message(identifier), "\(chain)")
            #expect(decision.localeServed == locale, "\(chain)")
        }
    }

    @Test func `without a text in the chain or the app's default locale the rule is dead`() {
        var ruled = fixture.with(.message(fixture.text))
        ruled.defaultLocale = "de-DE"
        let decision = ruled.decide(chain: ["fr-FR"])
        #expect(decision.answer == .fallback(.nothingToShow))
        #expect(decision.rule == nil)
        #expect(decision.localeServed == nil)
    }

    @Test func `the default is the product's own, in the first locale of the chain`() {
        let table: [(String, [String], Answer, String?)] = [
            ("monthly", ["en-US"], .defaultMessage(fixture.englishDefault), "en-US"),
            ("monthly", ["ja"], .defaultMessage(fixture.japaneseDefault), "ja"),
            ("monthly", ["fr-FR", "ja"], .defaultMessage(fixture.japaneseDefault), "ja"),
            ("monthly", ["fr-FR"], .defaultMessage(fixture.englishDefault), "en-US"),
            ("yearly", ["en-US"], .fallback(.nothingToShow), nil),
            ("none", ["en-US"], .fallback(.nothingToShow), nil),
            ("", [], .fallback(.nothingToShow), nil),
        ]
        for (product, chain, answer, locale) in table {
            let decision = fixture.decide(product: product, chain: chain)
            #expect(decision == Decision(answer: answer, rule: nil, localeServed: locale))
        }
    }

    @Test func `a snapshot names every locale in which it has text, each once`() {
        #expect(ServingSnapshot(fixture.snapshot).locales == ["en-US", "ja"])
    }

    @Test func `a snapshot survives JSON`() throws {
        let snapshot = fixture.with(.message(fixture.text), .fallback).snapshot
        let data = try JSONEncoder().encode(snapshot)
        #expect(try JSONDecoder().decode(Snapshot.self, from: data) == snapshot)
    }
}
