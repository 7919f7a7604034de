/// What each step of `AppReadiness` says of the facts.
struct ReadinessJudge {
    typealias Step = AppReadiness.Step
    typealias StepName = AppReadiness.StepName

    static let accessForm = "https://developer.apple.com/contact/request/retention-messaging-api/"
    private static let dayMilliseconds: Int64 = 86_400_000

    let facts: ReadinessFacts
    let now: Instant

    func step(_ name: StepName, after steps: [Step]) -> Step {
        switch name {
        case .access: access
        case .key: key
        case .sandboxContent: content(name, facts.sandbox, steps)
        case .sandboxURL: url(name, facts.sandbox, steps)
        case .performanceTest: performanceTest(steps)
        case .productionContent: content(name, facts.production, steps)
        case .defaults: defaults(steps)
        case .productionURL: url(name, facts.production, steps)
        case .appStoreConnectLayer: appStoreConnectLayer
        }
    }

    // MARK: - Making steps

    private func done(_ name: StepName, _ detail: String) -> Step {
        Step(name: name, state: .done, detail: detail, nextAction: nil, blockedBy: nil)
    }

    private func undone(
        _ name: StepName, _ detail: String, _ code: AppReadiness.ActionCode,
        _ actor: AppReadiness.Actor, _ sentence: String, isBegun: Bool = true
    ) -> Step {
        let state: AppReadiness.State =
            switch actor {
            case .apple: .waitingOnApple
            case .holdfast: .waitingOnHoldfast
            case .agency: isBegun ? .waitingOnAgency : .notStarted
            }
        return Step(
            name: name, state: state, detail: detail,
            nextAction: AppReadiness.Action(code: code, actor: actor, sentence: sentence),
            blockedBy: nil)
    }

    /// Blocked by the first of `needed` that is not done; `nil` where all are.
    private func blocked(
        _ name: StepName, by needed: [StepName], _ steps: [Step]
    ) -> Step? {
        let open = steps.first { needed.contains($0.name) && $0.state != .done }
        return open.map { first in
            Step(
                name: name, state: .blocked, detail: "The step \(first.name.rawValue) comes first.",
                nextAction: nil, blockedBy: first.name)
        }
    }

    private func when(_ instant: Instant) -> String {
        let days = max(0, now.milliseconds - instant.milliseconds) / Self.dayMilliseconds
        return days == 0 ? "less than a day ago" : days == 1 ? "1 day ago" : "\(days) days ago"
    }

    // MARK: - Access and key

    private var access: Step {
        let sides = [facts.sandbox, facts.production]
        if sides.contains(where: { $0.access == .none }) { return accessMissing }
        if sides.contains(where: { $0.access == .granted }) {
            return done(.access, "Apple answers this app's calls to the Retention Messaging API.")
        }
        let unknown = "Whether Apple has granted access shows with the first call."
        if facts.hasKey {
            return sides.contains { $0.check?.verdict == .keyRefused }
                ? undone(.access, unknown, .replaceKey, .agency, Self.replaceKey)
                : undone(.access, unknown, .checkKey, .holdfast, Self.checkKey)
        }
        guard let requested = facts.accessRequestedAt else {
            return undone(
                .access, "Access was not asked for, as far as is noted here.", .requestAccess,
                .agency, Self.requestAccess, isBegun: false)
        }
        return undone(
            .access, "Access was asked for \(when(requested)). \(unknown)", .storeKey, .agency,
            Self.storeKey)
    }

    private var accessMissing: Step {
        let isHalf = [facts.sandbox, facts.production].contains { $0.access == .granted }
        let places = StoreEnvironment.allCases.filter { facts.side($0).access == .none }
        let detail =
            "Apple says that there is no access to the Retention Messaging API in "
            + "\(places.map(\.rawValue).joined(separator: " and "))"
            + (isHalf ? ", though there is in the other environment." : ".")
        guard let requested = facts.accessRequestedAt else {
            return undone(.access, detail, .requestAccess, .agency, Self.requestAccess)
        }
        return undone(
            .access, "\(detail) It was asked for \(when(requested)).", .waitForAccess, .apple,
            "Apple grants access; this is looked at again by itself.")
    }

