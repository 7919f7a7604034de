internal import FoundationEssentials
internal import Service
internal import Signing

/// Signed real-time requests in stock, for load on a responder: as Apple signs them, each of
/// another subscriber and with another identifier, all under one chain whose root is beside them.
///
/// They are signed with the time of their making, and a responder takes none older than five
/// minutes: make them right before they are sent.
package struct RealtimeCorpus: Sendable {
    package static let countLimit = 250_000
    /// How many are signed by one thread before the next word of progress.
    private static let batch = 1_000
    /// As Apple's identifiers: 16 digits.
    private static let firstTransaction: Int64 = 2_000_000_000_000_000

    package var count = 20_000
    package var appAppleId: Int64
    package var environment = Environment.production
    package var productId: String
    package var userLocales = ["en-US"]
    /// Requests are spread evenly over so many subscribers; each has another where there are as
    /// many as requests.
    package var subscribers: Int
    /// The first subscriber's number.
    package var firstSubscriber: Int64 = 0

    package init(appAppleId: Int64, productId: String, count: Int = 20_000) {
        self.appAppleId = appAppleId
        self.productId = productId
        self.count = count
        subscribers = count
    }

    /// Writes a body a line.
    /// - Parameter progress: told how many are written by now, now and then.
    package func write(
        to path: String, signedBy signer: RequestSigner, nowMilliseconds: Int64,
        threads: Int = 2, progress: (Int) -> Void = { _ in }
    ) throws {
        try? FileManager.default.removeItem(atPath: path)
        let file = try AppendFile(path: path)
        defer { file.close() }
        let team = ThreadTeam(threads: threads)
        let starts = Array(stride(from: 0, to: count, by: Self.batch))
        for round in stride(from: 0, to: starts.count, by: 8) {
            let some = Array(starts[round..<min(round + 8, starts.count)])
            let pieces = team.map(some) { start in
                Result {
                    try lines(
                        start..<min(start + Self.batch, count), signer, nowMilliseconds)
                }
            }
            for piece in pieces { try file.append(try piece.get()) }
            progress(min((round + 8) * Self.batch, count))
        }
    }

    private func lines(
        _ numbers: Range<Int>, _ signer: RequestSigner, _ now: Int64
    ) throws -> [UInt8] {
        var lines: [UInt8] = []
        for number in numbers {
            lines += try signer.body(of: request(number, now))
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }

    private func request(_ number: Int, _ now: Int64) -> RealtimeRequest {
        let subscriber = firstSubscriber + Int64(number % max(1, subscribers))
        let locale = userLocales.isEmpty ? "en-US" : userLocales[number % userLocales.count]
        return RealtimeRequest(
            originalTransactionId: String(Self.firstTransaction + subscriber),
            appAppleId: appAppleId, productId: productId, userLocale: locale,
            requestIdentifier: UUID().lowerCase, environment: environment, signedDate: now)
    }
}

extension RequestSigner {
    private static let files = ["root.der", "intermediate.der", "leaf.der"]
    private static let keyFile = "leaf-key.pem"
    private static let fileBytesLimit = 16 * 1024

    /// The chain kept in a folder, made there the first time: what is signed today and tomorrow is
    /// under one root then. Whoever reads the key speaks as Apple to those who trust that root.
    package init(keptIn folder: String, nowSeconds: Int64) throws {
        let paths = Self.files.map { "\(folder)/\($0)" }
        let keyPath = "\(folder)/\(Self.keyFile)"
        if FileManager.default.fileExists(atPath: keyPath) {
            let parts = try paths.map { try FileBytes.readAll($0, bytesLimit: Self.fileBytesLimit) }
            let key = try PrivateKey(
                pem: try FileBytes.readAll(keyPath, bytesLimit: Self.fileBytesLimit))
            self.init(
                chain: IssuedChain(
                    root: parts[0], intermediate: parts[1], leaf: parts[2], leafKey: key))
            return
        }
        try self.init(nowSeconds: nowSeconds)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // The key comes last: where it is, the rest is whole.
        let contents = [chain.root, chain.intermediate, chain.leaf, chain.leafKey.pem()]
        for (path, bytes) in zip(paths + [keyPath], contents) {
            try? FileManager.default.removeItem(atPath: path)
            let file = try AppendFile(path: path)
            defer { file.close() }
            try file.append(bytes)
        }
    }
}
