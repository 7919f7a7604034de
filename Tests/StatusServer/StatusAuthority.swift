import Foundation
package import Signing

/// A chain of Apple's shape that names addresses to ask for its certificates' status, and signed
/// answers about them. All of it is made by the `openssl` command: an implementation of its own
/// reading, not ours.
package final class StatusAuthority: Sendable {
    package enum Signer: String, Sendable {
        /// The issuer itself.
        case issuer
        /// Whom the issuer gave the right to sign answers.
        case named
        /// A certificate of the issuer without that right.
        case unnamed
        /// Somebody with a certificate of their own that claims the right.
        case stranger
    }

    package struct Failed: Error {
        package let command: [String]
        package let output: String
    }

    package let chain: IssuedChain
    private let folder: String

    /// - Parameter origin: `http://127.0.0.1:PORT`; the certificates name `/leaf` and
    ///   `/intermediate` of it.
    package init(origin: String) throws {
        folder = FileManager.default.temporaryDirectory.path + "/holdfast-status-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(Self.configuration(origin).utf8).write(to: URL(filePath: folder + "/c.cnf"))
        let folder = folder
        for (name, curve) in [
            ("root", "P-384"), ("intermediate", "P-384"), ("leaf", "P-256"), ("named", "P-256"),
            ("unnamed", "P-256"), ("stranger", "P-256"), ("rootNamed", "P-256"),
        ] {
            try Self.openssl(
                in: folder,
                "req -new -newkey ec -pkeyopt ec_paramgen_curve:\(curve) -nodes -config c.cnf "
                    + "-subj /CN=\(name)/O=Status -keyout \(name).key -out \(name).csr")
        }
        func issue(_ name: String, by issuer: String?, as section: String) throws {
            let by =
                issuer.map { "-CA \($0).pem -CAkey \($0).key" } ?? "-signkey \(name).key"
            try Self.openssl(
                in: folder,
                "x509 -req -in \(name).csr \(by) -set_serial 0x\(Self.serial(name)) -days 30 "
                    + "-sha384 -extfile c.cnf -extensions \(section) -out \(name).pem")
        }
        try issue("root", by: nil, as: "root")
        try issue("intermediate", by: "root", as: "intermediate")
        try issue("leaf", by: "intermediate", as: "leaf")
        try issue("named", by: "intermediate", as: "named")
        try issue("rootNamed", by: "root", as: "named")
        try issue("unnamed", by: "intermediate", as: "unnamed")
        try issue("stranger", by: nil, as: "named")
        func read(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(filePath: folder + "/" + name)))
        }
        chain = IssuedChain(
            root: try Certificate(pem: read("root.pem")).der,
            intermediate: try Certificate(pem: read("intermediate.pem")).der,
            leaf: try Certificate(pem: read("leaf.pem")).der,
            leafKey: try PrivateKey(pem: read("leaf.key")))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The answer to a request about the leaf (signed for the intermediate) or the intermediate
    /// (signed for the root).
    /// - Parameters:
    ///   - ofLeaf: which of the two the request is about.
    ///   - minutes: how long the answer holds.
    package func answer(
        to request: [UInt8], ofLeaf: Bool, isRevoked: Bool = false, signer: Signer = .named,
        minutes: Int = 60
    ) throws -> [UInt8] {
        let issuer = ofLeaf ? "intermediate" : "root"
        let subject = ofLeaf ? "leaf" : "intermediate"
        let by =
            switch signer {
            case .issuer: issuer
            case .named: ofLeaf ? "named" : "rootNamed"
            case .unnamed, .stranger: signer.rawValue
            }
        let name = UUID().uuidString
        let state = isRevoked ? "R\t491231235959Z\t200101000000Z" : "V\t491231235959Z\t"
        let index = "\(state)\t\(Self.serial(subject))\tunknown\t/CN=\(subject)\n"
        try Data(index.utf8).write(to: URL(filePath: "\(folder)/\(name).idx"))
        try Data(request).write(to: URL(filePath: "\(folder)/\(name).req"))
        try Self.openssl(
            in: folder,
            "ocsp -index \(name).idx -CA \(issuer).pem -rsigner \(by).pem -rkey \(by).key "
                + "-reqin \(name).req -respout \(name).res -nmin \(minutes)")
        return Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name).res")))
    }

    /// An answer, signed as it should be, about another certificate of the same issuer.
    package func answerAboutAnother(ofLeaf: Bool) throws -> [UInt8] {
        let issuer = ofLeaf ? "intermediate" : "root"
        let name = UUID().uuidString
        try Self.openssl(
            in: folder,
            "ocsp -issuer \(issuer).pem -serial 0x7777 -no_nonce -reqout \(name).req")
        let request = try Data(contentsOf: URL(filePath: "\(folder)/\(name).req"))
        return try answer(to: Array(request), ofLeaf: ofLeaf)
    }

    private static func serial(_ name: String) -> String {
        switch name {
        case "root": "0A01"
        case "intermediate": "0A02"
        case "leaf": "0A03"
        case "named": "0A04"
        case "unnamed": "0A05"
        case "rootNamed": "0A06"
        default: "0A07"
        }
    }

    private static func configuration(_ origin: String) -> String {
        """
        [req]
        distinguished_name=dn
        [dn]
        [root]
        basicConstraints=critical,CA:TRUE
        keyUsage=critical,keyCertSign,cRLSign,digitalSignature
        subjectKeyIdentifier=hash
        [intermediate]
        basicConstraints=critical,CA:TRUE,pathlen:0
        keyUsage=critical,keyCertSign,cRLSign,digitalSignature
        subjectKeyIdentifier=hash
        authorityKeyIdentifier=keyid:always
        \(TrustAnchors.intermediateMarker)=DER:0500
        authorityInfoAccess=OCSP;URI:\(origin)/intermediate
        [leaf]
        basicConstraints=critical,CA:FALSE
        keyUsage=critical,digitalSignature
        subjectKeyIdentifier=hash
        authorityKeyIdentifier=keyid:always
        \(TrustAnchors.leafMarker)=DER:0500
        authorityInfoAccess=OCSP;URI:\(origin)/leaf
        [named]
        basicConstraints=critical,CA:FALSE
        keyUsage=critical,digitalSignature
        extendedKeyUsage=OCSPSigning
        subjectKeyIdentifier=hash
        [unnamed]
        basicConstraints=critical,CA:FALSE
        keyUsage=critical,digitalSignature
        subjectKeyIdentifier=hash

        """
    }

    private static func openssl(in folder: String, _ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(filePath: folder)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(
                command: process.arguments ?? [], output: String(decoding: text, as: UTF8.self))
        }
    }
}
