import Dispatch
import HaulTransport
import Synchronization

#if Curl
    import HaulTransportCurl
#endif

/// A transport that passes each request to one of two transports, as `TransportChoice` decides.
///
/// A GET request whose response can't be parsed is repeated once over libcurl, which is more lenient; further requests to
/// the same origin use libcurl from the start. A request with several authentication schemes uses the one that the
/// server offers. libcurl is neither loaded nor given a thread before a request needs it.
final class TransportRouter: Transport {
    private let http: any Transport
    private let curl: any Transport
    private let repeats: Bool
    /// The origins whose responses only libcurl can parse.
    private let lenient = Mutex<Set<String>>([])
    private let knownSchemes = KnownSchemes()

    /// Joins two transports.
    ///
    /// - Parameters:
    ///   - repeats: True if `curl` can parse responses that `http` can't.
    ///   - log: Logs the requests of both; nil for none.
    init(http: any Transport, curl: any Transport, repeats: Bool = true, log: TransferLog? = nil) {
        self.http = log.map { LoggedTransport.wrapping(http, $0) } ?? http
        self.curl = log.map { LoggedTransport.wrapping(curl, $0) } ?? curl
        self.repeats = repeats
    }

    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        guard TransportChoice.isWeb(request.url) else { return send(request, sink) }
        let sink = DecodedTransfer(sink, of: request)
        let handle = startDecoded(request, sink)
        sink.attach(handle)
        return handle
    }

    private func startDecoded(_ request: TransferRequest, _ sink: DecodedTransfer) -> any TransferHandle {
        guard let authentication = request.authentication, authentication.schemes.count > 1 else {
            return send(request, sink)
        }
        let transfer = ChallengedTransfer(
            sink, request, authentication, known: knownSchemes, at: Self.origin(request.url))
        return transfer.start { self.send($0, $1) }
    }

    private func send(_ request: TransferRequest, _ sink: any TransferSink) -> any TransferHandle {
        switch TransportChoice(request) {
        case .http where repeats && !request.publicAddressesOnly && request.method == "GET":
            startRepeatable(request, sink)
        case .http: http.start(request, sink: sink)
        case .curl where request.publicAddressesOnly: AbsentTransport.refuse(Self.unchecked, sink)
        case .curl: curl.start(request, sink: sink)
        }
    }

    /// Starts a request that the other transport may have to repeat.
    private func startRepeatable(_ request: TransferRequest, _ sink: any TransferSink) -> any TransferHandle {
        let origin = Self.origin(request.url)
        let isLenient = lenient.withLock { $0.contains(origin) }
        let transfer =
            if isLenient {
                // An origin may also be noted because of an aborted body, so libcurl may not be available.
                RepeatedTransfer(sink, if: { $0.kind == .unusable }) { isReadByOther in
                    if isReadByOther { self.lenient.withLock { _ = $0.remove(origin) } }
                } repetition: {
                    self.http.start(request, sink: $0)
                }
            } else {
                RepeatedTransfer(sink, if: Self.mayBeReadByCurl) { _ in
                    self.lenient.withLock { _ = $0.insert(origin) }
                } repetition: {
                    self.curl.start(request, sink: $0)
                }
            }
        return transfer.start(over: isLenient ? curl : http, request)
    }

    /// Returns true if libcurl may be able to parse a response; if it is not HTTP at all, libcurl can't, either.
    private static func mayBeReadByCurl(_ error: TransportError) -> Bool {
        (error.kind == .badResponse || error.kind == .headTooLarge) && error.reason == nil
            && error.detail != TransportError.noStatusLine
    }

    /// Returns scheme, host and port, as written in the URL.
    private static func origin(_ url: String) -> String {
        let slashes = url.utf8.enumerated().lazy.filter { $0.element == UInt8(ascii: "/") }
        guard let end = slashes.dropFirst(2).first?.offset else { return url }
        return String(decoding: url.utf8.prefix(end), as: UTF8.self)
    }

    /// libcurl does not report the address that it connects to before it sends the request.
    private static let unchecked = TransportError(
        .unusable, "this requires libcurl, which is not used if only public addresses are allowed")

    /// The executor of the transport that most downloads use.
    func eventLoopExecutor() -> (any TaskExecutor)? { http.eventLoopExecutor() }

    func shutdown() async {
        async let first: Void = http.shutdown()
        await curl.shutdown()
        await first
    }
}

extension TransportRouter {
    /// Creates a router with libcurl if the build has it; otherwise, requests that need it fail with an error that says
    /// so.
    convenience init(http: any Transport, _ configuration: EngineConfiguration, receiveBufferBytes: Int?) {
        #if Curl
            var curl = CurlTransportConfiguration(
                caCertificatePath: configuration.caCertificatePath, logger: configuration.logger)
            if let receiveBufferBytes { curl.receiveBufferBytes = min(receiveBufferBytes, curl.receiveBufferBytes) }
            self.init(http: http, curl: CurlTransport(curl), log: TransferLog(configuration.logger))
        #else
            self.init(
                http: http, curl: AbsentTransport(web: http), repeats: false, log: TransferLog(configuration.logger))
        #endif
    }
}

/// A transport in two roles: only the other one shuts it down.
struct SharedTransport: Transport {
    private let shared: any Transport

    init(_ shared: any Transport) { self.shared = shared }

    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        shared.start(request, sink: sink)
    }

    func eventLoopExecutor() -> (any TaskExecutor)? { shared.eventLoopExecutor() }

    func shutdown() async {}
}

/// The replacement for libcurl in a build without it.
struct AbsentTransport: Transport {
    /// The HTTP transport, which reports the missing features itself.
    let web: any Transport

    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        guard !TransportChoice.isWeb(request.url) else { return web.start(request, sink: sink) }
        let error = TransportError(
            .unusable,
            "this build of Haul does not support FTP and SFTP: it was built without libcurl (package trait Curl)"
        )
        return Self.refuse(error, sink)
    }

    /// Ends a transfer that was never started.
    static func refuse(_ error: TransportError, _ sink: any TransferSink) -> any TransferHandle {
        // Never call the sink from inside `start`.
        DispatchQueue.global().async { sink.finished(.failed(error)) }
        return Handle()
    }

    func eventLoopExecutor() -> (any TaskExecutor)? { nil }

    func shutdown() async {}

    private struct Handle: TransferHandle {
        func cancel() {}
        func wake() {}
    }
}
