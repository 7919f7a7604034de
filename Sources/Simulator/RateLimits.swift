/// How much Apple takes: its own numbers unless a test makes them smaller.
package struct RateLimits: Codable, Sendable, Equatable {
    /// Multiplies Apple's calls an hour.
    package var factor: Double
    /// How long an hour is.
    package var hourMilliseconds: Int64
    /// Calls an hour by `AppleEndpoint`, in both environments, in place of Apple's.
    package var callsPerHour: [String: Int]
    package var imagesLimit: Int
    package var messagesLimit: Int

    package init(
        factor: Double = 1, hourMilliseconds: Int64 = 3_600_000, callsPerHour: [String: Int] = [:],
        imagesLimit: Int = 2000, messagesLimit: Int = 2000
    ) {
        self.factor = factor
        self.hourMilliseconds = hourMilliseconds
        self.callsPerHour = callsPerHour
        self.imagesLimit = imagesLimit
        self.messagesLimit = messagesLimit
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let own = RateLimits()
        self.init(
            factor: try fields.decodeIfPresent(Double.self, forKey: .factor) ?? own.factor,
            hourMilliseconds: try fields.decodeIfPresent(Int64.self, forKey: .hourMilliseconds)
                ?? own.hourMilliseconds,
            callsPerHour: try fields.decodeIfPresent([String: Int].self, forKey: .callsPerHour)
                ?? [:],
            imagesLimit: try fields.decodeIfPresent(Int.self, forKey: .imagesLimit)
                ?? own.imagesLimit,
            messagesLimit: try fields.decodeIfPresent(Int.self, forKey: .messagesLimit)
                ?? own.messagesLimit)
    }

    func check() throws(ControlError) {
        guard factor >= 0, factor <= 1000, (1...86_400_000).contains(hourMilliseconds),
            (0...2000).contains(imagesLimit), (0...2000).contains(messagesLimit)
        else {
            throw ControlError(
                .invalidState,
                "factor is 0 to 1000, hourMilliseconds 1 to 86,400,000, each limit 0 to 2000.")
        }
        for (name, calls) in callsPerHour {
            guard AppleEndpoint(rawValue: name) != nil, calls >= 0 else {
                throw ControlError(.invalidState, "callsPerHour has no endpoint \(name).")
            }
        }
    }

    package func calls(_ endpoint: AppleEndpoint, _ environment: Environment) -> Int {
        callsPerHour[endpoint.rawValue]
            ?? Int((Double(endpoint.callsPerHour(in: environment)) * factor).rounded(.down))
    }
}

/// Counts calls by app, environment and endpoint in fixed windows of an hour.
struct RateLimiter: Sendable {
    struct Place: Hashable, Sendable {
        var app: AppStoreMemory.Place
        var endpoint: AppleEndpoint
    }

    enum Verdict: Sendable, Equatable {
        case taken
        /// Try again at this time, in milliseconds since 1970.
        case refused(retryAfter: Int64)
    }

    private struct Window: Sendable {
        var number: Int64
        var calls = 0
    }

    private var windows: [Place: Window] = [:]
    private var promises: [Place: Int64] = [:]

    /// Whether the caller was told to stay away until later than now.
    func isPromised(_ place: Place, nowMilliseconds: Int64) -> Bool {
        promises[place].map { nowMilliseconds < $0 } ?? false
    }

    mutating func promise(_ place: Place, until milliseconds: Int64) {
        promises[place] = milliseconds
    }

    mutating func take(
        _ place: Place, _ limits: RateLimits, nowMilliseconds: Int64
    ) -> Verdict {
        let hour = limits.hourMilliseconds
        let number = nowMilliseconds / hour
        var window = windows[place] ?? Window(number: number)
        if window.number != number { window = Window(number: number) }
        defer { windows[place] = window }
        guard window.calls < limits.calls(place.endpoint, place.app.environment) else {
            let end = (number + 1) * hour
            promises[place] = end
            return .refused(retryAfter: end)
        }
        window.calls += 1
        return .taken
    }
}
