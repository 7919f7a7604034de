import Retention

/// What one seed's world is like. Rates are of a thousand; some worlds have none of a kind, so that
/// what a run costs without faults is tried as well.
struct Profile: Sendable {
    let environment: StoreEnvironment
    let workers: Int
    let responders: Int
    let hoursOfFaults: Int64
    let perHour: Int
    /// Apple's limit of messages; of images it takes twice as many.
    let most: Int
    /// Whether the agency's messages all but fill that.
    let isTight: Bool
    let messages: Int
    let foreignObjects: Int
    let longestReview: Int64

    var callFaults = 0
    var throttled = 0
    var listBehind = 0
    var unreadableLine = 0
    var rejected = 0
    var keptPending = 0
    var flipped = 0
    var crashes = 0
    var freezes = 0
    var hasOutage = false
    var hasKeyRefused = false
    var hasNoAccess = false
    /// Acts of others, and of the agency, in the hours of faults.
    var foreignActs = 0
    var edits = 0
    var hasBadContent = false

    let limits: SyncLimits

    init(random: inout SplitMix64) {
        environment = random.happens(400) ? .sandbox : .production
        workers = 2 + random.below(2)
        responders = 1 + random.below(3)
        hoursOfFaults = 1 + Int64(random.below(8))
        perHour = [12, 40, 120, 3_600][random.below(4)]
        messages = 1 + random.below(4)
        foreignObjects = random.happens(500) ? random.below(4) : 0
        isTight = random.happens(250)
        most = isTight ? 1 + messages * 4 + foreignObjects : 2_000
        longestReview = [60_000, 1_800_000, 10_800_000][random.below(3)]
        var limits = SyncLimits()
        if random.happens(500) {
            // Else Apple has another limit than we believe.
            limits.images = 2 * most
            limits.messages = most
        }
        limits.retirementMilliseconds = [1, 6, 24][random.below(3)] * 3_600_000
        self.limits = limits
        if random.happens(700) { setFaults(&random) }
        if random.happens(700) { setOthers(&random) }
        edits = random.happens(150) ? 0 : 1 + random.below(25)
        hasBadContent = random.happens(150)
    }

    private mutating func setFaults(_ random: inout SplitMix64) {
        callFaults = random.happens(700) ? 5 + random.below(150) : 0
        throttled = random.happens(300) ? 5 + random.below(60) : 0
        crashes = random.happens(500) ? 2 + random.below(20) : 0
        freezes = random.happens(400) ? 2 + random.below(15) : 0
        hasOutage = random.happens(300)
        hasKeyRefused = random.happens(150)
        hasNoAccess = random.happens(150)
    }

    private mutating func setOthers(_ random: inout SplitMix64) {
        listBehind = random.happens(400) ? 300 : 0
        unreadableLine = random.happens(300) ? 150 : 0
        rejected = random.happens(500) ? 150 : 0
        keptPending = random.happens(150) ? 120 : 0
        flipped = random.happens(300) ? 300 : 0
        foreignActs = random.happens(400) ? 1 + random.below(4) : 0
    }

    func callsPerHour(_ endpoint: AppleEndpoint) -> Int {
        endpoint == .configureDefaultMessage ? perHour * 10 : perHour
    }

    /// Whether Apple refuses the content for what it is.
    func isBad(_ label: Int) -> Bool { hasBadContent && label % 7 == 3 }
}
