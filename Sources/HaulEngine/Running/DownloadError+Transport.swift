import HaulCore
import HaulTransport

extension DownloadError {
    /// Creates the error for the user from a transport's error.
    init(_ error: TransportError) {
        let (code, message) = error.proxy.flatMap { Self.words(error, proxy: $0) } ?? Self.words(error)
        self.init(
            code, message, cause: Self.isNamed(error) ? nil : error.detail, detail: Self.detail(error))
    }

    private static func words(_ error: TransportError) -> (Code, String) {
        switch error.kind {
        case .badRequest: (.invalidRequest, "can't send the request: check the URL and the headers")
        case .unusable: (.invalidRequest, error.detail)
        case .proxyNotAuthorized: (.notAuthorized, "the proxy \(login(error))")
        case .proxyRefused: (.connectionFailed, "the proxy \(error.detail)")
        case .nameNotResolved: (.nameNotResolved, "can't resolve the host name: check the URL and the network")
        case .refused where isRefusal(error):
            (.connectionFailed, "connection refused: is the server running, and is the port right?")
        case .refused: (.connectionFailed, "can't connect: \(error.detail)")
        case .tooManyFiles:
            (.tooManyFiles, "too many open files: run fewer downloads, or raise the limit (ulimit -n)")
        case .connectTimedOut: (.timedOut, error.detail)
        case .untrusted where error.reason == .hostKeyUnknown || error.reason == .hostKeyChanged:
            (.tlsFailed, "the server's host key \(error.detail)")
        case .untrusted: (.tlsFailed, "the server's certificate \(error.detail)")
        case .tls where error.reason != nil: (.tlsFailed, "the server \(error.detail)")
        case .tls: (.tlsFailed, "TLS failed")
        case .cut: (.connectionFailed, "the connection was lost")
        case .badResponse where error.reason == .serverWithTLS:
            (.badResponse, "the server expects TLS at this port")
        case .badResponse where error.reason == .serverWithoutHTTP:
            (.badResponse, "not an HTTP server: \(error.detail)")
        case .badResponse: (.badResponse, "invalid response")
        case .undecodable: (.contentEncoded, "the response is compressed, and can't be decoded")
        case .headTooLarge: (.badResponse, "response headers too large")
        case .other: (.connectionFailed, "the transfer failed")
        }
    }

    /// Returns the message for an error at a proxy; nil: the same as for a server.
    private static func words(_ error: TransportError, proxy: String) -> (Code, String)? {
        let proxy = "the proxy \(proxy)"
        return switch error.kind {
        case .proxyNotAuthorized: (.notAuthorized, "\(proxy) \(login(error))")
        case .proxyRefused: (.connectionFailed, "\(proxy) \(error.detail)")
        case .nameNotResolved: (.nameNotResolved, "can't resolve the name of \(proxy)")
        case .refused where isRefusal(error): (.connectionFailed, "\(proxy) refused the connection")
        case .refused: (.connectionFailed, "can't connect to \(proxy): \(error.detail)")
        case .connectTimedOut: (.timedOut, "\(error.detail) through \(proxy)")
        case .untrusted: (.tlsFailed, "the certificate of \(proxy) \(error.detail)")
        case .tls where error.reason != nil: (.tlsFailed, "\(proxy) \(error.detail)")
        case .cut: (.connectionFailed, "\(proxy) closed the connection")
        case .badResponse where error.reason == .serverWithTLS: (.badResponse, "\(proxy) expects TLS")
        case .badResponse where error.reason == .serverWithoutHTTP:
            (.badResponse, "\(proxy) is not an HTTP proxy: \(error.detail)")
        case .badResponse: (.badResponse, "\(proxy) sent an invalid HTTP response")
        case .badRequest, .unusable, .tooManyFiles, .tls, .undecodable, .headTooLarge, .other: nil
        }
    }

    private static func login(_ error: TransportError) -> String {
        error.reason == .proxyLoginRefused
            ? "refused the user name or password" : "requires a user name and a password"
    }

    private static func isRefusal(_ error: TransportError) -> Bool { error.detail == TransportError.refusal }

    private static func detail(_ error: TransportError) -> Detail? {
        switch error.kind {
        case .tls where error.proxy != nil && error.reason == .serverWithoutTLS: .proxyWithoutTLS
        case .connectTimedOut: .slowToConnect
        case .proxyRefused: .proxyFailed
        case .nameNotResolved, .refused, .cut, .badResponse: error.proxy == nil ? error.reason : .proxyFailed
        case .proxyNotAuthorized, .badRequest, .unusable, .tooManyFiles, .untrusted, .tls, .undecodable, .headTooLarge,
            .other:
            error.reason
        }
    }

    /// Returns true if the message includes all details from the transport.
    private static func isNamed(_ error: TransportError) -> Bool {
        switch error.kind {
        case .unusable, .proxyNotAuthorized, .proxyRefused, .nameNotResolved, .refused, .connectTimedOut, .untrusted:
            true
        case .tls, .badResponse: error.reason != nil
        case .cut: error.proxy != nil
        case .badRequest, .tooManyFiles, .undecodable, .headTooLarge, .other: false
        }
    }
}
