// A stand-in for the App Store, as strict as Apple.
//
// An agency cannot make Apple call on demand, and Apple does not say why an answer was not shown.
// This process signs real-time requests with a certificate chain of its own, plays customers who
// open their subscription page, applies Apple's rules to each answer, and tells what the customer
// would see, or which fallback and why. Whatever it let through would fail in production, so it
// reads answers with its own code and knows nothing of how the product writes them.
//
//   driver (demo, test, person)                                      product
//        │  control API, loopback                                       ▲ │
//        ▼                                                              │ │ answer
//   ControlAPI ─► SubscriptionPages ── signed request over HTTPS ───────┘ │
//        ▲              ▲                                                  ▼
//        │              └──────── FallbackLayers ◄── Verdict ◄── AnswerJudge
//        └── results, statistics, calls
//
// It plays the servers that developers call as well, one for each of Apple's hosts
// (docs/simulator.md):
//
//   product ── Retention Messaging API ─► AppleDoor ─► MessagingAPI ─► AppStoreMemory
//           └─ App Store Server API       faults,      │                 PerformanceRunner ─►
//                                         tokens,      └► ServerAPI ─► Ledger
//                                         limits, calls
//
// Third, it keeps the books of what was sold, and tells the developer of each change:
//
//   driver, or a SubscriberBase that lives by a plan
//        │  events                                        signed, with Apple's schedule
//        ▼                                                of attempts
//   Subscriptions ─► Ledger ─► NotificationDocuments ─► NotificationSender ──► product

import HTTPClient
import HTTPServer
package import Service
import Signing

/// What the simulator is told when it starts.
package struct SimulatorSettings: Sendable {
    package var controlPort: UInt16
    package var adminPort: UInt16
    /// Of the servers that stand for Apple's two hosts.
    package var productionPort: UInt16
    package var sandboxPort: UInt16
    /// How many page views are played at one time, over all batches together.
    package var callsAtOnce: Int
    /// PEM certificates trusted for the app's https URL in place of the system's.
    package var certificateAuthoritiesFile: String?
    /// How long an answer may take. Apple's 700 ms; no variable changes it.
    package var answerDeadline: Duration
    /// A late answer is waited for this long, so that it can be told from none. Less than a
    /// service has to end after SIGTERM.
    package var answerWait: Duration
    /// Notifications whose last attempt is not over, over all apps. No variable changes it.
    package var notificationsLimit: Int

    package init(
        controlPort: UInt16 = 0, adminPort: UInt16 = 0, productionPort: UInt16 = 0,
        sandboxPort: UInt16 = 0, callsAtOnce: Int = 8,
        certificateAuthoritiesFile: String? = nil,
        answerDeadline: Duration = AnswerJudge.deadline, answerWait: Duration = .seconds(3),
        notificationsLimit: Int = NotificationSender.queueLimit
    ) {
        self.notificationsLimit = notificationsLimit
        self.answerDeadline = answerDeadline
        self.answerWait = answerWait
        self.controlPort = controlPort
        self.adminPort = adminPort
        self.productionPort = productionPort
        self.sandboxPort = sandboxPort
        self.callsAtOnce = callsAtOnce
        self.certificateAuthoritiesFile = certificateAuthoritiesFile
    }

    package static let table = [
        Setting(
            "HOLDFAST_SIMULATOR_CONTROL_PORT",
            "port of the control API on loopback; 0 takes a free one and logs it", default: "8470"),
        Setting(
            "HOLDFAST_SIMULATOR_ADMIN_PORT",
            "port of /livez, /readyz and /metrics on loopback; 0 takes a free one",
            default: "8471"),
        Setting(
            "HOLDFAST_SIMULATOR_PRODUCTION_PORT",
            "port on loopback that stands for api.storekit.apple.com; 0 takes a free one",
            default: "8472"),
        Setting(
            "HOLDFAST_SIMULATOR_SANDBOX_PORT",
            "port on loopback that stands for api.storekit-sandbox.apple.com; 0 takes a free one",
            default: "8473"),
        Setting(
            "HOLDFAST_SIMULATOR_CALLS_AT_ONCE", "page views played at one time, 1 to 64",
            default: "8"),
        Setting(
            "HOLDFAST_SIMULATOR_CERTIFICATE_AUTHORITIES",
            "PEM file of authorities to trust for real-time URLs in place of the system's"),
    ]

    package static func read(_ reader: inout SettingsReader) -> SimulatorSettings {
        SimulatorSettings(
            controlPort: reader.port("HOLDFAST_SIMULATOR_CONTROL_PORT"),
            adminPort: reader.port("HOLDFAST_SIMULATOR_ADMIN_PORT"),
            productionPort: reader.port("HOLDFAST_SIMULATOR_PRODUCTION_PORT"),
            sandboxPort: reader.port("HOLDFAST_SIMULATOR_SANDBOX_PORT"),
            callsAtOnce: reader.integer("HOLDFAST_SIMULATOR_CALLS_AT_ONCE", in: 1...64),
            certificateAuthoritiesFile: reader.optionalText(
                "HOLDFAST_SIMULATOR_CERTIFICATE_AUTHORITIES"))
    }
}

