import Testing

@testable import HaulTransportCurl

@Suite("libcurl blocks for a silent server")
struct SilentRoundTests {
    @Test("only a long time in one round counts")
    func rounds() {
        let start = ContinuousClock.now
        var silence = SilentRound()
        func isTooLong(_ round: Int, _ seconds: Double) -> Bool {
            silence.isTooLong(round: round, now: start + .seconds(seconds))
        }
        for round in 1...5 {
            #expect(!isTooLong(round, Double(10 * round)))
            #expect(!isTooLong(round, Double(10 * round) + 2))
        }
        #expect(isTooLong(5, 52.1))
        #expect(!isTooLong(6, 60))
    }
}
