import FoundationEssentials
import Retention

/// What a simulated agency wants, and how it changes its mind.
struct Wants {
    struct Text {
        let place: TextPlace
        /// Names what it says and shows.
        var label: Int
        var before: [Int] = []
    }

    let profile: Profile
    var random: SplitMix64
    var happenings = Happenings()
    private(set) var texts: [Text] = []
    private(set) var defaults: [DefaultSlot: TextPlace] = [:]
    private(set) var endpoint: EndpointID?
    private(set) var mayReplaceForeignURL = false
    private(set) var hasPass = false
    private var shown: [Int: [Int]] = [:]
    private var labelCount = 0
    private var imageCount = 0
    private var messageCount = 0
    private var endpointCount = 0
    /// Calls that the changes need at least: one for each default and each URL that is another.
    private(set) var leastDefaults = 0
    private(set) var leastURLs = 0

    init(profile: Profile, random: SplitMix64) {
        self.profile = profile
        self.random = random
        for _ in 0..<profile.messages { addMessage() }
        for index in 0..<self.random.below(4) { setDefault(slot(index)) }
        if self.random.happens(800) { changeEndpoint() }
        happenings = Happenings()
    }

    func images(of label: Int) -> [Int] { shown[label] ?? [] }

    private func slot(_ index: Int) -> DefaultSlot {
        DefaultSlot(productId: "product\(index / 2)", locale: index % 2 == 0 ? "en-US" : "ja")
    }

    private mutating func newLabel() -> Int {
        labelCount += 1
        var images: [Int] = []
        for _ in 0..<[0, 0, 1, 1, 2][random.below(5)] {
            if imageCount == 0 || random.happens(400) { imageCount += 1 }
            let image = 1_000_000 + random.below(imageCount)
            if !images.contains(image) { images.append(image) }
        }
        shown[labelCount] = images
        return labelCount
    }

    // MARK: Changes

    mutating func addMessage() {
        guard !profile.isTight || Set(texts.map(\.place.message)).count < profile.messages else {
            return
        }
        messageCount += 1
        let message = MessageID(UUID(number: 100 + messageCount))
        for locale in ["en-US", "ja"].prefix(1 + random.below(2)) {
            // Now and then one text says the same as another.
            let twin = random.happens(100) ? texts.first?.label : nil
            texts.append(
                Text(
                    place: TextPlace(message: message, locale: locale), label: twin ?? newLabel()))
        }
        happenings.note(.messageAdded)
    }

    mutating func removeMessage() {
        guard Set(texts.map(\.place.message)).count > 1, let text = random.pick(texts) else {
            return
        }
        let message = text.place.message
        texts.removeAll { $0.place.message == message }
        for (slot, place) in defaults.sorted(by: { $0.key < $1.key })
        where place.message == message {
            if random.happens(500), let other = random.pick(texts) {
                defaults[slot] = other.place
            } else {
                defaults[slot] = nil
            }
            leastDefaults += 1
        }
        happenings.note(.messageRemoved)
    }

    mutating func edit() {
        guard !texts.isEmpty else { return }
        let index = random.below(texts.count)
        let takesBack = random.happens(350) && !texts[index].before.isEmpty
        let label = takesBack ? texts[index].before.removeLast() : newLabel()
        if !takesBack { texts[index].before.append(texts[index].label) }
        let hadImages = images(of: texts[index].label)
        change(index, to: label)
        happenings.note(takesBack ? .editTakenBack : .edited)
        if images(of: label) != hadImages { happenings.note(.imageChanged) }
    }

    private mutating func change(_ index: Int, to label: Int) {
        texts[index].label = label
        leastDefaults += defaults.values.count { $0 == texts[index].place }
    }

    mutating func setDefault(_ slot: DefaultSlot? = nil) {
        guard let text = random.pick(texts) else { return }
        let slot = slot ?? self.slot(random.below(4))
        guard defaults[slot] != text.place else { return }
        defaults[slot] = text.place
        // The version before, while the newest is reviewed, then the newest.
        leastDefaults += text.before.isEmpty ? 1 : 2
        happenings.note(.defaultChanged)
    }

    mutating func removeDefault() {
        guard let slot = random.pick(defaults.keys.sorted()) else { return }
        defaults[slot] = nil
        leastDefaults += 1
        happenings.note(.defaultRemoved)
    }

    mutating func changeEndpoint() {
        if endpoint != nil { happenings.note(.endpointChanged) }
        endpointCount += 1
        endpoint = EndpointID(UUID(number: 500 + endpointCount))
        leastURLs += 1
    }

    mutating func retireEndpoint() {
        guard endpoint != nil else { return }
        endpoint = nil
        leastURLs += 1
        happenings.note(.endpointRetired)
    }

    mutating func consent() {
        guard !mayReplaceForeignURL else { return }
        mayReplaceForeignURL = true
        happenings.note(.consentGiven)
    }

    mutating func pass() {
        guard !hasPass else { return }
        hasPass = true
        happenings.note(.testPassed)
    }

    /// What Apple refuses for what it says is said otherwise in the end.
    mutating func mendBadContent() {
        for index in texts.indices {
            var label = texts[index].label
            while profile.isBad(label) || images(of: label).contains(where: profile.isBad) {
                label = newLabel()
            }
            if label != texts[index].label { change(index, to: label) }
        }
    }
}
