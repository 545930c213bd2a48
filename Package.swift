// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The one list of settings that every target is built with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let structuredFields = Target.Dependency.product(
    name: "RawStructuredFieldValues", package: "swift-http-structured-headers")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1"].map { .product(name: $0, package: "swift-nio") }
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let processes: [Target.Dependency] = [
    .product(name: "Subprocess", package: "swift-subprocess", condition: .when(platforms: [.linux, .macOS])),
    .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
]
/// What only the program needs; without the trait, a user of the library does not even fetch it.
let program = TargetDependencyCondition.when(traits: ["Program"])
/// True if another package depends on this one, which then has no traits but those that are asked for.
///
/// The package manager reads the manifest of a dependency from `/`, to choose the version, and then from a folder in
/// `checkouts`, which is beside `repositories`.
let isDependency =
    Context.packageDirectory == "/"
    || Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"
        && FileManager.default.fileExists(atPath: Context.packageDirectory + "/../../repositories")
let hummingbird: [Target.Dependency] = ["Hummingbird", "HummingbirdCore"].map {
    .product(name: $0, package: "hummingbird", condition: program)
}
let serving: [Target.Dependency] = [
    .product(name: "NIOWebSocket", package: "swift-nio"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: program),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: program),
    .product(name: "AsyncAlgorithms", package: "swift-async-algorithms", condition: program),
]
let lifecycle: [Target.Dependency] = ["ServiceLifecycle", "UnixSignals"].map {
    .product(name: $0, package: "swift-service-lifecycle", condition: program)
}
let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration", condition: program)
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: program)

/// Has the program export nothing, and leaves out what nobody calls and the tables for exceptions; no product but the program itself has
/// these flags.
///
/// By LLD, which every toolchain for Linux has: the idle daemon takes 3 MiB less memory (docs/daemon.md).
let lean: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld"]
            + [
                "--version-script=\(Context.packageDirectory)/Sources/HaulMain/exports.map", "-T",
                "\(Context.packageDirectory)/Sources/HaulMain/unwind.lds", "--no-eh-frame-hdr",
            ].flatMap { ["-Xlinker", $0] },
        .when(platforms: [.linux], configuration: .release))
]

// The privacy manifest is of use on Apple's systems only; elsewhere, a resource would add a folder and code that finds it.
#if os(macOS)
    let (usedHere, unusedHere): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
    let (usedHere, unusedHere): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

/// What the program was built from, for `haul --version --verbose`.
let build: [CSetting] = Context.environment["HAUL_BUILD"].map { [.define("HAUL_BUILD", to: "\"\($0)\"")] } ?? []

func target(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["HaulTestData"], swiftSettings: settings)
}

/// The settings of tests that contain code of the documentation: those of a new package.
///
/// It has none of the features above, so what compiles with them only must not be shown.
let plain: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// A small program in Examples, to read and to run; not a product.
func example(_ name: String, _ dependencies: [Target.Dependency] = ["Haul"]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Examples/\(name)", swiftSettings: settings)
}

