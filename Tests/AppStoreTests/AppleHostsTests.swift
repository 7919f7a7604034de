import AppStore
import Retention
import Testing

@Suite struct AppleHostsTests {
    private static let sandbox = "https://sandbox.example"

    private static func code(_ production: String) -> AppleHosts.Refusal.Code? {
        do { _ = try AppleHosts(production: production, sandbox: sandbox) } catch {
            return error.code
        }
        return nil
    }

    @Test func `Apple's hosts are those it recommends`() {
        #expect(AppleHosts.apple.base(.production) == "https://api.storekit.apple.com")
        #expect(AppleHosts.apple.base(.sandbox) == "https://api.storekit-sandbox.apple.com")
    }

    @Test(arguments: [
        "https://api.storekit.apple.com", "https://a:1", "https://a.example:65535",
        "http://127.0.0.1:8080", "http://127.255.0.9", "http://localhost:1", "http://[::1]:8080",
        "https://[2001:db8::1]", "https://a.example/production", "https://a.example/a/b-c_d.e~f",
    ])
    func `what may be called is kept as it is, but for a slash at the end`(_ url: String) throws {
        for given in [url, url + "/"] {
            let hosts = try AppleHosts(production: given, sandbox: Self.sandbox)
            #expect(hosts.production == url)
            #expect(hosts.sandbox == Self.sandbox)
        }
    }

    @Test(
        arguments: [
            ("", .notHTTPS), ("a.example", .notHTTPS), ("ftp://a.example", .notHTTPS),
            ("HTTPS://a.example", .notHTTPS), (" https://a.example", .notHTTPS),
            ("http://a.example", .notHTTPS), ("http://127.0.0.1.a.example", .notHTTPS),
            ("http://127.evil.0.1", .notHTTPS), ("http://127.0.0.256", .notHTTPS),
            ("http://localhost.a.example", .notHTTPS), ("http://10.0.0.1", .notHTTPS),
            ("http://[::2]", .notHTTPS), ("http://0.0.0.0", .notHTTPS),
            ("https://" + String(repeating: "a", count: 250), .notHTTPS),
            ("https://", .noHost), ("https:///a", .noHost), ("https://:80", .noHost),
            ("https://a b", .noHost), ("https://a\n", .noHost), ("https://a%2eb", .noHost),
            ("https://é.example", .noHost), ("https://[::1", .noHost), ("https://[]", .noHost),
            ("https://a\\b", .noHost), ("https://[::1]x", .badPort),
            ("https://u@a.example", .hasUserInfo), ("https://u:p@a.example", .hasUserInfo),
            ("http://127.0.0.1:80@a.example", .hasUserInfo),
            ("https://a.example?x", .hasQuery), ("https://a.example/#x", .hasQuery),
            ("https://a:", .badPort), ("https://a:0", .badPort), ("https://a:65536", .badPort),
            ("https://a:+1", .badPort), ("https://a:1:2", .badPort), ("https://a:80a", .badPort),
            ("https://a//", .badPath), ("https://a//b", .badPath), ("https://a/b//", .badPath),
            ("https://a/..", .badPath), ("https://a/./b", .badPath), ("https://a/%2e", .badPath),
            ("https://a/b c", .badPath), ("https://a/é", .badPath), ("https://a/b\r\n", .badPath),
            ("https://sandbox.example", .sameTwice), ("https://sandbox.example/", .sameTwice),
        ] as [(String, AppleHosts.Refusal.Code)])
    func `anything else is refused by its name`(
        _ url: String, _ code: AppleHosts.Refusal.Code
    ) {
        #expect(Self.code(url) == code, "\(url)")
    }
}
