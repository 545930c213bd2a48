import Synchronization
import Testing

@testable import HaulServer

@Suite("Where a stream of events begins")
struct EventStartTests {
    struct Case: Sendable {
        var after: Int64?
        var (last, first): (Int64, Int64?)
        var start: EventStart
    }

    private static func continues(_ after: Int64?, last: Int64, first: Int64?) -> Case {
        Case(after: after, last: last, first: first, start: EventStart(since: after, reset: nil))
    }

    private static func resets(_ after: Int64, last: Int64, first: Int64?) -> Case {
        Case(after: after, last: last, first: first, start: EventStart(since: last, reset: last))
    }

    @Test(arguments: [
        continues(nil, last: 9, first: 1), continues(0, last: 0, first: nil), continues(9, last: 9, first: nil),
        continues(9, last: 9, first: 5), continues(0, last: 9, first: 1), continues(4, last: 9, first: 5),
        continues(5, last: 9, first: 5),
        resets(3, last: 9, first: 5), resets(8, last: 9, first: nil), resets(10, last: 9, first: 1),
        resets(1, last: 0, first: nil), resets(.max, last: 9, first: 1),
    ])
    func begins(_ each: Case) async {
        #expect(await EventStart(after: each.after, last: { each.last }, first: { each.first }) == each.start)
    }

    /// The client's model heard `started` first: between the two numbers a download was added.
    @Test("What is added to an empty list while the stream begins is told")
    func added() async {
        let numbers = Mutex<[Int64]>([])
        func read(_ number: ([Int64]) -> Int64?) -> Int64? {
            numbers.withLock { numbers in
                defer { numbers = [1, 2] }
                return number(numbers)
            }
        }
        let start = await EventStart(after: 0, last: { read(\.last) ?? 0 }, first: { read(\.first) })
        #expect(start == EventStart(since: 0, reset: nil))
    }
}
