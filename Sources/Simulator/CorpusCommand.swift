// app-store-simulator corpus: signed real-time requests into a file, for load on a responder.
internal import Service

enum CorpusCommand {
    static let name = "corpus"
    static let meaning = "write signed real-time requests into a file, for load on a responder"

    private static let program = "app-store-simulator corpus"
    private static let identifierBytesLimit = 255

    private static let grammar = ArgumentGrammar(options: [
        .init("--out", value: "FILE", "where they go, a body a line; overwritten", .required),
        .init(
            "--authority", value: "FOLDER",
            "holds the chain they are signed under, made there the first time; a responder must "
                + "be told to trust its root.der", .required),
        .init("--app-apple-id", value: "NUMBER", "the app that is asked about", .required),
        .init("--product", value: "PRODUCT", "the product's identifier", .required),
        .init("--count", value: "N", "how many, up to \(RealtimeCorpus.countLimit) [20000]"),
        .init("--environment", value: "NAME", "Production or Sandbox [Production]"),
        .init(
            "--locale", value: "LOCALE", "of the reader; several take turns [en-US]", .repeatable),
        .init("--subscribers", value: "N", "how many different ones ask [as many as requests]"),
    ])

    /// Gives the exit code. `arguments` is without the command's own name.
    static func run(_ words: [String], clock: Clock = .system) -> Int32 {
        if words.contains("--help") || words.contains("-h") {
            StandardStream.output.write(help)
            return ExitCode.success
        }
        do {
            let arguments = try Arguments(words, grammar)
            let corpus = try corpus(arguments)
            let (out, folder) = (
                arguments.value("--out") ?? "", arguments.value("--authority") ?? ""
            )
            let now = clock.now()
            let signer = try RequestSigner(keptIn: folder, nowSeconds: now / 1_000)
            try corpus.write(to: out, signedBy: signer, nowMilliseconds: now) { done in
                tell("\(done) of \(corpus.count) signed")
            }
            return ExitCode.success
        } catch let error as UsageError {
            tell("\(error.message); see \(program) --help")
            return ExitCode.usage
        } catch {
            tell("\(error)")
            return ExitCode.failed
        }
    }

    private static func tell(_ sentence: String) {
        StandardStream.error.write("\(program): \(sentence)\n")
    }

    private static func corpus(_ arguments: Arguments) throws(UsageError) -> RealtimeCorpus {
        let app = arguments.value("--app-apple-id") ?? ""
        guard let appAppleId = Int64(app), appAppleId > 0 else {
            throw UsageError("--app-apple-id is a number, not '\(app)'")
        }
        let product = arguments.value("--product") ?? ""
        guard (1...identifierBytesLimit).contains(product.utf8.count) else {
            throw UsageError("--product has 1 to \(identifierBytesLimit) bytes")
        }
        var corpus = RealtimeCorpus(appAppleId: appAppleId, productId: product)
        corpus.count = try number("--count", arguments) ?? corpus.count
        corpus.subscribers = try number("--subscribers", arguments) ?? corpus.count
        if let name = arguments.value("--environment") {
            guard let environment = Environment(rawValue: name) else {
                throw UsageError("--environment is Production or Sandbox, not '\(name)'")
            }
            corpus.environment = environment
        }
        let locales = arguments.values("--locale")
        if !locales.isEmpty { corpus.userLocales = locales }
        return corpus
    }

    private static func number(
        _ option: String, _ arguments: Arguments
    ) throws(UsageError) -> Int? {
        guard let text = arguments.value(option) else { return nil }
        guard let number = Int(text), (1...RealtimeCorpus.countLimit).contains(number) else {
            throw UsageError("\(option) is 1 to \(RealtimeCorpus.countLimit), not '\(text)'")
        }
        return number
    }

    private static var help: String {
        HelpText.page(
            usage: grammar.usageLine(program), options: grammar.help, settings: []
        ) + "\nA responder takes none older than five minutes: sign right before sending.\n"
    }
}
