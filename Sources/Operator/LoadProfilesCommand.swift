// holdfast load-profiles: many profiles at once, from a file or, for benchmarks, out of thin air.
internal import FoundationEssentials
internal import Retention
internal import Service

extension Command {
    static let loadProfiles = Command(
        name: "load-profiles",
        meaning: "Load profiles of an app's subscribers; loading the same again changes nothing.",
        grammar: ArgumentGrammar(options: [
            .init("--tenant", value: "ID", "the agency, ten_…", .required),
            .init("--app", value: "ID", "its app, app_…", .required),
            .init("--environment", value: "NAME", "Production or Sandbox", .required),
            .init(
                "--file", value: "PATH",
                "one JSON object a line: originalTransactionId, bodyBase64, asOf (RFC 3339)"),
            .init(
                "--generate", value: "COUNT",
                "instead of a file, so many made-up ones, for benchmarks only"),
            .init("--seed", value: "NUMBER", "what they are made of; 1 if not given"),
            CommandOutput.option,
        ]),
        table: OperatorStore.table
    ) { arguments, reader in
        let order = try ProfileLoadOrder(arguments)
        let output = try CommandOutput(arguments)
        return try OperatorStore.run(&reader, connections: ProfileLoad.workers) { database in
            let begin = ContinuousClock.now
            let load = try ProfileLoad(order, database) { read in
                StandardStream.error.write("\(read) profiles read …\n")
            }
            try load.run()
            let figures = LoadFigures(load, seconds: (ContinuousClock.now - begin) / .seconds(1))
            try output.write(figures.table, json: figures)
            return ExitCode.success
        }
    }
}

/// What was ordered: whose profiles, and from where.
struct ProfileLoadOrder: Sendable {
    static let generatedLimit = 100_000_000

    let tenant: TenantID
    let key: AppEnvironment
    let source: Source

    enum Source: Sendable {
        case file(String)
        case generated(count: Int, seed: UInt64)
    }

    init(_ arguments: Arguments) throws(UsageError) {
        tenant = try arguments.identifier("--tenant")
        let word = arguments.value("--environment") ?? ""
        guard let environment = StoreEnvironment(rawValue: word) else {
            throw UsageError("--environment is Production or Sandbox, not '\(word)'")
        }
        key = AppEnvironment(app: try arguments.identifier("--app"), environment: environment)
        switch (arguments.value("--file"), arguments.value("--generate")) {
        case (let path?, nil): source = .file(path)
        case (nil, let count?): source = try Self.generated(count, arguments.value("--seed"))
        default: throw UsageError("give --file or --generate, one of the two")
        }
    }

    private static func generated(
        _ count: String, _ seed: String?
    ) throws(UsageError) -> Source {
        guard let number = Int(count), (1...generatedLimit).contains(number) else {
            throw UsageError("--generate is a number from 1 to \(generatedLimit), not '\(count)'")
        }
        guard let seedNumber = UInt64(seed ?? "1") else {
            throw UsageError("--seed is a whole number, not '\(seed ?? "")'")
        }
        return .generated(count: number, seed: seedNumber)
    }
}

private struct LoadFigures: Encodable {
    let read: Int
    let written: Int
    let seconds: Double
    let readPerSecond: Int

    init(_ load: ProfileLoad, seconds: Double) {
        (read, written) = load.counts
        self.seconds = (seconds * 100).rounded() / 100
        readPerSecond = Int(Double(read) / max(seconds, 0.001))
    }

    var table: TextTable {
        TextTable(
            head: ["READ", "WRITTEN", "SECONDS", "READ PER SECOND"],
            rows: [["\(read)", "\(written)", "\(seconds)", "\(readPerSecond)"]])
    }
}
