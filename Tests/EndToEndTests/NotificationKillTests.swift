import Foundation
import HTTPClient
import Retention
import RetentionStore
import Service
import Signing
import Synchronization
import TestSupport
import Testing

/// P13, the receiver's part: whatever ends the gateway, what was answered with 200 is kept, and
/// whatever is asked again is kept once.
@Suite(.database) struct NotificationKillTests {
    private static let notifications = 300
    private static let senders = 6
    private static let kills = 5

    @Test func `a gateway killed under a stream of notifications loses and doubles none`() throws {
        let signerChain = try NotificationSigner.chain(at: Clock.system.now())
        let gateway = try GatewayProcess(
            scopes: [.read(.subscribers)], furtherRoot: signerChain.root)
        let (key, token, signer) = try app(gateway, signerChain)
        let bodies = try (0..<Self.notifications).map { _ in
            var draft = NotificationDraft()
            draft.uuid = UUID()
            return (draft.uuid, try signer.body(draft))
        }
        let acknowledged = Mutex<Set<UUID>>([])
        let work = (0..<Self.senders).map { sender in
            ParallelWork {
                // Each twice in a row, by different senders: Apple's repeats overlap.
                for round in 0..<2 {
                    for (index, body) in bodies.enumerated()
                    where (index + round) % Self.senders == sender {
                        try gateway.notifyUntilAnswered(token, body.1)
                        _ = acknowledged.withLock { $0.insert(body.0) }
                    }
                }
            }
        }
        for number in 1...Self.kills {
            let share = Self.notifications * number / (Self.kills + 1)
            #expect(becomesTrue { acknowledged.withLock { $0.count } >= share })
            let known = acknowledged.withLock { $0 }
            try gateway.killAndStart()
            #expect(try Self.kept(gateway, key).isSuperset(of: known), "kill \(number)")
        }
        for sender in work { try sender.value(within: .seconds(300)) }
        #expect(try Self.kept(gateway, key) == Set(bodies.map(\.0)))
        #expect(try gateway.count("notification") == Self.notifications)
        try Promise.kept(
            "notifications-kept",
            "\(Self.notifications) notifications, twice each, \(Self.kills) kills")
    }

    private static func kept(_ gateway: GatewayProcess, _ key: AppEnvironment) throws -> Set<UUID> {
        Set(
            try gateway.inTenant {
                try $0.listNotifications(at: key, limit: Int32(notifications) + 1)
            }.map(\.notificationUUID))
    }

    private func app(
        _ gateway: GatewayProcess, _ chain: IssuedChain
    ) throws -> (AppEnvironment, String, NotificationSigner) {
        try gateway.inTenant { transaction in
            let (client, app) = (
                ClientID.make(at: transaction.now), AppID.make(at: transaction.now)
            )
            try transaction.createClient(Client(id: client, name: "c"))
            try transaction.createApp(
                App(
                    id: app, client: client, name: "a", bundleId: "com.example.a",
                    appAppleId: 1_234_567, defaultLocale: "en-US"))
            let key = AppEnvironment(app: app, environment: .production)
            let token = try transaction.createEndpoint(
                .make(at: transaction.now), at: key,
                sealedTo: try PrivateKey.generate().publicKey)
            let signer = NotificationSigner(
                chain: chain, bundleId: "com.example.a", appAppleId: 1_234_567,
                signedDate: transaction.now.milliseconds)
            return (key, token, signer)
        }
    }
}
