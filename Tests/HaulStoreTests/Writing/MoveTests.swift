import HaulCore
import Testing

@testable import HaulStore

@Suite struct MoveTests {
    @Test(arguments: 0..<5, -1..<7)
    func itStandsWhereItWasPut(_ from: Int, _ to: Int) throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(5)
        let moved = try catalogue.move(ids[from], to: to)
        var expected = ids
        expected.remove(at: from)
        expected.insert(ids[from], at: min(max(to, 0), 4))
        #expect(try catalogue.list == expected)
        #expect(try moved == .to(#require(try catalogue.record(ids[from])).position))
    }

    @Test func theOnlyOneStays() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(1)
        #expect(try catalogue.move(ids[0], to: 9) == .to(Catalogue.gap))
    }

    @Test func oneThatIsNotThereIsRefused() throws {
        let catalogue = try Catalogue.open(.inMemory)
        #expect { try catalogue.move(DownloadID(rawValue: 1), to: 0) } throws: {
            ($0 as? DownloadError)?.code == .noSuchDownload
        }
    }

    @Test(arguments: [3, 20, 100], [0, 1, 2, 50])
    func aPlaceCanBeTakenAgainAndAgain(_ count: Int, _ index: Int) throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(count)
        var expected = ids
        var known = try positions(catalogue)
        var renumbered = 0
        for round in 0..<80 {
            let id = expected[(round * 7 + 3) % count]
            expected.removeAll { $0 == id }
            expected.insert(id, at: min(index, expected.count))
            switch try catalogue.move(id, to: index) {
            case .to(let position): known[id] = position
            case .renumbered(let placed):
                renumbered += 1
                #expect(placed.map(\.position) == placed.map(\.position).sorted())
                #expect(placed.contains { $0.id == id })
                for each in placed { known[each.id] = each.position }
            }
            try #require(try catalogue.list == expected)
            try #require(try positions(catalogue) == known)
        }
        #expect(index == 0 || index >= count - 1 || renumbered > 0)
    }

    @Test func onlyAsManyAsNeededMakeRoom() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(1000)
        for round in 0..<200 {
            if case .renumbered(let placed) = try catalogue.move(ids[900 - round], to: 500) {
                #expect(placed.count < 150)
            }
        }
    }

    @Test(arguments: [nil, 0, -5] as [Position?], [nil, 6000, 1 << 40] as [Position?])
    func spreadPositionsLieBetweenTheirBounds(_ floor: Position?, _ ceiling: Position?) {
        for count in 1...40 {
            guard let spread = Renumbering.spread(count, floor, ceiling) else {
                #expect(floor != nil && ceiling == 6000 && count >= 5)
                continue
            }
            #expect(spread.count == count && Set(spread).count == count && spread == spread.sorted())
            #expect(floor.map { $0 < spread[0] } ?? true)
            #expect(ceiling.map { $0 > spread[count - 1] } ?? true)
        }
    }

    private func positions(_ catalogue: Catalogue) throws -> [DownloadID: Position] {
        Dictionary(uniqueKeysWithValues: try catalogue.page(.all, limit: 1000).map { ($0.id, $0.position) })
    }
}
