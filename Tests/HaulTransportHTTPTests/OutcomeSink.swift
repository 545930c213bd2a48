import HTTPTypes
import HaulTransport
import Synchronization

/// Takes everything, and tells how it ended.
final class OutcomeSink: TransferSink {
    private let bytes = Mutex<[UInt8]>([])
    private let outcomes = AsyncStream<TransferOutcome>.makeStream()

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    func head(_ response: HTTPResponse) -> HeadVerdict { .accept }

    func body(_ span: RawSpan) -> BodyVerdict {
        bytes.withLock { bytes in
            // The span lives as long as the call; the copy is what this sink is for.
            unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        return .more
    }

    func woken() -> BodyVerdict { .more }

    func finished(_ outcome: TransferOutcome) {
        outcomes.continuation.yield(outcome)
        outcomes.continuation.finish()
    }

    func outcome() async -> TransferOutcome? {
        for await outcome in outcomes.stream { return outcome }
        return nil
    }
}

extension TransferOutcome {
    /// The kind of failure, if it is one.
    var failure: TransportError.Kind? {
        if case .failed(let error) = self { error.kind } else { nil }
    }

    /// The error, if it is one.
    var error: TransportError? {
        if case .failed(let error) = self { error } else { nil }
    }
}

extension Transport {
    /// Runs a transfer to its end.
    func fetch(_ url: String, insecure: Bool = false) async -> (outcome: TransferOutcome?, text: String) {
        await fetch(TransferRequest(url: url, headers: [:], insecure: insecure))
    }

    /// Runs a transfer to its end.
    func fetch(_ request: TransferRequest) async -> (outcome: TransferOutcome?, text: String) {
        let sink = OutcomeSink()
        _ = start(request, sink: sink)
        return (await sink.outcome(), sink.text)
    }
}
