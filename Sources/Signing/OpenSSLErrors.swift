internal import COpenSSL

/// The calling thread's queue of OpenSSL errors.
enum OpenSSLErrors {
    /// More reasons than this are dropped: the first ones name the fault.
    static let reasonsLimit = 4

    /// Runs one call on an empty queue and leaves an empty queue behind, whatever the call
    /// reported.
    static func cleared<R>(_ call: () -> R) -> R {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return call()
    }

    /// As `cleared`, and turns "no result" into an error that carries OpenSSL's own reasons. Only
    /// the fixed reason texts are taken: the queue's free-form data may quote the input.
    static func required<R>(
        _ what: String, _ call: () -> R?
    ) throws(SigningError) -> R {
        ERR_clear_error()
        defer { ERR_clear_error() }
        if let result = call() { return result }
        throw SigningError(.openSSL, "OpenSSL could not \(what): \(drained())")
    }

    private static func drained() -> String {
        var reasons: [String] = []
        while reasons.count < reasonsLimit {
            let code = ERR_get_error()
            if code == 0 { break }
            guard let text = unsafe ERR_reason_error_string(code) else { continue }
            reasons.append(unsafe String(cString: text))
        }
        return reasons.isEmpty ? "it gave no reason" : reasons.joined(separator: "; ")
    }
}
