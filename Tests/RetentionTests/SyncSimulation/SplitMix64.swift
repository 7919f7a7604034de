/// Steele, Lea and Flood's generator: the same seed gives the same history on every machine.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// The library's own draws are slow without optimisation, and this is called all the time.
    mutating func below(_ bound: Int) -> Int {
        bound > 0 ? Int(next() >> 1) % bound : 0
    }

    mutating func milliseconds(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(next() >> 1) % (range.upperBound - range.lowerBound + 1)
    }

    /// - Parameter perMille: of a thousand times, how often.
    mutating func happens(_ perMille: Int) -> Bool {
        perMille > 0 && below(1_000) < perMille
    }

    mutating func pick<T>(_ items: [T]) -> T? {
        items.isEmpty ? nil : items[below(items.count)]
    }
}
