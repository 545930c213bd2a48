import Foundation
import HaulTransport
import NIOCore
import Testing

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
}
