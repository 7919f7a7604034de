internal import Retention

/// All that one sample app is to have at Apple in one environment, compared with what Apple has.
struct AppleGoal {
    let app: BuiltApp
    let environment: StoreEnvironment

    private static let approved = "APPROVED"
    private static let pending = "PENDING"

    private struct Text: Hashable {
        let header: String
        let body: String
    }

    /// What is not so yet, in words.
    func missing(in state: SimulatorApp) -> [String] {
        let approvedImages = state.images.count { $0.imageState == Self.approved }
        let texts = expectedTexts
        let reviewed = texts.count { text, isPending in
            state.messages.contains {
                Text(header: $0.header, body: $0.body) == text
                    && $0.messageState == (isPending ? Self.pending : Self.approved)
            }
        }
        let defaults = app.sample.products.count * SampleMessage.thanks.locales.count
        let right = rightDefaults(in: state)
        let url = app.endpoints[environment].map { SampleAgency.publicOrigin + $0 }
        let wants = [
            (approvedImages == 2, "\(approvedImages) of 2 images approved"),
            (reviewed == texts.count, "\(reviewed) of \(texts.count) messages as they should be"),
            (right == defaults, "\(right) of \(defaults) defaults set"),
            (state.realtimeURL == url && url != nil, "the real-time URL not set"),
        ]
        return wants.filter { !$0.0 }.map(\.1)
    }

    /// What a reviewer of Apple's has before them and will approve.
    func toApprove(in state: SimulatorApp) -> [String] {
        let images = state.images.filter { $0.imageState == Self.pending }
        let held = expectedTexts.filter(\.value).keys.map(\.header)
        let messages = state.messages.filter {
            $0.messageState == Self.pending && !held.contains($0.header)
        }
        return images.map(\.imageIdentifier) + messages.map(\.messageIdentifier)
    }

    /// How many review leaves open.
    var heldCount: Int { expectedTexts.values.count { $0 } }
    var messageCount: Int { expectedTexts.count }

    /// Each text once, as Apple has it, and whether review leaves it open.
    private var expectedTexts: [Text: Bool] {
        var texts: [Text: Bool] = [:]
        for message in SampleMessage.allCases {
            let held = environment == .production ? app.sample.pending[message] ?? [] : []
            for locale in message.locales {
                texts[text(of: message, in: locale)] = held.contains(locale)
            }
        }
        return texts
    }

    private func text(of message: SampleMessage, in locale: String) -> Text {
        let text = message.localization(locale, app: app.sample.name, app.images)
        return Text(header: text.header, body: text.body)
    }

    private func rightDefaults(in state: SimulatorApp) -> Int {
        let texts = Dictionary(
            state.messages.map {
                ($0.messageIdentifier.lowercased(), Text(header: $0.header, body: $0.body))
            }, uniquingKeysWith: { first, _ in first })
        return state.defaults.count { entry in
            SampleMessage.thanks.locales.contains(entry.locale)
                && app.sample.products.contains { $0.productId == entry.productId }
                && texts[entry.messageIdentifier.lowercased()]
                    == text(of: .thanks, in: entry.locale)
        }
    }
}
