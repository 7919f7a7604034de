// holdfast bench gates: the figures of the real-time path against what they must be.
internal import FoundationEssentials
internal import Service

extension Command {
    static let benchGates = Command(
        name: "bench gates",
        meaning: "Measure the real-time path against OpenSSL and a peer; deploy/bench runs it.",
        grammar: ArgumentGrammar(
            options: [
                .init("--rounds", value: "N", "interleaved rounds, 1 to 20; medians count [3]"),
                .init("--seconds", value: "S", "of each phase at most, 1 to 60 [3]"),
                .init(
                    "--bodies", value: "N",
                    "signed for each phase at most [more than a core answers in the time]"),
                .init("--core", value: "N", "the core that the responder has to itself [0]"),
                .init("--peer-python", value: "PATH", "a Python with the peer's packages"),
                .init("--peer-script", value: "PATH", "the peer"),
                .init("--document", value: "FILE", "where the figures are written, between marks"),
                .init("--commit", value: "NAME", "what was built, for the document"),
                CommandOutput.option,
            ], flags: [.init("--full", "the growth row, too, which takes minutes")]),
        table: [
            Setting(
                "HOLDFAST_DEPLOY_DIRECTORY", "the folder with roles.sql", default: "deploy"),
            Setting(
                "HOLDFAST_DEMO_PARENT_DIRECTORY", "where the bench's own folder is made",
                default: "/var/tmp"),
        ]
    ) { arguments, reader in
        let settings = try BenchSettings(
            arguments, deployDirectory: reader.text("HOLDFAST_DEPLOY_DIRECTORY"),
            parentDirectory: reader.text("HOLDFAST_DEMO_PARENT_DIRECTORY"))
        let output = try CommandOutput(arguments)
        try reader.finish()
        guard let stop = StopSignal.catchingSignals() else {
            throw LoadError(description: "the system gives no thread for signals; try again")
        }
        return try BenchRun(settings, stop: stop).run(output)
    }
}

struct BenchSettings: Sendable {
    var deployDirectory = "deploy"
    var parentDirectory = "/var/tmp"
    var rounds = 3
    var seconds = 3
    var processor = 0
    var isFull = false
    var peerPython: String?
    var peerScript = ""
    var document: String?
    var commit = "unknown"
    /// Of each of the two runs of OpenSSL in a round.
    var speedSeconds: Int { min(2, seconds) }
    private var bodies = Int.max

    // More than a core of today answers in the time, so that each body is sent once.
    var messageBodies: Int { min(500 + 15_000 * seconds, bodies) }
    var offerBodies: Int { min(500 + 12_000 * seconds, bodies) }
    var aloneBodies: Int { min(4_000 * seconds, bodies) }
    var peerBodies: Int { min(6_000, bodies) }
    /// Of each way to lose PostgreSQL.
    var outageSeconds: Int { min(10, 4 * seconds) }
    var outageBodies: Int { min(300 * outageSeconds, bodies) }
    /// Requests a second meanwhile.
    var outagePace: Int { max(1, outageBodies / outageSeconds) }
    /// Of every subscriber that is asked for.
    var profiles: Int { max(messageBodies, offerBodies, aloneBodies) }

    init(
        _ arguments: Arguments, deployDirectory: String, parentDirectory: String
    ) throws(UsageError) {
        self.deployDirectory = deployDirectory
        self.parentDirectory = parentDirectory
        rounds = try arguments.number("--rounds", in: 1...20) ?? rounds
        seconds = try arguments.number("--seconds", in: 1...60) ?? seconds
        bodies = try arguments.number("--bodies", in: 10...250_000) ?? bodies
        processor = try arguments.number("--core", in: 0...1_023) ?? processor
        isFull = arguments.has("--full")
        peerPython = arguments.value("--peer-python")
        peerScript = arguments.value("--peer-script") ?? ""
        if peerPython != nil, peerScript.isEmpty {
            throw UsageError("--peer-python needs --peer-script")
        }
        document = arguments.value("--document")
        commit = arguments.value("--commit") ?? commit
    }
}

/// A run from beginning to end.
struct BenchRun {
    private static let documentBytesLimit = 1 << 20

    let settings: BenchSettings
    let stop: StopSignal

    init(_ settings: BenchSettings, stop: StopSignal) {
        self.settings = settings
        self.stop = stop
    }

    func run(_ output: CommandOutput) throws -> Int32 {
        // Late is too late to learn that the figures cannot be written.
        _ = try settings.document.map(read)
        let stage = try BenchStage(settings, stop: stop, say: say)
        defer { stage.end() }
        let growth = BenchGrowth(stage: stage, say: say)
        let few = try growth.measureFew()
        say("making \(settings.profiles) profiles")
        try stage.loadProfiles(settings.profiles, into: stage.app)
        say("starting the responder, \(BuildMode.name) build, on core \(settings.processor)")
        try stage.startResponder()
        try stage.startPeer()
        let play = BenchRoundPlay(stage: stage, say: say)
        let rounds = try (1...settings.rounds).map { number in
            if stop.isRequested { throw LoadError(description: "interrupted") }
            say("round \(number) of \(settings.rounds)")
            return try play.play()
        }
        let outages = try BenchOutagePlay(stage: stage, say: say).play()
        let gates = BenchGates(
            rounds: rounds, growth: try growth.measureMany(after: few), outages: outages)
        let origin = origin()
        if let document = settings.document { try write(gates, origin, to: document) }
        try output.write(Self.table(gates), json: gates)
        say(
            gates.isReached ? "every \"must\" that was measured is reached" : "a \"must\" is missed"
        )
        return gates.isReached ? ExitCode.success : ExitCode.failed
    }

    private static func table(_ gates: BenchGates) -> TextTable {
        TextTable(
            head: ["WHAT", "VALUE", "MUST", "AIM", "VERDICT", "BEHIND IT"],
            rows: gates.gates.map { gate in
                [
                    gate.name, gate.value.map { String(hundredths: $0) + gate.unit } ?? "-",
                    String(hundredths: gate.must), String(hundredths: gate.aim),
                    gate.verdict.rawValue, gate.note,
                ]
            })
    }

    private func origin() -> BenchDocument.Origin {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let lines = info.split(separator: "\n")
        let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        let name = model.map { String($0.drop { $0 == " " }) } ?? "unknown processor"
        let cores = lines.count { $0.hasPrefix("processor") }
        return BenchDocument.Origin(
            date: BenchStage.now.rfc3339, commit: settings.commit,
            machine: "\(cores) cores of \(name)")
    }

    private func read(_ path: String) throws -> String {
        let bytes = try FileBytes.readAll(path, bytesLimit: Self.documentBytesLimit)
        let text = String(decoding: bytes, as: UTF8.self)
        guard BenchDocument.renewed(text, with: "") != nil else {
            throw LoadError(
                description: "\(path) lacks the lines \(BenchDocument.begin) and "
                    + BenchDocument.end)
        }
        return text
    }

    private func write(
        _ gates: BenchGates, _ origin: BenchDocument.Origin, to path: String
    ) throws {
        let figures = BenchDocument.figures(gates, origin)
        guard let text = BenchDocument.renewed(try read(path), with: figures) else { return }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        say("the figures are in \(path)")
    }

    private func say(_ line: String) { StandardStream.error.write("holdfast bench: \(line)\n") }
}
