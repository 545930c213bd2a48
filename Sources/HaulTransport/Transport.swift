/// A way to get bytes over the network.
///
/// Each implementation passes `TransportConformance` of HaulTesting.
///
/// What it promises:
/// - It sends one GET per `start` and never retries, redirects, decompresses or caches on its own.
/// - Back-pressure is real: while a sink pauses, at most a fixed amount per transfer is buffered in the process.
/// - `cancel()` ends a transfer within milliseconds, whatever it is doing, a name lookup or a pause included.
/// - A response whose head is larger than 1 MiB fails with `headTooLarge`.
public protocol Transport: Sendable {
    /// Starts a transfer at once and returns without waiting. The sink hears everything else.
    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle
    /// A thread of the transport's own on which a download may run beside its transfers: the one it is called on, where that is one,
    /// or else the next in turn; nil: the transport lends none.
    ///
    /// What runs there may block as a sink may, and no longer. It must be over before `shutdown`.
    func eventLoopExecutor() -> (any TaskExecutor)?
    /// Ends every transfer and gives back all connections and threads. No `start` may follow.
    func shutdown() async
}

/// The other end of a running transfer.
///
/// Calls after its end do nothing.
public protocol TransferHandle: Sendable {
    /// Ends the transfer with `.cancelled`, unless it has ended.
    func cancel()
    /// Has the sink asked, on the transport's own thread, what it wants now: see `TransferSink.woken()`.
    func wake()
}
