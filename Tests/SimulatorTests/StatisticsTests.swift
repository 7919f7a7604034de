import FoundationEssentials
import Simulator
import Testing

struct StatisticsTests {
    @Test func percentilesAreNearestRank() {
        var statistics = Statistics()
        #expect(statistics.report.p50Milliseconds == nil)
        for milliseconds in (1...200).reversed() {
            statistics.record(Self.result(milliseconds: Double(milliseconds)))
        }
        #expect(statistics.report.p50Milliseconds == 100)
        #expect(statistics.report.p99Milliseconds == 198)
    }

    @Test func oneAnswerIsItsOwnPercentile() {
        var statistics = Statistics()
        statistics.record(Self.result(milliseconds: 7))
        #expect(statistics.report.p50Milliseconds == 7)
        #expect(statistics.report.p99Milliseconds == 7)
    }

    private static func result(milliseconds: Double) -> PageViewResult {
        let view = PageView(
            originalTransactionId: "1", appAppleId: 1, environment: .production, productId: "p",
            userLocale: "en-US", taps: false)
        var result = PageViewResult(
            view, appStoreLocale: "en-US", explanation: "", display: .nothing)
        result.called = true
        result.httpStatus = 503
        result.milliseconds = milliseconds
        return result
    }
}
