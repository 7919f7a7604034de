private import Synchronization

/// Answers which of a fixed list of locales a reader of some locale understands.
///
/// One per list, shared by all threads: chains are computed once (some 10 us) and remembered.
package struct LocaleMatcher: Sendable {
    private let candidates: [Candidate]
    private let chains = ChainCache()

    /// - Parameter supported: in any spelling; answered as given. Entries that are no language tag
    ///   are never answered. Of equally near ones, the earlier is answered first.
    package init(supported: [String]) {
        candidates = supported.compactMap(Candidate.init)
    }

    /// All supported locales that a reader of `userLocale` understands, nearest first; empty when
    /// there is none, and for any text that is not a language tag. The text may come from a wire:
    /// nothing in it throws, logs or costs more than a look at 64 bytes.
    package func chain(for userLocale: String) -> [String] {
        guard let tag = LocaleTag(userLocale) else { return [] }
        return chains.chain(for: tag.text) {
            guard let wanted = LanguageParts(tag) else { return [] }
            return nearestFirst(wanted, spelled: tag.text)
        }
    }

    /// ICU names only the nearest, so it is asked again about the rest until none is left.
    private func nearestFirst(_ wanted: LanguageParts, spelled text: String) -> [String] {
        let readable = candidates.filter { $0.parts.isReadable(as: wanted) }
        var regions: [LanguageParts] = []
        for candidate in readable where !regions.contains(candidate.parts) {
            regions.append(candidate.parts)
        }
        var chain = readable.filter { $0.hasSpelling(text) }.map(\.locale)
        while let place = ICU.nearest(to: wanted, among: regions) {
            let nearest = regions.remove(at: place)
            for candidate in readable where candidate.parts == nearest {
                if !chain.contains(candidate.locale) { chain.append(candidate.locale) }
            }
            if regions.isEmpty { break }
        }
        return chain
    }
}

private struct Candidate: Sendable {
    let locale: String
    let parts: LanguageParts
    private let spelling: [UInt8]

    init?(_ locale: String) {
        guard let tag = LocaleTag(locale), let parts = LanguageParts(tag) else { return nil }
        self.locale = locale
        self.parts = parts
        spelling = Self.folded(tag.text)
    }

    /// The same subtags but for case: that locale itself, not a near one.
    func hasSpelling(_ text: String) -> Bool { spelling == Self.folded(text) }

    private static func folded(_ text: String) -> [UInt8] { text.utf8.map { $0 | 0x20 } }
}

/// Remembered chains, shared by all copies of one matcher.
private final class ChainCache: Sendable {
    /// Customers use a few hundred locales; more means someone is making them up.
    private static let chainsLimit = 512

    private let known = Mutex<[String: [String]]>([:])

    /// Computed outside the lock: two threads may do the same work once, none waits for ICU.
    func chain(for tag: String, compute: () -> [String]) -> [String] {
        if let chain = known.withLock({ $0[tag] }) { return chain }
        let chain = compute()
        known.withLock { known in
            // Dropping all is rarer and cheaper than keeping an order of use.
            if known.count >= Self.chainsLimit { known.removeAll(keepingCapacity: true) }
            known[tag] = chain
        }
        return chain
    }
}
