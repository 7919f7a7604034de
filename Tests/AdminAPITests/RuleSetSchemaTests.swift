import AdminAPI
import Foundation
import Retention
import TestSupport
import Testing

@Suite(.database) struct RuleSetSchemaTests {
    @Test func theSchemaIsServedToEverybodyAsItIsInTheRepository() throws {
        let stage = try GatewayStage()
        let answer = try stage.send("GET", "/v1/rule-set-schema")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/schema+json")
        #expect(answer.body == (try PackageRoot.bytes(of: "docs/api/rule-set.schema.json")))
        let tag = try #require(answer.header("ETag"))
        let again = try stage.send(
            "GET", "/v1/rule-set-schema", headers: [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(try stage.send("POST", "/v1/rule-set-schema").status == 405)
    }
}

private let conformanceFolder =
    ProcessInfo.processInfo.environment["HOLDFAST_CONFORMANCE_DIRECTORY"]

/// Writes rule sets, each with what the API said to it, for a validator of JSON schemas that is not
/// ours (`Tests/Conformance/rule_sets.py`).
@Suite(
    .database,
    .enabled(
        if: conformanceFolder != nil,
        "HOLDFAST_CONFORMANCE_DIRECTORY is not set: nothing to write for jsonschema"))
struct RuleSetExportTests {
    @Test func ruleSetsAreWrittenForAnIndependentValidator() throws {
        let folder = URL(filePath: try #require(conformanceFolder))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let app = try GatewayStage().makeAgency().makeTestApp()
        var generator = RuleSetGenerator(app)
        let good = (0..<300).map { _ in generator.ruleSet() } + [RuleForms.whole(app)]
        let bad = RuleForms.faultyConditions.map { condition, _ in
            TestApp.body([
                TestApp.rule(0, when: condition, ["treatment": ["kind": "fallback"]])
            ])
        }
        var rows: [Data] = []
        for ruleSet in good + bad {
            let there = try app.agency.get("\(app.path)/rule-set-draft").status == 200
            let answer = try app.agency.send(
                "PUT", "\(app.path)/rule-set-draft", ruleSet,
                headers: there ? [("If-Match", "*")] : [])
            let isTaken = answer.status < 300
            let faults = answer.errors.compactMap { $0.split(separator: " ").last.map(String.init) }
            let read: JSONTree = isTaken ? answer.json : .null
            let row: [String: JSONTree] = [
                "ruleSet": ruleSet, "isTaken": .boolean(isTaken), "read": read,
                "faults": .texts(faults),
            ]
            rows.append(Data(JSONTree.object(row).bytes) + Data("\n".utf8))
        }
        try Data(rows.joined()).write(to: folder.appending(path: "rule_sets.jsonl"))
    }
}

/// Rule sets of every form, always the same ones.
private struct RuleSetGenerator {
    private let app: TestApp
    private var dice = SeededNumbers(seed: 20_261_130)

    init(_ app: TestApp) { self.app = app }

    private mutating func below(_ limit: Int) -> Int {
        Int.random(in: 0..<limit, using: &dice)
    }

    mutating func ruleSet() -> JSONTree {
        var members: [String: JSONTree] = [
            "schemaVersion": 2,
            "rules": .array((0..<below(4)).map { rule($0) }),
        ]
        switch below(4) {
        case 0: members["holdout"] = ["percent": .integer(Int64(below(20) + 1))]
        case 1: members["holdout"] = ["percent": 0, "confirmNoHoldout": true, "answer": "fallback"]
        case 2: members["holdout"] = .null
        default: break
        }
        if below(2) == 0 {
            members["governor"] = ["coolDownDays": .integer(Int64(below(3_650) + 1))]
        }
        return .object(members)
    }

    private mutating func rule(_ index: Int) -> JSONTree {
        var members: [String: JSONTree] = [:]
        if below(2) == 0 {
            members["treatment"] = treatment()
        } else {
            let first = below(10_001)
            let arms = [arm(0, first), arm(1, 10_000 - first)]
            members["experiment"] = [
                "id": .string("exp_0000000000000000000000000\(index)"), "name": "e",
                "arms": .array(arms),
            ]
        }
        if below(3) == 0 { members["schedule"] = ["daily": ["from": "09:00", "to": "24:00"]] }
        return TestApp.rule(index, when: condition(5), members)
    }

    private mutating func arm(_ index: Int, _ weight: Int) -> JSONTree {
        let percent: JSONTree =
            weight % 100 == 0
            ? .integer(Int64(weight / 100)) : .number(Double(weight) / 100)
        return [
            "key": .string("arm\(index)"), "treatment": treatment(), "weight": percent,
        ]
    }

    private mutating func condition(_ levels: Int) -> JSONTree {
        switch levels > 1 ? below(5) : 4 {
        case 0: return ["all": .array((0..<below(3)).map { _ in condition(levels - 1) })]
        case 1: return ["any": .array((0..<below(3)).map { _ in condition(levels - 1) })]
        case 2: return ["not": condition(levels - 1)]
        default: return RuleForms.conditions[below(RuleForms.conditions.count)]
        }
    }

    private mutating func treatment() -> JSONTree {
        switch below(5) {
        case 0: return app.says(app.text)
        case 1: return app.switches(to: app.yearly)
        case 2: return app.offers(app.offer, on: app.monthly)
        case 3: return ["kind": "fallback"]
        default:
            return ["kind": "escalation", "steps": [app.says(app.text), ["kind": "fallback"]]]
        }
    }
}
