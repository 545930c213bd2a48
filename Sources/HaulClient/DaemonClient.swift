import AsyncHTTPClient
import HaulCore
import HaulLibC
import HaulWire
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client of a daemon's API.
///
/// Errors from the daemon are thrown as they are; if none is running, the error's code is `connectionFailed`, and if it does not respond
/// to a request that changes nothing, `timedOut`. `close` must be called when the client is no longer needed.
package final class DaemonClient: Sendable {
    /// The endpoint of the daemon.
    package let endpoint: DaemonEndpoint
    private let http: HTTPClient
    /// The client for streams of events, in which the daemon writes something at least every 15 s.
    private let streams: HTTPClient
    private let silence: Duration
    private let patience: Duration
    private let onSilence: (@Sendable (Duration) -> Void)?
    private let onDelay: (@Sendable ([String]) -> Void)?

    /// The maximum number of bytes of one response: a page of a thousand downloads has a few megabytes.
    private static let maxResponseBytes = 256 << 20

    /// Creates a client without connecting.
    ///
    /// - Parameters:
    ///   - patience: The maximum wait for a response to a request that changes nothing. Others may take long, such as a backup of
    ///     a long list.
    ///   - silence: The time after which a request without a response is reported.
    ///   - onSilence: Called then, with this time.
    ///   - onDelay: Called instead if the daemon responds to another request, so that only this one takes its time. It
    ///     gets the reasons why the daemon is not ready, such as a disk that does not respond.
    package init(
        _ endpoint: DaemonEndpoint, patience: Duration = .seconds(60), silence: Duration = .seconds(5),
        onSilence: (@Sendable (Duration) -> Void)? = nil, onDelay: (@Sendable ([String]) -> Void)? = nil
    ) {
        self.endpoint = endpoint
        self.patience = patience
        self.silence = silence
        self.onSilence = onSilence
        self.onDelay = onDelay
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(5), read: nil)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        configuration.timeout.read = TimeAmount(patience)
        streams = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Lets all clients of the process share one thread instead of one per processor, each of which opens files.
    ///
    /// Call it before anything in the process uses the shared event loops of SwiftNIO.
    package static func useOneThread() { NIOSingletons.groupLoopCountSuggestion = 1 }

    /// Closes all connections.
    package func close() async {
        try? await http.shutdown()
        try? await streams.shutdown()
    }

    /// Requests a message.
    func get<Answer: Decodable>(
        _ path: String, _ type: Answer.Type, _ query: [(String, String)] = []
    ) async throws(DownloadError) -> Answer {
        try WireJSON.decode(type, from: try await send(.GET, path, query))
    }

    /// Sends a message and returns the response message.
    func send<Answer: Decodable>(
        _ method: HTTPMethod, _ path: String, _ message: some Encodable, _ type: Answer.Type
    ) async throws(DownloadError) -> Answer {
        try WireJSON.decode(type, from: try await send(method, path, body: try WireJSON.encode(message)))
    }

    /// Sends a request and returns the body of the response.
    ///
    /// - Parameter accepts: The statuses besides 200 to 299 that count as success.
    @discardableResult
    func send(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [], body: Data? = nil, accepts: [UInt] = []
    ) async throws(DownloadError) -> Data {
        let deadline = method == .GET ? NIODeadline.now() + TimeAmount(patience) : .distantFuture
        let response = try await begin(method, path, query, body: body, deadline: deadline)
        do {
            let bytes = try await response.body.collect(upTo: Self.maxResponseBytes)
            let data = Data(bytes.readableBytesView)
            guard (200..<300).contains(response.status.code) || accepts.contains(response.status.code) else {
                throw Self.failure(data, status: Int(response.status.code))
            }
            return data
        } catch let error as DownloadError {
            throw error
        } catch {
            throw gone(error)
        }
    }

    /// Sends a request and returns when the response begins.
    func begin(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [], headers: [(String, String)] = [],
        body: Data? = nil, deadline: NIODeadline = .distantFuture, isStream: Bool = false
    ) async throws(DownloadError) -> HTTPClientResponse {
        let fields = query.map { "\(PercentEncoding.encoded($0.0))=\(PercentEncoding.encoded($0.1))" }
        let target = fields.isEmpty ? path : "\(path)?\(fields.joined(separator: "&"))"
        var request = request(target)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let watch = isStream ? watch(for: silence) : watchCommand()
        defer { watch?.cancel() }
        do {
            return try await (isStream ? streams : http).execute(request, deadline: deadline)
        } catch {
            throw gone(error)
        }
    }

    /// Reports after this time that the daemon does not respond, unless it is cancelled before.
    func watch(for silence: Duration) -> Task<Void, any Error>? {
        onSilence.map { onSilence in
            Task {
                try await Task.sleep(for: silence)
                onSilence(silence)
            }
        }
    }

    /// Reports after a time without a response that the daemon does not respond, or takes its time for this request.
    private func watchCommand() -> Task<Void, any Error>? {
        guard let onDelay else { return watch(for: silence) }
        return Task { [silence, onSilence] in
            try await Task.sleep(for: silence)
            let obstacles = await self.obstacles()
            // The response has come meanwhile.
            try Task.checkCancellation()
            if let obstacles { onDelay(obstacles) } else { onSilence?(silence) }
        }
    }

    /// Returns the reasons why the daemon is not ready; nil if it does not respond.
    private func obstacles() async -> [String]? {
        guard let response = try? await http.execute(request(APIPath.ready), timeout: .seconds(5)),
            let bytes = try? await response.body.collect(upTo: 1 << 20),
            let message = try? WireJSON.decode(ReadyMessage.self, from: Data(bytes.readableBytesView))
        else { return nil }
        return (message.obstacles ?? []).map(\.message)
    }

    private func request(_ target: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: endpoint.url(target))
        if let token = endpoint.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        return request
    }

    /// Returns the error in an unsuccessful response of the daemon.
    static func failure(_ data: Data, status: Int) -> DownloadError {
        (try? WireJSON.decode(DownloadError.self, from: data))
            ?? DownloadError(.unexpectedStatus, "the daemon returned status \(status)")
    }

    /// Returns the cause, in the system's words for a system error.
    private static func cause(_ error: any Error) -> String {
        // Unsafe: strerror(3) returns its own C string, which is copied at once.
        guard let code = (error as? IOError)?.errnoCode, let text = unsafe strerror(code) else { return "\(error)" }
        return unsafe String(cString: text)
    }

    /// Returns true if nothing listens at the socket, which needs no further explanation.
    private static func isAbsent(_ error: any Error) -> Bool {
        [ENOENT, ECONNREFUSED].contains((error as? IOError)?.errnoCode)
    }

    func gone(_ error: any Error) -> DownloadError {
        if error is CancellationError { return DownloadError(.cancelled, "the request to the daemon was cancelled") }
        if error as? HTTPClientError == .cancelled {
            return DownloadError(.cancelled, "the request to the daemon was cancelled")
        }
        if let error = error as? HTTPClientError, [.deadlineExceeded, .readTimeout].contains(error) {
            return DownloadError(
                .timedOut, "the daemon at \(endpoint.name) does not respond: see its log, or end it and start it again")
        }
        if let code = (error as? IOError)?.errnoCode, [EACCES, EPERM].contains(code) {
            return DownloadError(
                .notAuthorized, "permission denied: the daemon's socket \(endpoint.name) belongs to another user",
                cause: Self.cause(error))
        }
        return DownloadError(
            .connectionFailed, "no daemon is running at \(endpoint.name); start one: haul daemon start",
            cause: Self.isAbsent(error) ? nil : Self.cause(error))
    }
}
