import FoundationEssentials

/// The nonces of offers seen in one app's answers: each is good for one answer.
struct NonceMemory: Sendable {
    /// Past it the oldest is forgotten.
    private static let noncesLimit = 200_000

    private var known: Set<UUID> = []
    private var order: [UUID] = []
    private var oldest = 0

    /// True the first time.
    mutating func insert(_ nonce: UUID) -> Bool {
        guard known.insert(nonce).inserted else { return false }
        if order.count < NonceMemory.noncesLimit {
            order.append(nonce)
        } else {
            known.remove(order[oldest])
            order[oldest] = nonce
            oldest = (oldest + 1) % NonceMemory.noncesLimit
        }
        return true
    }
}
