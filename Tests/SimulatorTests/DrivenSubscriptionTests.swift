import Service
import Simulator
import Testing

/// The same without HTTP between, for those who run the simulator in their own process.
struct DrivenSubscriptionTests {
    private static let day: Int64 = 86_400_000

    @Test func aClockThatOthersFollowIsMovedByTheBase() throws {
        let clock = ManualClock(milliseconds: SampleApp.nowMilliseconds)
        let simulator = try Simulator(
            SimulatorSettings(), clock: clock.clock,
            moveClock: { clock.set(milliseconds: $0) })
        defer { simulator.stop() }
        let app = try SampleApp().state
        try simulator.set(app)
        let id = (app.appAppleId, app.environment)
        let receiver = try NotificationReceiver { $0 == 1 ? 500 : 200 }
        try simulator.setOrigins(
            OriginMap(origins: [
                .init(publicOrigin: "https://holdfast.example", localOrigin: receiver.origin)
            ]))
        try simulator.setNotifications(
            NotificationSettings(url: Shop.url, disorder: .init(seed: 1, window: 50)),
            appAppleId: id.0, environment: id.1)
        let order = SubscriberOrder(buy: .init(.buy, productId: SampleApp.monthly))
        let begun = try simulator.begin(order, appAppleId: id.0, environment: id.1)
        #expect(simulator.deliverNotifications(within: .seconds(60)))
        let plan = SubscriberBasePlan(
            appAppleId: id.0, environment: id.1, seed: 3, subscribers: 20,
            start: SampleApp.nowMilliseconds, products: [.init(SampleApp.monthly)],
            ageDays: .init(from: -10, to: 20), monthly: .init(view: 0))
        try simulator.setBase(plan)
        let end = SampleApp.nowMilliseconds + 45 * DrivenSubscriptionTests.day
        let report = try simulator.playBase(until: end)
        #expect(clock.clock.now() == end)
        #expect(report.subscribers == 20)
        #expect(report.renewals >= 20)
        let identifier = begun.subscription.originalTransactionId
        try simulator.apply(
            .init(.disableAutoRenew), to: identifier, appAppleId: id.0, environment: id.1)
        _ = try simulator.announce(
            .init(type: "TEST"), appAppleId: id.0, environment: id.1)
        #expect(simulator.deliverNotifications(within: .seconds(60)))
        let sent = simulator.sentNotifications(appAppleId: id.0, environment: id.1)
        #expect(sent.allSatisfy { $0.attempts.last?.sendAttemptResult == "SUCCESS" })
        // The first failed, and came again an hour later.
        #expect(sent[0].attempts.count == 2)
        #expect(sent.suffix(2).map(\.notificationType) == ["DID_CHANGE_RENEWAL_STATUS", "TEST"])
        simulator.reset()
        #expect(simulator.sentNotifications(appAppleId: id.0, environment: id.1).isEmpty)
    }
}
