import HaulTesting
import Testing

@testable import Haul

/// When a folder is read instead of looked into.
@Suite struct FolderLooksTests {
    private let start = ContinuousClock.now

    @Test("few questions never read a folder")
    func few() {
        var looks = FolderLooks()
        for _ in 1..<16 { #expect(looks.ask(start) == .look) }
    }

    @Test("after many it is read once, for as many names as the questions are worth, and answers for a second")
    func many() {
        var looks = FolderLooks()
        for _ in 1..<16 { _ = looks.ask(start) }
        #expect(looks.ask(start) == .lookAndRead(limit: 1024))
        #expect(looks.ask(start) == .look, "while it is being read")
        looks.read(3, from: start, to: start)
        #expect(looks.ask(start) == .listing)
        #expect(looks.ask(start + .milliseconds(999)) == .listing)
        #expect(looks.ask(start + .seconds(1)) == .look, "it is too old, and few questions came since")
    }

    @Test("it is read again only when there were questions enough for the names that it had")
    func again() {
        var looks = FolderLooks()
        looks.read(64_000, from: start, to: start)
        for _ in 1..<1000 { #expect(looks.ask(start + .seconds(2)) == .look) }
        #expect(looks.ask(start + .seconds(2)) == .lookAndRead(limit: 64_000))
    }

    @Test(
        "one that is too large is tried again after four times the questions, and never beyond the memory that it may take"
    )
    func large() {
        var looks = FolderLooks()
        var tries: [Int] = []
        for number in 1...100_000 {
            guard case .lookAndRead(let limit) = looks.ask(start) else { continue }
            #expect(limit <= FolderLooks.mostNames && limit <= number * 64)
            tries.append(number)
            looks.failed()
        }
        #expect(tries == [16, 64, 256, 1024, 4096, 16_384, 65_536])
    }

    @Test("whatever happens, a question costs at most 128 names: what failed was paid for twice", arguments: 1...20)
    func amortized(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var looks = FolderLooks()
        var (now, read, questions) = (start, 0, 0)
        for _ in 0..<5000 {
            now += .milliseconds(Int.random(in: 0...50, using: &random))
            questions += 1
            guard case .lookAndRead(let limit) = looks.ask(now) else { continue }
            let names = Int.random(in: 0...4 * limit, using: &random)
            read += min(names, limit)
            if names <= limit { looks.read(names, from: now, to: now) } else { looks.failed() }
            #expect(read <= 2 * 64 * questions)
        }
    }

    @Test("what took longer to read than it counts is not used")
    func slow() {
        var looks = FolderLooks()
        for _ in 1...16 { _ = looks.ask(start) }
        looks.read(3, from: start, to: start + .seconds(1))
        #expect(looks.ask(start + .seconds(1)) == .look)
        #expect(looks.ask(start) == .look)
    }

    @Test("a partial of this program makes what was read, and what is being read, worthless")
    func changed() {
        var looks = FolderLooks()
        looks.read(3, from: start, to: start)
        looks.changed()
        for _ in 1..<16 { #expect(looks.ask(start) == .look) }
        #expect(looks.ask(start) == .lookAndRead(limit: 1024))
        looks.changed()
        looks.read(3, from: start, to: start)
        #expect(looks.ask(start) == .look)
        looks.read(3, from: start, to: start)
        #expect(looks.ask(start) == .listing)
    }

    @Test("where it is of no use, a folder is not read")
    func useless() {
        var looks = FolderLooks()
        looks.giveUp()
        for _ in 0..<1000 { #expect(looks.ask(start) == .look) }
    }
}
