/// A network transport.
///
/// An engine or a manager can be created over a transport of your own: see `DownloadEngine.init(_:transport:)`. Check it
/// with `TransportConformance` of HaulTesting, as Haul checks its own transports.
///
/// Guarantees:
/// - It sends one request per `start` and never retries, redirects, decompresses or caches on its own. A login with
///   several steps, as with digest, may send a body several times.
/// - Back-pressure is real: while a sink pauses, at most a fixed amount per transfer is buffered in the process.
/// - `cancel()` ends a transfer within milliseconds, whatever it is doing, including a name lookup or a pause.
/// - A response whose head is larger than 1 MiB fails with `headTooLarge`, and so does one after endless interim responses.
/// - Connections are used again: after a complete body, and after a small one that the sink rejected.
///
/// Only URLs with the schemes http, https, ftp, ftps, ftpes and sftp reach a transport; others are refused before.
/// Haul's own transports are not public, so yours can't pass requests on to them.
public protocol Transport: Sendable {
    /// Starts a transfer and returns without waiting.
    ///
    /// Everything else is reported to the sink.
    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle
    /// Returns one of the transport's threads on which a download may run beside its transfers: the current one, if it
    /// is the transport's, or else the next in turn; nil if the transport lends none.
    ///
    /// Tasks there may block as a sink may, and no longer. They must end before `shutdown`.
    func eventLoopExecutor() -> (any TaskExecutor)?
    /// Ends every transfer and releases all connections and threads.
    ///
    /// No `start` may follow.
    func shutdown() async
}

/// The handle of a running transfer.
///
/// Calls after its end have no effect.
public protocol TransferHandle: Sendable {
    /// Ends the transfer with `.cancelled`, unless it has ended.
    func cancel()
    /// Makes the transport ask the sink for its verdict, on the transport's own thread: see `TransferSink.woken()`.
    ///
    /// A pause that it returns takes effect before the next bytes of the body, also if the head has not come yet.
    func wake()
}

extension Transport {
    /// Returns nil: no thread is lent.
    public func eventLoopExecutor() -> (any TaskExecutor)? { nil }
}