/// A running simulator: a new certificate chain, empty memory, and its control API on loopback.
package final class Simulator: Sendable {
    /// Drivers of the control API at one time.
    private static let controlConnectionsLimit = 32
    /// Callers of each of Apple's hosts at one time, those that hang included.
    private static let apiConnectionsLimit = 256
    private static let apiBodyBytesLimit = 64 * 1024

    let memory: AppStoreMemory
    let subscriptions: Subscriptions
    let bases: BaseShelf
    private let pages: SubscriptionPages
    private let runner: PerformanceRunner
    private let control: Server
    private let production: Server
    private let sandbox: Server
    private let answerWait: Duration
    /// The root that a service must be told to trust, in DER.
    package let rootCertificate: [UInt8]

    /// The control API's port.
    package var controlPort: UInt16 { control.port }
    /// Of the server that stands for `api.storekit.apple.com`.
    package var productionPort: UInt16 { production.port }
    /// Of the server that stands for `api.storekit-sandbox.apple.com`.
    package var sandboxPort: UInt16 { sandbox.port }

    /// - Parameter moveClock: sets the clock that is handed in, where others follow it too. Where
    ///   there is none, a subscriber base moves the simulator ahead of its clock.
    package init(
        _ settings: SimulatorSettings, clock given: Clock = .system,
        moveClock: (@Sendable (Int64) -> Void)? = nil
    ) throws {
        let own = MovableClock(given)
        let clock = moveClock == nil ? own.clock : given
        memory = AppStoreMemory(clock: clock)
        let ledgers = LedgerShelf()
        let signer = try RequestSigner(nowSeconds: clock.now() / 1000)
        var transport = TransportSettings()
        transport.totalTimeout = settings.answerWait
        transport.connectTimeout = settings.answerWait
        transport.responseBytesLimit = SubscriptionPages.answerBytesLimit
        transport.connections = settings.callsAtOnce
        transport.certificateAuthoritiesFile = settings.certificateAuthoritiesFile
        pages = SubscriptionPages(
            memory: memory, signer: signer, transport: Transport(transport), clock: clock,
            callsAtOnce: settings.callsAtOnce, answerDeadline: settings.answerDeadline,
            isActive: { ledgers.isActive($0) })
        answerWait = settings.answerWait
        transport.connections = PerformanceTestConfig.concurrentRequestsLimit
        runner = PerformanceRunner(
            memory: memory,
            post: RealtimePost(memory: memory, signer: signer, transport: Transport(transport)),
            clock: clock)
        transport.connections = NotificationSender.inFlightLimit
        transport.totalTimeout = NotificationSettings.attemptLimit
        transport.connectTimeout = NotificationSettings.attemptLimit
        subscriptions = Simulator.subscriptions(
            memory, ledgers, signer, Transport(transport), clock,
            limit: settings.notificationsLimit)
        bases = BaseShelf(
            memory: memory, subscriptions: subscriptions, pages: pages, clock: clock,
            moveClock: moveClock ?? { own.move(to: $0) },
            setClock: moveClock ?? { own.set(to: $0) })
        let api = ControlAPI(
            memory: memory, pages: pages, signer: signer, clock: clock,
            subscriptions: subscriptions, bases: bases)
        var limits = Limits()
        limits.bodyBytes = ControlAPI.bodyBytesLimit
        let router = api.router
        control = try Server(
            ServerSettings(
                port: settings.controlPort,
                threads: .perConnection(maximum: Simulator.controlConnectionsLimit),
                limits: limits),
            handler: { api.respond(to: $0, by: router) })
        let messaging = MessagingAPI(
            memory: memory, runner: runner, subscriptions: subscriptions)
        let server = ServerAPI(memory: memory, subscriptions: subscriptions)
        func door(_ environment: Environment) -> AppleDoor {
            AppleDoor(
                environment: environment, memory: messaging.memory, messaging: messaging,
                server: server, clock: clock)
        }
        production = try Simulator.host(door(.production), settings.productionPort)
        sandbox = try Simulator.host(door(.sandbox), settings.sandboxPort)
        rootCertificate = signer.rootCertificate
    }

    private static func subscriptions(
        _ memory: AppStoreMemory, _ ledgers: LedgerShelf, _ signer: RequestSigner,
        _ transport: Transport, _ clock: Clock, limit: Int
    ) -> Subscriptions {
        let documents = DocumentSigner(signer.chain)
        let sender = NotificationSender(
            post: NotificationPost(memory: memory, transport: transport), ledgers: ledgers,
            signer: documents, clock: clock, limit: limit)
        return Subscriptions(
            memory: memory, ledgers: ledgers, signer: documents, sender: sender, clock: clock)
    }

    private static func host(_ door: AppleDoor, _ port: UInt16) throws -> Server {
        var limits = Limits()
        limits.bodyBytes = apiBodyBytesLimit
        let images = AppleEndpoint.uploadImage.pattern
        limits.bodyBytesByPath = [(images, UploadedImage.bytesLimit)]
        return try Server(
            ServerSettings(
                port: port, threads: .perConnection(maximum: apiConnectionsLimit), limits: limits),
            handler: { door.respond(to: $0) })
    }

    /// Lets calls under way end and leaves page views not yet begun unplayed.
    package func stop() {
        pages.cease()
        runner.cease()
        subscriptions.sender.cease()
        // All of them end meanwhile, so the wait for one is the wait for all.
        let end = ContinuousClock.now + answerWait
        for server in [production, sandbox, control] {
            server.stop(drain: end - ContinuousClock.now)
        }
        runner.wait(within: end - ContinuousClock.now)
        _ = subscriptions.sender.waitUntilIdle(within: end - ContinuousClock.now)
    }

    /// Counts over all page views so far.
    package var statistics: Statistics.Report { memory.statistics(nil).report }

    func publish(to metrics: Metrics) {
        let memory = memory
        func gauge(_ name: String, _ help: String, _ read: @escaping @Sendable (Statistics) -> Int)
        {
            metrics.gauge("holdfast_simulator_\(name)", help) {
                Double(read(memory.statistics(nil)))
            }
        }
        gauge("page_views", "Page views played.") { $0.pageViews }
        gauge("calls", "Page views for which the real-time URL was called.") { $0.cancellations }
        gauge("answered", "Complete HTTP responses of any status.") { $0.answered }
        gauge("wrong", "Timely 200 answers that broke a rule of Apple's.") { $0.wrong }
    }

    /// Runs until told to stop; what `main.swift` calls.
    package static func run(
        arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) -> Int32 {
        if arguments.first == CorpusCommand.name {
            return CorpusCommand.run(Array(arguments.dropFirst()))
        }
        return ServiceMain.run(
            name: "app-store-simulator", version: Release.version, table: SimulatorSettings.table,
            commands: [("\(CorpusCommand.name) --help", CorpusCommand.meaning)],
            arguments: arguments, read: SimulatorSettings.read
        ) { settings, runtime in
            let simulator = try Simulator(settings, clock: runtime.clock)
            simulator.publish(to: runtime.metrics)
            let admin = try runtime.adminPort(settings.adminPort) { Readiness(reasons: []) }
            runtime.ready([
                ("controlPort", LogValue(simulator.controlPort)),
                ("adminPort", LogValue(admin.port)),
                ("productionPort", LogValue(simulator.productionPort)),
                ("sandboxPort", LogValue(simulator.sandboxPort)),
            ])
            runtime.stop.wait()
            simulator.stop()
            admin.stop()
        }
    }
}
