import Foundation
import Retention
import Testing

@Suite struct SyncWordsTests {
    private static let soon = Instant(milliseconds: 60_000)

    static let waits: [SyncWait] = [
        .pause(.keyRefused, until: soon), .pause(.noAccess, until: soon), .outage(until: soon),
        .limit(until: soon), .list, .images, .review, .rejected, .refusal(code: nil, until: soon),
        .room,
        .retirement(until: soon), .acknowledgement, .inUse, .otherSteps, .performanceTest,
        .someDefault, .consent,
    ]

    static let problems: [SyncProblem] = [
        .keyRefused, .noAccess, .rejected(.image, UUID()), .rejected(.message, UUID()),
        .refused(.listImages, code: 4_000_162), .full(.image, most: 7), .full(.message, most: 7),
        .foreignURL, .noPassingTest,
    ]

    @Test func `every word of a plan is a sentence of its own`() {
        let all: [[String]] = [
            SyncReason.allCases.map(\.sentence), Self.waits.map(\.sentence),
            Self.problems.map(\.sentence), SyncLack.allCases.map(\.sentence),
        ]
        for sentences in all {
            #expect(Set(sentences).count == sentences.count)
            for sentence in sentences {
                #expect(sentence.hasSuffix("."), "\(sentence)")
                #expect(sentence.first?.isUppercase == true, "\(sentence)")
            }
        }
        #expect(Set(Self.waits.map(\.code)).count == Self.waits.count)
    }

    @Test func `a wait tells until when, where that is known`() {
        let timed = Self.waits.filter { $0.until == Self.soon }.map(\.code)
        #expect(
            timed == [
                "workingCredential", "access", "outage", "limit", "refusal", "retirement",
            ])
    }

    @Test func `a refusal is told by Apple's code, known or not`() {
        func sentence(_ code: Int?) -> String {
            SyncProblem.refused(.listImages, code: code).sentence
        }
        #expect(sentence(4_000_162) == AppleErrorCode.headerTooLong.sentence)
        #expect(sentence(4_009_999).contains("4009999"))
        #expect(sentence(nil).contains("without a code"))
        #expect(AppleRefusal(code: 4_000_162, at: Self.soon).sentence == sentence(4_000_162))
        #expect(SyncProblem.refused(.listImages, code: 4_000_162).appleCode == 4_000_162)
        #expect(SyncProblem.foreignURL.appleCode == nil)
    }

    @Test func `what an app lacks is told by what is wanted and what Apple said`() {
        var desired = DesiredState(environment: .production)
        var observed = ObservedState()
        func lacks(_ hasCredential: Bool, _ hasId: Bool) -> [SyncLack] {
            SyncLack.all(
                desired: desired, observed: observed, hasCredential: hasCredential,
                hasTestTransactionId: hasId)
        }
        #expect(lacks(false, false) == [.credential, .endpoint, .defaultMessage])
        desired.endpoint = EndpointID(UUID())
        #expect(lacks(true, false) == [.defaultMessage, .performanceTestTransactionId])
        #expect(lacks(true, true) == [.defaultMessage])
        desired.hasPassedPerformanceTest = true
        let place = TextPlace(message: MessageID(UUID()), locale: "ja")
        desired.defaults = [DefaultSlot(productId: "p", locale: "ja"): place]
        #expect(lacks(true, false) == [])
        observed.pause = .keyRefused
        #expect(lacks(true, false) == [.workingCredential])
        observed.pause = .noAccess
        #expect(lacks(true, false) == [.access])
        desired.hasPassedPerformanceTest = false
        desired.environment = .sandbox
        #expect(lacks(true, false) == [.access])
    }

    @Test func `a call is told by its answer, else by what is known of its end`() {
        func sentence(_ outcome: String?, _ status: Int?, _ code: Int?) -> String {
            AppleErrorWords.sentence(outcome: outcome, status: status, errorCode: code)
        }
        #expect(sentence("ok", 200, nil) == AppleErrorWords.sentence(status: 200, errorCode: nil))
        #expect(sentence("terminal", 400, 4_000_162) == AppleErrorCode.headerTooLong.sentence)
        #expect(sentence(nil, nil, nil).contains("not known"))
        #expect(sentence("notSent", nil, nil).contains("Nothing was sent"))
        #expect(sentence("unknown", nil, nil).contains("No answer came"))
    }
}
