// The command line: what is understood, and what is refused with exit code 64.

import Service
import Testing

@Suite struct `A command line` {
    static let grammar = ArgumentGrammar(
        options: [.init("--database", value: "URL", "where the data is")],
        flags: [.init("--once", "end after one run")], positionals: ["command", "name"],
        required: 1)

    @Test func `gives flags, values and positionals`() throws {
        let words = ["--once", "run", "--database=a=b", "--", "--name"]
        let arguments = try Arguments(words, Self.grammar)
        #expect(arguments.has("--once"))
        #expect(arguments.value("--database") == "a=b")
        #expect(arguments.positionals == ["run", "--name"])
        let other = try Arguments(["--database", "--x", "-"], Self.grammar)
        #expect(other.value("--database") == "--x")
        #expect(other.positionals == ["-"])
        #expect(!other.has("--once"))
    }

    @Test(arguments: [
        (["run", "--twice"], "unknown argument '--twice'"),
        (["run", "-x"], "unknown argument '-x'"),
        (["run", "--database"], "--database needs a value"),
        (["run", "--once=1"], "--once takes no value"),
        (["run", "--once", "--once"], "--once may be given once only"),
        ([], "<command> is missing"),
        (["a", "b", "c"], "unexpected argument 'c'"),
    ])
    func `is refused with a reason`(words: [String], reason: String) throws {
        let error = try #require(throws: UsageError.self) {
            _ = try Arguments(words, Self.grammar)
        }
        #expect(error.message == reason)
    }

    @Test func `is described in one line`() {
        #expect(
            Self.grammar.usageLine("holdfast")
                == "holdfast [--database URL] [--once] <command> [name]")
    }
}
