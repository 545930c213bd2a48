import HaulCore
import HaulTransport

extension FetchEnd {
    /// What a transport's outcome means to the machine.
    ///
    /// - Parameter body: How much of the body came, if its length was announced.
    init(_ outcome: TransferOutcome, body: (received: Int64, announced: Int64)? = nil) {
        switch outcome {
        case .complete: self = .complete
        case .enough: self = .enough
        case .rejected: self = .rejected
        case .cancelled: self = .cancelled
        case .failed(let error):
            guard error.kind == .cut, let body, body.received < body.announced else {
                self.init(error)
                return
            }
            self = .broken(DownloadError(cutAfter: body.received, of: body.announced))
        }
    }

    private init(_ error: TransportError) {
        switch error.kind {
        case .nameNotResolved, .refused: self = .unreachable(DownloadError(error))
        case .headTooLarge, .undecodable: self = .hopeless(DownloadError(error))
        case .badRequest, .unusable, .tooManyFiles, .connectTimedOut, .proxyNotAuthorized, .proxyRefused, .untrusted,
            .tls, .cut, .badResponse, .other:
            self = .broken(DownloadError(error))
        }
    }
}

extension DownloadError {
    /// A response that ended before the length that it had announced.
    fileprivate init(cutAfter received: Int64, of announced: Int64) {
        self.init(.connectionFailed, "the connection was closed after \(received) of \(announced) bytes")
    }

    /// What a transport's error means to the user.
    init(_ error: TransportError) {
        let (code, message): (Code, String) =
            switch error.kind {
            case .badRequest: (.invalidRequest, "the request can't be sent: check URL and headers")
            case .unusable: (.invalidRequest, error.detail)
            case .proxyNotAuthorized:
                (.notAuthorized, "the proxy wants credentials, or refuses those it was given: see --proxy-user-file")
            case .proxyRefused:
                (.connectionFailed, "the proxy makes no connection to the host: is the host allowed, is it there?")
            case .nameNotResolved:
                (.nameNotResolved, "the host's name can't be resolved: check the URL and the network")
            case .refused:
                (.connectionFailed, "the host refuses the connection: is the server running, is the port right?")
            case .tooManyFiles:
                (
                    .tooManyFiles,
                    "too many files are open to connect: run fewer downloads, or raise the limit (ulimit -n)"
                )
            case .connectTimedOut: (.timedOut, "no connection within the time allowed: see --connect-timeout")
            case .untrusted:
                (.tlsFailed, "the server's certificate is not trusted: see --ca-certificate, or --insecure if you must")
            case .tls: (.tlsFailed, "TLS failed")
            case .cut: (.connectionFailed, "the connection broke")
            case .badResponse: (.badResponse, "the server's answer is no proper HTTP")
            case .undecodable: (.contentEncoded, "the server sends the file compressed, and it can't be decoded")
            case .headTooLarge: (.badResponse, "the response headers are too large")
            case .other: (.connectionFailed, "the transfer failed")
            }
        // The transports say no more of these than the sentence does.
        let isTold = error.kind == .unusable || error.detail == "the host has no address"
        self.init(code, message, cause: isTold ? nil : error.detail)
    }
}
