import HTTPTypes
import HaulTransport
import Synchronization
import Testing

@testable import HaulTesting

@Suite("The scripted transport", .timeLimit(.minutes(2)))
struct ScriptedTransportTests {
    private static let url = "https://example.org/a"
    private static let bytes = (0..<200_000).map(TransportConformanceSink.pattern)

    private static func start(
        _ transport: ScriptedTransport, _ sink: TransportConformanceSink, _ headers: HTTPFields = [:]
    ) -> any TransferHandle {
        transport.start(TransferRequest(url: url, headers: headers), sink: sink)
    }

    /// Sends a request for the only URL and returns what the sink got.
    private static func fetch(
        _ response: ScriptedResponse, _ headers: HTTPFields = [:],
        sink: TransportConformanceSink = TransportConformanceSink(checksPattern: false)
    ) async throws -> TransportConformanceSink.Record {
        let transport = ScriptedTransport()
        transport.set(url, response)
        _ = start(transport, sink, headers)
        try await sink.outcome()
        #expect(sink.record.violations.isEmpty)
        return sink.record
    }

    @Test("a file is sent whole, in order, with its size and version")
    func file() async throws {
        let record = try await Self.fetch(.file(Self.bytes, etag: "v1"), sink: TransportConformanceSink())
        #expect(record.outcome == .complete && record.byteCount == 200_000 && record.bodyCalls == 4)
        #expect(record.head?.status == .ok && record.head?.headerFields[.contentLength] == "200000")
        #expect(record.head?.headerFields[.eTag] == "\"v1\"")
    }

    @Test(
        "ranges as RFC 9110 has them",
        arguments: [
            ("bytes=0-9", nil, 206, "bytes 0-9/200000", 10),
            ("bytes=199990-", nil, 206, "bytes 199990-199999/200000", 10),
            ("bytes=200000-", nil, 416, "bytes */200000", 0), ("bytes=5-9", "\"v1\"", 206, "bytes 5-9/200000", 5),
            ("bytes=5-9", "\"v2\"", 200, nil, 200_000),
        ] as [(String, String?, Int, String?, Int)])
    func ranges(_ range: String, _ condition: String?, _ status: Int, _ answer: String?, _ count: Int) async throws {
        var headers: HTTPFields = [.range: range]
        headers[.ifRange] = condition
        let record = try await Self.fetch(.file(Self.bytes, etag: "v1"), headers)
        #expect(record.head?.status.code == status && record.byteCount == count)
        #expect(record.head?.headerFields[.contentRange] == answer)
        let whole = try await Self.fetch(.file(Self.bytes, etag: "v1").withoutRanges(), headers)
        #expect(whole.head?.status == .ok && whole.byteCount == 200_000)
    }

    @Test("equal bytes have equal versions, different ones different versions")
    func versions() async throws {
        func version(_ bytes: [UInt8]) async throws -> String? {
            try await Self.fetch(.file(bytes)).head?.headerFields[.eTag]
        }
        #expect(try await version([1, 2]) == version([1, 2]))
        #expect(try await version([1, 2]) != version([2, 1]))
    }

