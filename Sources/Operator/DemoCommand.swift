internal import FoundationEssentials
internal import Retention
internal import RetentionStore
internal import Service

extension Command {
    static let demo = Command(
        name: "demo",
        meaning: "Run all of Holdfast on this machine with a sample agency and play cancellations.",
        grammar: ArgumentGrammar(flags: [
            .init(
                "--once", "play once, print one JSON object as the last line, leave nothing running"
            )
        ]),
        table: [
            Setting(
                "HOLDFAST_DEPLOY_DIRECTORY", "the folder with roles.sql and haproxy.cfg",
                default: "deploy"),
            Setting(
                "HOLDFAST_DEMO_PARENT_DIRECTORY", "where the demo's own folder is made",
                default: "/var/tmp"),
        ]
    ) { arguments, reader in
        let settings = DemoSettings(
            deployDirectory: deployDirectory(&reader),
            parentDirectory: reader.text("HOLDFAST_DEMO_PARENT_DIRECTORY"),
            once: arguments.has("--once"))
        try reader.finish()
        guard let stop = StopSignal.catchingSignals() else {
            throw DemoError(description: "the system gives no thread for signals; try again")
        }
        return try Demo(settings, stop: stop).run()
    }

    /// Looked into before anything starts: its files are needed late.
    private static func deployDirectory(_ reader: inout SettingsReader) -> String {
        let name = "HOLDFAST_DEPLOY_DIRECTORY"
        let folder = reader.text(name)
        let missing = [DemoSettings.rolesFile, DemoSettings.proxyFile].filter {
            !FileManager.default.isReadableFile(atPath: "\(folder)/\($0)")
        }
        if !missing.isEmpty {
            reader.refuse(
                name,
                "\(folder) has no readable \(missing.joined(separator: " and ")); name the deploy "
                    + "folder of Holdfast's source")
        }
        return folder
    }
}

package struct DemoSettings {
    static let rolesFile = "roles.sql"
    static let proxyFile = "haproxy.cfg"

    let deployDirectory: String
    let parentDirectory: String
    let programs: String?
    let once: Bool

    /// - Parameter programs: the folder of the executables; that of this program where not given.
    package init(
        deployDirectory: String, parentDirectory: String = "/var/tmp", programs: String? = nil,
        once: Bool = false
    ) {
        self.deployDirectory = deployDirectory
        self.parentDirectory = parentDirectory
        self.programs = programs
        self.once = once
    }
}

/// Why the demo ended early, in a sentence.
struct DemoError: Error, CustomStringConvertible {
    let description: String
}

/// The demo from beginning to end:
///
///     PostgreSQL ─ migrate ─ simulator ─ gateway ─ HAProxy ─ sample agency, over the admin API
///       ─ responder ─ sync ─ the apps go live at Apple ─ page views ─ decisions compared with what
///       the simulator saw and what the API lists, calls of Apple with its rules ─ report
struct Demo {
    /// Within it every decision must have reached PostgreSQL.
    private static let decisionsLimit: Duration = .seconds(30)
    private static let decisionsLookInterval: Duration = .milliseconds(100)

    let settings: DemoSettings
    let stop: StopSignal

    init(_ settings: DemoSettings, stop: StopSignal) {
        self.settings = settings
        self.stop = stop
    }

    /// Gives 0 only if nothing was wrong and every call was answered.
    func run() throws -> Int32 {
        let processes = try DemoProcesses(settings, stop: stop, say: say)
        defer { processes.end() }
        try processes.startPostgres()
        try processes.startSimulator()
        try processes.startGateway()
        try processes.startProxy()
        let (agency, api) = try makeAgency(processes)
        try processes.startResponder()
        try processes.startSync()
        let simulator = processes.simulator
        let launch = try AppLaunch(
            agency: agency, api: api, simulator: simulator, stop: stop, say: say
        ).run()
        say("playing \(agency.pageViews.count) page views")
        var played = try simulator.play(agency.pageViews)
        played.results += launch.testerViews
        played.statistics = try simulator.statistics()
        let decisions = try awaitDecisions(
            played.statistics.cancellations + launch.testRequests, agency, processes)
        let report = DemoReport(
            agency: agency, launch: launch, played: played, decisions: decisions,
            decisionsOverAPI: try agency.countDecisions(over: api),
            appleCalls: try simulator.appleCalls(), api: api.counts)
        StandardStream.output.write(report.text)
        if settings.once {
            processes.end()
            StandardStream.output.write(report.jsonLine + "\n")
            return report.isRight ? ExitCode.success : ExitCode.failed
        }
        StandardStream.output.write(processes.whereToLook(agency))
        try processes.watch()
        return report.isRight ? ExitCode.success : ExitCode.failed
    }

    private func makeAgency(
        _ processes: DemoProcesses
    ) throws -> (SampleAgency, AdminClient) {
        say(
            "making a sample agency over the admin API: two clients, three apps, messages in "
                + "eight locales")
        let (agency, api) = try processes.makeAgency()
        for app in agency.apps {
            for environment in StoreEnvironment.allCases {
                try processes.simulator.put(
                    SimulatorApp(
                        app.sample, in: environment.rawValue, offerKey: app.offerKey))
            }
        }
        return (agency, api)
    }

    /// Waits until as many decisions are in PostgreSQL as calls were made, then reads them.
    private func awaitDecisions(
        _ calls: Int, _ agency: SampleAgency, _ processes: DemoProcesses
    ) throws -> [StoredDecision] {
        let store = RetentionStore(pool: try processes.operatorPool())
        let deadline = ContinuousClock.now + Self.decisionsLimit
        while true {
            let decisions = try agency.decisions(in: store)
            if decisions.count >= calls { return decisions }
            guard ContinuousClock.now < deadline else { return decisions }
            if stop.wait(for: Self.decisionsLookInterval) {
                throw DemoError(description: "interrupted")
            }
        }
    }

    private func say(_ line: String) {
        StandardStream.output.write("holdfast demo: \(line)\n")
    }
}
