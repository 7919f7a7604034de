/// What App Store Connect has of an app's notifications in one environment, and how the simulator
/// is to treat them on the way.
package struct NotificationSettings: Codable, Sendable, Equatable {
    /// Nil: none are sent. Begins with `https://`; its port is 443 or from 1024 on.
    package var url: String?
    /// Apple's waits between attempts, and nothing else, are divided by this.
    package var retryScale: Double
    /// How long an attempt may take. Apple documents no number.
    package var attemptMilliseconds: Int
    package var disorder: Disorder?

    /// How badly the network treats what is sent.
    package struct Disorder: Codable, Sendable, Equatable {
        package var seed: UInt64
        /// Each is delivered 1 to so many times; at most 6.
        package var copies: Int
        /// So many wait for one another, and leave in a drawn order; 0 or 1 keeps the order.
        package var window: Int
        /// The share that comes a further time with something broken in it. What was signed
        /// always comes whole as well.
        package var corruptShare: Double

        package init(
            seed: UInt64 = 0, copies: Int = 1, window: Int = 0, corruptShare: Double = 0
        ) {
            self.seed = seed
            self.copies = copies
            self.window = window
            self.corruptShare = corruptShare
        }

        package init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                seed: try fields.decodeIfPresent(UInt64.self, forKey: .seed) ?? 0,
                copies: try fields.decodeIfPresent(Int.self, forKey: .copies) ?? 1,
                window: try fields.decodeIfPresent(Int.self, forKey: .window) ?? 0,
                corruptShare: try fields.decodeIfPresent(Double.self, forKey: .corruptShare) ?? 0)
        }
    }

    private static let attemptMillisecondsLimit = 60_000
    static let attemptLimit: Duration = .milliseconds(attemptMillisecondsLimit)
    private static let windowLimit = 100_000

    package init(
        url: String? = nil, retryScale: Double = 1, attemptMilliseconds: Int = 10_000,
        disorder: Disorder? = nil
    ) {
        self.url = url
        self.retryScale = retryScale
        self.attemptMilliseconds = attemptMilliseconds
        self.disorder = disorder
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let own = NotificationSettings()
        self.init(
            url: try fields.decodeIfPresent(String.self, forKey: .url),
            retryScale: try fields.decodeIfPresent(Double.self, forKey: .retryScale)
                ?? own.retryScale,
            attemptMilliseconds: try fields.decodeIfPresent(Int.self, forKey: .attemptMilliseconds)
                ?? own.attemptMilliseconds,
            disorder: try fields.decodeIfPresent(Disorder.self, forKey: .disorder))
    }

    func check() throws(ControlError) {
        if let url, !NotificationSettings.isURL(url) {
            throw ControlError(
                .invalidState,
                "url begins with https:// and has port 443 or one from 1024 on.")
        }
        guard retryScale >= 1, retryScale <= 1e9,
            (1...NotificationSettings.attemptMillisecondsLimit).contains(attemptMilliseconds)
        else {
            throw ControlError(
                .invalidState,
                "retryScale is 1 to 1e9, attemptMilliseconds 1 to 60,000.")
        }
        guard let disorder else { return }
        guard (1...6).contains(disorder.copies), (0...1).contains(disorder.corruptShare),
            (0...NotificationSettings.windowLimit).contains(disorder.window)
        else {
            throw ControlError(
                .invalidState, "copies is 1 to 6, corruptShare 0 to 1, window 0 to 100,000.")
        }
    }

    private static func isURL(_ url: String) -> Bool {
        guard AppStateRules.isRealtimeURL(url) else { return false }
        let rest = url.utf8.dropFirst("https://".utf8.count)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return false }
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return true }
        let port = String(Substring(authority[authority.index(after: colon)...]))
        guard let port = Int(port) else { return false }
        return port == 443 || (1024...65_535).contains(port)
    }
}
