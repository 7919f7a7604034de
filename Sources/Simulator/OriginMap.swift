/// Sends a public https origin to where it is really served on this machine, so that the
/// configured real-time URL is one that Apple would take.
package struct OriginMap: Codable, Sendable, Equatable {
    package struct Entry: Codable, Sendable, Equatable {
        /// `https://holdfast.example`: no path, no slash at the end.
        package var publicOrigin: String
        /// `http://127.0.0.1:8080` or an https origin.
        package var localOrigin: String

        package init(publicOrigin: String, localOrigin: String) {
            self.publicOrigin = publicOrigin
            self.localOrigin = localOrigin
        }
    }

    private static let entriesLimit = 100

    package var origins: [Entry]

    package init(origins: [Entry] = []) {
        self.origins = origins
    }

    func check() throws(ControlError) {
        guard origins.count <= OriginMap.entriesLimit else {
            throw ControlError(.tooMany, "Map at most \(OriginMap.entriesLimit) origins.")
        }
        for entry in origins {
            guard OriginMap.isOrigin(entry.publicOrigin, schemes: ["https://"]),
                OriginMap.isOrigin(entry.localOrigin, schemes: ["https://", "http://"])
            else {
                throw ControlError(
                    .invalidOrigin,
                    "An origin is scheme, host and port alone; the public one begins with https://."
                )
            }
        }
    }

    /// Where to send a request for `url`, and the Host it is for.
    func target(of url: String) -> (url: String, host: String?) {
        for entry in origins {
            let origin = Array(entry.publicOrigin.utf8)
            guard url.utf8.starts(with: origin) else { continue }
            let rest = url.utf8.dropFirst(origin.count)
            guard rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?")
            else { continue }
            let host = String(decoding: origin.dropFirst("https://".utf8.count), as: UTF8.self)
            return (entry.localOrigin + String(decoding: rest, as: UTF8.self), host)
        }
        return (url, nil)
    }

    private static func isOrigin(_ text: String, schemes: [String]) -> Bool {
        guard let scheme = schemes.first(where: { text.utf8.starts(with: $0.utf8) }) else {
            return false
        }
        let authority = text.utf8.dropFirst(scheme.utf8.count)
        return !authority.isEmpty && authority.count <= 253
            && authority.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@".utf8.contains($0) }
    }
}
