import HaulTesting
import HaulTransportCurl
import Testing

@Suite(.serialized, .enabled(if: CurlUnavailable.reason() == nil, "libcurl is not there"))
struct CurlTransportConformanceTests {
    /// libcurl has a limit of its own for heads, 300 KiB in newer versions.
    @Test(arguments: TransportConformance.checks(largeHeadBytes: 250_000, lacking: [.keptConnections]))
    func conforms(_ check: TransportConformance.Check) async throws {
        try await check.run { CurlTransport() }
    }

    @Test(arguments: TransportConformance.trafficChecks.filter { !$0.needs.contains(.keptConnections) })
    func conformsWithSmallBuffers(_ check: TransportConformance.Check) async throws {
        try await check.run { CurlTransport(CurlTransportConfiguration(receiveBufferBytes: 16 << 10)) }
    }
}
