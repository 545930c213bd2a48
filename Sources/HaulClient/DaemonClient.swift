import AsyncHTTPClient
import HaulCore
import HaulWire
import NIOCore
import NIOHTTP1

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Speaks to a daemon, by the messages of its API.
///
/// What the daemon refuses is thrown as it tells it; where none answers, the error's code is `connectionFailed`. `close` has to be called
/// when it is not needed any more.
package final class DaemonClient: Sendable {
    /// Where the daemon is.
    package let endpoint: DaemonEndpoint
    private let http: HTTPClient

    /// The most bytes of one answer that are read: a page of a thousand downloads has a few megabytes.
    private static let maxResponseBytes = 256 << 20

    /// Makes a client; nothing is connected to yet.
    package init(_ endpoint: DaemonEndpoint) {
        self.endpoint = endpoint
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(5), read: nil)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes all connections.
    package func close() async { try? await http.shutdown() }

    /// Asks for a message.
    func get<Answer: Decodable>(
        _ path: String, _ type: Answer.Type, _ query: [(String, String)] = []
    ) async throws(DownloadError) -> Answer {
        try WireJSON.decode(type, from: try await send(.GET, path, query))
    }

    /// Sends a message and asks for another one.
    func send<Answer: Decodable>(
        _ method: HTTPMethod, _ path: String, _ message: some Encodable, _ type: Answer.Type
    ) async throws(DownloadError) -> Answer {
        try WireJSON.decode(type, from: try await send(method, path, body: try WireJSON.encode(message)))
    }

    /// Sends a request; the answer is the body.
    @discardableResult
    func send(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [], body: Data? = nil
    ) async throws(DownloadError) -> Data {
        let response = try await begin(method, path, query, body: body)
        do {
            let bytes = try await response.body.collect(upTo: Self.maxResponseBytes)
            let data = Data(bytes.readableBytesView)
            guard (200..<300).contains(response.status.code) else {
                throw Self.failure(data, status: Int(response.status.code))
            }
            return data
        } catch let error as DownloadError {
            throw error
        } catch {
            throw gone(error)
        }
    }

    /// Sends a request; returns when the answer begins.
    func begin(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [], headers: [(String, String)] = [],
        body: Data? = nil
    ) async throws(DownloadError) -> HTTPClientResponse {
        let fields = query.map { "\(PercentText.encoded($0.0))=\(PercentText.encoded($0.1))" }
        let target = fields.isEmpty ? path : "\(path)?\(fields.joined(separator: "&"))"
        var request = HTTPClientRequest(url: endpoint.url(target))
        request.method = method
        if let token = endpoint.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        do {
            return try await http.execute(request, deadline: .distantFuture)
        } catch {
            throw gone(error)
        }
    }

    /// What the daemon answers that is no success.
    static func failure(_ data: Data, status: Int) -> DownloadError {
        (try? WireJSON.decode(DownloadError.self, from: data))
            ?? DownloadError(.unexpectedStatus, "the daemon answered with \(status)")
    }

    /// Why, in the system's words where it is the system that refused.
    private static func cause(_ error: any Error) -> String {
        // Unsafe: strerror(3) answers a C string of its own, which is copied at once.
        guard let code = (error as? IOError)?.errnoCode, let text = unsafe strerror(code) else { return "\(error)" }
        return unsafe String(cString: text)
    }

    func gone(_ error: any Error) -> DownloadError {
        if error is CancellationError { return DownloadError(.cancelled, "nobody waits for the daemon any more") }
        if error as? HTTPClientError == .cancelled {
            return DownloadError(.cancelled, "nobody waits for the daemon any more")
        }
        if let code = (error as? IOError)?.errnoCode, [EACCES, EPERM].contains(code) {
            return DownloadError(
                .notAuthorized, "no permission to use the daemon's socket \(endpoint.name): it is another user's",
                cause: Self.cause(error))
        }
        return DownloadError(
            .connectionFailed, "no daemon answers at \(endpoint.name): start one with haul daemon start",
            cause: Self.cause(error))
    }
}
