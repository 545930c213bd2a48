import HTTPTypes
import HaulCore
import HaulTransport

/// Takes the content coding off a body, so that the sink behind it sees a response without one.
///
/// Only whole responses are decoded. Their size is not known, and no part of them can be asked for: offsets count encoded bytes.
///
/// Unchecked because nothing has a lock: only the transport touches it, in calls that it makes one at a time.
final class DecodedTransfer: TransferSink, @unchecked Sendable {
    private let sink: any TransferSink
    private let url: String
    private let isOfRange: Bool
    private let keepsCoding: Bool
    /// Whether only the end of the connection ends the body.
    private var endsWithConnection = false
    private var inflater: Inflater?
    /// What has come and waits, because the sink has no room for what it would become.
    private var waiting: [UInt8] = []
    private var failure: TransportError?

    /// Makes the sink of a request.
    init(_ sink: any TransferSink, of request: TransferRequest) {
        self.sink = sink
        url = request.url
        isOfRange = request.headers[.range] != nil
        keepsCoding = request.keepsContentCoding
    }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        guard response.headerFields[.contentEncoding] != nil else { return sink.head(response) }
        var response = response
        if keepsCoding {
            response.headerFields[.contentEncoding] = nil
            return sink.head(response)
        }
        guard !isOfRange, [200, 203].contains(response.status.code) else { return sink.head(response) }
        switch ContentCoding(response.headerFields, url: try? SourceURL(parsing: url)) {
        case .gzip: inflater = Inflater(.gzip)
        case .deflate: inflater = Inflater(.deflate)
        case .none, .other: return sink.head(response)
        }
        endsWithConnection =
            response.headerFields[.contentLength] == nil && response.headerFields[.transferEncoding] == nil
        // All of these speak of the encoded bytes.
        for name in Self.ofEncodedBytes { response.headerFields[name] = nil }
        response.headerFields[.acceptRanges] = "none"
        return sink.head(response)
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        guard let inflater else { return sink.body(bytes) }
        guard failure == nil else { return .enough }
        guard !waiting.isEmpty else { return decode(bytes, inflater) }
        append(bytes)
        return decodeWaiting(inflater)
    }

    func woken() -> BodyVerdict {
        let verdict = sink.woken()
        guard let inflater, case .more = verdict, !waiting.isEmpty else { return verdict }
        return decodeWaiting(inflater)
    }

    func finished(_ outcome: TransferOutcome) {
        if let inflater, outcome == .complete, failure == nil {
            // The end of the body has waited as long as the sink wanted, so it takes the rest now.
            while failure == nil, !waiting.isEmpty {
                if case .enough = decodeWaiting(inflater) { break }
            }
            // An empty body may stand for an empty file, but not where it may have been cut.
            if failure == nil, !inflater.isWhole || endsWithConnection && inflater.isEmpty {
                failure = TransportError(.cut, "the compressed data ends too early")
            }
        }
        sink.finished(failure.map { .failed($0) } ?? outcome)
    }

    /// Decodes until all is used, or the sink has had enough for now; then the rest waits.
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
