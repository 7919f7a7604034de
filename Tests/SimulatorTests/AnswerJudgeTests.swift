import FoundationEssentials
import Signing
import Simulator
import Testing

/// For each rule an answer that keeps it and one that breaks it and nothing else.
struct AnswerJudgeTests {
    let app: SampleApp
    let judge: AnswerJudge

    init() throws {
        app = try SampleApp()
        judge = try app.judge()
    }

    private func message(_ identifier: UUID) -> Verdict {
        judge.judge(#"{"message":{"messageIdentifier":"\#(identifier)"}}"#)
    }

    private func plan(
        _ productId: String, message: UUID? = nil, billingPlanType: String? = nil
    ) -> Verdict {
        let plan = billingPlanType.map { #","billingPlanType":"\#($0)""# } ?? ""
        return judge.judge(
            """
            {"alternateProduct":{"messageIdentifier":"\(message ?? app.plain)",\
            "productId":"\(productId)"\(plan)}}
            """)
    }

    @Test func messagesWithTextImageOrBulletsAreShown() {
        #expect(message(app.plain).shown?.kind == .message)
        #expect(message(app.withImage).shown?.hasImage == true)
        #expect(message(app.withBullets).shown?.bulletPoints == ["New each week"])
    }

    @Test func identifiersAreTakenInEitherCase() {
        let upper = app.plain.uuidString
        let answers = [upper, upper.lowercased()].map {
            judge.judge(#"{"message":{"messageIdentifier":"\#($0)"}}"#)
        }
        #expect(answers.allSatisfy { $0.shown?.messageIdentifier == upper.lowercased() })
    }

    @Test func aMessageThatIsNotThisAppsOrNotApprovedIsWrong() {
        #expect(message(UUID()).rules == [.messageUnknown])
        #expect(message(app.pending).rules == [.messageNotApproved])
        #expect(message(app.rejected).rules == [.messageNotApproved])
        #expect(message(app.rejected).reason == .invalidResponse)
    }

    @Test func aMessageWhoseImageOrBulletIsNotApprovedIsWrong() {
        #expect(message(app.withPendingImage).rules == [.imageNotApproved])
        #expect(message(app.withPendingBullet).rules == [.imageNotApproved])
    }

    @Test func aSwitchToAnotherPlanOfTheGroupIsShown() {
        let shown = plan(SampleApp.annual, billingPlanType: "MONTHLY").shown
        #expect(shown?.kind == .switchPlan)
        #expect(shown?.productId == SampleApp.annual)
        #expect(shown?.billingPlanType == "MONTHLY")
        #expect(plan(SampleApp.annual).shown != nil)
    }

    @Test func aSwitchThatAppleWouldNotMakeIsWrong() {
        #expect(plan(SampleApp.monthly).rules == [.productIsCurrent])
        #expect(plan(SampleApp.foreign).rules == [.productOfAnotherGroup])
        #expect(plan("unheard.of").rules == [.productUnknown])
        #expect(plan(SampleApp.annual, billingPlanType: "monthly").rules == [.billingPlanUnknown])
    }

    @Test func aSwitchTakesATextOnlyMessage() {
        #expect(plan(SampleApp.annual, message: app.withImage).rules == [.messageHasImage])
        #expect(plan(SampleApp.annual, message: app.withBullets).rules == [.messageHasBullets])
        #expect(plan(SampleApp.annual, message: app.pending).rules == [.messageNotApproved])
    }

    @Test(arguments: [
        ("{}", RuleBreach.Rule.notExactlyOneKind),
        ("[]", .notAnObject), ("null", .notAnObject), ("\"message\"", .notAnObject),
        ("", .notJSON), ("Service unavailable", .notJSON), ("{\"message\":{}", .notJSON),
        ("{\"message\":{}} x", .notJSON),
        (#"{"message":{},"message":{}}"#, .notJSON),
        (#"{"message":{},"alternateProduct":{}}"#, .notExactlyOneKind),
        (#"{"message":null}"#, .nullValue),
        (#"{"note":"x"}"#, .unknownField),
        (#"{"message":{},"alternateProduct":null}"#, .nullValue),
        (#"{"message":{}}"#, .missingField), (#"{"message":"x"}"#, .wrongType),
        (#"{"message":{"messageIdentifier":7}}"#, .wrongType),
        (#"{"message":{"messageIdentifier":null}}"#, .nullValue),
        (#"{"message":{"messageIdentifier":"x"}}"#, .wrongType),
        (
            #"{"message":{"messageIdentifier":"{91cc2b48-9cd7-4b8a-8cd4-ac5e9a3e9a1f}"}}"#,
            .wrongType
        ),
        (#"{"message":{"text":"x"}}"#, .unknownField),
        (#"{"advancedCommerceInfo":{}}"#, .advancedCommerceNotAvailable),
        (
            #"{"promotionalOffer":{"messageIdentifier":"91cc2b48-9cd7-4b8a-8cd4-ac5e9a3e9a1f"}}"#,
            .missingField
        ),
        (#"{"promotionalOffer":{"productId":"x"}}"#, .unknownField),
    ])
    func aBodyOutsideTheSchemaIsWrong(_ body: String, _ rule: RuleBreach.Rule) {
        let verdict = judge.judge(body)
        #expect(verdict.rules == [rule])
        #expect(verdict.reason == .invalidResponse)
    }

    @Test func aBodyThatIsNotUTF8HasAnUnsupportedCharset() {
        let good = Array(#"{"message":{"messageIdentifier":"\#(app.plain)"}}"#.utf8)
        let latin1 = good.map { $0 == UInt8(ascii: "m") ? 0xE9 : $0 }
        let verdict = judge.judge(
            .complete(HTTPAnswer(status: 200, body: latin1)), elapsed: .zero)
        #expect(verdict.reason == .unsupportedCharset)
        #expect(verdict.rules == [.charset])
    }

    @Test(
        arguments: [
            ("application/json", nil), ("application/json; charset=utf-8", nil),
            ("Application/JSON;charset=\"UTF-8\"", nil),
            ("application/json; charset=iso-8859-1", RuleBreach.Rule.charset),
            ("text/plain", .contentType), (nil, .contentType),
            ("application/json-seq", .contentType),
        ] as [(String?, RuleBreach.Rule?)])
    func theContentTypeIsJSONInUTF8(_ contentType: String?, _ rule: RuleBreach.Rule?) {
        let body = Array(#"{"message":{"messageIdentifier":"\#(app.plain)"}}"#.utf8)
        let answer = HTTPAnswer(status: 200, contentType: contentType, body: body)
        let verdict = judge.judge(.complete(answer), elapsed: .zero)
        #expect(verdict.rules == (rule.map { [$0] } ?? []))
    }

    @Test func anAnswerOver64KBIsWrong() {
        let padding = String(repeating: " ", count: AnswerJudge.answerBytesLimit)
        let good = #"{"message":{"messageIdentifier":"\#(app.plain)"}}"#
        #expect(judge.judge(good + padding).rules == [.answerTooLarge])
        #expect(judge.judge(good + padding.dropFirst(good.utf8.count)).shown != nil)
    }

    @Test func anotherStatusIsAFallbackAndNeverWrong() {
        for status in [100, 201, 204, 301, 400, 404, 500, 503] {
            let verdict = judge.judge(.complete(HTTPAnswer(status: status)), elapsed: .zero)
            #expect(verdict.reason == .unsuccessfulHTTPResponseCode)
            #expect(verdict.broken.isEmpty)
        }
        let circle = HTTPAnswer(status: 302, location: judge.url)
        #expect(judge.judge(.complete(circle), elapsed: .zero).reason == .circularRedirect)
    }

    @Test func anAnswerIsInTimeAt700MillisecondsAndLateAfter() {
        let good = Array(#"{"message":{"messageIdentifier":"\#(app.plain)"}}"#.utf8)
        let answer = Delivery.complete(HTTPAnswer(status: 200, body: good))
        #expect(judge.judge(answer, elapsed: .milliseconds(700)).shown != nil)
        let late = judge.judge(answer, elapsed: .microseconds(700_001))
        #expect(late.reason == .timedOut)
        let lateAndBad = judge.judge(
            .complete(HTTPAnswer(status: 200, body: [])), elapsed: .milliseconds(701))
        #expect(lateAndBad == late)
        #expect(late.broken.isEmpty)
    }

    @Test func aFailedDeliveryKeepsItsReasonUntilTheDeadline() {
        let failed = Delivery.failed(.prematureClose, "cut")
        #expect(judge.judge(failed, elapsed: .milliseconds(3)).reason == .prematureClose)
        #expect(judge.judge(failed, elapsed: .milliseconds(900)).reason == .timedOut)
    }
}
