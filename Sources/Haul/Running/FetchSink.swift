import HaulCore
import HaulTransport

/// The receiving end of one fetch, as its run sees it.
protocol FetchSink: TransferSink {
    /// Where the fetch is now.
    var sample: FetchSample { get }
    /// Where its segment stands.
    var cursor: SegmentCursor { get }
}
