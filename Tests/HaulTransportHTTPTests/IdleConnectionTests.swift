import Foundation
import HaulTransport
import NIOCore
import NIOPosix
import Testing

@testable import HaulTesting
@testable import HaulTransportHTTP

@Suite("Idle connections")
struct IdleConnectionTests {
    private final class Connection: HostConnection {
        var isClosed = false
        func closeIfIdle(at authority: String?) { isClosed = true }
    }

    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()

    @Test("beyond the limit, the one that has been idle longest is closed")
    func limit() async throws {
        let loop = loop
        let connections = ClientConnections(maxIdle: 2)
        let all = try await loop.submit {
            let all = (0..<4).map { _ in Connection() }
            for connection in all { connections.add(connection, on: loop) }
            for index in [0, 1, 2] { connections.becameIdle(all[index]) }
            // Used in between, so it is now the newest.
            connections.becameBusy(all[1])
            connections.becameIdle(all[1])
            connections.becameIdle(all[3])
            return NIOLoopBound(all, eventLoop: loop)
        }.get()
        let closed = try await loop.submit { all.value.map(\.isClosed) }.get()
        #expect(closed == [true, false, true, false])
    }

    @Test("of several hosts are closed beyond the limit", arguments: [true, false])
    func hosts(isDirect: Bool) async throws {
        try await TransportConformanceContext.run {
            var configuration = HTTPTransportConfiguration(eventLoops: 1, usesDirectConnections: isDirect)
            configuration.maxIdleConnections = 1
            return try HTTPTransport(configuration)
        } script: { connection in
            while try await connection.request() != nil {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}")
            }
        } body: { context in
            for host in ["127.0.0.1", "localhost", "127.0.0.1", "127.0.0.1"] {
                let url = "http://\(host):\(context.server.port)/"
                var record = try await context.fetch(url: url)
                // AsyncHTTPClient may choose a connection that is being closed; the engine tries again, too.
                if !isDirect, record.outcome != .complete { record = try await context.fetch(url: url) }
                #expect(record.outcome == .complete)
            }
            #expect(isDirect ? context.server.connectionCount == 3 : context.server.connectionCount >= 3)
        }
    }

    @Test("are closed for a transfer that finds no free file, which then begins again, once")
    func noFiles() async throws {
        let loop = loop
        let (connections, sink) = (ClientConnections(), OutcomeSink())
        let transfer = HTTPTransfer(sink: sink, loop: loop) { _ in }
        let target = try RequestTarget("http://h/")
        let restarted = loop.makePromise(of: Void.self)
        let idle = try await loop.submit {
            let idle = Connection()
            connections.add(idle, on: loop)
            connections.becameIdle(idle)
            transfer.state.value.authority = (connections, target)
            transfer.state.value.restart = { restarted.succeed(()) }
            transfer.received(IOError(errnoCode: EMFILE, reason: "socket"))
            return NIOLoopBound(idle, eventLoop: loop)
        }.get()
        try await restarted.futureResult.get()
        #expect(try await loop.submit { idle.value.isClosed }.get())
        try await loop.submit { transfer.received(IOError(errnoCode: EMFILE, reason: "socket")) }.get()
        #expect(await sink.outcome()?.failure == .tooManyFiles)
    }
}
