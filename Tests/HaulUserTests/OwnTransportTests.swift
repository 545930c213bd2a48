import Dispatch
import HTTPTypes
import Haul
import HaulTesting
import HaulTransport
import Synchronization
import Testing

/// A transport as a user writes one: each URL has a body, which is sent in one piece.
private final class MyTransport: Transport {
    private final class Transfer: TransferHandle {
        private let queue = DispatchQueue(label: "transfer")
        private let isOver = Mutex(false)
        private let sink: any TransferSink

        init(_ sink: any TransferSink) { self.sink = sink }

        func send(_ response: HTTPResponse, _ body: [UInt8]) {
            queue.async {
                guard self.sink.head(response) == .accept else { return self.finish(.rejected) }
                guard !body.isEmpty else { return self.finish(.complete) }
                // Safe: the bytes of an array of integers are initialised, and it outlives the call.
                switch unsafe self.sink.body(body.span.bytes) {
                case .more, .pause, .pauseFor: self.finish(.complete)
                case .enough: self.finish(.enough)
                }
            }
        }

        func cancel() { queue.async { self.finish(.cancelled) } }

        func wake() {}

        private func finish(_ outcome: TransferOutcome) {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst { sink.finished(outcome) }
        }
    }

    private let bodies: [String: [UInt8]]
    let wasShutDown = Atomic(0)

    init(_ bodies: [String: [UInt8]]) { self.bodies = bodies }

    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        let transfer = Transfer(sink)
        let body = bodies[request.url]
        var response = HTTPResponse(status: body == nil ? .notFound : .ok)
        response.headerFields[.contentLength] = "\(body?.count ?? 0)"
        transfer.send(response, body ?? [])
        return transfer
    }

    func shutdown() async { wasShutDown.add(1, ordering: .relaxed) }
}

@Suite("A transport of the user's own", .timeLimit(.minutes(2)))
struct OwnTransportTests {
    @Test("an engine and a manager send their requests over it, and shut it down once", arguments: ["https", "ftp"])
    func used(scheme: String) async throws {
        let url = "\(scheme)://example.com/a"
        let folder = try TemporaryFolder()
        let transport = MyTransport([url: [1, 2, 3]])
        let engine = try DownloadEngine(transport: transport)
        let spec = DownloadSpec(url: url, destination: .folder(path: folder.path))
        #expect(try await engine.run(spec) { _ in }.get().totalBytes == 3)
        await engine.shutdown()
        #expect(folder.bytes("a") == [1, 2, 3] && transport.wasShutDown.load(ordering: .relaxed) == 1)

        let other = MyTransport([url: [4]])
        let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory), transport: other)
        var second = spec
        second.destination = .file(path: folder.path("b"))
        _ = try await manager.add(second).finished()
        await manager.close()
        #expect(folder.bytes("b") == [4] && other.wasShutDown.load(ordering: .relaxed) == 1)
    }

    @Test("a configuration is checked as without a transport")
    func invalid() async throws {
        var configuration = EngineConfiguration()
        configuration.rateLimit = -1
        #expect(throws: DownloadError.self) { try DownloadEngine(configuration, transport: MyTransport([:])) }
    }

    @Test("the conformance suite says what this transport does not keep")
    func conformance() async throws {
        let check = try #require(
            TransportConformance.checks.first {
                $0.description == "the request has the given headers, Host, and no other"
            })
        await #expect(throws: TransportConformanceFailure.self) { try await check.run { MyTransport([:]) } }
    }

    @Test(
        "a check ends when the transfer does, not at its time limit",
        arguments: [
            "a pause stops the server, and a wake-up resumes it", "a wake-up before the head applies to the body",
            "enough ends the transfer and the connection",
        ])
    func ended(description: String) async throws {
        let check = try #require(TransportConformance.checks.first { $0.description == description })
        let start = ContinuousClock.now
        // It sends no request at all.
        await #expect(throws: TransportConformanceFailure.self) { try await check.run { MyTransport([:]) } }
        // The limit is 120 seconds.
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
