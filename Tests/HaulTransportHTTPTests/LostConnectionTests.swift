import Foundation
import HaulCore
import HaulTransport
import NIOCore
import Synchronization
import Testing

@testable import HaulTesting
@testable import HaulTransportHTTP

@Suite("Lost connections")
struct LostConnectionTests {
    @Test(
        "are not failures to connect, after which a request would be sent again",
        arguments: [ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ECONNREFUSED, EADDRNOTAVAIL])
    func lost(code: Int32) {
        let error = IOError(errnoCode: code, reason: "read")
        let kinds: [TransportError.Kind?] = [.refused, .connectTimedOut]
        #expect(kinds.contains(TransferOutcome(error, isConnected: false).failure))
        #expect(TransferOutcome(error, isConnected: true).failure == .cut)
    }

    @Test("keep their reason, and the address is named only if there was no connection", arguments: [true, false])
    func reason(isConnected: Bool) {
        let error = TransportError(.badResponse, "it sent a TLS alert", .serverWithTLS)
        let outcome = TransferOutcome(error, isConnected: isConnected, hint: "over IPv4 only")
        #expect(outcome.error?.reason == .serverWithTLS)
        #expect(outcome.error?.detail.hasPrefix("over IPv4 only: ") == !isConnected)
    }

    @Test(
        "are replaced for a request that may be sent again; others never use one a second time",
        arguments: ["GET", "POST", "PUT"])
    func repeated(method: String) async throws {
        let lost = Mutex(0)
        try await TransportConformanceContext.run {
            try HTTPTransport(HTTPTransportConfiguration(eventLoops: 1))
        } script: { connection in
            guard try await connection.request() != nil else { return }
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}")
            if try await connection.request() != nil { lost.withLock { $0 += 1 } }
        } body: { context in
            let body: [UInt8]? = method == "GET" ? nil : [1]
            for number in 1...2 {
                let record = try await context.fetch(method: method, body: body)
                #expect(record.outcome == .complete)
                #expect(context.server.connectionCount == number)
            }
        }
        #expect(lost.withLock { $0 } == (method == "GET" ? 1 : 0))
    }

    @Test("are replaced by new ones, not by others that the server is about to close", arguments: [true, false])
    func atOnce(isDirect: Bool) async throws {
        try await TransportConformanceContext.run {
            try HTTPTransport(HTTPTransportConfiguration(eventLoops: 1, usesDirectConnections: isDirect))
        } script: { connection in
            guard try await connection.request() != nil else { return }
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}")
            _ = try await connection.request()
        } body: { context in
            for _ in 0..<10 {
                try await withThrowingTaskGroup(of: TransferOutcome?.self) { tasks in
                    for _ in 0..<16 { tasks.addTask { try await context.fetch().outcome } }
                    for try await outcome in tasks { #expect(outcome == .complete) }
                }
            }
        }
    }
}
