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

    /// What an answer depends on of a reader's locale, remembered as a whole.
    package func reader(of userLocale: String) -> ReaderLocale {
        chains.reader(of: userLocale) {
            ReaderLocale(
                spellings: LocaleSpelling.all(userLocale),
                languages: LanguageCodes.of(userLocale), chain: chain(for: userLocale))
        }
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

/// A reader's locale as rules and texts see it; everything is empty for what is no language tag.
package struct ReaderLocale: Sendable {
    /// `LocaleSpelling.all`
    package let spellings: [String]
    /// `LanguageCodes.of`
    package let languages: [String]
    /// `LocaleMatcher.chain`
    package let chain: [String]
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
    private let readers = Mutex<[String: ReaderLocale]>([:])

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

    /// By the text as it came. Only ASCII is looked for: of other texts two that are not the same
    /// may be equal, and all of a long one would be hashed.
    func reader(of userLocale: String, compute: () -> ReaderLocale) -> ReaderLocale {
        let mayBeTag =
            userLocale.utf8.count <= LocaleTag.bytesLimit
            && userLocale.utf8.allSatisfy { $0 < 0x80 }
        guard mayBeTag else { return compute() }
        if let reader = readers.withLock({ $0[userLocale] }) { return reader }
        let reader = compute()
        guard !reader.spellings.isEmpty else { return reader }
        readers.withLock { readers in
            if readers.count >= Self.chainsLimit { readers.removeAll(keepingCapacity: true) }
            readers[userLocale] = reader
        }
        return reader
    }
}
