import Foundation
import HaulCore
import Testing

@testable import HaulStore

/// A process that dies leaves the files as they stand: so they are copied while the catalogue is open.
@Suite struct KillTests {
    @Test func eachTransactionIsThereWholeOrNotAtAll() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        for round in 0..<12 {
            let ids = try catalogue.add((0..<10).map { Samples.spec(round * 10 + $0) })
            try expectWhole(try copy(shelf), added: (round + 1) * 10, paused: round)
            try catalogue.apply(
                [RecordChange(ids[0], .state(.paused(.asked), time: 9))],
                events: [Samples.event(catalogue.lastEvent + 1, ids[0], .paused(.asked))])
            try expectWhole(try copy(shelf), added: (round + 1) * 10, paused: round + 1)
        }
    }

    /// The last write may be cut anywhere: what is left is the state after some transaction.
    @Test func aLogThatIsCutEndsBetweenTwoTransactions() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        for round in 0..<3 { try catalogue.add((0..<10).map { Samples.spec(round * 10 + $0) }) }
        let log = try shelf.read("haul.db-wal")
        var seen: Set<Int> = []
        for part in stride(from: 0, through: log.count, by: 1777) {
            let copied = try copy(shelf, log: log.prefix(part))
            let again = try copied.open()
            let count = try again.count(.all)
            #expect(count.isMultiple(of: 10) && again.lastEvent == count && again.notice == nil)
            seen.insert(count)
        }
        #expect(seen.isSubset(of: [0, 10, 20, 30]) && seen.count >= 3)
    }

    private func copy(_ shelf: Shelf, log: Data? = nil) throws -> Shelf {
        let copied = try Shelf()
        try copied.write(try shelf.read())
        try copied.write(try log ?? shelf.read("haul.db-wal"), "haul.db-wal")
        return copied
    }

    private func expectWhole(_ shelf: Shelf, added: Int, paused: Int) throws {
        let catalogue = try shelf.open()
        #expect(try catalogue.count(.all) == added)
        #expect(try catalogue.counts()[.paused, default: 0] == paused)
        #expect(catalogue.lastEvent == added + paused)
        let events = try catalogue.events(after: 0, limit: 1000)
        #expect(events.count { $0.kind == .added } == added && events.count { $0.kind == .paused(.asked) } == paused)
    }
}
