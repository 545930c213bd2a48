import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTesting
import HaulTransportHTTP
import Synchronization
import Testing

@testable import HaulEngine

/// A folder, an engine over the real transport, and what a run of it told.
final class EngineHarness: Sendable {
    let folder: TemporaryFolder
    let engine: DownloadEngine
    private let reported = Mutex<[TransferEvent]>([])

    /// Runs `body` with a trial, and gives everything back whatever comes of it.
    static func run(
        rateLimit: Int64? = nil, system: SystemCalls = .live, firstRetryDelay: Duration = .milliseconds(5),
        configure: (inout EngineConfiguration) throws -> Void = { _ in }, _ body: (EngineHarness) async throws -> Void
    ) async throws {
        var configuration = EngineConfiguration()
        try configure(&configuration)
        let trial = try EngineHarness(
            configuration, rateLimit: rateLimit, system: system, firstRetryDelay: firstRetryDelay)
        do {
            try await body(trial)
        } catch {
            await trial.engine.shutdown()
            throw error
        }
        await trial.engine.shutdown()
    }

    private init(
        _ configuration: EngineConfiguration, rateLimit: Int64?, system: SystemCalls, firstRetryDelay: Duration
    ) throws {
        folder = try TemporaryFolder()
        var configuration = configuration
        configuration.rateLimit = rateLimit
        configuration.firstRetryDelay = firstRetryDelay
        var transport = HTTPTransportConfiguration()
        transport.receiveBufferBytes = rateLimit == nil ? 1 << 20 : 4 << 10
        let http = try HTTPTransport(transport)
        let router = TransportRouter(
            http: http, curl: AbsentTransport(web: http), repeats: false, log: TransferLog(configuration.logger))
        engine = DownloadEngine(configuration, transport: router, system: system)
    }

    /// All events so far, progress left out.
    var events: [TransferEvent] {
        reported.withLock { events in
            events.filter { event in
                if case .progress = event { false } else { true }
            }
        }
    }

    /// A spec for a file in the folder.
    func spec(_ url: String, _ name: String = "f", connections: Int = 1) -> DownloadSpec {
        var spec = DownloadSpec(url: url, destination: .file(path: path(name)))
        spec.connections = .fixed(connections)
        spec.retries = 3
        return spec
    }

    /// Downloads and remembers the events.
    func run(
        _ spec: DownloadSpec, _ options: RunOptions = RunOptions(),
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) async -> Result<FinishFacts, DownloadError> {
        await engine.run(spec, options) { event in
            self.reported.withLock { $0.append(event) }
            onEvent(event)
        }
    }

    /// Downloads until so many bytes of the file are there, then cancels; from half of that more on the server gives next to nothing.
    func interrupt(
        _ spec: DownloadSpec, after bytes: Int64, _ server: FaultServer, _ options: RunOptions = RunOptions(),
        holds: Bool = true
    ) async throws {
        let (reached, signal) = AsyncStream<Void>.makeStream()
        // Half as much again: what a connection brings beyond its segment is for nothing.
        server.hold(after: holds ? bytes * 3 / 2 : 1 << 40)
        let result = await withTaskGroup(of: Result<FinishFacts, DownloadError>?.self) { tasks in
            tasks.addTask {
                await self.run(spec, options) { event in
                    guard case .progress(let progress) = event, progress.fileBytes >= bytes else { return }
                    signal.finish()
                }
            }
            tasks.addTask {
                for await _ in reached {}
                return nil
            }
            let first = await tasks.next() ?? nil
            tasks.cancelAll()
            let second = await tasks.next() ?? nil
            return first ?? second
        }
        guard case .failure(let error)? = result else {
            Issue.record("it ended before it could be interrupted")
            return
        }
        #expect(error.code == .cancelled)
    }

    /// Downloads until the server has seen a further request that it lets hang, then cancels.
    func stopWaiting(
        _ spec: DownloadSpec, _ server: FaultServer, _ options: RunOptions = RunOptions()
    ) async throws {
        let before = server.log.requests.count
        try await withThrowingTaskGroup(of: Result<FinishFacts, DownloadError>.self) { tasks in
            tasks.addTask { await self.run(spec, options) }
            try await server.until { $0.requests.count > before }
            tasks.cancelAll()
            let result = try await tasks.next()
            #expect(result?.code == .cancelled)
        }
    }

    /// How many bytes each session that started found there.
    var resumedBytes: [Int64] {
        events.compactMap { if case .started(let facts) = $0 { facts.resumedBytes } else { nil } }
    }

    /// How often it told that it waits.
    var waits: Int {
        events.count { if case .waiting = $0 { true } else { false } }
    }

    /// A path in the folder.
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// The bytes of a file in the folder, or nil.
    func bytes(_ name: String) -> [UInt8]? { folder.bytes(name) }

    /// Removes a file from the folder.
    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }

    /// The names in the folder, sorted.
    var names: [String] { folder.names }
}