    @Test("a cut, a failure, a status and an unknown URL")
    func faults() async throws {
        let cut = try await Self.fetch(.file(Self.bytes).cut(after: 70_000))
        #expect(cut.byteCount == 70_000 && cut.head?.headerFields[.contentLength] == "200000")
        guard case .failed(let error)? = cut.outcome else { return #expect(Bool(false), "\(cut)") }
        #expect(error.kind == .cut)
        #expect(try await Self.fetch(.fails(.untrusted, "x")).outcome == .failed(TransportError(.untrusted, "x")))
        let busy = try await Self.fetch(.status(503, ["Retry-After": "30"], body: [1]).header("X-A", "b"))
        #expect(busy.head?.status.code == 503 && busy.head?.headerFields[.retryAfter] == "30" && busy.byteCount == 1)
        let sink = TransportConformanceSink()
        _ = Self.start(ScriptedTransport(), sink)
        try await sink.outcome()
        #expect(sink.record.head?.status == .notFound)
    }

    @Test("responses follow one another, and the last is repeated; a new script begins anew")
    func order() async throws {
        let transport = ScriptedTransport()
        var seen: [Int?] = []
        func request() async throws {
            let sink = TransportConformanceSink(checksPattern: false)
            _ = Self.start(transport, sink)
            try await sink.outcome()
            seen.append(sink.record.head?.status.code)
        }
        transport.set(Self.url, .status(500), .status(404))
        for _ in 0..<3 { try await request() }
        transport.set(Self.url, .status(410))
        try await request()
        transport.set(Self.url) { _, number in .status(200 + number) }
        try await request()
        #expect(seen == [500, 404, 404, 410, 205])
        #expect(transport.requests(Self.url).count == 5 && transport.requests("other").isEmpty)
    }

    @Test("a delay passes with the clock only")
    func delay() async throws {
        let transport = ScriptedTransport()
        transport.set(Self.url, .file(Self.bytes).delayed(by: .seconds(5)))
        let sink = TransportConformanceSink()
        _ = Self.start(transport, sink)
        try await transport.wait { $0.count == 1 }
        transport.clock.advance(by: .milliseconds(4999))
        #expect(sink.record.head == nil)
        transport.clock.advance(by: .milliseconds(1))
        #expect(try await sink.outcome() == .complete)
    }

    @Test("a pause ends when its time has passed, and when it is woken")
    func pauses() async throws {
        for isWoken in [true, false] {
            let transport = ScriptedTransport()
            transport.set(Self.url, .file(Self.bytes))
            let sink = TransportConformanceSink(body: { $0.bodyCalls == 1 ? .pauseFor(.seconds(9)) : .more })
            let handle = Self.start(transport, sink)
            try await sink.wait("a piece") { $0.bodyCalls == 1 }
            if isWoken {
                handle.wake()
            } else {
                await transport.clock.sleepers(atLeast: 1)
                transport.clock.advance(by: .seconds(9))
            }
            #expect(try await sink.outcome() == .complete)
            #expect(sink.record.byteCount == 200_000 && sink.record.violations.isEmpty)
        }
    }

    @Test("verdicts are obeyed, and the size of reads is kept")
    func verdicts() async throws {
        let rejecting = TransportConformanceSink(head: { _ in .reject })
        #expect(try await Self.fetch(.file(Self.bytes), sink: rejecting).outcome == .rejected)
        let satisfied = TransportConformanceSink(body: { _ in .enough })
        #expect(try await Self.fetch(.file(Self.bytes), sink: satisfied).outcome == .enough)
        let transport = ScriptedTransport()
        transport.set(Self.url, .file(Self.bytes))
        let sink = TransportConformanceSink()
        var request = TransferRequest(url: Self.url, headers: [:])
        request.largestRead = { 10_000 }
        _ = transport.start(request, sink: sink)
        try await sink.outcome()
        #expect(sink.record.bodyCalls == 20)
    }

    @Test("silence and a stall end with a cancellation, or with the transport")
    func ends() async throws {
        for response in [ScriptedResponse.silence, .file(Self.bytes).stalling(after: 1000)] {
            let transport = ScriptedTransport()
            transport.set(Self.url, response)
            let (first, second) = (TransportConformanceSink(), TransportConformanceSink())
            Self.start(transport, first).cancel()
            #expect(try await first.outcome() == .cancelled)
            _ = Self.start(transport, second)
            await transport.shutdown()
            #expect(second.record.outcome == .cancelled)
        }
    }

    @Test("waiting for a request ends when the task is cancelled")
    func cancelledWait() async {
        let transport = ScriptedTransport()
        let task = Task { try await transport.wait { !$0.isEmpty } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
