import HaulTesting
import HaulTransportCurl
import Testing

@Suite(.serialized, .enabled(if: CurlUnavailable.reason() == nil, "libcurl is not there"))
struct CurlTransportConformanceTests {
    @Test(arguments: TransportConformance.checks)
    func conforms(_ check: TransportConformance.Check) async throws {
        try await check.run { CurlTransport() }
    }

    @Test(arguments: TransportConformance.trafficChecks)
    func conformsWithSmallBuffers(_ check: TransportConformance.Check) async throws {
        try await check.run { CurlTransport(CurlTransportConfiguration(receiveBufferBytes: 16 << 10)) }
    }
}
