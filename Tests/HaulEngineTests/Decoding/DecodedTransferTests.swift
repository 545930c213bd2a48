import HTTPTypes
import Haul
import HaulTesting
import HaulTransport
import Testing

@testable import HaulEngine

@Suite("Content codings that are taken off")
struct DecodedTransferTests {
    private static let content = Resource.file(seed: 3, size: 400_000).allBytes

    /// Remembers what it hears, and wants a pause after each piece if told so.
    ///
    /// Unchecked because each test calls it from one thread only.
    private final class Sink: TransferSink, @unchecked Sendable {
        var response: HTTPResponse?
        var bytes: [UInt8] = []
        var outcome: TransferOutcome?
        var pauses = false
        var pause = BodyVerdict.pause
        var largest = 0

        func head(_ response: HTTPResponse) -> HeadVerdict {
            self.response = response
            return .accept
        }
        func body(_ bytes: RawSpan) -> BodyVerdict {
            // Safe: the span is valid for the whole call and the array copies it.
            unsafe bytes.withUnsafeBytes { unsafe self.bytes.append(contentsOf: $0) }
            largest = max(largest, bytes.byteCount)
            return pauses ? pause : .more
        }
        func woken() -> BodyVerdict { .more }
        func finished(_ outcome: TransferOutcome) { self.outcome = outcome }
    }

    private func head(_ coding: String, status: HTTPResponse.Status = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headerFields: [
                .contentEncoding: coding, .contentLength: "7", .eTag: "\"v\"", .lastModified: "x",
                .acceptRanges: "bytes",
            ])
    }

    private func give(_ bytes: ArraySlice<UInt8>, to transfer: DecodedTransfer) -> BodyVerdict {
        let bytes = Array(bytes)
        // Safe: the bytes are initialised, and the array outlives the call.
        return transfer.body(unsafe bytes.span.bytes)
    }

    @Test("pieces of every size give the same bytes", arguments: [1, 2, 3, 1000, 400_000])
    func pieces(size: Int) {
        let (sink, coded) = (Sink(), CodedBytes.gzip(Self.content))
        let transfer = DecodedTransfer(sink, of: TransferRequest(url: "http://host/f", headers: [:]))
        #expect(transfer.head(head("gzip")) == .accept)
        for start in stride(from: 0, to: coded.count, by: size) {
            #expect(give(coded[start..<min(coded.count, start + size)], to: transfer) == .more)
        }
        transfer.finished(.complete)
        #expect(sink.bytes == Self.content && sink.outcome == .complete)
        #expect(sink.response?.headerFields == [.lastModified: "x", .acceptRanges: "none", .encodedTag: "\"v\""])
        #expect(sink.largest <= Inflater.stepBytes)
    }

    @Test("an empty body stands for an empty file, unless it may have been cut", arguments: [true, false])
    func empty(hasLength: Bool) {
        let sink = Sink()
        let transfer = DecodedTransfer(sink, of: TransferRequest(url: "http://host/f", headers: [:]))
        var response = head("gzip")
        response.headerFields[.contentLength] = hasLength ? "0" : nil
        _ = transfer.head(response)
        transfer.finished(.complete)
        #expect((sink.outcome == .complete) == hasLength)
    }

    @Test("a sink that wants pauses gets one piece at a time, and the rest at the end")
    func pauses() {
        let sink = Sink()
        sink.pauses = true
        let coded = CodedBytes.zlib(Self.content)
        let transfer = DecodedTransfer(sink, of: TransferRequest(url: "http://host/f", headers: [:]))
        _ = transfer.head(head("deflate"))
        #expect(give(coded[...], to: transfer) == .pause)
        #expect(sink.bytes.count == Inflater.stepBytes)
        #expect(transfer.woken() == .pause)
        #expect(sink.bytes.count == 2 * Inflater.stepBytes)
        transfer.finished(.complete)
        #expect(sink.bytes == Self.content && sink.outcome == .complete)
    }

    private struct Handle: TransferHandle {
        let onWake: @Sendable () -> Void
        func cancel() {}
        func wake() { onWake() }
    }

    @Test("nothing more is read after a pause for a time until all is decoded", arguments: [true, false])
    func timedPauses(isEarly: Bool) async {
        let sink = Sink()
        (sink.pauses, sink.pause) = (true, .pauseFor(.milliseconds(1)))
        let coded = CodedBytes.zlib(Self.content)
        let transfer = DecodedTransfer(sink, of: TransferRequest(url: "http://host/f", headers: [:]))
        let (wakes, wake) = AsyncStream<Void>.makeStream()
        let handle = Handle { wake.yield() }
        if isEarly { transfer.attach(handle) }
        _ = transfer.head(head("deflate"))
        var (verdict, count) = (give(coded[...], to: transfer), 0)
        if !isEarly { transfer.attach(handle) }
        var iterator = wakes.makeAsyncIterator()
        while case .pause = verdict {
            _ = await iterator.next()
            verdict = transfer.woken()
            count += 1
        }
        #expect(sink.bytes == Self.content && count == 3)
        transfer.finished(.complete)
        #expect(sink.outcome == .complete)
    }

    @Test("parts, other statuses and unknown codings are left as they are")
    func leftAlone() {
        var ranged = TransferRequest(url: "http://host/f", headers: [.range: "bytes=0-"])
        let plain = TransferRequest(url: "http://host/f", headers: [:])
        for (request, response) in [
            (ranged, head("gzip", status: .partialContent)), (ranged, head("gzip")),
            (plain, head("gzip", status: .notFound)),
            (plain, head("br")), (TransferRequest(url: "http://host/f.gz", headers: [:]), head("gzip")),
        ] {
            let sink = Sink()
            let transfer = DecodedTransfer(sink, of: request)
            _ = transfer.head(response)
            #expect(sink.response == response)
            _ = give([1, 2, 3], to: transfer)
            #expect(sink.bytes == [1, 2, 3])
        }
        ranged.keepsContentCoding = true
        let sink = Sink()
        _ = DecodedTransfer(sink, of: ranged).head(head("br"))
        #expect(sink.response?.headerFields[.contentEncoding] == nil && sink.response?.headerFields[.eTag] == "\"v\"")
    }

    @Test("an end in the middle is a cut connection, and wrong bytes are an error at once")
    func errors() {
        let coded = CodedBytes.gzip(Self.content)
        var sink = Sink()
        var transfer = DecodedTransfer(sink, of: TransferRequest(url: "http://host/f", headers: [:]))
        _ = transfer.head(head("gzip"))
        _ = give(coded.dropLast(9), to: transfer)
        transfer.finished(.complete)
        #expect(sink.outcome == .failed(TransportError(.cut, "the compressed data ends too early")))
        sink = Sink()
        transfer = DecodedTransfer(sink, of: TransferRequest(url: "http://host/f", headers: [:]))
        _ = transfer.head(head("gzip"))
        #expect(give([1, 2, 3, 4], to: transfer) == .enough)
        transfer.finished(.enough)
        guard case .failed(let error) = sink.outcome else { return #expect(Bool(false), "it did not fail") }
        #expect(error.kind == .undecodable && sink.bytes.isEmpty)
    }
}