    private var key: Step {
        let checks = [facts.sandbox, facts.production].compactMap(\.check)
        guard facts.hasKey else { return keyMissing }
        if let refused = checks.first(where: { $0.verdict == .keyRefused }) {
            return undone(
                .key, "\(refused.environment.rawValue): \(refused.sentence)", .replaceKey, .agency,
                Self.replaceKey)
        }
        if let works = checks.first(where: { $0.verdict == .works }) {
            return done(
                .key, "Apple took a call made with the key \(when(works.checkedAt)).")
        }
        guard let fruitless = checks.first else {
            return undone(
                .key, "The key is stored; no call was made with it yet.", .checkKey, .holdfast,
                Self.checkKey)
        }
        if access.state == .done {
            return undone(
                .key, "\(fruitless.environment.rawValue): \(fruitless.sentence)", .replaceKey,
                .agency, Self.replaceKey)
        }
        return Step(
            name: .key, state: .blocked,
            detail: "The key is stored; it is known to work once there is access.",
            nextAction: nil, blockedBy: .access)
    }

    private var keyMissing: Step {
        guard facts.hasStandbyKey else {
            return undone(
                .key, "No key is stored.", .storeKey, .agency, Self.storeKey, isBegun: false)
        }
        let checks = [facts.sandbox, facts.production].compactMap(\.standbyCheck)
        if let refused = checks.first(where: { $0.verdict == .keyRefused }) {
            return undone(.key, refused.sentence, .replaceKey, .agency, Self.replaceKey)
        }
        return undone(
            .key, "A key stands by until Apple has shown that it works.", .checkKey, .holdfast,
            Self.checkKey)
    }

    private static let requestAccess =
        "Ask Apple for access with the form at \(accessForm), then note it as the app's "
        + "accessRequestedAt."
    private static let storeKey = "Store the app's In-App Purchase key."
    private static let replaceKey =
        "Store a key that Apple takes: check key id, issuer id and bundle id, and that it was not "
        + "revoked in App Store Connect."
    private static let checkKey = "A harmless call shows what the key may do."

    // MARK: - Content

    private func content(
        _ name: StepName, _ side: ReadinessFacts.Side, _ steps: [Step]
    ) -> Step {
        let counts = side.content
        let place = name.environment?.rawValue ?? ""
        guard counts.wanted > 0 else { return noContent(name, place) }
        let detail =
            "\(counts.approved) of \(counts.wanted) texts may be shown in \(place); "
            + "\(counts.pending) in review, \(counts.rejected) rejected."
        if counts.approved >= counts.wanted { return done(name, detail) }
        if counts.rejected > 0 {
            return undone(
                name, detail, .reviseContent, .agency,
                "Change what Apple rejected, or take it out; Apple gives no reason.")
        }
        if let blocked = blocked(name, by: [.access, .key], steps) { return blocked }
        return counts.pending > 0
            ? undone(name, detail, .waitForReview, .apple, "Apple reviews what was uploaded.")
            : undone(name, detail, .uploadContent, .holdfast, "Texts and pictures are uploaded.")
    }

    private func noContent(_ name: StepName, _ place: String) -> Step {
        let detail = "No text is to be at Apple in \(place)."
        guard name == .productionContent else {
            return undone(
                name, detail, .createContent, .agency,
                "Make a message with a text in at least the default locale.", isBegun: false)
        }
        return undone(
            name, detail, .promoteContent, .agency,
            "Say which messages are to be in Production, and make their defaults there.",
            isBegun: false)
    }

    // MARK: - URLs

