import HTTPTypes
import HaulCore
import HaulFiles
import HaulTesting
import HaulTransport
import Synchronization
import Testing

@testable import HaulEngine

@Suite("The sink of a backup")
struct BackupSinkTests {
    /// Content in memory.
    private final class Content: ContentStore {
        private let bytes: [UInt8]
        private let kept = Mutex(SurplusBytes())

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var surplus: [SurplusBytes.Entry] { kept.withLock { $0.entries } }

        func holds(_ span: RawSpan, at offset: Int64) -> Bool {
            // Safe: the span lives as long as the call.
            unsafe span.withUnsafeBytes { unsafe Array($0) == Array(bytes[Int(offset)..<Int(offset) + span.byteCount]) }
        }

        func keepSurplus(_ span: RawSpan, at offset: Int64) { kept.withLock { $0.keep(span, at: offset) } }

        var partialIdentity: FileIdentity? { nil }
        var finished: FileStatus? { nil }
        var comparison: SegmentWriter.Target? { nil }
        func target(segment: Int, start: Int64) -> SegmentWriter.Target? { nil }
        func rest(from start: Int64) -> SegmentWriter.Target? { nil }
        func update(_ effect: DigestEffect) {}
        func performIfQuick(_ effect: ContentEffect) -> MachineEvent? { nil }
        func stop() {}
        func didFail(_ error: DownloadError) {}
        func perform(_ effect: ContentEffect) async -> MachineEvent { .closed }
    }

    private static let bytes = Resource.file(seed: 7, size: 4000).allBytes

    /// Gives a backup of the bytes from 3000 on, which compares those from 1000 on, these bytes and then the end.
    private func end(of content: Content, receiving bytes: [ArraySlice<UInt8>]) throws -> (FetchEnd?, [BodyVerdict]) {
        var plan = FetchPlan(
            asking: RangeRequest(offset: 1000, end: 4000), of: try SourceURL(parsing: "http://h/f"), redirects: [])
        (plan.position, plan.end, plan.hedge) = (3000, 4000, .untilWhole(fetch: 1))
        let reader = HeadReader(plan: plan, cookies: CookieKeeper([], wallClock: { 0 }), wallClock: { 0 })
        let end = Mutex<FetchEnd?>(nil)
        let sink = BackupSink(
            reader, original: nil, limiters: [], content: content,
            report: { event in if case .ended(_, _, let reported) = event { end.withLock { $0 = reported } } })
        let head = HTTPResponse(
            status: .partialContent,
            headerFields: [.contentRange: "bytes 1000-3999/4000", .contentLength: "3000", .eTag: "\"1\""])
        #expect(sink.head(head) == .accept)
        var verdicts: [BodyVerdict] = []
        for part in bytes {
            let part = Array(part)
            // Safe: the bytes of an array of integers are initialised, and it outlives the call.
            unsafe verdicts.append(sink.body(part.span.bytes))
        }
        sink.finished(.cancelled)
        return (end.withLock { $0 }, verdicts)
    }

    @Test("compares as soon as it can, and keeps what differs, although it is cancelled then")
    func differs() throws {
        var others = Self.bytes
        others[2999] ^= 1
        let content = Content(Self.bytes)
        let (end, verdicts) = try end(of: content, receiving: [others[1000..<2500], others[2500..<3000]])
        #expect(end == .differs && verdicts == [.more, .enough])
        #expect(content.surplus.first?.offset == 1000 && content.surplus.last?.range.upperBound == 3000)
        #expect(content.surplus.flatMap(\.bytes) == Array(others[1000..<3000]))
    }

    @Test("keeps nothing of what is the same", arguments: [[1000, 3000], [1000, 2999, 3999], [1000, 3001]])
    func same(ends: [Int]) throws {
        let content = Content(Self.bytes)
        let parts = zip(ends, ends.dropFirst()).map { Self.bytes[$0..<$1] }
        let (end, verdicts) = try end(of: content, receiving: parts)
        #expect(end == .cancelled && verdicts.allSatisfy { $0 == .more })
        #expect(content.surplus.isEmpty)
    }
}