let package = Package(
    name: "haul",
    // watchOS allows most apps no sockets: there, all requests use URLSession.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Haul", targets: ["Haul"]),
        .library(name: "HaulClient", targets: ["HaulClient"]),
        .library(name: "HaulObservation", targets: ["HaulObservation"]),
        .library(name: "HaulFoundation", targets: ["HaulFoundation"]),
        .library(name: "HaulTransport", targets: ["HaulTransport"]),
        .library(name: "HaulTesting", targets: ["HaulTesting"]),
        .executable(name: "haul", targets: ["HaulMain"]),
    ],
    traits: [
        .default(enabledTraits: isDependency ? [] : ["Curl", "Program"]),
        .trait(
            name: "Curl",
            description:
                "FTP, SFTP, SOCKS, digest, NTLM and Negotiate over libcurl: its headers to build, itself to run."),
        .trait(
            name: "Program",
            description: "The command and the daemon, which need an argument parser and a web server."),
    ],
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    ],
    targets: [
        target("HaulCore", [httpTypes, structuredFields]),
        target("HaulTransport", ["HaulLibC", "HaulCore", httpTypes]),
        target(
            "HaulTransportHTTP",
            ["HaulLibC", "HaulCore", "HaulTransport", httpTypes, httpClient, nioSSL, nioTLS, logging] + nio),
        // Without the trait it holds no more than the answer that there is none, and needs no headers.
        .target(
            name: "CHaulCurl", cSettings: [.define("HAUL_CURL", .when(platforms: [.linux, .macOS], traits: ["Curl"]))]),
        // Where it is the default; on Linux, no more than its tests.
        target("HaulTransportURLSession", ["HaulCore", "HaulTransport", httpTypes]),
        target("HaulTransportCurl", ["HaulLibC", "HaulCore", "HaulTransport", "CHaulCurl", httpTypes, logging]),
        target("CHaulSystem", []),
        target("CHaulICUData", []),
        .target(name: "CHaulBuild", cSettings: build),
        target("HaulLibC", ["CHaulSystem"]),
        .target(name: "CHaulZlib", linkerSettings: [.linkedLibrary("z")]),
        // By the BoringSSL of TLS, so that there is only one: docs/decisions/0041.
        target("CHaulDigest", [nioSSL]),
        target("HaulDigest", ["HaulCore", "CHaulDigest"]),
        target("HaulFiles", ["HaulLibC", "HaulCore", "HaulDigest", "CHaulSystem"]),
        target("HaulStore", ["HaulLibC", "HaulCore", "HaulDigest", "CHaulSystem", grdb, sqlite]),
        target(
            "HaulEngine",
            [
                "HaulLibC", "HaulCore", "HaulTransport", "HaulTransportHTTP", "HaulDigest", "HaulFiles", "CHaulSystem",
                "CHaulZlib", httpTypes, logging, .target(name: "HaulTransportCurl", condition: .when(traits: ["Curl"])),
                .target(
                    name: "HaulTransportURLSession",
                    condition: .when(platforms: [.iOS, .tvOS, .watchOS, .visionOS])),
            ]),
        target("HaulBatch", ["HaulCore", "HaulDigest"]),
        target(
            "HaulBatchRun",
            ["HaulLibC", "CHaulSystem", "HaulCore", "HaulDigest", "HaulFiles", "HaulEngine", "HaulBatch", httpTypes]),
        target("HaulProcesses", ["HaulLibC", "CHaulSystem"] + processes),
        target("HaulManager", ["HaulLibC", "HaulCore", "HaulProcesses"]),
        target(
            "HaulLocal",
            [
                "HaulLibC", "HaulCore", "HaulFiles", "HaulStore", "HaulEngine", "HaulManager", "HaulProcesses",
                "HaulTransport", httpTypes, logging,
            ]),
        .target(
            name: "Haul", dependencies: ["HaulCore", "HaulEngine", "HaulManager", "HaulLocal"], exclude: unusedHere,
            resources: usedHere, swiftSettings: settings),
        // In no product on Linux, where it would link FoundationNetworking: only its tests use it there.
        target("HaulSystemSession", ["Haul", "HaulCore", "HaulLocal", "HaulManager", httpTypes]),
        target("HaulObservation", ["HaulCore", "HaulManager"]),
        target("HaulFoundation", ["HaulCore", "HaulManager"]),
        target("HaulWire", ["HaulCore"]),
        target("HaulOptions", ["HaulCore", "HaulWire"]),
        target("HaulHTTPServing", [nioWebSocket] + nio),
        .target(
            name: "HaulServer",
            dependencies: [
                "HaulLibC", "Haul", "HaulCore", "HaulOptions", "HaulProcesses", "HaulTransport", "HaulTransportHTTP",
                "HaulWire", "HaulHTTPServing", "HaulDigest", "CHaulDigest", "CHaulSystem",
                httpTypes, logging,
            ] + nio
                + serving
                + hummingbird + lifecycle
                + [configuration, httpClient, nioSSL],
            resources: [.embedInCode("API/openapi.json"), .embedInCode("Page")], swiftSettings: settings),
        target(
            "HaulClient",
            ["HaulLibC", "HaulCore", "HaulManager", "HaulProcesses", "HaulWire", httpClient, logging] + nio),
        target(
            "HaulCLI",
            [
                "HaulLibC", "Haul", "HaulFiles", "HaulServer", "HaulClient", "HaulOptions", "HaulProcesses", "HaulWire",
                "HaulAria2",
                "HaulBatch", "HaulBatchRun", "HaulTesting", "HaulTransport", "CHaulBuild", "CHaulCurl", "CHaulZlib",
                httpTypes, arguments, logging, sqlite,
            ]),
        target(
            "HaulAria2",
            ["HaulLibC", "Haul", "HaulCore", "HaulOptions", "HaulHTTPServing", nioWebSocket] + nio),
        target(
            "HaulAria2Tool",
            ["HaulLibC", "Haul", "HaulCore", "HaulProcesses", "HaulAria2", "HaulCLI", "HaulServer"]),
        .executableTarget(
            name: "HaulMain",
            dependencies: [
                "HaulLibC", "HaulCLI", "HaulAria2Tool", "HaulClient", "HaulServer",
                .target(name: "CHaulICUData", condition: .when(platforms: [.linux])),
            ], exclude: ["exports.map", "unwind.lds"],
            swiftSettings: settings, linkerSettings: lean),
        .executableTarget(
            name: "HaulBench", dependencies: ["HaulLibC", "Haul", "HaulFiles", httpClient, arguments] + nio,
            swiftSettings: settings
        ),
        example("GetOne"),
        example("Queue"),
        example("Episodes"),
        example("Progress"),
        example("Background", ["HaulClient"]),
        example("List", ["Haul", "HaulObservation"]),
        target(
            "HaulTesting",
            [
                "HaulLibC", "HaulTestData", "Haul", "HaulCore", "HaulEngine", "HaulLocal", "HaulManager",
                "HaulTransport", "HaulDigest", "HaulFiles", "CHaulZlib", httpTypes, logging, nioSSL,
            ] + nio),
        // Alone, so that the tests of HaulCore need nothing else: `make test` builds these first.
        target("HaulTestData", []),
        target("HaulTestTraits", ["HaulTesting"]),
        target(
            "HaulFuzzing",
            [
                "Haul", "HaulAria2", "HaulBatch", "HaulCLI", "HaulCore", "HaulFiles", "HaulOptions", "HaulTestData",
                httpTypes,
            ]),

        tests("HaulTestDataTests", []),
        tests("HaulCoreTests", ["HaulCore", httpTypes]),
        tests(
            "HaulTransportHTTPTests", ["HaulTransportHTTP", "HaulTesting", httpTypes, httpClient, nioEmbedded] + nio),
        tests(
            "HaulTransportCurlTests",
            ["HaulTransportCurl", "CHaulCurl", "HaulCore", "HaulTransport", "HaulDigest", "HaulTesting", httpTypes]
                + nio),
        tests("HaulTransportURLSessionTests", ["HaulTransportURLSession", "HaulTransport", "HaulTesting", httpTypes]),
        tests("HaulDigestTests", ["HaulDigest", "HaulCore"]),
        tests("HaulFilesTests", ["HaulFiles", "HaulDigest", "HaulTesting"]),
        tests("HaulStoreTests", ["HaulLibC", "HaulStore", "HaulCore", grdb]),
        tests("HaulTestingTests", ["HaulLibC", "HaulTesting", "HaulTransport", httpTypes]),
        tests(
            "HaulEngineTests",
            [
                "HaulLibC", "Haul", "HaulCore", "HaulEngine", "HaulFiles", "HaulTransport", "HaulTransportHTTP",
                "HaulTestTraits", "HaulTesting", httpTypes, logging,
            ]),
        .testTarget(
            name: "HaulTests",
            dependencies: [
                "HaulLibC", "Haul", "HaulClient", "HaulEngine", "HaulLocal", "HaulManager", "HaulObservation",
                "HaulFoundation", "HaulProcesses", "HaulServer", "HaulTransport", "HaulTestData", "HaulTestTraits",
                "HaulTesting", "HaulWire", httpTypes, logging,
            ] + nio,
            // The helpers of these tests take closures that belong to the actor of the caller.
            swiftSettings: plain + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        tests(
            "HaulSystemSessionTests",
            [
                "HaulSystemSession", "Haul", "HaulCore", "HaulLocal", "HaulManager", "HaulTestTraits", "HaulTesting",
                httpTypes,
            ]),
        tests("HaulClientTests", ["HaulClient", "Haul", "HaulCore", "HaulProcesses", "HaulTesting", "HaulWire"]),
        tests(
            "HaulBatchTests",
            [
                "HaulLibC", "HaulBatch", "HaulBatchRun", "HaulCore", "HaulDigest", "HaulFiles", "HaulEngine",
                "HaulTesting", "HaulTestTraits",
            ]),
        tests("HaulCLITests", ["HaulCLI", "HaulOptions", "HaulTesting"]),
        tests("HaulWireTests", ["HaulWire", "HaulCore"]),
        tests("HaulHTTPServingTests", ["HaulHTTPServing"] + nio),
        tests(
            "HaulServerTests",
            [
                "HaulLibC", "HaulServer", "HaulClient", "HaulManager", "HaulWire", "Haul", "HaulProcesses",
                "HaulTestTraits", "HaulTesting", "CHaulSystem", httpTypes, logging,
            ] + nio
                + hummingbird),
        tests("HaulAria2Tests", ["HaulAria2", "Haul", "HaulCore", "HaulTestTraits", "HaulTesting"] + nio),
        tests("HaulAria2ToolTests", ["HaulAria2Tool", "HaulAria2", "Haul", "HaulCore", "HaulTesting"]),
        tests("HaulFuzzingTests", ["HaulFuzzing"]),
        // Tests as users of the products write them: what is not public does not compile here.
        .testTarget(
            name: "HaulUserTests", dependencies: ["Haul", "HaulTransport", "HaulTesting", httpTypes],
            packageAccess: false, swiftSettings: plain),
    ]
)