    private func url(_ name: StepName, _ side: ReadinessFacts.Side, _ steps: [Step]) -> Step {
        let place = name.environment?.rawValue ?? ""
        guard side.hasEndpoint else {
            return undone(
                name, "There is no endpoint in \(place) for Apple to call.", .createEndpoint,
                .agency, "Make an endpoint in \(place).", isBegun: false)
        }
        if case .current = side.url {
            return done(name, "Apple calls this app's newest endpoint in \(place).")
        }
        let needed: [StepName] = [.access, .key]
        let test: [StepName] = name == .productionURL ? [.performanceTest] : []
        if let blocked = blocked(name, by: needed + test, steps) { return blocked }
        if case .foreign = side.url {
            return undone(
                name, "Apple calls a URL in \(place) that is not this app's here.", .takeOverURL,
                .agency, "Say that the URL may be replaced, once the tool that set it is off.")
        }
        if let refusal = side.urlRefusal {
            let sentence = AppleErrorWords.sentence(status: 400, errorCode: refusal.code)
            return undone(
                name, "Apple refused the URL in \(place) \(when(refusal.at)). \(sentence)",
                .mendURL, .agency, "Mend what Apple names; the URL is then set again.")
        }
        return undone(
            name, "Apple does not call this app's newest endpoint in \(place) yet.", .setURL,
            .holdfast, "The URL is set at Apple once what it leads to is there.")
    }

    // MARK: - The performance test

    private func performanceTest(_ steps: [Step]) -> Step {
        let name = StepName.performanceTest
        if let passed = facts.passedAt {
            let newest = facts.test == .failed ? " The newest test failed." : ""
            return done(
                name,
                "Apple's performance test passed \(when(passed)).\(newest) How long that "
                    + "counts, Apple does not say.")
        }
        switch facts.test {
        case .waiting:
            return undone(
                name, "A test was asked for.", .runTest, .holdfast,
                "Our own load comes first, then Apple's test is begun.")
        case .atApple:
            return undone(
                name, "Apple's test is under way.", .waitForTest, .apple,
                "Apple calls the sandbox URL and judges the answers.")
        case .failed, .notRun, .passed, nil: break
        }
        guard facts.testTransactionId != nil else {
            return undone(
                name,
                "Apple's test runs with a subscription that was bought in the sandbox; the "
                    + "app's performanceTestTransactionId is missing.",
                .nameTestTransaction, .agency,
                "Buy a subscription in the sandbox and name its original transaction id as the "
                    + "app's performanceTestTransactionId.",
                isBegun: facts.test != nil)
        }
        if let blocked = blocked(name, by: [.access, .key, .sandboxURL], steps) { return blocked }
        guard let test = facts.test else {
            return undone(
                name, "No test was run.", .startTest, .agency, "Start a performance test.",
                isBegun: false)
        }
        return undone(
            name,
            test == .failed
                ? "The newest test failed." : "The newest test came to no end of Apple's.",
            .repeatTest, .agency, "Read the test's result, mend what it names, and start another.")
    }

    // MARK: - Defaults

    private func defaults(_ steps: [Step]) -> Step {
        let name = StepName.defaults
        guard facts.productCount > 0 else {
            return undone(
                name, "The app has no product.", .addProducts, .agency,
                "Add the app's subscriptions as products.", isBegun: false)
        }
        let detail =
            "Of \(facts.defaultPlaces) places (products in locales) \(facts.defaultsSet) have a "
            + "default here and \(facts.defaultsInForce) at Apple. "
            + CoverageReport.defaultRule
        if facts.defaultsInForce >= facts.defaultPlaces { return done(name, detail) }
        guard facts.defaultsSet >= facts.defaultPlaces else {
            return undone(
                name, detail, .setDefaults, .agency,
                "Make a default for each product in each locale; the coverage lists the holes.",
                isBegun: facts.defaultsSet > 0)
        }
        let needed: [StepName] = [.access, .key, .productionContent]
        return blocked(name, by: needed, steps)
            ?? undone(
                name, detail, .configureDefaults, .holdfast, "The defaults are set at Apple.")
    }

    // MARK: - App Store Connect

    private var appStoreConnectLayer: Step {
        let name = StepName.appStoreConnectLayer
        switch facts.appStoreConnectLayer {
        case .imported:
            return done(name, "A message of App Store Connect was read from there.")
        case .declared:
            return done(
                name,
                "A message was made in App Store Connect, as the agency says; nobody has "
                    + "looked.")
        case .none:
            return undone(
                name,
                "Nobody has said that there is a message in App Store Connect. Apple shows "
                    + "one before the default message where no real-time answer comes.",
                .declareAppStoreConnectLayer, .agency,
                "Make a retention message in App Store Connect, then set the app's "
                    + "appStoreConnectLayer to declared.",
                isBegun: false)
        }
    }
}
