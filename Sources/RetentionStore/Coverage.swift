// Tables: app, product, message, with what SyncDesired and SyncObserved read. What subscribers can
// be shown in one environment.
internal import FoundationEssentials
internal import Postgres
package import Retention

package struct CoverageFacts: Sendable {
    package let sync: SyncFacts
    package let products: [Product]
    /// Those with a wanted text or a default, and the app's own; sorted.
    package let locales: [String]
    package let rules: RuleSet
    package let appStoreConnectLayer: AppStoreConnectLayer
    /// Wanted messages that are stale or were to be looked at.
    package let dated: [StoredMessage]
}

extension TenantTransaction {
    package func coverageFacts(at key: AppEnvironment) throws -> CoverageFacts {
        let app = try getApp(key.app)
        let desire = try syncDesire(at: key, changeNumber: 0)
        let sync = SyncFacts(desired: desire.state, observed: try observedState(at: key))
        let locales = desire.state.texts.map(\.locale) + desire.state.defaults.keys.map(\.locale)
        return CoverageFacts(
            sync: sync, products: try products(of: key.app),
            locales: Set(locales + [app.app.defaultLocale]).sorted(),
            rules: try publishedRuleSet(at: key),
            appStoreConnectLayer: app.app.appStoreConnectLayer,
            dated: try listDatedMessages(at: key).filter { $0.isStale || $0.needsReview })
    }
}
