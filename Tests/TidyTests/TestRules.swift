/// Tests expect something, and wait for it rather than for time to pass.
enum TestRules {
    static let all = [expectation, sleeping]

    static let expectation = Rule(
        "Each test file expects something",
        offenders: [["Tests/A/A.swift": "@Test func a() { f() } // #expect(true)"]],
        clean: [
            "Tests/A/A.swift": "@Test func a() { #expect(f()) }",
            "Tests/A/B.swift": "struct B {}",
        ]
    ) { tree in
        tree.swift.filter { $0.isTest && $0.code.contains { $0.contains("@Test") } }
            .filter { !$0.code.contains { $0.contains(/#expect|#require|Issue\.record/) } }
            .map { Offence($0, "a test that cannot fail proves nothing; add #expect") }
    }

    static let sleeping = Rule.onLines(
        of: .code, "No test sleeps", hints: ["sleep("], where: { $0.isTest && $0.isSwift },
        offenders: [
            ["Tests/A/A.swift": "usleep(10)"], ["Tests/A/A.swift": "try await Task.sleep(for: d)"],
            ["Tests/A/A.swift": "Thread.sleep(forTimeInterval: 1)"],
        ],
        clean: ["Tests/A/A.swift": "query(\"select pg_sleep(1)\") // sleep("]
    ) { line, _ in
        line.contains(/sleep\(/)
            ? "wait for the condition (a semaphore, a signal, a read) with a deadline" : nil
    }
}
