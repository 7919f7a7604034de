import Retention
import RetentionStore
import Signing
import Simulator
import TestSupport
import Testing

/// What a key may do is found out by one harmless call in each environment; a new key takes the old
/// one's place once it is known to work.
@Suite(.database) struct KeyTests {
    private func standBy(
        _ app: SyncedApp, _ key: PrivateKey, keyId: String
    ) throws -> CredentialID {
        let id = CredentialID.make(at: SyncStage.now)
        try app.change {
            try $0.storeCredential(
                InAppPurchaseKey(keyId: keyId, issuerId: "issuer", key: key), id: id, of: app.app,
                sealedTo: app.stage.platformKey.publicKey, activation: .afterCheck)
        }
        return id
    }

    private func live(_ app: SyncedApp) throws -> CredentialID? {
        try app.change { try $0.findLiveCredential(of: app.app)?.id }
    }

    private func allow(_ key: PrivateKey, keyId: String, _ app: SyncedApp) throws {
        for environment in [StoreEnvironment.sandbox, .production] {
            var state = try app.apples(environment)
            state.offerKeys.append(
                AppState.OfferKey(
                    keyId: keyId, issuerId: "issuer",
                    publicKeyPEM: String(decoding: key.publicKey.pem(), as: UTF8.self)))
            try app.stage.simulator.set(state)
        }
    }

    @Test func `a key that stands by is checked in both environments, then takes over`() throws {
        let stage = try SyncStage()
        let app = try stage.makeApp()
        let worker = try stage.worker()
        #expect(try stage.work(worker) { try app.isConverged(.sandbox) })
        let former = try #require(try live(app))
        let key = try PrivateKey.generate()
        // Apple does not know it yet: the old one goes on.
        let first = try standBy(app, key, keyId: "NEW")
        #expect(
            try stage.work(worker) {
                try app.change { try $0.findCredential(first, of: app.app) }?.checks.count == 2
            })
        #expect(try live(app) == former)
        #expect(try app.isConverged(.sandbox), "a refused key that stands by rests nothing")
        try allow(key, keyId: "NEW", app)
        _ = try app.change { try $0.wantCredentialCheck(first, of: app.app) }
        #expect(try stage.work(worker) { try live(app) == first })
        // What is done from now on is done with the new one.
        for environment in [StoreEnvironment.sandbox, .production] {
            var state = try app.apples(environment)
            state.offerKeys.removeAll { $0.keyId != "NEW" }
            try stage.simulator.set(state)
        }
        try app.change {
            try $0.updateLocalization(
                Localization(locale: "en-US", header: "Once more", body: "Thanks."),
                of: app.thanks, app: app.app)
        }
        #expect(
            try stage.work(worker) {
                try app.isConverged(.sandbox)
                    && app.apples(.sandbox).messages.contains { $0.header == "Once more" }
            })
        #expect(stage.simulator.apiCallCounts.unauthenticated == 2)
    }
}