// The system's transfer service exists on Apple's systems only.
#if os(macOS)
    package.products.append(.library(name: "HaulSystemSession", targets: ["HaulSystemSession"]))
#endif

// Scripts/fuzz asks for Haul's own code to be driven by libFuzzer. The program is in no other build: only libFuzzer has its beginning.
if Context.environment["HAUL_FUZZING"] != nil {
    let driven = [SwiftSetting.unsafeFlags(["-sanitize=fuzzer", "-O"])]
    for target in package.targets where target.type == .regular && target.swiftSettings != nil {
        target.swiftSettings? += driven
    }
    package.targets.append(
        .executableTarget(
            name: "HaulFuzz", dependencies: ["HaulLibC", "HaulFuzzing"],
            swiftSettings: settings + driven + [.unsafeFlags(["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
}

// `make test` first builds a few tests alone, so that their results come sooner: HAUL_ONLY names their targets.
if let names = Context.environment["HAUL_ONLY"] {
    var wanted = Set(names.split(separator: ",").map(String.init)), count = 0
    while count != wanted.count {
        count = wanted.count
        for target in package.targets where wanted.contains(target.name) {
            for case .targetItem(let name, _) in target.dependencies { wanted.insert(name) }
            for case .byNameItem(let name, _) in target.dependencies { wanted.insert(name) }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products = []
}
