internal import AppStore
internal import Service

/// What looks after the chains that are believed, apart from requests.
struct Trust: Sendable {
    let loops: [BackgroundLoop]
    private let files: TrustFiles?
    private let clock: Clock

    init(_ settings: Settings, _ runtime: Runtime, _ metrics: ResponderMetrics) throws {
        let (verifier, log, stop) = (settings.verifier, runtime.log, runtime.stop)
        clock = runtime.clock
        files = try settings.stateDirectory.map {
            try TrustFiles(directory: $0, verifier: verifier, log: log)
        }
        var loops: [BackgroundLoop] = []
        if let files {
            loops.append(
                BackgroundLoop("trust files", every: Settings.trustInterval, log: log) {
                    try files.write()
                })
        }
        if settings.checksRevocation {
            let watch = RevocationWatch(
                verifier: verifier, client: RevocationClient(), clock: clock, log: log,
                metrics: metrics)
            // Last: it alone may sit in a wait for the network when all are told to end.
            loops.append(
                BackgroundLoop("revocation", every: Settings.trustInterval, log: log) {
                    watch.run { stop.isRequested }
                })
        }
        self.loops = loops
    }

    /// Before the first request.
    func warm() { files?.read(nowMilliseconds: clock.now()) }
}
