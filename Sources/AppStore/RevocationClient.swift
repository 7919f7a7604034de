internal import HTTPClient
package import Signing

/// What a look at one certificate's revocation came to.
package enum RevocationVerdict: Sendable, Equatable {
    /// The certificate names nobody who could be asked, as those of the simulator.
    case notOffered
    case good
    case revoked
    /// No answer, or none that may be believed; the last verdict stands. The text says why.
    case unknown(String)
}

/// Asks a certificate's issuer whether it was revoked (OCSP), over the network and so never on the
/// path of a request. Apple's pages: the addresses stand in Apple's certificates.
package struct RevocationClient: Sendable {
    private let transport: Transport

    /// - Parameter timeout: for the whole exchange, beside 3 s for the connection.
    package init(timeout: Duration = .seconds(10)) {
        var settings = TransportSettings()
        settings.connectTimeout = .seconds(3)
        settings.totalTimeout = timeout
        settings.responseBytesLimit = StatusRequest.responseBytesLimit
        settings.connections = 1
        transport = Transport(settings)
    }

    /// Blocks for the timeout at most.
    /// - Parameter unixSeconds: now, by which the answer's dates are judged.
    package func verdict(
        on certificate: Certificate, issuer: Certificate, root: Certificate, at unixSeconds: Int64
    ) -> RevocationVerdict {
        guard let url = certificate.statusURL else { return .notOffered }
        do {
            let request = try StatusRequest(for: certificate, issuer: issuer, root: root)
            let answer = try transport.send(
                ClientRequest(
                    method: "POST", url: url,
                    headers: [
                        ("Content-Type", "application/ocsp-request"),
                        ("Accept", "application/ocsp-response"),
                    ],
                    body: request.der))
            guard answer.status == 200 else { return .unknown("status \(answer.status)") }
            switch try request.status(in: answer.body, at: unixSeconds) {
            case .good: return .good
            case .revoked: return .revoked
            case .unknown: return .unknown("the issuer does not know the certificate")
            }
        } catch let error as SigningError {
            return .unknown(error.message)
        } catch let error as TransportError {
            return .unknown(error.message)
        } catch {
            return .unknown("\(error)")
        }
    }
}
