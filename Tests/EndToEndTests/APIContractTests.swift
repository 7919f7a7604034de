import Foundation
import Operator
import Retention
import TestSupport
import Testing

/// The real gateway is held against its document by schemathesis. `deploy/test` names the Python
/// that has it.
@Suite(.database) struct APIContractTests {
    private static let python = ProcessInfo.processInfo.environment["HOLDFAST_CONFORMANCE_PYTHON"]
    private static let cases = 3_000
    /// So many of each kind for each operation give more cases than are wanted.
    private static let examples = 5
    /// Cases are always the same; another seed finds other faults.
    private static let seed = 20_261_130
    private static let limit: Duration = .seconds(1_800)

    @Test(
        .enabled(
            if: python != nil, "HOLDFAST_CONFORMANCE_PYTHON is not set: deploy/test does that"))
    func `three thousand made-up cases find no answer that the document does not have`() throws {
        let gateway = try GatewayProcess(scopes: AccessScope.all)
        let folder = try TemporaryFolder()
        let keys = folder.path + "/keys.json"
        try Data("{\"full\": \"\(gateway.token)\"}".utf8).write(to: URL(filePath: keys))
        let output = folder.path + "/output"
        var plan = ChildProcess.Plan(
            try #require(Self.python),
            [
                PackageRoot.path + "/Tests/Conformance/admin_api.py", gateway.origin, keys,
                "--max-examples", "\(Self.examples)", "--seed", "\(Self.seed)", "--at-least",
                "\(Self.cases)",
            ])
        plan.output = .file(output)
        let judge = try ChildProcess.start(plan)
        let end = judge.wait(for: Self.limit)
        let text = String(
            decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        #expect(end == .exited(0), "\(text.suffix(12_000))")
        #expect(!gateway.log.contains("request_failed"), "\(gateway.log.suffix(2_000))")
        let last = text.split(separator: "\n").last.map(String.init) ?? ""
        let summary = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
        let counted = try #require(summary?["cases"] as? Int)
        #expect(counted >= Self.cases)
        try Promise.kept("api-contract", "\(counted) cases, seed \(Self.seed), no fault")
    }
}
