/// Where a subscription lives. Apple keeps images, messages, defaults and the real-time URL apart
/// for each (`retentionmessaging/environment`).
package enum Environment: String, Codable, Sendable, Hashable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"

    package var other: Environment { self == .production ? .sandbox : .production }
}
