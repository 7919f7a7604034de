import AppStore
import Foundation
import Locales
import Retention
import RetentionStore

/// A decision in the words of the checker.
struct AnswerRecord: Encodable {
    /// A rule that was tried, and why what it was to say could not be said.
    struct Dead: Encodable {
        let rule: RuleID
        let reasons: [String]
    }

    private let place: Int
    private let requestIdentifier: String
    private let originalTransactionId: String
    private let signedDate: Instant
    private let decidedAt: Instant
    private let productId: String
    private let localeAsked: String
    private let localeServed: String?
    private let kind: String
    private let fallbackReason: String?
    private let rule: RuleID?
    private let experiment: ExperimentID?
    private let arm: String?
    private let isHoldout: Bool
    private let messageIdentifier: String?
    private let snapshotNumber: Int64
    private let profileSource: String?
    private let degraded: String?
    private let dead: [Dead]
    private let isReproduced: Bool

    /// - Parameter explainer: of the decision's snapshot.
    init(_ stored: StoredDecision, place: Int, _ explainer: AnswerExplainer) {
        self.place = place
        requestIdentifier = stored.requestIdentifier.uuidString.lowercased()
        originalTransactionId = stored.originalTransactionId
        signedDate = stored.signedDate
        decidedAt = stored.decidedAt
        productId = stored.productId
        localeAsked = stored.localeAsked
        localeServed = stored.localeServed
        kind = stored.kind.rawValue
        fallbackReason = stored.fallbackReason
        rule = stored.rule
        experiment = stored.assignment?.experiment
        arm = stored.assignment?.arm
        isHoldout = stored.isHoldout
        messageIdentifier = stored.messageIdentifier?.uuidString.lowercased()
        snapshotNumber = stored.snapshotNumber
        profileSource = stored.profileSource
        degraded = stored.degraded
        let again = explainer.explain(stored)
        isReproduced =
            again.map { decision, _ in
                decision.rule == stored.rule && decision.localeServed == stored.localeServed
                    && decision.assignment == stored.assignment
                    && decision.isHoldout == stored.isHoldout
            } ?? false
        dead =
            again?.1.rules.compactMap { step in
                let reasons = [step.dead].compactMap { $0 } + step.treatments.compactMap(\.dead)
                return reasons.isEmpty
                    ? nil : Dead(rule: step.rule, reasons: reasons.map(\.rawValue))
            } ?? []
    }
}

/// Takes decisions of one snapshot again from what is kept of them.
struct AnswerExplainer {
    private let serving: ServingSnapshot
    private let matcher: LocaleMatcher

    init(_ snapshot: Snapshot) {
        serving = ServingSnapshot(snapshot)
        matcher = LocaleMatcher(supported: serving.locales)
    }

    /// `nil` where nothing that can be read is kept.
    func explain(_ stored: StoredDecision) -> (Decision, DecisionTrace)? {
        guard let inputs = stored.inputs, let recorded = RecordedInputs(inputs) else { return nil }
        let asked = AskedDecision(
            productId: stored.productId, userLocale: stored.localeAsked,
            originalTransactionId: stored.originalTransactionId,
            environment: serving.snapshot.environment)
        return serving.explain(asked.inputs(recorded, matcher, at: stored.decidedAt))
    }
}
