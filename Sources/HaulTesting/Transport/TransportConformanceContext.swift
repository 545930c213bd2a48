import HTTPTypes
import HaulTransport
import Synchronization

/// The transport, server and started sinks of one check.
final class TransportConformanceContext: Sendable {
    let transport: any Transport
    let server: TransportConformanceServer
    private let sinks = Mutex<[TransportConformanceSink]>([])

    private init(transport: any Transport, server: TransportConformanceServer) {
        self.transport = transport
        self.server = server
    }

    /// Runs a check; then shuts the transport down and checks that every sink was notified of its end, once and last.
    static func run(
        _ make: TransportConformance.MakeTransport, overTLS: Bool = false,
        script: @escaping TransportConformanceServer.Script,
        body: (TransportConformanceContext) async throws -> Void
    ) async throws {
        try await TransportConformanceServer.run(script, overTLS: overTLS) { server in
            let context = TransportConformanceContext(transport: try make(), server: server)
            let result: Result<Void, any Error>
            do { result = .success(try await body(context)) } catch { result = .failure(error) }
            await context.transport.shutdown()
            try result.get()
            for sink in context.sinks.withLock({ $0 }) {
                let record = sink.record
                try TransportConformance.expect(record.violations, is: [], "breaks of the protocol")
                try TransportConformance.expect(record.outcome != nil, "a transfer without an end")
            }
        }
    }

    /// Starts a transfer from the server, or from another URL.
    func start(
        _ path: String = "/", sink: TransportConformanceSink, url: String? = nil, method: String = "GET",
        body: [UInt8]? = nil, headers: HTTPFields = [:], timeToConnect: Duration = .seconds(15), insecure: Bool = false
    ) -> any TransferHandle {
        sinks.withLock { $0.append(sink) }
        var request = TransferRequest(
            url: url ?? server.url(path), headers: headers, timeToConnect: timeToConnect, insecure: insecure)
        (request.method, request.body) = (method, body)
        return transport.start(request, sink: sink)
    }

    /// Runs a transfer to its end.
    func fetch(
        _ path: String = "/", sink: TransportConformanceSink = TransportConformanceSink(), url: String? = nil,
        method: String = "GET", body: [UInt8]? = nil, headers: HTTPFields = [:],
        timeToConnect: Duration = .seconds(15), insecure: Bool = false
    ) async throws -> TransportConformanceSink.Record {
        _ = start(
            path, sink: sink, url: url, method: method, body: body, headers: headers, timeToConnect: timeToConnect,
            insecure: insecure)
        try await sink.outcome()
        return sink.record
    }
}
