import Dispatch
import HaulTransport

#if Curl
    import HaulTransportCurl
#endif

/// The two transports as one: each request goes to the one that `TransportChoice` names.
///
/// libcurl is neither loaded nor given a thread before a request needs it.
final class TransportRouter: Transport {
    private let http: any Transport
    private let curl: any Transport

    /// Joins two transports.
    init(http: any Transport, curl: any Transport) {
        self.http = http
        self.curl = curl
    }

    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        switch TransportChoice(request) {
        case .http: http.start(request, sink: sink)
        case .curl where request.publicAddressesOnly: AbsentTransport.refuse(Self.unchecked, sink)
        case .curl: curl.start(request, sink: sink)
        }
    }

    /// libcurl tells nobody whom it connects to before it asks.
    private static let unchecked = TransportError(
        .unusable, "what needs libcurl can't be had where only public addresses are allowed")

    /// Those of the transport that most downloads need.
    func lane() -> (any TaskExecutor)? { http.lane() }

    func shutdown() async {
        async let first: Void = http.shutdown()
        await curl.shutdown()
        await first
    }
}

extension TransportRouter {
    /// HTTP, and libcurl where the build has it; without it, what only libcurl can do fails with a sentence that says so.
    convenience init(http: any Transport, _ configuration: EngineConfiguration, receiveBufferBytes: Int?) {
        #if Curl
            var curl = CurlTransportConfiguration(
                caCertificatePath: configuration.caCertificatePath, logger: configuration.logger)
            if let receiveBufferBytes { curl.receiveBufferBytes = min(receiveBufferBytes, curl.receiveBufferBytes) }
            self.init(http: http, curl: CurlTransport(curl))
        #else
            self.init(http: http, curl: AbsentTransport(web: http))
        #endif
    }
}

/// Stands where libcurl was left out of the build.
struct AbsentTransport: Transport {
    /// Knows best what it lacks.
    let web: any Transport

    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        guard !TransportChoice.isWeb(request.url) else { return web.start(request, sink: sink) }
        let error = TransportError(
            .unusable, "this build of Haul has no FTP and no SFTP: it was made without libcurl (the package trait Curl)"
        )
        return Self.refuse(error, sink)
    }

    /// Ends a transfer that was never begun.
    static func refuse(_ error: TransportError, _ sink: any TransferSink) -> any TransferHandle {
        // Never from inside `start`.
        DispatchQueue.global().async { sink.finished(.failed(error)) }
        return Handle()
    }

    func lane() -> (any TaskExecutor)? { nil }

    func shutdown() async {}

    private struct Handle: TransferHandle {
        func cancel() {}
        func poke() {}
    }
}
