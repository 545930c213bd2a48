import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Logging
import Synchronization
import Testing

@Suite("Secrets stay home", .usesSockets)
struct SecretsTests {
    static let file = Resource.file(seed: 6, size: 2_000_000)

    /// Downloads with secrets in every place from a server that redirects to another one, and gives what both have seen.
    static func redirected(
        _ check: (_ home: [RequestRecord], _ other: [RequestRecord], _ events: [TransferEvent], EngineHarness)
            async throws ->
            Void
    ) async throws {
        try await FaultServer.run(["/f": file]) { other in
            let away = other.url("/f?signature=hunter4")
            try await FaultServer.run(["/start": .redirect(to: away)]) { home in
                let log = LogKeeper()
                try await EngineHarness.run {
                    $0.logger = Logger(label: "test") { _ in log }
                } _: { harness in
                    let url = home.url("/start?token=hunter3").replacing("http://", with: "http://me:hunter1@")
                    var spec = harness.spec(url, connections: 3)
                    spec.headers = [
                        .init(name: "Cookie", value: "hunter2"), .init(name: "X-Api-Key", value: "hunter5"),
                        .init(name: "Accept-Language", value: "de"),
                    ]
                    try harness.folder.put(Array("127.0.0.1\tFALSE\t/start\tFALSE\t0\tid\thunter6".utf8), "cookies")
                    spec.cookiePath = harness.path("cookies")
                    spec.bearerToken = .text("hunter7")
                    spec.user = "me"
                    spec.password = .text("hunter8")
                    spec.authentication = .basic
                    let journals = try await harness.journalWhileRunning(spec)
                    #expect(!log.text.isEmpty && !log.text.contains("hunter"))
                    #expect(!String(decoding: journals, as: UTF8.self).contains("hunter"))
                    try await check(home.settled().requests, other.settled().requests, harness.events, harness)
                }
            }
        }
    }

    @Test("credentials and headers go to their origin and to no other")
    func origin() async throws {
        try await Self.redirected { home, other, _, harness in
            #expect(harness.bytes("f") == Self.file.allBytes)
            let first = try #require(home.first?.facts)
            #expect(first.header("Authorization") == "Basic bWU6aHVudGVyMQ==")
            #expect(first.header("Cookie") == "id=hunter6; hunter2")
            #expect(!first.target.contains("hunter1"))
            #expect(!other.isEmpty)
            for request in other.map(\.facts) {
                for name in ["Authorization", "Cookie", "X-Api-Key", "Referer"] { #expect(request.header(name) == nil) }
                #expect(request.header("Accept-Language") == "de")
                #expect(request.header("Accept-Encoding") == "identity")
            }
        }
    }

    @Test("the referer is sent to the URL's own origin, without credentials and fragment; a header replaces it")
    func referer() async throws {
        try await FaultServer.run(["/f": Self.file]) { other in
            let away = other.url("/f")
            try await FaultServer.run(["/f": Self.file, "/away": .redirect(to: away)]) { server in
                try await EngineHarness.run { harness in
                    for (path, header) in [("/f", nil), ("/away", nil), ("/f", "http://mine/")] {
                        var spec = harness.spec(server.url(path))
                        (spec.referer, spec.onConflict) = ("http://u:hunter2@r/page#part", .replace)
                        if let header { spec.headers = [.init(name: "Referer", value: header)] }
                        _ = try await harness.run(spec).get()
                    }
                }
                let sent = try await server.settled().requests.map { $0.facts.header("Referer") }
                #expect(sent.first == "http://r/page" && sent.last == "http://mine/")
                #expect(try await other.settled().requests.allSatisfy { $0.facts.header("Referer") == nil })
            }
        }
    }

    @Test("a header without a value is not sent, not even one that Haul sends otherwise; a blank is an empty one")
    func removedHeaders() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.headers = [
                    .init(name: "Accept", value: ""), .init(name: "User-Agent", value: " "),
                    .init(name: "X-A", value: ""),
                ]
                _ = try await harness.run(spec).get()
            }
            let request = try #require(server.log.requests.first?.facts)
            #expect(request.header("Accept") == nil && request.header("X-A") == nil)
            #expect(request.header("User-Agent")?.isEmpty == true)
        }
    }

    @Test("no event holds a secret")
    func events() async throws {
        try await Self.redirected { _, _, events, _ in
            #expect(!events.isEmpty)
            for event in events { #expect(!"\(event)".contains("hunter")) }
        }
    }

    @Test("no error holds a secret")
    func errors() async throws {
        try await FaultServer.run(["/f": Self.file.script(.redirect(to: "/f?token=hunter3"))]) { server in
            try await EngineHarness.run { harness in
                let url = server.url("/f?token=hunter3").replacing("http://", with: "http://me:hunter1@")
                let result = await harness.run(harness.spec(url))
                #expect(result.code == .redirectRefused)
                #expect(!"\(result)".contains("hunter"))
            }
        }
    }
}

extension EngineHarness {
    /// Downloads, and reads the journal as soon as there is progress.
    fileprivate func journalWhileRunning(_ spec: DownloadSpec) async throws -> [UInt8] {
        let seen = Seen()
        _ = try await run(spec) { event in
            if case .started = event { seen.keep(self.bytes("f.part.haul")) }
        }.get()
        return try #require(seen.bytes)
    }
}

/// Keeps all that is logged.
private final class LogKeeper: LogHandler {
    private let lines = Mutex("")

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    var text: String { lines.withLock { $0 } }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        lines.withLock { $0 += "\(event.message) \(event.metadata ?? [:])\n" }
    }
}
