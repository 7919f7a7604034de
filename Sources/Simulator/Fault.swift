/// Something that goes wrong between Apple and its callers, on order.
package struct Fault: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// The connection ends in order, or with a reset, without an answer.
        case cut, reset
        /// The head announces the whole answer; the connection ends after half of the body.
        case cutInBody
        /// Nothing comes for `milliseconds`; then the answer, or the end where `applies` is false.
        case hang
        /// The answer comes in pieces, `milliseconds` apart.
        case drip
        /// 500 with Apple's 5000000.
        case internalError
        /// 503 without a body.
        case unavailable
        /// A page of HTML with `status`, 502 where nothing is said.
        case html
        /// The right status without its body.
        case emptyBody
        /// The right status with the first half of the body, announced as that.
        case truncatedJSON
        /// 301 to `location`.
        case redirect
        /// 429 with `retryAfter` as its form says.
        case tooManyRequests
        /// A list leaves out what was uploaded under `milliseconds` ago, or since fewer than
        /// `lists` lists. The answer is otherwise as ever.
        case listLag
        /// For this call Apple's clock is `milliseconds` ahead of the simulator's, or behind.
        case clockOffset
    }

    /// What Retry-After says. Apple's form is `epochMilliseconds`.
    package enum RetryAfter: String, Codable, Sendable, CaseIterable {
        case epochMilliseconds, epochSeconds, seconds, missing, past, farFuture, garbage
    }

    package var kind: Kind
    /// Nil: any.
    package var endpoint: AppleEndpoint?
    package var environment: Environment?
    package var appAppleId: Int64?
    /// How many of the matching calls are let through first.
    package var skip: Int?
    /// How many times it happens; nil for ever.
    package var times: Int?
    /// How likely it is for each matching call, by the script's seed; nil for certain.
    package var probability: Double?
    /// Whether Apple does what was asked all the same; nil as its kind has it.
    package var applies: Bool?
    package var milliseconds: Int64?
    package var lists: Int?
    package var status: Int?
    package var location: String?
    package var retryAfter: RetryAfter?

    package init(
        _ kind: Kind, endpoint: AppleEndpoint? = nil, environment: Environment? = nil,
        appAppleId: Int64? = nil, skip: Int? = nil, times: Int? = nil, probability: Double? = nil,
        applies: Bool? = nil, milliseconds: Int64? = nil, lists: Int? = nil, status: Int? = nil,
        location: String? = nil, retryAfter: RetryAfter? = nil
    ) {
        self.kind = kind
        self.endpoint = endpoint
        self.environment = environment
        self.appAppleId = appAppleId
        self.skip = skip
        self.times = times
        self.probability = probability
        self.applies = applies
        self.milliseconds = milliseconds
        self.lists = lists
        self.status = status
        self.location = location
        self.retryAfter = retryAfter
    }

    /// Whether it leaves the answer as it is and changes how it comes about.
    var isBackground: Bool { kind == .listLag || kind == .clockOffset }

    var doesApply: Bool {
        if let applies { return applies }
        switch kind {
        case .hang, .drip, .cutInBody, .emptyBody, .truncatedJSON, .listLag, .clockOffset:
            return true
        case .cut, .reset, .internalError, .unavailable, .html, .redirect, .tooManyRequests:
            return false
        }
    }

    fileprivate func check() throws(ControlError) {
        guard (0...1).contains(probability ?? 1), (200...599).contains(status ?? 200),
            skip ?? 0 >= 0, times ?? 0 >= 0, lists ?? 0 >= 0
        else {
            throw ControlError(
                .invalidState,
                "probability is 0 to 1, status 200 to 599, skip, times and lists not below 0.")
        }
        let isOffset = kind == .clockOffset || kind == .tooManyRequests
        let limit = isOffset ? Fault.offsetMillisecondsLimit : Fault.waitMillisecondsLimit
        guard (isOffset ? -limit...limit : 0...limit).contains(milliseconds ?? 0) else {
            throw ControlError(.invalidState, "milliseconds is at most \(limit) for this kind.")
        }
        guard (location ?? "").utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ControlError(.invalidState, "location is an URL.")
        }
    }

    private static let waitMillisecondsLimit: Int64 = 600_000
    private static let offsetMillisecondsLimit: Int64 = 10 * 366 * 86_400_000
}

/// Faults in the order in which they are tried: of those that break an answer, the first that
/// happens is the only one.
package struct FaultScript: Codable, Sendable, Equatable {
    private static let faultsLimit = 1000

    package var faults: [Fault]
    package var seed: UInt64

    package init(faults: [Fault] = [], seed: UInt64 = 0) {
        self.faults = faults
        self.seed = seed
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            faults: try fields.decode([Fault].self, forKey: .faults),
            seed: try fields.decodeIfPresent(UInt64.self, forKey: .seed) ?? 0)
    }

    func check() throws(ControlError) {
        guard faults.count <= FaultScript.faultsLimit else {
            throw ControlError(.tooMany, "Script at most \(FaultScript.faultsLimit) faults.")
        }
        for fault in faults { try fault.check() }
    }
}

/// A script under way.
struct FaultDeck: Sendable {
    let script: FaultScript
    private var matches: [Int]
    private var happened: [Int]

    init(_ script: FaultScript = FaultScript()) {
        self.script = script
        matches = script.faults.map { _ in 0 }
        happened = matches
    }

    /// What happens to a call: any number of faults in the background, and one in front at most.
    mutating func draw(
        _ endpoint: AppleEndpoint, _ environment: Environment, _ appAppleId: Int64?
    ) -> [Fault] {
        var drawn: [Fault] = []
        var isBroken = false
        for (place, fault) in script.faults.enumerated() {
            guard fault.endpoint ?? endpoint == endpoint,
                fault.environment ?? environment == environment,
                fault.appAppleId == nil || fault.appAppleId == appAppleId,
                fault.isBackground || !isBroken,
                fault.kind != .listLag || endpoint.isList
            else { continue }
            matches[place] += 1
            guard matches[place] > fault.skip ?? 0, happened[place] < fault.times ?? .max,
                isDrawn(fault, place)
            else { continue }
            happened[place] += 1
            if !fault.isBackground { isBroken = true }
            drawn.append(fault)
        }
        return drawn
    }

    /// The same for the n-th matching call of a script, whatever happened beside it.
    private func isDrawn(_ fault: Fault, _ place: Int) -> Bool {
        guard let probability = fault.probability else { return true }
        var mixed = script.seed &+ UInt64(matches[place]) &* 0x9E37_79B9_7F4A_7C15
        mixed = mixed &+ UInt64(place + 1) &* 0xD1B5_4A32_D192_ED03
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / Double(1 << 53 as UInt64) < probability
    }
}

extension AppleEndpoint {
    fileprivate var isList: Bool { self == .getImageList || self == .getMessageList }
}
