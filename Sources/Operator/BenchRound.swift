internal import FoundationEssentials
internal import Postgres
internal import Retention
internal import Service

/// What one round found, all of it on one core within a minute or so, so that what disturbs one
/// figure disturbs the others too.
package struct BenchRound: Encodable {
    /// Before and after the responder's phases, and their mean.
    let verificationsPerSecond: Double
    let offersPerSecond: Double
    let messages: RealtimeBenchReport
    let offers: RealtimeBenchReport
    let alone: AloneReport
    let peer: LoadReport?
    /// The share of the responder's core that other processes took while it was measured.
    let shareOfOthers: Double

    package init(
        verificationsPerSecond: Double, offersPerSecond: Double, messages: RealtimeBenchReport,
        offers: RealtimeBenchReport, alone: AloneReport, peer: LoadReport?, shareOfOthers: Double
    ) {
        self.verificationsPerSecond = verificationsPerSecond
        self.offersPerSecond = offersPerSecond
        self.messages = messages
        self.offers = offers
        self.alone = alone
        self.peer = peer
        self.shareOfOthers = shareOfOthers
    }

    /// One of the simulator's connections alone, each request after the last one's answer.
    package struct AloneReport: Encodable {
        /// As the client sees it.
        let load: LoadReport
        /// As the responder's own records have it: from the request's parsing to its answer.
        let serverMicroseconds: [Double]

        package init(load: LoadReport, serverMicroseconds: [Double]) {
            self.load = load
            self.serverMicroseconds = serverMicroseconds
        }
    }

    /// Answers a second of the responder's processor time over verifications a second.
    var messageShare: Double { (messages.closed.perProcessorSecond ?? 0) / verificationsPerSecond }
    var offerShare: Double { (offers.closed.perProcessorSecond ?? 0) / offersPerSecond }
    /// The median and the 99th percentile over the time of one verification.
    var serverTimes: [Double] {
        alone.serverMicroseconds.map { $0 * verificationsPerSecond / 1e6 }
    }
    var peerTimes: Double? {
        guard let peer = peer?.perProcessorSecond, let ours = messages.closed.perProcessorSecond
        else {
            return nil
        }
        return ours / peer
    }

    /// Every answer of every phase was one of Apple's, and of the kind expected.
    package var isRight: Bool {
        messages.isRight && offers.isRight && alone.load.isRight(messages.expected)
            && (peer.map { $0.isRight(nil) } ?? true)
    }

    /// Answers that were wrong or missing, in all phases.
    package var wrong: Int {
        let phases = [messages.closed, messages.open, offers.closed, offers.open, alone.load]
        return (phases + [peer].compactMap(\.self)).reduce(0) { $0 + $1.wrong }
    }
}

/// Plays a round on a stage.
struct BenchRoundPlay {
    private static let connections = 64
    private static let peerSeconds = 4
    private static let shippedLimit: Duration = .seconds(60)

    let stage: BenchStage
    let say: (String) -> Void

    private var settings: BenchSettings { stage.settings }
    private var app: BenchApp { stage.app }

    func play() throws -> BenchRound {
        if stage.responder == nil { try stage.startResponder() }
        say("openssl speed on core \(settings.processor)")
        let before = try stage.speed()
        let since = ProcessorTimes(processor: settings.processor)
        let used = times
        say("answers with a message")
        let messages = try load(
            app.messageProduct, count: settings.messageBodies, expected: "message")
        say("answers with a freshly signed offer")
        let offers = try load(
            app.offerProduct, count: settings.offerBodies, expected: "promotionalOffer")
        let own = times - used
        let others = since.flatMap { earlier in
            ProcessorTimes(processor: settings.processor)?.shareOfOthers(
                since: earlier, ownSeconds: own)
        }
        say("one connection alone, each subscriber from PostgreSQL")
        let alone = try alone()
        say("openssl speed again")
        let speed = OpenSSLSpeed.mean(before, try stage.speed())
        let peer = try peerLoad()
        return BenchRound(
            verificationsPerSecond: speed.verificationsPerSecond,
            offersPerSecond: speed.offersPerSecond, messages: messages, offers: offers,
            alone: alone, peer: peer, shareOfOthers: others ?? 0)
    }

