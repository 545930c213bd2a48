import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import HaulTransport
import HaulTransportHTTP
import Synchronization
import Testing

@testable import HaulEngine

@Suite("A dropped engine", .usesSockets)
struct DroppedEngineTests {
    private static let file = Resource.file(seed: 5, size: 300_000)

    /// A transport that reports when it was shut down.
    private final class Watched: Transport {
        let http: HTTPTransport
        let isDown = OneShotEvent()
        let shutdowns = Atomic(0)

        init() throws { http = try HTTPTransport(HTTPTransportConfiguration()) }

        func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
            http.start(request, sink: sink)
        }

        func eventLoopExecutor() -> (any TaskExecutor)? { http.eventLoopExecutor() }

        func shutdown() async {
            shutdowns.add(1, ordering: .relaxed)
            await http.shutdown()
            isDown.set()
        }
    }

    private static func download(_ server: FaultServer, _ engine: DownloadEngine, _ folder: TemporaryFolder)
        async throws
    {
        let spec = DownloadSpec(url: server.url("/f"), destination: .file(path: folder.path("f")))
        _ = try await engine.run(spec) { _ in }.get()
        #expect(folder.bytes("f") == file.allBytes)
    }

    @Test("an engine that is dropped without a shutdown closes its connections and ends its threads")
    func dropped() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            let (transport, folder) = (try Watched(), try TemporaryFolder())
            try await Self.download(
                server, DownloadEngine(EngineConfiguration(), transport: transport, system: .live), folder)
            await transport.isDown.wait()
            #expect(transport.shutdowns.load(ordering: .relaxed) == 1)
        }
    }

    @Test("an engine that was shut down does nothing more when it is dropped")
    func shutDown() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            let (transport, folder) = (try Watched(), try TemporaryFolder())
            var engine: DownloadEngine? = DownloadEngine(EngineConfiguration(), transport: transport, system: .live)
            try await Self.download(server, try #require(engine), folder)
            await engine?.shutdown()
            engine = nil
            #expect(transport.shutdowns.load(ordering: .relaxed) == 1)
        }
    }

    @Test("real engines that are dropped one after the other do not stop the process")
    func many() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            for _ in 0..<5 { try await Self.download(server, try DownloadEngine(), try TemporaryFolder()) }
        }
    }

    @Test("a run and a stream after the shutdown fail at once")
    func after() async throws {
        let engine = try DownloadEngine()
        await engine.shutdown()
        let spec = DownloadSpec(url: "http://127.0.0.1:1/f", destination: .folder(path: "/tmp"))
        #expect(await engine.run(spec) { _ in }.error?.code == .notPossible)
        #expect(await engine.stream(spec) { _ in true }.error?.code == .notPossible)
    }
}
