import Foundation
import HaulCore
import Testing

@testable import HaulStore

@Suite struct TidyTests {
    private func size(_ shelf: Shelf, _ suffix: String = "") throws -> Int {
        let path = shelf.path + suffix
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        return try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    @Test("the space of removed records and events returns to the disk, in portions, and the log is emptied")
    func space() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let ids = try catalogue.add((0..<20_000).map(Samples.spec))
        while try catalogue.tidy() {}
        let (full, report) = (try size(shelf), try #require(try catalogue.size()))
        #expect(report.bytes == full && report.freeBytes == 0 && report.logBytes == 0)
        #expect(try size(shelf, "-wal") == 0)
        try catalogue.apply(ids.map { RecordChange($0, .remove) }, events: [])
        try catalogue.pruneEvents(keeping: 10)
        let removed = try #require(try catalogue.size())
        #expect(try removed.freeBytes > 0 && size(shelf, "-wal") > 0)
        var portions = 1
        while try catalogue.tidy(pages: 100) { portions += 1 }
        #expect(portions > 5)
        #expect(try size(shelf) < full / 10 && size(shelf, "-wal") == 0)
        let tidy = try #require(try catalogue.size())
        #expect(tidy.freeBytes == 0)
        #expect(try catalogue.events(after: 0, limit: 100).count == 10)
        catalogue.close()
        #expect(try shelf.open().lastEvent == 20_000)
    }

    @Test("a list in memory has no size, and is tidied without effect")
    func inMemory() throws {
        let catalogue = try Catalogue.open(.inMemory)
        #expect(try catalogue.size() == nil)
        #expect(try !catalogue.tidy())
    }
}