    private var times: Double {
        stage.responder.flatMap { ProcessTimes(of: $0.pid) }?.seconds ?? 0
    }

    private func load(
        _ product: String, count: Int, expected: String
    ) throws -> RealtimeBenchReport {
        let file = try stage.bodies(of: app, product: product, count: count)
        var order = RealtimeBenchOrder(target: stage.target(app), bodies: file)
        order.connections = Self.connections
        order.seconds = settings.seconds
        order.pid = stage.responder?.pid
        order.expected = expected
        return try order.run()
    }

    /// With a responder of its own that remembers nobody.
    private func alone() throws -> BenchRound.AloneReport {
        stage.stopResponder()
        try stage.startResponder(memory: 0)
        defer { stage.stopResponder() }
        let file = try stage.bodies(
            of: app, product: app.messageProduct, count: settings.aloneBodies)
        let start = BenchStage.now
        let corpus = try RequestCorpus(target: stage.target(app), file: file)
        var generator = try LoadGenerator(corpus, to: stage.target(app), connections: 1)
        let time = Duration.seconds(settings.seconds)
        let result = try generator.run(
            .closed, within: .init(requests: settings.aloneBodies, time: time))
        return BenchRound.AloneReport(
            load: LoadReport(result, nil),
            serverMicroseconds: try durations(since: start, count: result.good))
    }

    /// The median and the 99th percentile of what the decisions of this phase say, once all of
    /// them are in PostgreSQL.
    private func durations(since start: Instant, count: Int) throws -> [Double] {
        let pool = try Pool(
            PoolSettings(
                url: stage.postgres.url(database: "holdfast"), maximumConnections: 1))
        defer { pool.close() }
        let deadline = ContinuousClock.now + Self.shippedLimit
        let from = Timestamp(milliseconds: start.milliseconds)
        while ContinuousClock.now < deadline {
            let found: [Double] = try pool.withConnection { connection in
                let rows = try connection.query(
                    """
                    select count(*) as decisions,
                      count(*) filter (where profile_source = 'database') as looked_up,
                      coalesce(percentile_disc(0.5) within group
                        (order by duration_microseconds), 0)::bigint as middle,
                      coalesce(percentile_disc(0.99) within group
                        (order by duration_microseconds), 0)::bigint as slow
                    from holdfast.decision where decided_at >= \(from)
                    """)
                guard let row = rows.first else { return [] }
                let decisions: Int64 = try row.decode("decisions")
                let (middle, slow): (Int64, Int64) = (
                    try row.decode("middle"), try row.decode("slow")
                )
                guard decisions >= Int64(count) else { return [] }
                let lookedUp: Int64 = try row.decode("looked_up")
                guard lookedUp * 100 >= decisions * 99 else {
                    throw LoadError(
                        description: "only \(lookedUp) of \(decisions) subscribers were found "
                            + "in PostgreSQL in time")
                }
                return [Double(middle), Double(slow)]
            }
            if !found.isEmpty { return found }
            _ = stage.responder?.wait(for: .milliseconds(100))
        }
        throw LoadError(description: "\(count) decisions are not in PostgreSQL in time")
    }

    private func peerLoad() throws -> LoadReport? {
        guard let peer = stage.peer else { return nil }
        say("the same in Python")
        let file = try stage.bodies(
            of: app, product: app.messageProduct, count: settings.peerBodies)
        let corpus = try RequestCorpus(target: stage.peerTarget, file: file)
        var generator = try LoadGenerator(
            corpus, to: stage.peerTarget, connections: Self.connections)
        let time = Duration.seconds(Self.peerSeconds)
        _ = try generator.run(
            .closed, within: .init(requests: min(100, settings.peerBodies / 2), time: time))
        let before = ProcessTimes(of: peer.pid)
        var bounds = LoadGenerator.Bounds(requests: settings.peerBodies, time: time)
        bounds.patience = .seconds(10)
        let result = try generator.run(.closed, within: bounds)
        let after = ProcessTimes(of: peer.pid)
        return LoadReport(
            result, before.flatMap { before in after.map { $0.seconds - before.seconds } })
    }
}
