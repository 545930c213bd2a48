import HaulCore
import HaulTransport

extension FetchEnd {
    /// Creates the end from a transport's outcome.
    ///
    /// - Parameter body: The received and announced lengths of the body, if a length was announced.
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
    /// Creates the error for a response that ended before its announced length.
    fileprivate init(cutAfter received: Int64, of announced: Int64) {
        self.init(.connectionFailed, "the connection was closed after \(received) of \(announced) bytes")
    }
}
