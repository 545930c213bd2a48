import Testing

@testable import HaulTransportHTTP

/// What a connection asks before each of its reads.
@Suite struct LimitedReadsTests {
    @Test func theLimitCostsTheSameHoweverOftenItIsAsked() {
        let current = LimitedReads.Current()
        current.set(ReadLimits.Limit(bytes: { 5000 }))
        var reads = LimitedReads(capacity: 1 << 20, current: current)
        var limited = 0
        // As many as a download of some gigabytes over a slow link has; a stack held a tenth of them once.
        for _ in 0..<500_000 where reads.nextBufferSize() == nil && reads.record(actualReadBytes: 1) { limited += 1 }
        #expect(limited == 500_000)
        current.set(nil)
        #expect(reads.nextBufferSize() == 1 << 20)
    }
}
