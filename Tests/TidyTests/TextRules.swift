/// Words and calls that have no place, and what takes theirs.
enum TextRules {
    static let all = [
        leftovers, excuses, forcing, crashing, printing, testable, unsafeWord, unsafeSQL,
        machinePaths,
    ]

    static let leftovers = Rule.onLines(
        of: .text, "Nothing is left to do", hints: ["TODO", "FIXME", "XXX"], where: { !$0.isTidy },
        offenders: [
            ["Sources/A/A.swift": "// TODO: later"], ["docs/a.md": "FIXME"],
            ["deploy/demo": "echo XXX"],
        ],
        clean: ["deploy/demo": "mktemp -d holdfast.XXXXXX"]
    ) { line, _ in
        line.contains(/\b(TODO|FIXME|XXX)\b/) ? "do it now, or file an issue" : nil
    }

    static let excuses = Rule.onLines(
        of: .text, "Nothing is there in name only",
        hints: ["stub", "for now", "not impl", "placeholder"], where: \.isSource,
        offenders: [
            ["Sources/A/A.swift": "// a stub"], ["Migrations/m1.sql": "-- for now"],
            ["Sources/A/A.swift": "throw E(\"Not implemented\")"],
            ["Sources/A/A.swift": "let placeholder = 1"],
        ],
        clean: ["Sources/A/A.swift": "// stubborn", "docs/a.md": "a stub"]
    ) { line, _ in
        line.lowercased().contains(/\b(stubs?|for now|not implemented|placeholders?)\b/)
            ? "make it real, or leave it out until it is" : nil
    }

