/// What every Holdfast process needs besides its own work.
///
/// ```
/// arguments, environment
///        |
///   ServiceMain.run --refused--> every problem on its own line, exit 64 or 78
///        |
///   start line (every setting that is no secret)
///        |
///   body(settings, Runtime) ....... log, metrics, clock, stop
///        |        |
///        |        +-- ready() --> READY=1      AdminPort: /livez /readyz /metrics
///        |
///   SIGTERM or SIGINT --> STOPPING=1, `stop` is requested, the body drains and returns
///        |
///   stop line, exit 0; a body that throws: exit 1
/// ```
///
/// Everything is synchronous: `main` waits in the body, background work has threads of its own,
/// and the libraries below block. Only the files that call the system directly (named in the tidy
/// test) contain `unsafe`.

internal import FoundationEssentials
private import Synchronization

/// What this source makes; all programs of one build have one version.
package enum Release {
    package static let version = "0.1.0"
}

/// Exit codes that operators and unit files rely on.
package enum ExitCode {
    package static let success: Int32 = 0
    package static let failed: Int32 = 1
    package static let differencesFound: Int32 = 2
    /// As in sysexits.h.
    package static let usage: Int32 = 64
    /// As in sysexits.h.
    package static let settings: Int32 = 78
}

/// Whether a service answers already.
private final class Answers: Sendable {
    private let given = Atomic(false)

    var areGiven: Bool { given.load(ordering: .acquiring) }

    func begin() { given.store(true, ordering: .releasing) }
}

/// What a running service is given to work with.
package struct Runtime: Sendable {
    package let log: Log
    package let metrics: Metrics
    package let clock: Clock
    package let stop: StopSignal
    package let arguments: Arguments
    private let notify: NotifySocket?
    private let answers = Answers()

    package init(
        log: Log, metrics: Metrics = Metrics(), clock: Clock = .system,
        stop: StopSignal = StopSignal(), arguments: Arguments = Arguments(),
        environment: [String: String] = [:]
    ) {
        self.log = log
        self.metrics = metrics
        self.clock = clock
        self.stop = stop
        self.arguments = arguments
        notify = NotifySocket(environment: environment)
    }

    /// The service's admin port. Whatever `readiness` says, it is not ready before `ready` was
    /// called: who is told so sends requests at once, and nobody would listen yet.
    ///
    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - readiness: asked at each `/readyz`; it must not wait.
    package func adminPort(
        _ port: UInt16, readiness: @escaping @Sendable () -> Readiness
    ) throws -> AdminPort {
        try AdminPort(port: port, metrics: metrics) { [answers] in
            let state = readiness()
            guard !answers.areGiven else { return state }
            return Readiness(
                reasons: state.reasons + ["still starting; nothing is answered yet"],
                warnings: state.warnings)
        }
    }

    /// To be called once the service answers: logs it and tells systemd (`Type=notify`).
    package func ready(_ fields: [(String, LogValue)] = []) {
        answers.begin()
        log.info("ready", fields)
        notify?.send("READY=1")
    }

    func stopping() {
        log.info("stopping")
        notify?.send("STOPPING=1")
    }
}
