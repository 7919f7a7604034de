internal import FoundationEssentials
private import Glibc

/// From the command line to the exit code: what all services do in the same way.
package enum ServiceMain {
    /// Runs a service until its body returns, and answers the exit code.
    ///
    /// To be called on the main thread before any other exists, because it blocks SIGTERM and
    /// SIGINT for all later ones (see `StopSignal`). SIGPIPE is ignored from here on: a peer that
    /// hung up is an error of one connection, not the end of the process.
    ///
    /// - Parameters:
    ///   - table: the service's settings; the log level is added.
    ///   - commands: what else the executable can do, by its first word; shown by `--help`.
    ///   - arguments: without the program's own name.
    ///   - read: takes the settings out of the environment; all problems are reported together.
    ///   - body: serves until `runtime.stop` is requested. What it throws is logged; exit code 1.
    package static func run<S>(
        name: String, version: String, table: [Setting], grammar: ArgumentGrammar = .init(),
        commands: [(String, String)] = [],
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        output: @Sendable (String) -> Void = { StandardStream.output.write($0) },
        sink: @escaping @Sendable ([UInt8]) -> Void = { StandardStream.error.write($0) },
        read: (inout SettingsReader) -> S, body: (S, Runtime) throws -> Void
    ) -> Int32 {
        let program = ServiceProgram(
            name: name, version: version, table: [.logLevel] + table, grammar: grammar,
            commands: commands)
        let log = Log(service: name, sink: sink)
        let parsed: Arguments
        switch program.parse(arguments) {
        case .answer(let text):
            output(text)
            return ExitCode.success
        case .refuse(let error):
            log.error("usage", [("error", .string(error.message)), ("help", "\(name) --help")])
            return ExitCode.usage
        case .run(let arguments): parsed = arguments
        }
        var reader = SettingsReader(environment: environment, table: program.table)
        let level = reader.choice("HOLDFAST_LOG_LEVEL", LogLevel.self, otherwise: .info)
        let settings = read(&reader)
        do throws(SettingsError) {
            try reader.finish()
        } catch {
            log.refuse(error)
            return ExitCode.settings
        }
        return serve(
            program, log.at(level), reader, parsed, environment, body: { try body(settings, $0) })
    }

    private static func serve(
        _ program: ServiceProgram, _ log: Log, _ reader: SettingsReader, _ arguments: Arguments,
        _ environment: [String: String], body: (Runtime) throws -> Void
    ) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        guard let stop = StopSignal.catchingSignals() else {
            log.error("failed", [("error", .string("\(ThreadError(loop: "signals"))"))])
            return ExitCode.failed
        }
        let runtime = Runtime(
            log: log, stop: stop, arguments: arguments, environment: environment)
        log.info("starting", [("version", .string(program.version))] + reader.effective)
        for warning in reader.warnings { log.warning("setting", [("advice", .string(warning))]) }
        stop.onRequest { runtime.stopping() }
        let start = ContinuousClock.now
        var code = ExitCode.success
        do {
            try body(runtime)
        } catch {
            log.error("failed", [("error", .string("\(error)"))])
            code = ExitCode.failed
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        log.info("stopped", [("exitCode", LogValue(code)), ("uptimeSeconds", .double(seconds))])
        return code
    }

    /// For `main.swift`, so that it needs no system module.
    package static func exit(_ code: Int32) -> Never { Glibc.exit(code) }
}

extension Log {
    /// One line per problem, so that each can be read and counted.
    fileprivate func refuse(_ error: SettingsError) {
        for problem in error.problems {
            self.error(
                "setting_refused",
                [("setting", .string(problem.name)), ("advice", .string(problem.advice))])
        }
    }
}

/// A service as its command line shows it.
struct ServiceProgram: Sendable {
    let name: String
    let version: String
    let table: [Setting]
    let grammar: ArgumentGrammar
    let commands: [(String, String)]

    enum Start {
        case answer(String)
        case refuse(UsageError)
        case run(Arguments)
    }

    /// `--help` and `--version` win over everything else on the line, right or wrong.
    func parse(_ words: [String]) -> Start {
        let options = words.prefix { $0 != "--" }
        if options.contains("--help") || options.contains("-h") { return .answer(help) }
        if options.contains("--version") { return .answer("\(name) \(version)\n") }
        do throws(UsageError) {
            return .run(try Arguments(words, grammar))
        } catch {
            return .refuse(error)
        }
    }

    private var help: String {
        let options =
            grammar.help
            + [("--help", "print this and exit"), ("--version", "print the version and exit")]
            + commands
        return HelpText.page(
            usage: grammar.usageLine(name), options: options, settings: table)
    }
}
