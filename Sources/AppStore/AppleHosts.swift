package import Retention

/// Where Apple's API is called: one base URL an environment. Others than Apple's are for tests and
/// for simulators, and never get a token in the clear beyond this machine.
package struct AppleHosts: Hashable, Sendable {
    package struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        package enum Code: String, Sendable {
            case notHTTPS, noHost, hasUserInfo, hasQuery, badPort, badPath, sameTwice
        }

        package let code: Code
        package let description: String
    }

    /// Of one base URL.
    package static let bytesLimit = 255

    /// Apple's own, by the names it recommends since May 2026.
    package static let apple = AppleHosts(
        checkedProduction: "https://api.storekit.apple.com",
        checkedSandbox: "https://api.storekit-sandbox.apple.com")

    /// Without a slash at the end.
    package let production: String
    package let sandbox: String

    private init(checkedProduction: String, checkedSandbox: String) {
        production = checkedProduction
        sandbox = checkedSandbox
    }

    /// `https://host`, or `http://` on the loopback interface; a port and a path may follow,
    /// nothing else. One slash at the end is taken off.
    package init(production: String, sandbox: String) throws(Refusal) {
        self.production = try Self.checked(production)
        self.sandbox = try Self.checked(sandbox)
        if isSame(self.production, self.sandbox) {
            throw Refusal(
                code: .sameTwice,
                description: "production and sandbox have the same URL; Apple keeps them apart")
        }
    }

    package func base(_ environment: StoreEnvironment) -> String {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }

    private static func checked(_ url: String) throws(Refusal) -> String {
        let bytes = Array(url.utf8)
        let isSecure = bytes.starts(with: "https://".utf8)
        guard bytes.count <= bytesLimit, isSecure || bytes.starts(with: "http://".utf8) else {
            throw Refusal(code: .notHTTPS, description: "Apple's base URL begins with https://")
        }
        let rest = bytes.dropFirst(isSecure ? 8 : 7)
        if rest.contains(UInt8(ascii: "@")) {
            throw Refusal(
                code: .hasUserInfo, description: "Apple's base URL has no user name; remove it")
        }
        if rest.contains(UInt8(ascii: "?")) || rest.contains(UInt8(ascii: "#")) {
            throw Refusal(
                code: .hasQuery, description: "Apple's base URL has no ? or #; remove what follows")
        }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let host = try Self.host(of: authority)
        if !isSecure, !isLoopback(host) {
            throw Refusal(
                code: .notHTTPS, description: "only a host of this machine is called without TLS")
        }
        var path = rest.dropFirst(authority.count)
        if path.last == UInt8(ascii: "/") { path = path.dropLast() }
        guard isPath(path) else {
            throw Refusal(
                code: .badPath,
                description: "the path of Apple's base URL is /plain/words at most; correct it")
        }
        return String(decoding: bytes[..<path.endIndex], as: UTF8.self)
    }

    private static func host(of authority: ArraySlice<UInt8>) throws(Refusal) -> String {
        let isBracketed = authority.first == UInt8(ascii: "[")
        let end =
            isBracketed
            ? authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
            : authority.firstIndex(of: UInt8(ascii: ":"))
        let host = authority[..<(end ?? authority.endIndex)]
        let port = authority[host.endIndex...]
        let inner = isBracketed ? host.dropFirst().dropLast() : host
        guard !inner.isEmpty, !isBracketed || host.last == UInt8(ascii: "]"),
            inner.allSatisfy({ isBracketed ? isAddressByte($0) : isHostByte($0) })
        else {
            throw Refusal(code: .noHost, description: "Apple's base URL names no host; correct it")
        }
        if !port.isEmpty {
            let digits = port.dropFirst()
            guard port.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
                digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(String(decoding: digits, as: UTF8.self)),
                (1...65_535).contains(number)
            else {
                throw Refusal(
                    code: .badPort, description: "a port is a number from 1 to 65535; correct it")
            }
        }
        return String(decoding: host, as: UTF8.self)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Segments of unreserved characters, each with its slash before it.
    private static func isPath(_ path: ArraySlice<UInt8>) -> Bool {
        path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            .allSatisfy { segment in
                !segment.isEmpty && !segment.allSatisfy { $0 == UInt8(ascii: ".") }
                    && segment.allSatisfy(PathSegment.isUnreserved)
            }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || PathSegment.isAlphanumeric(byte)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || Hexadecimal.value(byte) != nil
    }
}
