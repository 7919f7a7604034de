/// The page that `--help` prints: usage, options, and the table of settings.
package enum HelpText {
    private static let columns = 96

    package static func page(
        usage: String, options: [(String, String)], settings: [Setting]
    ) -> String {
        var lines = ["usage: \(usage)", ""]
        let width = options.map(\.0.count).max() ?? 0
        lines += options.map { name, meaning in
            "  " + name + String(repeating: " ", count: width - name.count + 2) + meaning
        }
        if !settings.isEmpty { lines += ["", "Settings (environment variables):"] }
        for setting in settings {
            lines += ["", "  " + setting.name + detail(setting)]
            lines += wrapped(setting.meaning).map { "      " + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func detail(_ setting: Setting) -> String {
        let kind = setting.isSecretFile ? "  (path of a file with a secret)" : ""
        return kind + (setting.default.map { "  (default: \($0))" } ?? "")
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < columns - 6 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
