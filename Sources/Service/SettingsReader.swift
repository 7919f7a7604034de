internal import FoundationEssentials

/// Reads a program's settings out of its environment, and collects every problem on the way.
///
/// Each reading function answers something usable even when the setting is wrong, so that reading
/// goes on; `finish()` then throws all problems together, and what was read is thrown away.
package struct SettingsReader: Sendable {
    /// Longer than any path, URL or list we take.
    package static let valueBytesLimit = 4_096
    package static let secretBytesLimit = 64 * 1_024

    private let environment: [String: String]
    private let table: [Setting]
    private var problems: [SettingProblem] = []
    /// What an operator should look at though the program can run.
    package private(set) var warnings: [String] = []

    /// A variable `HOLDFAST_…` that is not in the table is a warning, not a problem: all programs
    /// of one machine usually share one environment file, and each knows only its own part.
    package init(environment: [String: String], table: [Setting]) {
        self.environment = environment
        self.table = table
        let known = Set(table.map(\.name))
        warnings = environment.keys.sorted()
            .filter { $0.hasPrefix("HOLDFAST_") && !known.contains($0) }
            .map { "\($0) is no setting of this program; if it is one of none, check its spelling" }
    }

    // MARK: Values

    package mutating func text(_ name: String) -> String {
        guard let value = optionalText(name) else {
            refuse(name, "must be given: \(setting(name)?.meaning ?? "see --help")")
            return ""
        }
        return value
    }

    /// Nil when neither a value nor a default is there. An empty variable counts as absent.
    package mutating func optionalText(_ name: String) -> String? {
        guard let setting = setting(name) else {
            refuse(name, "is read but stands in no table; this is a fault of the program")
            return nil
        }
        guard let value = environment[name], !value.isEmpty else { return setting.default }
        guard value.utf8.count <= Self.valueBytesLimit, !value.utf8.contains(where: { $0 < 32 })
        else {
            refuse(
                name, "must have at most \(Self.valueBytesLimit) bytes, none a control character")
            return setting.default
        }
        return value
    }

    package mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int {
        integer(text(name), name, in: range)
    }

    package mutating func optionalInteger(_ name: String, in range: ClosedRange<Int>) -> Int? {
        optionalText(name).map { integer($0, name, in: range) }
    }

    /// 0 asks the system for any free port.
    package mutating func port(_ name: String) -> UInt16 {
        UInt16(clamping: integer(name, in: 0...65_535))
    }

    /// A whole number of milliseconds; the name should end in `_MILLISECONDS`.
    package mutating func milliseconds(_ name: String, in range: ClosedRange<Int>) -> Duration {
        .milliseconds(integer(name, in: range))
    }

    /// `true` or `false`.
    package mutating func flag(_ name: String) -> Bool {
        switch text(name) {
        case "true": return true
        case "false": return false
        case "": return false  // already refused
        case let other:
            refuse(name, "must be true or false, not '\(other)'")
            return false
        }
    }

    /// Comma-separated; blanks around entries and empty entries do not count.
    package mutating func list(_ name: String) -> [String] {
        (optionalText(name) ?? "").split(separator: ",")
            .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
            .filter { !$0.isEmpty }
    }

    /// One of a type's names.
    package mutating func choice<C: RawRepresentable & CaseIterable>(
        _ name: String, _ type: C.Type = C.self, otherwise: C
    ) -> C where C.RawValue == String {
        let value = text(name)
        if let choice = C(rawValue: value) { return choice }
        let names = C.allCases.map(\.rawValue).joined(separator: ", ")
        if !value.isEmpty { refuse(name, "must be one of \(names), not '\(value)'") }
        return otherwise
    }

    // MARK: Secrets

    /// The content of the file that the setting names; the setting's own value is only a path.
    package mutating func secretFile(
        _ name: String, bytesLimit: Int = secretBytesLimit
    ) -> Secret {
        let path = text(name)
        return path.isEmpty ? Secret([]) : secret(at: path, name, bytesLimit: bytesLimit)
    }

    package mutating func optionalSecretFile(
        _ name: String, bytesLimit: Int = secretBytesLimit
    ) -> Secret? {
        optionalText(name).map { secret(at: $0, name, bytesLimit: bytesLimit) }
    }

    private mutating func secret(at path: String, _ name: String, bytesLimit: Int) -> Secret {
        if setting(name)?.isSecretFile == false || !name.hasSuffix("_FILE") {
            refuse(name, "holds a secret but is not declared so; this is a fault of the program")
        }
        do throws(FileError) {
            let bytes = try FileBytes.readAll(path, bytesLimit: bytesLimit)
            if bytes.isEmpty { refuse(name, "names an empty file: \(path)") }
            // Not refused: Kubernetes mounts secrets so, inside a container of their own.
            if try FileBytes.isReadableByAll(path) {
                warnings.append("\(name): \(path) is readable by every user; chmod o-r it")
            }
            return Secret(bytes)
        } catch {
            refuse(name, "cannot be read: \(error.message)")
            return Secret([])
        }
    }

    // MARK: Outcome

    /// For what only the program can judge, such as two settings that exclude each other.
    package mutating func refuse(_ name: String, _ advice: String) {
        problems.append(SettingProblem(name: name, advice: advice))
    }

    /// Throws when anything was refused.
    package func finish() throws(SettingsError) {
        if !problems.isEmpty { throw SettingsError(problems: problems) }
    }

    /// Every setting and the value that holds, passwords masked; secrets appear as their paths.
    package var effective: [(String, LogValue)] {
        table.map { setting in
            let given = environment[setting.name].flatMap { $0.isEmpty ? nil : $0 }
            let value = (given ?? setting.default).map { LogValue(PasswordMask.masked($0)) }
            return (setting.name, value ?? .null)
        }
    }

    private func setting(_ name: String) -> Setting? { table.first { $0.name == name } }

    private mutating func integer(
        _ text: String, _ name: String, in range: ClosedRange<Int>
    ) -> Int {
        if text.isEmpty { return range.lowerBound }
        // `Int` alone also takes "+5" and "007".
        if let number = Int(text), String(number) == text, range.contains(number) { return number }
        let limits = "\(range.lowerBound) to \(range.upperBound)"
        refuse(name, "must be a whole number from \(limits), not '\(PasswordMask.masked(text))'")
        return range.lowerBound
    }
}
