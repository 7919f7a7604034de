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

    static let strict = ArgumentGrammar(options: [
        .init("--tenant", value: "ID", "whose", .required),
        .init("--app", value: "ID", "which", .repeatable),
    ])

    @Test func `gives what may be repeated in its order`() throws {
        let words = ["--app", "one", "--tenant=t", "--app=two"]
        let arguments = try Arguments(words, Self.strict)
        #expect(arguments.values("--app") == ["one", "two"])
        #expect(arguments.value("--tenant") == "t")
        #expect(try Arguments(["--tenant=t"], Self.strict).values("--app").isEmpty)
    }

    @Test(arguments: [
        (["--app", "one"], "--tenant is missing"),
        (["--tenant=a", "--tenant=b"], "--tenant may be given once only"),
    ])
    func `must have what is required, once`(words: [String], reason: String) throws {
        let error = try #require(throws: UsageError.self) {
            _ = try Arguments(words, Self.strict)
        }
        #expect(error.message == reason)
    }

    @Test func `is described in one line`() {
        #expect(Self.strict.usageLine("holdfast key") == "holdfast key --tenant ID [--app ID]…")
        #expect(
            Self.grammar.usageLine("holdfast")
                == "holdfast [--database URL] [--once] <command> [name]")
    }
}
