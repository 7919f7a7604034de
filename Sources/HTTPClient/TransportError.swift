import CCurl

/// No complete answer was received. Where `isSent`, whether the request was acted on is unknown.
package struct TransportError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// Not complete within the time, the wait for a free connection included.
        case timedOut
        /// No such host, or nobody listens there.
        case connectFailed
        /// No TLS, or a certificate that does not verify.
        case tls
        /// More body or header than allowed; the rest was not read.
        case responseTooLarge
        /// The connection ended, or made no sense, before the answer was complete.
        case interrupted
        /// Not an http or https URL.
        case badURL
        /// A method or field with a line break or NUL in it.
        case badRequest
    }

    package let code: Code
    package let message: String
    /// The request was written to a connection, or its first bytes were: it may have arrived. False
    /// is certain, also where a kept connection was dead and another was tried.
    package let isSent: Bool

    package var description: String { "\(code.rawValue): \(message)" }

    /// What libcurl said, in our words. The URL stays out: it may hold a token.
    init(_ result: CURLcode, isOverLimit: Bool, isSent: Bool) {
        self.isSent = isSent
        let detail = unsafe String(cString: curl_easy_strerror(result))
        if isOverLimit || result == CURLE_FILESIZE_EXCEEDED {
            code = .responseTooLarge
            message = "the answer is larger than the limit; raise it or ask for less"
            return
        }
        switch result {
        case CURLE_OPERATION_TIMEDOUT: code = .timedOut
        // After sending it stands for an answer that is not HTTP/1.
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: code = isSent ? .interrupted : .badURL
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: code = .connectFailed
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED:
            code = .tls
        default: code = .interrupted
        }
        message = detail
    }

    init(code: Code, message: String, isSent: Bool = false) {
        self.isSent = isSent
        self.code = code
        self.message = message
    }
}
