import HaulCore
import HaulTransport

extension FetchEnd {
    /// What a transport's outcome means to the machine.
    init(_ outcome: TransferOutcome) {
        switch outcome {
        case .complete: self = .complete
        case .enough: self = .enough
        case .rejected: self = .rejected
        case .cancelled: self = .cancelled
        case .failed(let error): self = .broken(DownloadError(error))
        }
    }
}

extension DownloadError {
    /// What a transport's error means to the user.
    init(_ error: TransportError) {
        let (code, message): (Code, String) =
            switch error.kind {
            case .badRequest: (.invalidRequest, "the request can't be sent: check URL and headers")
            case .unusable: (.invalidRequest, error.detail)
            case .proxyNotAuthorized:
                (.notAuthorized, "the proxy wants other credentials, or none will do: see --proxy-user-file")
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
            case .other: (.connectionFailed, "the transfer failed")
            }
        // The transports say no more of these than the sentence does.
        let isTold = error.kind == .unusable || error.detail == "the host has no address"
        self.init(code, message, cause: isTold ? nil : error.detail)
    }
}
