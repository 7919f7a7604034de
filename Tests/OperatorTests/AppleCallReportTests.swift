import Foundation
import Operator
import Testing

/// What makes the demo fail though every page was shown: calls of Apple that no sync may make.
@Suite struct AppleCallReportTests {
    private func report(
        _ counts: [String: Int] = [:], codes: [Int?] = []
    ) throws -> AppleCallReport {
        var all = [
            "calls": codes.count, "overLimit": 0, "beforeRetryAfter": 0, "unauthenticated": 0,
        ]
        all.merge(counts) { _, given in given }
        let calls = codes.map { code in
            var call: [String: Any] = ["environment": "Production", "method": "PUT"]
            call["isApplied"] = code == nil
            call["errorCode"] = code
            return call
        }
        let bytes = try JSONSerialization.data(withJSONObject: ["counts": all, "calls": calls])
        return try JSONDecoder().decode(AppleCallReport.self, from: bytes)
    }

    @Test(arguments: [4_030_017, 4_030_018, 4_030_019, 4_030_026])
    func `a call before what it needs is told`(code: Int) throws {
        #expect(try report(codes: [nil, code, code]).breaches == ["2 calls of Apple met \(code)"])
    }

    @Test(arguments: ["overLimit", "beforeRetryAfter", "unauthenticated"])
    func `a call that Apple's limits or token forbid is told`(count: String) throws {
        #expect(try report([count: 3]).breaches.count == 1)
    }

    /// A first look finds no URL set, which is no fault of anybody's.
    @Test func `what Apple may answer to a sound sync is not told`() throws {
        let report = try report(codes: [nil, 4_040_021, 4_040_020])
        #expect(report.breaches.isEmpty)
        #expect(report.writes == 3 && report.reads == 0)
    }
}
