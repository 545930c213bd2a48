import Haul
import HaulTestData
import Testing

@testable import HaulEngine

/// When a folder is read instead of looked into.
@Suite struct DirectoryCachePolicyTests {
    private typealias Looks = DirectoryCachePolicy<String>
    private let start = ContinuousClock.now

    /// Asks, and tells the advice as a text.
    private func ask(_ looks: inout Looks, after duration: Duration = .zero) -> String {
        switch looks.ask(start + duration) {
        case .listing(let listing): listing
        case .look: "look"
        case .lookAndRead(let limit): "read \(limit)"
        }
    }

    /// Asks until the folder is to be read.
    private func begin(_ looks: inout Looks, after duration: Duration = .zero) {
        for _ in 1..<16 { #expect(ask(&looks, after: duration) == "look") }
        #expect(ask(&looks, after: duration) == "read 1024")
    }

    @Test("after many questions it is read once, for as many names as they are worth, and answers for a second")
    func many() {
        var looks = Looks()
        begin(&looks)
        #expect(ask(&looks) == "look", "while it is being read")
        looks.read("names", names: 3, from: start, to: start)
        #expect(ask(&looks) == "names")
        #expect(ask(&looks, after: .milliseconds(999)) == "names")
        for _ in 3..<16 { #expect(ask(&looks, after: .seconds(1)) == "look") }
        #expect(ask(&looks, after: .seconds(1)) == "read 1024")
    }

    @Test("it is read again only when there were questions enough for the names that it had")
    func again() {
        var looks = Looks()
        begin(&looks)
        looks.read("names", names: 64_000, from: start, to: start)
        for _ in 1..<1000 { #expect(ask(&looks, after: .seconds(2)) == "look") }
        #expect(ask(&looks, after: .seconds(2)) == "read 64000")
    }

    @Test(
        "one that is too large is tried again after four times the questions, and never beyond the memory that it may take"
    )
    func large() {
        var looks = Looks()
        var tries: [Int] = []
        for number in 1...100_000 {
            guard case .lookAndRead(let limit) = looks.ask(start) else { continue }
            #expect(limit <= Looks.maxNames && limit <= number * 64)
            tries.append(number)
            looks.failed()
        }
        #expect(tries == [16, 64, 256, 1024, 4096, 16_384, 65_536])
    }

    @Test("whatever happens, a question costs at most 128 names: what failed was paid for twice", arguments: 1...20)
    func amortized(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var looks = Looks()
        var (now, read) = (start, 0)
        for questions in 1...5000 {
            now += .milliseconds(Int.random(in: 0...50, using: &random))
            if Int.random(in: 0...99, using: &random) == 0 { looks.changed() }
            guard case .lookAndRead(let limit) = looks.ask(now) else { continue }
            let names = Int.random(in: 0...4 * limit, using: &random)
            read += min(names, limit)
            if names <= limit { looks.read("names", names: names, from: now, to: now) } else { looks.failed() }
            #expect(read <= 128 * questions)
        }
        #expect(read > 0)
    }

    @Test("what took longer to read than it counts is not used")
    func slow() {
        var looks = Looks()
        begin(&looks)
        looks.read("names", names: 3, from: start, to: start + .seconds(1))
        #expect(ask(&looks) == "look")
    }

    @Test("a partial of this program makes what was read, and what is being read, worthless")
    func changed() {
        var looks = Looks()
        begin(&looks)
        looks.read("names", names: 3, from: start, to: start)
        looks.changed()
        begin(&looks)
        looks.changed()
        looks.read("names", names: 3, from: start, to: start)
        #expect(ask(&looks) == "look")
    }

    @Test("where it is of no use, a folder is not read, whatever was on its way", arguments: [true, false])
    func useless(isBeingRead: Bool) {
        var looks = Looks()
        if isBeingRead { begin(&looks) }
        looks.giveUp()
        looks.read("names", names: 3, from: start, to: start)
        looks.failed()
        looks.changed()
        for _ in 0..<1000 { #expect(ask(&looks) == "look") }
    }
}
