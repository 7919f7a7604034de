/// One setting of a program: an environment variable that it reads.
package struct Setting: Sendable {
    /// `HOLDFAST_…`; ends in `_FILE` when it names a file with a secret.
    package let name: String
    /// A sentence for `--help`, with the unit and the range where there is one.
    package let meaning: String
    /// What holds when the variable is absent or empty; nil where there is no such value.
    package let `default`: String?
    /// The value is the path of a file that holds a secret; the secret itself is never a setting.
    package let isSecretFile: Bool

    package init(
        _ name: String, _ meaning: String, default: String? = nil, isSecretFile: Bool = false
    ) {
        self.name = name
        self.meaning = meaning
        self.default = `default`
        self.isSecretFile = isSecretFile
    }

    /// Every program has it.
    package static let logLevel = Setting(
        "HOLDFAST_LOG_LEVEL", "the quietest level that is logged: debug, info, warning or error",
        default: "info")
}

/// One setting that cannot be used.
package struct SettingProblem: Sendable, Equatable, CustomStringConvertible {
    package let name: String
    /// What to do about it; never the value of a secret.
    package let advice: String

    package var description: String { "\(name) \(advice)" }
}

/// All that is wrong with the settings, so that they are put right in one go.
package struct SettingsError: Error, Sendable, CustomStringConvertible {
    package let problems: [SettingProblem]

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
