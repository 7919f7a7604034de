/// Whether a service should be given work, as `/readyz` shows it.
package struct Readiness: Sendable, Equatable {
    package var ready: Bool
    /// Why it is not ready: what is missing, in words.
    package var reasons: [String]
    /// What someone should see though work goes on, such as "a further trust root is configured".
    package var warnings: [String]

    package init(ready: Bool, reasons: [String] = [], warnings: [String] = []) {
        self.ready = ready
        self.reasons = reasons
        self.warnings = warnings
    }

    /// Ready when there is no reason against it.
    package init(reasons: [String], warnings: [String] = []) {
        self.init(ready: reasons.isEmpty, reasons: reasons, warnings: warnings)
    }

    /// `{"ready":false,"reasons":["…"],"warnings":["…"]}`
    package func json() -> [UInt8] {
        var bytes = Array("{\"ready\":\(ready),\"reasons\":".utf8)
        JSONText.append(reasons, to: &bytes)
        bytes += ",\"warnings\":".utf8
        JSONText.append(warnings, to: &bytes)
        bytes += "}\n".utf8
        return bytes
    }
}
