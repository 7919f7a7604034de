/// What a test or a demo scripts for one app in one environment.
package struct Behaviour: Codable, Sendable, Equatable {
    /// Whether App Store Connect messages are shown.
    package var appStoreConnectLayer: Bool
    /// Whether defaults are shown. The gate still counts them, so that the fourth layer, nothing,
    /// can be reached with a call.
    package var apiDefaultLayer: Bool
    /// Added to every measured duration, as if the network between Apple and the developer took
    /// it. 0 to 10,000; nobody waits for it.
    package var transitMilliseconds: Int

    package static let transitMillisecondsLimit = 10_000

    package init(
        appStoreConnectLayer: Bool = true, apiDefaultLayer: Bool = true,
        transitMilliseconds: Int = 0
    ) {
        self.appStoreConnectLayer = appStoreConnectLayer
        self.apiDefaultLayer = apiDefaultLayer
        self.transitMilliseconds = transitMilliseconds
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            appStoreConnectLayer: try fields.decodeIfPresent(
                Bool.self, forKey: .appStoreConnectLayer) ?? true,
            apiDefaultLayer: try fields.decodeIfPresent(Bool.self, forKey: .apiDefaultLayer)
                ?? true,
            transitMilliseconds: try fields.decodeIfPresent(Int.self, forKey: .transitMilliseconds)
                ?? 0)
    }
}