    static let forcing = Rule.onLines(
        of: .code, "Nothing is forced", hints: ["!"], where: { $0.isSwift && !$0.isTidy },
        offenders: [
            ["Sources/A/A.swift": "let a = try! f()"], ["Tests/A/A.swift": "let a = b as! C"],
            ["Sources/A/A.swift": "let a = b!.c"], ["Sources/A/A.swift": "f(b[0]!)"],
            ["Sources/A/A.swift": "var a: Int!"], ["Sources/A/A.swift": "\"\\(a!)\""],
        ],
        clean: ["Sources/A/A.swift": "if !a != b { f(!c, \"Stop!\") } // d!"]
    ) { line, _ in
        if line.contains(/\btry!/) { return "try! crashes; throw, or handle the error" }
        if line.contains(/\bas!/) { return "as! crashes; use as? and handle nil" }
        return line.contains(/[\w)\]]!(?!=)/)
            ? "forcing crashes; use guard let, `??`, or try #require in a test" : nil
    }

    static let crashing = Rule.onLines(
        of: .code, "No input ends a process", hints: ["fatalError"],
        where: { $0.isSource && $0.isSwift },
        offenders: [
            ["Sources/A/A.swift": "fatalError(\"no\")"], ["Migrations/A.swift": "fatalError()"],
        ],
        clean: ["Sources/A/A.swift": "// fatalError(", "Tests/A/A.swift": "fatalError()"]
    ) { line, _ in
        line.contains(/\bfatalError\s*\(/) ? "throw an error that says what to do" : nil
    }

    /// Where the operator's command writes to its own output.
    static let printers: Set<String> = ["Sources/Operator/Output.swift"]

    static let printing = Rule.onLines(
        of: .code, "Only the operator's output prints", hints: ["print(", "dump("],
        where: { $0.isSource && $0.isSwift && !printers.contains($0.path) },
        offenders: [
            ["Sources/A/A.swift": "print(1)"], ["Sources/Operator/Run.swift": "debugPrint(1)"],
        ],
        clean: [
            "Sources/A/A.swift": "sprint(1); page.print(1)",
            "Sources/Operator/Output.swift": "print(1)",
        ]
    ) { line, _ in
        line.contains(/(^|[^\w.])(print|debugPrint|dump)\(/)
            ? "services log (Log), commands write through Operator's Output" : nil
    }

    static let testable = Rule.onLines(
        of: .code, "Tests see what the package sees", hints: ["@testable"], where: \.isSwift,
        offenders: [["Tests/A/A.swift": "@testable import A"]],
        clean: ["Tests/A/A.swift": "import A // not @testable"]
    ) { line, _ in
        line.contains("@testable")
            ? "give the declaration package access: run and test share one build" : nil
    }

    /// Wrappers of C, the files of others that call the system themselves, and those on the path of
    /// an answer that read numbers and compare keys in place.
    static let unsafePlaces = [
        "Sources/HTTPClient/", "Sources/HTTPServer/", "Sources/Images/", "Sources/Locales/",
        "Sources/Postgres/", "Sources/Signing/",
        "Sources/AdminAPI/PublicDocument.swift", "Sources/AppStore/Hexadecimal.swift",
        "Sources/AppStore/JSONObject.swift", "Sources/AppStore/JSONScanner.swift",
        "Sources/AppStore/JSONText.swift", "Sources/Operator/SystemProcess.swift",
        "Sources/Responder/CRC32.swift", "Sources/Responder/SpoolBatch.swift",
        "Sources/Retention/CompactCoding.swift", "Sources/Retention/Identifier.swift",
        "Sources/Service/Clock.swift", "Sources/Service/FileDescriptor.swift",
        "Sources/Service/Hardening.swift", "Sources/Service/LoopbackConnections.swift",
        "Sources/Service/NativeThread.swift",
        "Sources/Service/NotifySocket.swift", "Sources/Service/StandardStream.swift",
        "Sources/Service/StopSignal.swift",
    ]

    static let unsafeWord = Rule.onLines(
        of: .code, "Memory is handled by hand in the wrappers alone", hints: ["unsafe"],
        where: { file in
            file.isSource && file.isSwift && !unsafePlaces.contains { file.path.hasPrefix($0) }
        },
        offenders: [
            ["Sources/Retention/A.swift": "let a = unsafe f()"],
            ["Sources/Service/Log.swift": "nonisolated(unsafe) var a = 1"],
        ],
        clean: [
            "Sources/Signing/A.swift": "unsafe f()", "Sources/Service/Clock.swift": "unsafe f()",
            "Sources/A/A.swift": "unsafely() // unsafe",
        ]
    ) { line, _ in
        line.contains(/\bunsafe\b/)
            ? "call C in the wrapper that owns the library, and give it a safe function" : nil
    }

    /// Names of partitions and roles cannot be bound; everything else can.
    static let unsafeSQLPlaces = ["Sources/Postgres/", "Sources/RetentionStore/Partitions.swift"]

    static let unsafeSQL = Rule.onLines(
        of: .code, "SQL text is static", hints: ["unsafeSQL"],
        where: { file in
            file.isSource && file.isSwift && !unsafeSQLPlaces.contains { file.path.hasPrefix($0) }
        },
        offenders: [["Sources/RetentionStore/A.swift": "Query(unsafeSQL: text)"]],
        clean: ["Sources/Postgres/Query.swift": "Query(unsafeSQL: text)"]
    ) { line, _ in
        line.contains("unsafeSQL")
            ? "bind values by interpolation; a list is `= any(\\(ids))`; if this cannot be bound, "
                + "argue it and add the file to the list" : nil
    }

    static let machinePaths = Rule.onLines(
        of: .text, "No path of one machine", hints: ["/work/", "/tmp/"], where: { !$0.isTidy },
        offenders: [["docs/a.md": "see /work/a"], ["Tests/A/A.swift": "\"/tmp/bash_x\""]],
        clean: ["docs/a.md": "see ../frame/work/a and https://a.example/work/b"]
    ) { line, _ in
        line.contains(/(^|[^\w.\/-])(\/work\/|\/tmp\/bash)/)
            ? "make the path relative to the package, or ask the system for a folder" : nil
    }
}
