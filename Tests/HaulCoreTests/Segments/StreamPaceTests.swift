import HaulCore
import Testing

@Suite("How much is asked for at a time where digests follow the front")
struct StreamPaceTests {
    private static let total: Int64 = 1 << 30

    private func pace(_ connections: Int, _ roundTrip: Duration, of total: Int64 = total) throws -> StreamPace {
        try #require(
            StreamPace(total: total, connections: connections, speed: 1e9, age: .seconds(60), roundTrip: roundTrip))
    }

    @Test("one connection comes in order anyway, a small file is hashed in no time, and one that takes long as well")
    func none() {
        func pace(
            _ total: Int64 = Self.total, _ connections: Int = 4, _ speed: Double = 1e9, age: Double = 60
        ) -> StreamPace? {
            StreamPace(
                total: total, connections: connections, speed: speed, age: .seconds(age), roundTrip: .milliseconds(1))
        }
        #expect(pace() != nil)
        #expect(pace(Self.total, 1) == nil)
        #expect(pace(16 << 20) == nil)
        #expect(pace(Self.total, 4, 20e6) == nil)
        #expect(pace(Self.total, 4, 20e6, age: 1) != nil)
        #expect(pace(.max, .max, .nan) == nil)
        #expect(pace(.max, .max, .infinity) != nil)
    }

    @Test(
        "what is left to hash and what the round trips cost stay small beside hashing all at the end",
        arguments: [0.0001, 0.001, 0.02, 0.2], [2, 4, 16])
    func cost(roundTrip: Double, connections: Int) throws {
        let pace = try pace(connections, .seconds(roundTrip))
        let digestSpeed = 1.5e9
        let requests = Double(Self.total) / Double(pace.portion) / Double(connections)
        let tail = Double(pace.portion) * Double(connections) / digestSpeed
        let best = 2 * (Double(Self.total) * roundTrip / digestSpeed).squareRoot()
        let floor = Double(8 << 20) * Double(connections) / digestSpeed + Double(Self.total) / 32 / digestSpeed
        #expect(requests * roundTrip + tail <= best + floor + roundTrip)
        #expect(requests <= 33)
    }

    @Test("no file is asked for in more than so many portions, however large", arguments: [1 << 33, 1 << 40, 1 << 50])
    func large(total: Int64) throws {
        let pace = try pace(4, .milliseconds(1), of: total)
        #expect(total / pace.portion <= 4 * 32 + 1)
    }

    @Test("the portions of all connections are never more than the file where a round trip takes for ever")
    func slow() throws {
        #expect(try pace(4, .seconds(100_000)).portion == Self.total / 4)
        #expect(try pace(4, .seconds(-1)).portion == Self.total / 128)
    }

    @Test("one that is fast keeps what it brings before another has an answer")
    func primary() throws {
        let pace = try pace(4, .milliseconds(10))
        #expect(pace.headStart(of: 0) == pace.portion)
        #expect(pace.headStart(of: 1e9) == pace.portion + 140_000_000)
        #expect(pace.headStart(of: .infinity) > 0)
    }
}
