import Dispatch
package import HaulTransport
import Logging
import Synchronization

/// HTTP/1.1, FTP, FTPS and SFTP over libcurl, including what AsyncHTTPClient lacks: SOCKS, TLS to a proxy, digest, NTLM
/// and Negotiate.
///
///     start -> [thread] -> libcurl -> CurlTransfer -> sink
///
/// One thread runs all transfers. It starts with the first one, which is also when libcurl is loaded. Schemes: `http`,
/// `https`, `ftp`, `ftpes` (FTP that must switch to TLS before the login), `ftps` (FTP over TLS from the first byte),
/// `sftp`.
///
/// The responses of a file server are translated to HTTP: 200 or 206 with `Content-Range`, `Content-Length`,
/// `Last-Modified` and `Date` as far as the server reported them; 404 and 403 for a file that does not exist or is
/// forbidden to this user, 401 for a refused login, 503 for too many users, 416 for an offset that is not available. A
/// server's SSH key must be in `known_hosts`.
///
/// Limits: libcurl repeats a request by itself if a kept connection turns out to be closed. Its newer versions accept
/// heads of up to 300 KiB only. After the last byte of a file libcurl waits for the FTP server's final reply, up to a
/// minute, and no other transfer continues meanwhile. If the connection breaks during a pause, bytes that were received
/// and not yet passed to the sink are lost; that never leaves a gap.
package final class CurlTransport: Transport {
    private struct State {
        var loop: CurlLoop?
        var isDown = false
    }

    private let configuration: CurlTransportConfiguration
    private let state = Mutex(State())
    private let quiet = AsyncStream<Void>.makeStream()
    private let ended = AsyncStream<Void>.makeStream()

    /// Creates a transport, which uses no resources yet.
    package init(_ configuration: CurlTransportConfiguration = CurlTransportConfiguration()) {
        self.configuration = configuration
    }

    /// Starts a transfer; without libcurl it fails with `unusable`.
    package func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        if let reason = CurlUnavailable.reason() {
            return Self.end(sink, .failed(TransportError(.unusable, "this requires libcurl; \(reason)")))
        }
        let handle = state.withLock { state -> CurlTransfer? in
            guard !state.isDown, let loop = state.loop ?? makeLoop() else { return nil }
            state.loop = loop
            let transfer = CurlTransfer(request, sink: sink, loop: loop)
            // Inside the lock, so that `shutdown` comes before or after.
            return loop.send(.start(transfer)) ? transfer : nil
        }
        return handle ?? Self.end(sink, .cancelled)
    }

    /// Returns nil: one thread runs all transfers.
    package func eventLoopExecutor() -> (any TaskExecutor)? { nil }

    /// Ends every transfer with `.cancelled`, closes every connection, and ends the thread.
    ///
    /// Takes at most about 200 ms longer than the sinks do.
    package func shutdown() async {
        let loop = state.withLock { state in
            state.isDown = true
            return state.loop
        }
        guard let loop, loop.send(.stop) else { return }
        for await _ in quiet.stream {}
        let ended = ended.stream
        await within(.milliseconds(200)) { for await _ in ended {} }
        configuration.logger.debug("libcurl transport shut down")
    }

    private func makeLoop() -> CurlLoop? {
        let (quiet, ended) = (quiet.continuation, ended.continuation)
        configuration.logger.debug("libcurl transport started")
        return CurlLoop(configuration, onQuiet: { quiet.finish() }, onEnd: { ended.finish() })
    }

    private static func end(_ sink: any TransferSink, _ outcome: TransferOutcome) -> any TransferHandle {
        // Never from inside `start`.
        DispatchQueue.global().async { sink.finished(outcome) }
        return EndedTransfer()
    }
}

/// The handle of a transfer that never started.
struct EndedTransfer: TransferHandle {
    func cancel() {}
    func wake() {}
}
