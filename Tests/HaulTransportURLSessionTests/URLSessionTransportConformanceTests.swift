import Foundation
import HaulTesting
import HaulTransportURLSession
import Testing

/// The checks of all transports, over FoundationNetworking.
@Suite(.serialized) struct URLSessionTransportConformanceTests {
    /// The abilities that FoundationNetworking lacks; `URLSessionTransport` says how it does without.
    private static let lacking: Set<TransportConformance.Ability> = [
        .backPressure, .exactHeaders, .exactTargets, .rawBodies, .trailers, .unverifiedCertificates, .timeToConnect,
        .invalidResponses,
    ]

    /// The other checks that fail, and what FoundationNetworking does.
    private static let defects = [
        "an end before or in the head is a cut": "it reports an empty response as an invalid one",
        "a broken TLS handshake is no other failure": "it reports all failures of TLS as unknown",
        "a head of 250000 bytes arrives, a too large one is a bad response": "it joins fields of the same name",
    ]

    private static var checks: [TransportConformance.Check] {
        // Some defects end the process: for a new version of Foundation, one check can be run alone.
        if let one = ProcessInfo.processInfo.environment["HAUL_TRANSPORT_CHECK"] {
            return TransportConformance.checks(largeHeadBytes: 250_000).filter { $0.description == one }
        }
        return TransportConformance.checks(largeHeadBytes: 250_000, lacking: lacking)
            .filter { defects[$0.description] == nil }
    }

    @Test(arguments: checks)
    func conforms(_ check: TransportConformance.Check) async throws {
        try await check.run { URLSessionTransport() }
    }

    @Test("each exception names a check")
    func exceptions() {
        let all = Set(TransportConformance.checks(largeHeadBytes: 250_000).map(\.description))
        #expect(Set(Self.defects.keys).isSubset(of: all))
        #expect(TransportConformance.checks(lacking: [.backPressure]).count < TransportConformance.checks.count)
    }
}
