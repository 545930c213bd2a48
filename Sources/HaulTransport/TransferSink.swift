public import HTTPTypes

/// The receiving end of one transfer.
///
/// A transport calls it on a thread of its own, one call at a time, in this order: `head` at most once, `body` any number of times
/// (only after a head that was accepted), `finished` exactly once, last, after every other call has returned. `woken` may come
/// at any time between `start` and `finished`.
///
/// Calls may block for as long as a write to disk takes: a transport keeps threads for that.
public protocol TransferSink: AnyObject, Sendable {
    /// The response has begun. Decides whether its body is wanted.
    func head(_ response: HTTPResponse) -> HeadVerdict
    /// Some bytes of the body, borrowed for the duration of the call; all of them are taken.
    func body(_ bytes: RawSpan) -> BodyVerdict
    /// Somebody called `wake()` on the handle: what does the sink want now?
    func woken() -> BodyVerdict
    /// The transfer is over.
    func finished(_ outcome: TransferOutcome)
}

/// What a sink says to a response's head.
public enum HeadVerdict: Sendable, Hashable {
    /// Send the body.
    case accept
    /// The body is not wanted. `finished(.rejected)` follows; a small body may be read away so that the connection can be used again.
    case reject
}

/// What a sink says to bytes.
public enum BodyVerdict: Sendable, Hashable {
    /// Go on.
    case more
    /// Read nothing more until a poke is answered otherwise.
    case pause
    /// Read nothing more for this long, or until a poke is answered otherwise; then go on.
    case pauseFor(Duration)
    /// No further byte is wanted. `finished(.enough)` follows; the connection is closed unless the body happens to be at its end.
    case enough
}

/// How a transfer ended.
public enum TransferOutcome: Sendable, Hashable {
    /// The body came to the end that HTTP gives it: its length, its last chunk, or, without either, the end of the stream.
    case complete
    /// The sink answered `enough`.
    case enough
    /// The sink rejected the head.
    case rejected
    /// Somebody called `cancel()` on the handle.
    case cancelled
    /// It broke.
    case failed(TransportError)
}
