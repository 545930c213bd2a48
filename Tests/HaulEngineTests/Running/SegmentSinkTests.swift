import HTTPTypes
import Haul
import HaulCore
import HaulFiles
import HaulTesting
import HaulTransport
import Synchronization
import Testing

@testable import HaulEngine

/// What becomes of the first bytes of a transfer that breaks before there is a file to write them to.
@Suite("Receiving a segment")
struct SegmentSinkTests {
    private static let total = 3_000_000 as Int64
    private static let cut = TransferOutcome.failed(TransportError(.cut, "closed"))

    private let folder: TemporaryFolder
    private let ends = Ends()
    private let bytes = Resource.file(seed: 5, size: 98_304).allBytes

    private final class Ends: Sendable {
        private let list = Mutex<[MachineEvent]>([])

        func add(_ event: MachineEvent) { list.withLock { $0.append(event) } }

        var all: [MachineEvent] {
            list.withLock { list in list.filter { if case .ended = $0 { true } else { false } } }
        }
    }

    init() throws { folder = try TemporaryFolder() }

    /// A sink that has its first bytes, and no file.
    private func waitingSink(announces: Bool = true, limiters: [RateLimiter] = []) throws -> SegmentSink {
        let url = try SourceURL(parsing: "http://h/f")
        let plan = FetchPlan(asking: RangeRequest(offset: 0, usesRange: false), of: url, redirects: [])
        let reader = HeadReader(plan: plan, cookies: CookieKeeper([], wallClock: { 0 }), wallClock: { 0 })
        let ends = ends
        let sink = SegmentSink(reader, target: nil, limiters: limiters, report: { ends.add($0) })
        var head = HTTPResponse(status: .ok, headerFields: [.eTag: "\"1\""])
        if announces { head.headerFields[.contentLength] = "\(Self.total)" }
        #expect(sink.head(head) == .accept)
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        let verdict = unsafe sink.body(bytes.span.bytes)
        #expect(verdict == .pause)
        return sink
    }

    @Test("a connection that breaks before the file is there has its bytes written once it is")
    func breaksEarly() throws {
        let sink = try waitingSink()
        sink.finished(Self.cut)
        #expect(ends.all.isEmpty)
        let partial = try PartialFile.open(
            finalPath: folder.path("f"), sourceID: "source", resumes: true, system: SystemCallFaults().system())
        defer { partial.close() }
        let slots = try partial.begin(total: Self.total, etag: nil, lastModified: nil)
        #expect(sink.attach(.file(partial, slots[0]), end: Self.total))
        sink.settle()
        // A cancellation that comes as well reports nothing more.
        sink.settle()
        let error = DownloadError(.connectionFailed, "the connection was closed after 98304 of 3000000 bytes")
        #expect(ends.all == [.ended(fetch: 0, position: 98_304, .broken(error))])
        #expect(folder.bytes("f.part")?.prefix(98_304) == bytes[...])
    }

    @Test("all bytes count for a limit, also those that come before there is a file: small files have no others")
    func counted() throws {
        let limiter = RateLimiter(bytesPerSecond: 1)
        _ = try waitingSink(limiters: [limiter])
        let mark = try #require(limiter.take(0))
        #expect(limiter.delay(until: mark) > .seconds(90_000))
    }

    @Test("cancelled before there is a file, it ends all the same")
    func cancelled() throws {
        let sink = try waitingSink()
        sink.finished(Self.cut)
        sink.settle()
        #expect(ends.all.count == 1)
    }

    @Test("a transfer that was cancelled reports its end at once")
    func ended() throws {
        let sink = try waitingSink()
        sink.finished(.cancelled)
        #expect(ends.all == [.ended(fetch: 0, position: 0, .cancelled)])
    }

    @Test(
        "a body of unknown length is accepted if it ends at the known size, and not if it is longer",
        arguments: [0, 1, 70_000])
    func unannounced(surplus: Int) throws {
        let sink = try waitingSink(announces: false)
        let partial = try PartialFile.open(
            finalPath: folder.path("f"), sourceID: "source", resumes: true, system: SystemCallFaults().system())
        defer { partial.close() }
        let size = Int64(bytes.count) * 2
        let slots = try partial.begin(total: size, etag: nil, lastModified: nil)
        #expect(!sink.attach(.file(partial, slots[0]), end: size))
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        #expect(unsafe sink.body(bytes.span.bytes) == .more)
        #expect(sink.sample.position < size)
        if surplus > 0 {
            let more = [UInt8](repeating: 1, count: surplus)
            #expect(unsafe sink.body(more.span.bytes) == .enough)
            sink.finished(.enough)
            #expect(ends.all == [.ended(fetch: 0, position: size - 1, .longer)])
        } else {
            sink.finished(.complete)
            #expect(ends.all == [.ended(fetch: 0, position: size, .complete)])
            #expect(folder.bytes("f.part")?.prefix(Int(size)) == (bytes + bytes)[...])
        }
    }

    @Test("a body that is longer than a limit is not of another version: no more of it is wanted")
    func limited() throws {
        let sink = try waitingSink(announces: false)
        let partial = try PartialFile.open(
            finalPath: folder.path("f"), sourceID: "source", resumes: true, system: SystemCallFaults().system())
        defer { partial.close() }
        let slots = try partial.begin(total: nil, etag: nil, lastModified: nil)
        let limit = Int64(bytes.count) + 10
        #expect(!sink.attach(.file(partial, slots[0]), end: limit, isLimit: true))
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        #expect(unsafe sink.body(bytes.span.bytes) == .enough)
        sink.finished(.enough)
        #expect(ends.all == [.ended(fetch: 0, position: limit, .enough)])
    }
}
