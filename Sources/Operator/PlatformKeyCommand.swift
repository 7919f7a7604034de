internal import FoundationEssentials
internal import Service
package import Signing

extension Command {
    /// The pair that keeps In-App Purchase keys: whoever writes one needs the public part, only
    /// responder and sync hold the private one.
    static let platformKey = Command(
        name: "platform-key",
        meaning: "Make the platform's key pair: platform-private.pem and platform-public.pem.",
        grammar: ArgumentGrammar(positionals: ["folder"], required: 1)
    ) { arguments, _ in
        let key = try PlatformKey(creatingIn: arguments.positionals[0])
        StandardStream.output.write(
            """
            private key: \(key.privatePath)  (HOLDFAST_PLATFORM_PRIVATE_KEY_FILE: responder, sync)
            public key:  \(key.publicPath)   (whoever stores In-App Purchase keys)
            Keep a copy of the private key in a safe: without it every stored key is lost.

            """)
        return ExitCode.success
    }
}

/// The pair on disk. Never overwritten: what was sealed to a lost key cannot be opened again.
package struct PlatformKey {
    package let privatePath: String
    package let publicPath: String
    package let publicKey: PublicKey

    package init(creatingIn folder: String) throws {
        privatePath = folder + "/platform-private.pem"
        publicPath = folder + "/platform-public.pem"
        for path in [privatePath, publicPath] where FileManager.default.fileExists(atPath: path) {
            throw PlatformKeyError(description: "\(path) exists already; choose another folder")
        }
        let key = try PrivateKey.generate()
        publicKey = key.publicKey
        try Self.write(key.pem(), to: privatePath)
        try Self.write(publicKey.pem(), to: publicPath)
    }

    /// `AppendFile` makes the file readable by this user only, before a byte is in it.
    private static func write(_ bytes: [UInt8], to path: String) throws {
        let file = try AppendFile(path: path)
        defer { file.close() }
        try file.append(bytes)
        try file.sync()
    }
}

struct PlatformKeyError: Error, CustomStringConvertible {
    let description: String
}
