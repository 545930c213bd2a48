import HaulTesting
import HaulTransportHTTP
import Testing

@Suite(.serialized) struct HTTPTransportConformanceTests {
    @Test(arguments: TransportConformance.checks)
    func conforms(_ check: TransportConformance.Check) async throws {
        try await check.run { try HTTPTransport() }
    }

    @Test(arguments: TransportConformance.checks)
    func conformsOverConnectionsOfItsOwn(_ check: TransportConformance.Check) async throws {
        let configuration = HTTPTransportConfiguration(receiveBufferBytes: 32 << 10, usesDirectConnections: true)
        try await check.run { try HTTPTransport(configuration) }
    }

    @Test(arguments: TransportConformance.trafficChecks)
    func conformsWithTwoLoopsAndSmallBuffers(_ check: TransportConformance.Check) async throws {
        let configuration = HTTPTransportConfiguration(eventLoops: 2, receiveBufferBytes: 16 << 10)
        try await check.run { try HTTPTransport(configuration) }
    }
}
