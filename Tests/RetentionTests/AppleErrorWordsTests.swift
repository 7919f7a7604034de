import Retention
import Testing

@Suite struct AppleErrorWordsTests {
    /// The digits of the table of Apple's error codes, retention messaging.
    private static let documented = [
        4_000_006, 4_000_023, 4_000_048, 4_000_161, 4_000_162, 4_000_163, 4_000_164, 4_000_175,
        4_000_185, 4_000_187, 4_000_211, 4_000_212, 4_000_213, 4_000_215, 4_000_216, 4_000_218,
        4_000_219, 4_000_224, 4_030_014, 4_030_016, 4_030_017, 4_030_018, 4_030_019, 4_030_026,
        4_040_014, 4_040_015, 4_040_018, 4_040_020, 4_040_021, 4_090_000, 4_090_001, 4_290_000,
        5_000_000,
    ]

    private static func isSentence(_ text: String) -> Bool {
        text.hasSuffix(".") && text.count > 20 && text.count < 250
            && text.prefix(1) == text.prefix(1).uppercased()
    }

    @Test func `each of Apple's codes has a sentence of its own`() {
        for code in Self.documented { #expect(AppleErrorCode(rawValue: code) != nil, "\(code)") }
        let sentences = AppleErrorCode.allCases.map(\.sentence)
        for sentence in sentences { #expect(Self.isSentence(sentence), "\(sentence)") }
        #expect(Set(sentences).count == AppleErrorCode.allCases.count)
        #expect(!sentences.contains("Apple refused the call; read its text."))
        for code in AppleErrorCode.allCases {
            let status = code.rawValue / 10_000
            #expect(
                AppleErrorWords.sentence(status: status, errorCode: code.rawValue) == code.sentence)
        }
    }

    @Test func `an answer without a code is told by its status, an unknown code by its number`() {
        var sentences: Set<String> = []
        for status in [200, 301, 400, 401, 404, 429, 500] {
            let sentence = AppleErrorWords.sentence(status: status, errorCode: nil)
            #expect(Self.isSentence(sentence), "\(sentence)")
            #expect(sentences.insert(sentence).inserted)
        }
        #expect(AppleErrorWords.sentence(status: 404, errorCode: nil).contains("no access"))
        let unknown = AppleErrorWords.sentence(status: 400, errorCode: 4_000_999)
        #expect(unknown.contains("4000999") && Self.isSentence(unknown))
        for status in [401, 429, 503] {
            #expect(
                AppleErrorWords.sentence(status: status, errorCode: 9)
                    == AppleErrorWords.sentence(status: status, errorCode: nil))
        }
    }

    @Test func `what came of no answer has a sentence, and only that`() {
        let doubts = AppleOutcome.Doubt.allCases.map { AppleOutcome.unknown($0) }
        let obstacles = AppleOutcome.Obstacle.allCases.map { AppleOutcome.notSent($0) }
        let sentences = (doubts + obstacles).compactMap { AppleErrorWords.sentence($0) }
        #expect(Set(sentences).count == doubts.count + obstacles.count)
        for sentence in sentences { #expect(Self.isSentence(sentence), "\(sentence)") }
        for outcome in [AppleOutcome.ok, .same, .full, .terminal(code: 1), .noAccess] {
            #expect(AppleErrorWords.sentence(outcome) == nil)
        }
    }

    @Test func `each result of an attempt has a sentence of its own`() {
        let documented = [
            "SUCCESS", "TIMED_OUT", "TLS_ISSUE", "CIRCULAR_REDIRECT", "NO_RESPONSE", "SOCKET_ISSUE",
            "UNSUPPORTED_CHARSET", "INVALID_RESPONSE", "PREMATURE_CLOSE",
            "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "OTHER",
        ]
        #expect(SendAttemptResult.known.map(\.rawValue) == documented.sorted())
        let sentences = (documented + ["NEW_ONE"]).map { SendAttemptResult(rawValue: $0).sentence }
        for sentence in sentences { #expect(Self.isSentence(sentence), "\(sentence)") }
        #expect(Set(sentences).count == documented.count + 1)
    }
}
