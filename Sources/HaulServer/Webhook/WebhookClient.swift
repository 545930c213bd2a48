import AsyncHTTPClient
import Haul
package import HaulCore
import HaulTransportHTTP
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Posts messages to one URL: follows no redirects, limits the time of each attempt, and reads only the status and
/// `Retry-After`.
package struct WebhookClient: Sendable {
    private let configuration: HTTPClient.Configuration
    private let url: String
    private let timeout: TimeAmount

    /// Makes a client; does not connect yet.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for a proxy that can't be used.
    package init(
        _ settings: WebhookSettings, timeout: Duration, proxies: ProxySettings = ProxySettings(),
        caCertificatePath: String? = nil
    ) throws(DownloadError) {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = HTTPClient.Configuration.Timeout(
            connect: TimeAmount(timeout), read: TimeAmount(timeout))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = .seconds(5)
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit { try InvalidStatusHandler.add(to: channel.pipeline.syncOperations) }
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        // RFC 8996: older versions are insecure.
        tls.minimumTLSVersion = .tlsv12
        if let caCertificatePath { tls.trustRoots = .file(caCertificatePath) }
        configuration.tlsConfiguration = tls
        configuration.proxy = try Self.proxy(proxies, for: settings.url.origin)
        self.configuration = configuration
        (url, self.timeout) = (settings.address, TimeAmount(timeout))
    }

    /// Makes the HTTP client for attempts; it must be shut down.
    func open(on group: any EventLoopGroup) -> HTTPClient {
        HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    /// Makes one attempt.
    func post(
        _ body: [UInt8], headers: [(String, String)], by http: HTTPClient
    ) async -> WebhookPolicy.Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            // The body is not needed: it is not read, and the connection is closed.
            let response = try await http.execute(request, timeout: timeout)
            return .status(Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"))
        } catch {
            return .none(Self.text(error))
        }
    }

    /// Describes only the kind of failure: the text of an error could reveal more of the URL than a log should.
    private static func text(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where late.contains(error): "the receiver timed out"
        case is CancellationError: "the daemon stopped"
        case is NIOConnectionError, is IOError: "the receiver can't be reached"
        case is NIOSSLError, is NIOSSLExtraError: "TLS failed, or the receiver's certificate is not trusted"
        case let error as HTTPClientError: error.description
        case _: "\(type(of: error))"
        }
    }

    private static let late: [HTTPClientError] = [.deadlineExceeded, .readTimeout, .connectTimeout]

    private static func proxy(
        _ proxies: ProxySettings, for origin: URLOrigin
    ) throws(DownloadError) -> HTTPClient.Configuration.Proxy? {
        guard let proxy = proxies.proxy(for: origin) else { return nil }
        switch (proxy.scheme, proxy.credentials) {
        case (.http, let credentials):
            return .server(
                host: proxy.host, port: proxy.port,
                authorization: credentials.map { .basic(username: $0.user, password: $0.password) })
        case (.socks5h, nil): return .socksServer(host: proxy.host, port: proxy.port)
        case (.socks5h, _), (.https, _), (.socks4, _), (.socks4a, _), (.socks5, _):
            throw DownloadError(
                .invalidRequest,
                "the webhook can't be reached through a \(proxy.scheme.rawValue) proxy of this kind: add its host to no-proxy"
            )
        }
    }
}
