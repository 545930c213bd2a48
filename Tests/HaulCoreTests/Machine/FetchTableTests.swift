import Testing

@testable import HaulCore

@Suite("The table of running fetches")
struct FetchTableTests {
    /// A table of fetches that fill segments of 100 bytes each.
    private static func table(_ segments: Int) throws -> FetchTable {
        let url = try SourceURL(parsing: "http://host/file")
        var table = FetchTable()
        for segment in 0..<segments {
            let start = Int64(segment * 100)
            let plan = FetchPlan(
                id: table.nextID, url: url, redirects: [], ask: RangeRequest(offset: start), segment: segment,
                position: start, end: start + 100, source: segment == 0 ? .main : 1)
            table.begin(plan, now: .zero)
        }
        return table
    }

    @Test("numbers are never reused, and the fetches stay in order")
    func numbers() throws {
        var table = try Self.table(3)
        #expect(table.all.map(\.id) == [1, 2, 3] && table.nextID == 4)
        #expect(table.end(2)?.segment == 1)
        #expect(table.end(2) == nil && table[2] == nil)
        #expect(table.all.map(\.id) == [1, 3] && table.nextID == 4)
        #expect(table.count(from: .main) == 1 && table.count(from: 1) == 1)
    }

    @Test("the strongest reason for cancelling a fetch decides what its end means, in whatever order they come")
    func cancellation() throws {
        let error = DownloadError(.timedOut, "slow")
        let reasons: [ActiveFetch.Cancellation] = [.surplus, .stalled, .tooSlow(error)]
        for first in reasons.indices {
            for second in reasons.indices {
                var table = try Self.table(1)
                table.cancel(1, as: reasons[first])
                table.cancel(1, as: reasons[second])
                #expect(table[1]?.cancellation == reasons[max(first, second)])
            }
        }
        for stronger in reasons.dropFirst() {
            var table = try Self.table(1)
            table.cancel(1, as: .moved)
            #expect(table[1]?.isSuperfluous == true)
            table.cancel(1, as: stronger)
            table.cancel(1, as: .moved)
            #expect(table[1]?.cancellation == stronger && table[1]?.isSuperfluous == false)
        }
    }

    @Test("a response is awaited, accepted or rejected, also while its fetch is being cancelled")
    func response() throws {
        var table = try Self.table(1)
        #expect(!table.isDelivering(.main) && table[1]?.decision == nil)
        #expect(table.receiveHead(1, now: .seconds(2))?.latency == .seconds(2))
        table.decide(1, .accepted)
        table.cancel(1, as: .surplus)
        #expect(table.isDelivering(.main) && !table.isDelivering(1) && table.accepted.map(\.id) == [1])
        table.decide(1, .rejected(.rangesBroken("no range")))
        #expect(!table.isDelivering(.main) && table[1]?.decision == .rangesBroken("no range"))
    }

    @Test("a fetch that yields gives up what is after the offset, and never gets it back")
    func yielding() throws {
        var table = try Self.table(1)
        #expect(table.hedge(of: 99) == 1 && table.hedge(of: 100) == nil)
        table.yield(1, at: 60)
        table.yield(1, at: 80)
        #expect(table.hedge(of: 59) == 1 && table.hedge(of: 60) == nil)
    }

    @Test("only one take-over is pending, and it ends with its fetch")
    func takeOver() throws {
        var table = try Self.table(2)
        table.beginTakeOver(of: 1)
        #expect(!table.endTakeOver(of: 2) && table.isTakingOver)
        #expect(table.endTakeOver(of: 1) && !table.isTakingOver)
        table.beginTakeOver(of: 2)
        _ = table.end(1)
        #expect(table.isTakingOver)
        _ = table.end(2)
        #expect(!table.isTakingOver)
    }

    @Test("a fetch whose segment was overrun has no segment any more")
    func overrun() throws {
        var table = try Self.table(2)
        #expect(table.overrun(1) == [2] && table.overruns == 1)
        #expect(table.fills(0) && !table.fills(1) && table[2]?.segment == nil)
    }
}
