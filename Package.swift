// swift-tools-version: 6.2
import PackageDescription

// One set of rules for every Swift target, tests included: run and test share one build.
let rules: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// The real-time path and pictures loop over bytes: 4 KB take 277 us unoptimised and 6 us so.
// `deploy/demo` and `deploy/test` build in debug for the sake of build time, so these modules are
// optimised there too.
let hotPath: [SwiftSetting] =
    rules + [
        .unsafeFlags(["-O"], .when(configuration: .debug))
    ]

func cLibrary(_ name: String, _ pkgConfig: String, _ debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], swift: [SwiftSetting] = rules,
    resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: swift)
}

func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: rules)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    swift: [SwiftSetting] = rules
) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swift)
}

let cModules: [Target] = [
    .target(
        name: "CICU",
        linkerSettings: [.linkedLibrary("icuuc"), .linkedLibrary("icui18n")]),
    cLibrary("CCurl", "libcurl", "libcurl4-openssl-dev"),
    .systemLibrary(name: "CLinux"),
    .target(name: "COpenAPI"),
    cLibrary("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
    cLibrary("COpenSSL", "libcrypto", "libssl-dev"),
    cLibrary("CPostgres", "libpq", "libpq-dev"),
    cLibrary("CSPNG", "spng", "libspng-dev"),
]

// Wrappers know one C library each and nothing of retention; they never import one another.
let wrappers: [Target] = [
    module("HTTPClient", ["CCurl"]),
    module("HTTPServer", ["CMicroHTTPD"], swift: hotPath),
    module("Images", ["CSPNG"], swift: hotPath),
    module("Locales", ["CICU"]),
    module("Postgres", ["CPostgres"], swift: hotPath),
    module("Signing", ["COpenSSL"], swift: hotPath),
]

let middle: [Target] = [
    module("Retention", swift: hotPath),
    module("Service", ["CLinux", "HTTPServer"]),
    .target(
        name: "Migrations", dependencies: ["Postgres"], path: "Migrations",
        resources: [
            .embedInCode("m0001_tenancy.sql"), .embedInCode("m0002_apps.sql"),
            .embedInCode("m0003_messages.sql"), .embedInCode("m0004_serving.sql"),
            .embedInCode("m0005_decisions.sql"), .embedInCode("m0006_access.sql"),
            .embedInCode("m0007_catalog.sql"), .embedInCode("m0008_sync.sql"),
            .embedInCode("m0009_profiles.sql"), .embedInCode("m0010_notifications.sql"),
        ], swiftSettings: rules),
]

let adapters: [Target] = [
    module(
        "AppStore", ["HTTPClient", "Locales", "Retention", "Signing"], swift: hotPath,
        resources: [.embedInCode("AppleRootCA-G3.pem")]),
    module("RetentionStore", ["Migrations", "Postgres", "Retention", "Service", "Signing"]),
]

let applications: [Target] = [
    module(
        "AdminAPI",
        [
            "AppStore", "COpenAPI", "HTTPServer", "Images", "Locales", "Migrations", "Postgres",
            "Retention", "RetentionStore", "Service", "Signing",
        ]),
    module(
        "AppleSync",
        [
            "AppStore", "HTTPClient", "HTTPServer", "Postgres", "Retention", "RetentionStore",
            "Service", "Signing",
        ]),
    module(
        "Operator",
        [
            "HTTPClient", "HTTPServer", "Migrations", "Postgres", "Retention", "RetentionStore",
            "Service", "Signing",
        ],
        resources: [
            .embedInCode("Sample/bullet-point.png"), .embedInCode("Sample/full-size.png"),
        ]),
    module(
        "Responder",
        [
            "AppStore", "HTTPServer", "Locales", "Migrations", "Postgres", "Retention",
            "RetentionStore", "Service", "Signing",
        ], swift: hotPath),
    module(
        "Simulator", ["HTTPClient", "HTTPServer", "Images", "Locales", "Service", "Signing"]),
]

let executables: [Target] = [
    executable("api-gateway", ["AdminAPI", "Service"]),
    executable("apple-sync", ["AppleSync", "Service"]),
    executable("app-store-simulator", ["Service", "Simulator"]),
    executable("holdfast", ["Operator", "Service"]),
    executable("realtime-responder", ["Responder", "Service"]),
]

let testTargets: [Target] = [
    tests(
        "AdminAPITests",
        [
            "AdminAPI", "AppStore", "HTTPClient", "HTTPServer", "Postgres", "Retention",
            "RetentionStore", "Service", "Signing", "TestSupport",
        ]),
    tests(
        "AppleSyncTests",
        [
            "AppStore", "AppleSync", "HTTPClient", "HTTPServer", "Migrations", "Operator",
            "Postgres", "Retention", "RetentionStore", "Service", "Signing", "Simulator",
            "TestSupport",
        ]),
    tests(
        "AppStoreTests",
        [
            "AppStore", "HTTPClient", "HTTPServer", "Retention", "ScriptedServer", "Signing",
            "StatusServer", "TestSupport",
        ],
        // A hundred thousand forged requests.
        exclude: ["AppleChain"], swift: hotPath),
    tests(
        "EndToEndTests",
        [
            "AppStore", "HTTPClient", "Operator", "Postgres", "Retention", "RetentionStore",
            "Service",
            "Signing", "TestSupport",
            "api-gateway", "app-store-simulator", "apple-sync", "holdfast",
            "realtime-responder",
        ]),
    tests("HTTPClientTests", ["HTTPClient", "HTTPServer", "ScriptedServer"]),
    tests("HTTPServerTests", ["HTTPServer"]),
    tests("ImagesTests", ["CSPNG", "Images", "TestSupport"]),
    tests("LocalesTests", ["Locales", "TestSupport"]),
    tests(
        "OperatorTests", ["Operator", "Postgres", "Retention", "ScriptedServer", "TestSupport"]),
    tests("PostgresTests", ["Operator", "Postgres", "TestSupport"]),
    tests(
        "ResponderTests",
        [
            "AppStore", "HTTPClient", "HTTPServer", "Migrations", "Operator", "Postgres",
            "Responder", "Retention", "RetentionStore", "Service", "Signing", "StatusServer",
            "TestSupport",
        ]),
    tests(
        "RetentionStoreTests",
        [
            "Migrations", "Operator", "Postgres", "Retention", "RetentionStore", "Signing",
            "TestSupport",
        ]),
    // Half a million steps of a simulation.
    tests("RetentionTests", ["Retention", "TestSupport"], swift: hotPath),
    tests("ServiceTests", ["HTTPClient", "Service", "service-fixture"]),
    tests("SigningTests", ["Signing"]),
    tests(
        "SimulatorTests",
        [
            "AppStore", "HTTPClient", "HTTPServer", "ScriptedServer", "Service", "Signing",
            "Simulator", "TestSupport",
        ]),
    .executableTarget(
        name: "service-fixture", dependencies: ["Service"], path: "Tests/ServiceFixture",
        swiftSettings: rules),
    .target(
        name: "ScriptedServer", path: "Tests/ScriptedServer", swiftSettings: rules),
    .target(
        name: "StatusServer", dependencies: ["ScriptedServer", "Signing"],
        path: "Tests/StatusServer", swiftSettings: rules),
    .target(
        name: "TestSupport",
        dependencies: [
            "Migrations", "Operator", "Postgres", "Retention", "RetentionStore", "Signing",
        ],
        path: "Tests/TestSupport", swiftSettings: rules),
    tests("TidyTests", []),
]

// Linked with libFuzzer, which `deploy/fuzz` alone asks for: nothing else can build it.
let fuzzTargets: [Target] =
    Context.environment["HOLDFAST_FUZZ"] == nil
    ? []
    : [
        .executableTarget(
            name: "fuzz", dependencies: ["AppStore", "Retention", "Signing"],
            path: "Tests/Fuzz", exclude: ["corpus"], swiftSettings: hotPath)
    ]

let package = Package(
    name: "holdfast",
    targets: cModules + wrappers + middle + adapters + applications + executables + testTargets
        + fuzzTargets,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
