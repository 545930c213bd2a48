import Dispatch
import HTTPTypes
import HaulCore
import HaulLibC
import HaulTransport
import Synchronization

/// Decodes the content coding of a body, so that the actual sink receives a response without one.
///
/// Only complete responses are decoded. Their size is unknown, and no range of them can be requested: offsets count
/// encoded bytes.
///
/// Unchecked because only `waker` has a lock: only the transport accesses the rest, in calls that never overlap.
final class DecodedTransfer: TransferSink, @unchecked Sendable {
    /// The end of a pause in which encoded bytes wait.
    private struct Waker {
        var handle: (any TransferHandle)?
        /// Counts the pauses, so that the end of an earlier one has no effect.
        var pauses = 0
        /// True if a pause has ended, maybe before the handle was known.
        var isDue = false
        var isOver = false
    }

    private let sink: any TransferSink
    private let url: String
    private let isOfRange: Bool
    private let keepsCoding: Bool
    /// True if only the end of the connection marks the end of the body.
    private var endsWithConnection = false
    private var inflater: Inflater?
    /// Encoded bytes that wait, because the sink has no room for the decoded ones.
    private var waiting: [UInt8] = []
    private var failure: TransportError?
    private let waker = Mutex(Waker())

    /// Creates the sink of a request.
    init(_ sink: any TransferSink, of request: TransferRequest) {
        self.sink = sink
        url = request.url
        isOfRange = request.headers[.range] != nil
        keepsCoding = request.keepsContentCoding
    }

    /// Sets the handle of the transfer.
    func attach(_ handle: any TransferHandle) {
        let isDue = waker.withLock { waker in
            guard !waker.isOver else { return false }
            waker.handle = handle
            return waker.isDue
        }
        if isDue { handle.wake() }
    }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        guard response.headerFields[.contentEncoding] != nil else { return sink.head(response) }
        var response = response
        if keepsCoding {
            response.headerFields[.contentEncoding] = nil
            return sink.head(response)
        }
        guard !isOfRange, [200, 201, 203].contains(response.status.code) else { return sink.head(response) }
        switch ContentCoding(response.headerFields, url: try? SourceURL(parsing: url)) {
        case .gzip: inflater = Inflater(.gzip)
        case .deflate: inflater = Inflater(.deflate)
        case .none, .other: return sink.head(response)
        }
        endsWithConnection =
            response.headerFields[.contentLength] == nil && response.headerFields[.transferEncoding] == nil
        response.headerFields[.encodedTag] = response.headerFields[.eTag]
        // All of these describe the encoded bytes.
        for name in Self.ofEncodedBytes { response.headerFields[name] = nil }
        response.headerFields[.acceptRanges] = "none"
        return sink.head(response)
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        guard let inflater else { return sink.body(bytes) }
        guard failure == nil else { return .enough }
        guard !waiting.isEmpty else { return paced(decode(bytes, inflater)) }
        append(bytes)
        return paced(decodeWaiting(inflater))
    }

    func woken() -> BodyVerdict {
        let verdict = sink.woken()
        guard let inflater, case .more = verdict, !waiting.isEmpty else { return paced(verdict) }
        return paced(decodeWaiting(inflater))
    }

    /// Returns the verdict for the transport.
    ///
    /// After a pause for a time, a transport continues to read, although there are bytes left to decode: more and more
    /// would wait, and neither the rate nor the memory would be limited. So the pause ends with a wake instead, after
    /// the same time.
    private func paced(_ verdict: BodyVerdict) -> BodyVerdict {
        guard !waiting.isEmpty, case .pauseFor(let time) = verdict else { return verdict }
        let number = waker.withLock { waker in
            waker.pauses += 1
            return waker.pauses
        }
        TimeSource.system.call(at: ContinuousClock.now + time, on: .global()) { [weak self] in
            self?.pauseEnded(number)
        }
        return .pause
    }

    private func pauseEnded(_ number: Int) {
        let handle = waker.withLock { waker -> (any TransferHandle)? in
            guard waker.pauses == number else { return nil }
            waker.isDue = true
            return waker.handle
        }
        handle?.wake()
    }

    func finished(_ outcome: TransferOutcome) {
        waker.withLock { ($0.handle, $0.isOver) = (nil, true) }
        if let inflater, outcome == .complete, failure == nil {
            // A transport that does not wait any longer after the last bytes: the sink takes the rest now.
            while failure == nil, !waiting.isEmpty {
                if case .enough = decodeWaiting(inflater) { break }
            }
            // An empty body may mean an empty file, but not if it may have been truncated.
            if failure == nil, !inflater.isWhole || endsWithConnection && inflater.isEmpty {
                failure = TransportError(.cut, "the compressed data ends too early")
            }
        }
        sink.finished(failure.map { .failed($0) } ?? outcome)
    }

    /// Decodes until all bytes are used, or the sink wants to pause; then the rest waits.
    private func decode(_ bytes: RawSpan, _ inflater: Inflater) -> BodyVerdict {
        var (used, verdict, gave) = (0, BodyVerdict.more, true)
        while used < bytes.byteCount || gave {
            gave = false
            do throws(Inflater.Failure) {
                used += try inflater.step(bytes.extracting(droppingFirst: used)) { decoded in
                    verdict = sink.body(decoded)
                    gave = true
                }
            } catch {
                failure = Self.transportError(error)
                return .enough
            }
            if case .more = verdict { continue }
            if case .enough = verdict { return verdict }
            append(bytes.extracting(droppingFirst: used))
            return verdict
        }
        return verdict
    }

    private func decodeWaiting(_ inflater: Inflater) -> BodyVerdict {
        let bytes = waiting
        waiting = []
        // Safe: the bytes of an array of integers are initialised, and the span ends before the array does.
        return decode(unsafe bytes.span.bytes, inflater)
    }

    private func append(_ bytes: RawSpan) {
        // Safe: the span is valid for the whole call and the array copies it.
        unsafe bytes.withUnsafeBytes { unsafe waiting.append(contentsOf: $0) }
    }

    private static func transportError(_ failure: Inflater.Failure) -> TransportError {
        switch failure {
        case .invalid(let why): TransportError(.undecodable, why)
        case .expandsTooFar:
            TransportError(.undecodable, "the data expands to more than \(Inflater.maxExpansion) times its size")
        }
    }

    private static let ofEncodedBytes: [HTTPField.Name] =
        [.contentEncoding, .contentLength, .eTag]
        + ["Content-MD5", "Digest", "Repr-Digest"].compactMap { HTTPField.Name($0) }
}
