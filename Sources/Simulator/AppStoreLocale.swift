import Locales

/// Which of the App Store's locales a customer's locale stands for. One, not a chain: a default
/// message in a merely similar locale does not open the gate.
enum AppStoreLocale {
    private static let matcher = LocaleMatcher(supported: AppleLocales.all)

    /// Nil where no App Store locale shares language and script.
    static func matching(_ userLocale: String) -> String? {
        AppleLocales.all.first { sameBytes($0, userLocale) } ?? matcher.chain(for: userLocale).first
    }
}
