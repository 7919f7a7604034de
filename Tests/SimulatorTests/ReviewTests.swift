import Foundation
import Service
import Simulator
import TestSupport
import Testing

/// What review says of uploads, as scripted.
struct ReviewTests {
    private let developer: Developer

    init() throws {
        developer = try Developer()
    }

    private func setReview(
        _ script: ReviewScript, in environment: Environment = .production
    ) throws {
        try developer.simulator.setReview(
            script, appAppleId: SampleApp.appAppleId, environment: environment)
    }

    private func states(_ environment: Environment = .production) throws -> [String] {
        let list = try developer.get("\(Developer.message)/list", in: environment)
        guard case .array(let entries) = list.json?["messageIdentifiers"] else { return [] }
        return entries.compactMap { $0["messageState"]?.text }
    }

    private func upload(
        _ identifier: UUID = UUID(), in environment: Environment = .production
    ) throws {
        let json = #"{"header":"h","body":"b"}"#
        #expect(try developer.upload(message: json, identifier, in: environment).isDone)
    }

    @Test func theSandboxApprovesAtOnceAndProductionWaits() throws {
        try upload(in: .sandbox)
        try upload()
        developer.clock.advance(milliseconds: 86_400_000)
        #expect(try states(.sandbox) == ["APPROVED"])
        #expect(try states() == ["PENDING"])
    }

    @Test func aReviewTakesItsTime() throws {
        try setReview(ReviewScript(standard: ReviewScript.approve(afterMilliseconds: 500)))
        try upload()
        #expect(try states() == ["PENDING"])
        developer.clock.advance(milliseconds: 499)
        #expect(try states() == ["PENDING"])
        developer.clock.advance(milliseconds: 1)
        #expect(try states() == ["APPROVED"])
        #expect(developer.state(.production)?.messages.first?.messageState == .approved)
    }

    @Test func aDecisionMayBeTakenBackEitherWay() throws {
        let kinds: [(AppState.ReviewState, AppState.ReviewState)] = [
            (.approved, .rejected), (.rejected, .approved),
        ]
        let plans = kinds.map { first, second in
            ReviewScript.flip(
                to: first, afterMilliseconds: 10, then: second, afterFurtherMilliseconds: 10)
        }
        try setReview(ReviewScript(byUploadOrder: plans))
        try upload()
        try upload()
        developer.clock.advance(milliseconds: 10)
        #expect(try states() == ["APPROVED", "REJECTED"])
        developer.clock.advance(milliseconds: 10)
        #expect(try states() == ["REJECTED", "APPROVED"])
    }

    @Test func anIdentifierGoesBeforeTheOrderAndTheOrderBeforeTheRest() throws {
        let named = UUID()
        try setReview(
            ReviewScript(
                standard: ReviewScript.approve(),
                byIdentifier: [named.uuidString.lowercased(): ReviewScript.reject()],
                byUploadOrder: [[], []]))
        try upload()
        try upload(named)
        try upload()
        #expect(try states() == ["PENDING", "REJECTED", "APPROVED"])
    }

    @Test func imagesAreReviewedByTheSameScript() throws {
        try setReview(
            ReviewScript(byUploadOrder: [ReviewScript.reject(), ReviewScript.approve()]))
        let image = UUID()
        #expect(try developer.upload(PlainPicture().png, image, in: .production).isDone)
        try upload()
        #expect(developer.state(.production)?.images.first?.imageState == .rejected)
        #expect(try states() == ["APPROVED"])
    }

    @Test func aDecisionByHandEndsTheScript() throws {
        let identifier = UUID()
        try setReview(ReviewScript(standard: ReviewScript.reject(afterMilliseconds: 5)))
        try upload(identifier)
        try upload()
        try developer.simulator.decide(
            identifier.uuidString, .approved, appAppleId: SampleApp.appAppleId,
            environment: .production)
        developer.clock.advance(milliseconds: 5)
        #expect(try states() == ["APPROVED", "REJECTED"])
    }

    @Test func allThatIsPendingCanBeDecided() throws {
        try upload()
        _ = try developer.upload(PlainPicture().png, in: .production)
        try developer.simulator.decidePending(
            .approved, appAppleId: SampleApp.appAppleId, environment: .production)
        #expect(try states() == ["APPROVED"])
        #expect(developer.state(.production)?.images.first?.imageState == .approved)
    }

    @Test func theSandboxMayBeScriptedToo() throws {
        try setReview(ReviewScript(standard: ReviewScript.reject()), in: .sandbox)
        try upload(in: .sandbox)
        #expect(try states(.sandbox) == ["REJECTED"])
    }

    @Test func aDeletedMessageIsReviewedNoMore() throws {
        let identifier = UUID()
        try setReview(ReviewScript(byUploadOrder: [ReviewScript.reject(afterMilliseconds: 5)]))
        try upload(identifier)
        let path = "\(Developer.message)/\(identifier)"
        #expect(try developer.delete(path, in: .production).isDone)
        try upload(identifier)
        developer.clock.advance(milliseconds: 5)
        #expect(try states() == ["PENDING"])
    }
}
