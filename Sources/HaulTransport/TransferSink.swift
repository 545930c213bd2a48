public import HTTPTypes

/// The receiving end of one transfer.
///
/// A transport calls it on one of its own threads, one call at a time, in this order: `head` at most once, `body` any
/// number of times (only after a head that was accepted), `finished` exactly once, last, after every other call has
/// returned. `woken` may be called at any time between `start` and `finished`, also before `head`: its verdict then
/// applies to the body that follows.
///
/// Calls may block for as long as a write to disk takes: a transport has threads for that.
public protocol TransferSink: AnyObject, Sendable {
    /// Handles the start of the response, and decides whether its body is wanted.
    func head(_ response: HTTPResponse) -> HeadVerdict
    /// Handles some bytes of the body, which are borrowed for the duration of the call.
    ///
    /// All of them are consumed.
    func body(_ bytes: RawSpan) -> BodyVerdict
    /// Handles a call of `wake()` on the handle, and returns the current verdict.
    func woken() -> BodyVerdict
    /// Handles the end of the transfer.
    func finished(_ outcome: TransferOutcome)
}

/// The verdict of a sink on a response's head.
public enum HeadVerdict: Sendable, Hashable {
    /// Send the body.
    case accept
    /// The body is not wanted. `finished(.rejected)` follows. A body of up to 64,000 bytes that arrives at once is read
    /// and discarded, and its connection used again; the transport does not wait for others, and closes the connection.
    case reject
}

/// The verdict of a sink on bytes of the body.
public enum BodyVerdict: Sendable, Hashable {
    /// Continue.
    case more
    /// Read nothing until `woken()` returns another verdict.
    case pause
    /// Read nothing for this long, or until `woken()` returns another verdict; then continue.
    case pauseFor(Duration)
    /// No further byte is wanted. `finished(.enough)` follows. The connection is closed unless the body happens to be
    /// complete.
    case enough
}

/// The outcome of a transfer.
public enum TransferOutcome: Sendable, Hashable {
    /// The body reached the end that HTTP defines: its length, its last chunk, or, without either, the end of the
    /// stream.
    case complete
    /// The sink returned `enough`.
    case enough
    /// The sink rejected the head.
    case rejected
    /// `cancel()` was called on the handle.
    case cancelled
    /// The transfer failed.
    case failed(TransportError)
}
