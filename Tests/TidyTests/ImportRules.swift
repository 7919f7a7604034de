/// The arrows between modules: executables -> applications -> adapters -> domain, Service and
/// wrappers -> C modules.
enum ImportRules {
    static let all = [arrows, domain, opening]

    private static let wrappers = [
        "HTTPClient": ["CCurl"], "HTTPServer": ["CMicroHTTPD"], "Images": ["CSPNG"],
        "Locales": ["CICU"], "Postgres": ["CPostgres"], "Redis": ["CHiredis"],
        "Signing": ["COpenSSL"],
    ]

    private static let applications = [
        "AdminAPI", "AppleSync", "Operator", "ProfileWorker", "Responder", "Simulator",
    ]

    private static let executables = [
        "api-gateway", "app-store-simulator", "apple-sync", "holdfast", "profile-worker",
        "realtime-responder",
    ]

    /// What each of our modules may import of our modules; system modules are free but for the
    /// domain.
    static let allowed: [String: [String]] = {
        var table = wrappers
        table["Service"] = ["CLinux", "HTTPServer"]
        table["Retention"] = []
        table["StoreMessages"] = []
        table["Migrations"] = ["Postgres"]
        table["AppStore"] = ["HTTPClient", "Locales", "Retention", "Signing"]
        table["RetentionStore"] = ["Migrations", "Postgres", "Retention", "Service", "Signing"]
        let below =
            wrappers.keys + ["AppStore", "Migrations", "Retention", "RetentionStore", "Service"]
        for application in applications { table[application] = Array(below) }
        // It judges our answers as Apple would, so it must not share our reading of Apple's rules.
        table["Simulator"] = [
            "HTTPClient", "HTTPServer", "Images", "Locales", "Service", "Signing",
        ]
        for executable in executables { table[executable] = applications + ["Service"] }
        return table
    }()

    private static let ours = Set(allowed.keys).union(allowed.values.joined())

    static let arrows = Rule(
        "Imports follow the arrows",
        offenders: [
            ["Sources/Postgres/A.swift": "import Signing"],
            ["Sources/RetentionStore/A.swift": "internal import CPostgres"],
            ["Sources/Responder/A.swift": "import Simulator"],
            ["Sources/Retention/A.swift": "package import struct Postgres.Timestamp"],
            ["Sources/Simulator/A.swift": "import AppStore"],
            ["Sources/NewThing/A.swift": "import Retention"],
            ["Migrations/A.swift": "import RetentionStore"],
        ],
        clean: [
            "Sources/Responder/A.swift": "import Dispatch\nprivate import RetentionStore",
            "Sources/holdfast/main.swift": "import Operator",
            "Migrations/A.swift": "import Postgres",
        ]
    ) { tree in
        tree.sources.flatMap { file -> [Offence] in
            let module = file.module ?? "Migrations"
            guard let allowed = allowed[module] else {
                return [
                    Offence(file, "\(module) is in no table; add it to ImportRules with its arrows")
                ]
            }
            return imports(of: file).filter { ours.contains($0.name) && !allowed.contains($0.name) }
                .map {
                    Offence(
                        file, line: $0.line,
                        "\(module) may not import \($0.name); "
                            + "hand the value in, or move the code to where the arrow points")
                }
        }
    }

    static let domain = Rule(
        "The domain imports FoundationEssentials at most",
        offenders: [
            ["Sources/Retention/A.swift": "import Foundation"],
            ["Sources/Retention/A.swift": "import Glibc"],
        ],
        clean: [
            "Sources/Retention/A.swift": "internal import FoundationEssentials",
            "Sources/Service/A.swift": "import Glibc",
        ]
    ) { tree in
        tree.sources.filter { $0.module == "Retention" }.flatMap { file in
            imports(of: file).filter { $0.name != "FoundationEssentials" }.map {
                Offence(
                    file, line: $0.line, "the domain knows no \($0.name); hand in what it needs")
            }
        }
    }

    static let opening = Rule(
        "Each module's first file opens with why it exists",
        offenders: [
            ["Sources/A/A.swift": "import B", "Sources/A/AA.swift": "/// Why."],
            ["Sources/a-b/main.swift": "import A"],
        ],
        clean: [
            "Sources/A/A.swift": "/// Why.", "Sources/A/0.swift": "import B",
            "Sources/B/C.swift": "// Why.", "Sources/B/D.swift": "import A",
        ]
    ) { tree in
        let modules = Dictionary(grouping: tree.sources) { $0.module ?? "Migrations" }
        return modules.compactMap { module, files in
            let named = files.first { $0.name == module + ".swift" }
            guard let first = named ?? files.min(by: { $0.path < $1.path }),
                !first.text.hasPrefix("//")
            else { return nil }
            return Offence(first, "open with a paragraph that says why \(module) exists")
        }
    }

    private static func imports(of file: Tree.File) -> [(name: String, line: Int)] {
        file.code.enumerated().compactMap { place, line in
            guard line.holds(["import "]) else { return nil }
            let pattern = /^\s*(@\w+\s+)*(\w+\s+)?import\s+([a-z]+\s+)?(\w+)/
            return line.firstMatch(of: pattern).map { (String($0.output.4), place + 1) }
        }
    }
}
