import Testing

@testable import HaulCore

@Suite("When written bytes are made durable")
struct CheckpointTests {
    /// The times of the checkpoints of a download that brings so many bytes with each tick of 100 ms, in tenths of a second.
    static func checkpoints(bytesPerTick: Int64, ticks: Int) throws -> [Int] {
        var driver = try MachineDriver()
        try driver.start(total: 1 << 40)
        var times: [Int] = []
        for tick in 1...ticks {
            driver.now = .milliseconds(100 * tick)
            let bytes = bytesPerTick * Int64(tick)
            let sample = FetchSample(id: 1, position: bytes, received: bytes, isHeldBack: false)
            guard driver.give(.tick([sample])).contains(.content(.checkpoint)) else { continue }
            times.append(tick)
            driver.give(.checkpointed)
        }
        return times
    }

    @Test("a slow link: after 5 s, whatever has come", arguments: [1, 1000, 1_000_000])
    func slow(bytes: Int64) throws {
        #expect(try Self.checkpoints(bytesPerTick: bytes, ticks: 160) == [50, 100, 150])
    }

    @Test("a fast link: after 64 MiB, but at most once a second")
    func fast() throws {
        #expect(try Self.checkpoints(bytesPerTick: 64 << 20, ticks: 35) == [10, 20, 30])
        #expect(try Self.checkpoints(bytesPerTick: 4 << 20, ticks: 35) == [16, 32])
    }

    @Test("nothing new, no checkpoint")
    func idle() throws { #expect(try Self.checkpoints(bytesPerTick: 0, ticks: 160).isEmpty) }
}
