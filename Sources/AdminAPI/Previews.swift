// /v1/apps/{appId}/previews: what a subscriber would get. Nothing is stored, and nobody is told.
internal import AppStore
internal import HTTPServer
internal import Locales
internal import Retention
internal import RetentionStore

enum Previews {
    static let operations: [Operation] = [
        .post(
            "createPreview", "/v1/apps/{appId}/previews", .rules, query: ["environment"], create)
    ]

    /// Apple's identifiers, in UTF-16 units.
    private static let nameUnits = 1...255
    private static let localeUnits = 1...64
    private static let transactionUnits = 1...64
    /// Whose buckets are shown where the body names nobody.
    private static let nobody = "0"

    private struct Question {
        let ruleSet: RuleSet?
        let version: Int32?
        let productId: String
        let locale: String
        let now: Instant
        let originalTransactionId: String?
        let subscriber: KnownSubscriber?

        init(_ body: JSONTree, now: Instant) throws(Problem) {
            var reader = BodyReader(body)
            ruleSet = reader.optionalObject("ruleSet", RuleSetBody.read)
            version = reader.optionalVersion()
            if ruleSet != nil, version != nil {
                reader.note("version", .notAllowed, "Send a ruleSet or a version, not both.")
            }
            productId = reader.text("productId", nameUnits)
            locale = reader.text("locale", localeUnits)
            let time = reader.optionalInstant("at") ?? now
            self.now = time
            originalTransactionId = reader.optionalText(
                "originalTransactionId", transactionUnits)
            subscriber = reader.optionalObject("subscriber") {
                SubscriberBody.read(&$0, now: time)
            }
            try reader.finish()
        }
    }

    // MARK: - Handlers

    /// By the code that answers Apple, from what Apple has approved by now.
    private static func create(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let question = try Question(try call.body(), now: call.now)
        let rules = try ChosenRules(
            given: question.ruleSet, version: question.version, at: key, call)
        let snapshot = try call.transaction.prospectiveSnapshot(at: key, rules.ruleSet)
        let (subscriber, source) = try subscriber(question, at: key, call)
        let recorded = RecordedInputs(
            subscriber: subscriber,
            budget: try call.transaction.budgetReading(of: snapshot, at: question.now),
            mode: .full, canSignOffers: snapshot.signingKey != nil)
        let serving = ServingSnapshot(snapshot)
        let asked = AskedDecision(
            productId: question.productId, userLocale: question.locale,
            originalTransactionId: question.originalTransactionId ?? nobody,
            environment: key.environment)
        let (decision, trace) = serving.explain(
            asked.inputs(
                recorded, LocaleMatcher(supported: serving.locales), at: question.now))
        return .report([
            "environment": .string(key.environment.rawValue), "at": .instant(question.now),
            "rules": rules.form, "subscriberSource": .string(source),
            "decision": .object(DecidedAnswer(decision).members),
            "walk": DecisionWalk.form(trace),
        ])
    }

    private static func subscriber(
        _ question: Question, at key: AppEnvironment, _ call: Call
    ) throws -> (KnownSubscriber, String) {
        if let subscriber = question.subscriber { return (subscriber, "body") }
        guard let id = question.originalTransactionId else { return (.absent, "absent") }
        let kept = try call.transaction.findSubscriber(id, at: key)
        return (kept, kept == .absent ? "absent" : "kept")
    }
}
