import Haul
import Synchronization
import Testing

@testable import HaulEngine

@Suite struct TickerTests {
    @Test func eachListenerIsCalledUntilItIsRemoved() async {
        let ticker = Ticker()
        let (calls, call) = AsyncStream.makeStream(of: String.self)
        let first = ticker.add { call.yield("first") }
        let second = ticker.add { call.yield("second") }
        var received: Set<String> = []
        for await name in calls {
            received.insert(name)
            if received.count == 2 { break }
        }
        ticker.remove(first)
        ticker.remove(second)
        #expect(received == ["first", "second"])
    }

    @Test func itBeginsAgainAfterItHadNobody() async {
        let ticker = Ticker()
        for _ in 0..<3 {
            let (calls, call) = AsyncStream.makeStream(of: Void.self)
            let number = ticker.add { call.yield() }
            for await _ in calls { break }
            ticker.remove(number)
        }
    }
}
