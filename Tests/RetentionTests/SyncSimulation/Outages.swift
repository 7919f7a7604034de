import Retention

/// Spans of time in which Apple answers nobody, or not this app.
struct Outages {
    private(set) var away: Range<Int64> = 0..<0
    private(set) var keyRefused: Range<Int64> = 0..<0
    private(set) var noAccess: Range<Int64> = 0..<0

    init(profile: Profile, start: Int64, random: inout SplitMix64) {
        let span = profile.hoursOfFaults * 3_600_000
        func some(_ length: Int64, _ random: inout SplitMix64) -> Range<Int64> {
            let early = random.happens(600)
            let at = start + random.milliseconds(0...(early ? span / 10 : span - length))
            return at..<at + length
        }
        if profile.hasOutage { away = some(600_000, &random) }
        if profile.hasKeyRefused { keyRefused = some(3_600_000, &random) }
        if profile.hasNoAccess { noAccess = some(3_600_000, &random) }
    }
}
