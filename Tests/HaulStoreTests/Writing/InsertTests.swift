import HaulCore
import Testing

@testable import HaulStore

@Suite struct InsertTests {
    @Test func everyFieldComesBack() throws {
        let shelf = try Shelf()
        var catalogue = try shelf.open()
        let id = try #require(try catalogue.add([Samples.fullSpec]).first)
        for _ in 0..<2 {
            let record = try #require(try catalogue.record(id))
            #expect(record.spec == Samples.fullSpec)
            #expect(record.key == "mine")
            #expect(record.status == .queued)
            #expect(record.added == 1000 && record.changed == 1000)
            #expect(!record.lacksSecrets && record.replacedSources.isEmpty)
            #expect(
                record.targetPath == nil && record.totalBytes == nil && record.fileID == nil && record.doneBytes == 0)
            #expect(catalogue.hostName(record.host) == "example.org")
            #expect(try catalogue.record(key: "mine") == record)
            catalogue.close()
            catalogue = try shelf.open()
        }
    }

    @Test(arguments: [Destination.file(path: "/a b"), .folder(path: ""), .hashed(folder: "/é")])
    func everyDestinationComesBack(_ destination: Destination) throws {
        let catalogue = try Catalogue.open(.inMemory)
        let spec = DownloadSpec(url: "http://h/", destination: destination)
        let id = try catalogue.add([spec])[0]
        let record = try #require(try catalogue.record(id))
        #expect(record.spec == spec)
        #expect(record.key == spec.canonicalKey)
        #expect(try catalogue.record(key: spec.canonicalKey) == record)
    }

    /// Such strings are equal, but name different folders.
    @Test func optionsThatDifferInTheirUnicodeFormAreKeptApart() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let folders = ["/k\u{E9}", "/ke\u{301}", "/k\u{E9}"]
        let specs = folders.enumerated().map { index, folder in
            var spec = Samples.spec(index)
            spec.partialFolder = folder
            return spec
        }
        let ids = try catalogue.add(specs)
        let found = try ids.map { try catalogue.record($0)?.spec.partialFolder ?? "" }
        #expect(found.map { Array($0.utf8) } == folders.map { Array($0.utf8) })
    }

    @Test func aBatchIsNumberedOverWhatIsAdded() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let specs = [1, 2, 1, 3].map(Samples.spec)
        let first = try catalogue.insert(specs.map { NewRecord(spec: $0) }, firstEvent: 1, time: 7)
        #expect(
            first == [
                .added(DownloadID(rawValue: 1), position: 1 << 20, host: 1, event: 1),
                .added(DownloadID(rawValue: 2), position: 2 << 20, host: 1, event: 2),
                .present(DownloadID(rawValue: 1)),
                .added(first[3].id, position: 3 << 20, host: 1, event: 3),
            ])
        let again = try catalogue.insert(
            [NewRecord(spec: specs[3]), NewRecord(spec: Samples.spec(9))], firstEvent: 4, time: 8)
        #expect(again == [.present(first[3].id), .added(again[1].id, position: 4 << 20, host: 1, event: 4)])
        let events = try catalogue.events(after: 0, limit: 10)
        #expect(events.map(\.number) == [1, 2, 3, 4])
        #expect(events.allSatisfy { $0.kind == .added })
        #expect(events.map(\.download) == [first[0].id, first[1].id, first[3].id, again[1].id])
    }

    @Test func identityIsNeverGivenTwice() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let ids = try catalogue.add(3)
        try catalogue.apply([RecordChange(ids[2], .remove)], events: [])
        catalogue.close()
        let again = try shelf.open()
        #expect(try again.add([Samples.spec(77)])[0] > ids[2])
    }

    @Test func theSameFileIsKnownByItsCanonicalURL() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(
            ["http://Host:80/a", "http://host/a#x", "http://u:p@host/b/../a", "http://host/a?"].map {
                DownloadSpec(url: $0, destination: .folder(path: "/d"))
            })
        #expect(ids[0] == ids[1] && ids[1] == ids[2] && ids[2] != ids[3])
    }

    @Test func aPausedOneIsAddedPaused() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let added = try catalogue.insert([NewRecord(spec: Samples.spec(1), state: .paused)], firstEvent: 1, time: 1)
        #expect(try catalogue.record(added[0].id)?.status == .paused(.asked))
    }

    @Test(arguments: StoredState.allCases.filter { $0 != .queued && $0 != .paused })
    func nothingElseIsAdded(_ state: StoredState) throws {
        let catalogue = try Catalogue.open(.inMemory)
        let batch = [NewRecord(spec: Samples.spec(1)), NewRecord(spec: Samples.spec(2), state: state)]
        #expect(throws: DownloadError.self) { try catalogue.insert(batch, firstEvent: 1, time: 1) }
        #expect(try catalogue.count(.all) == 0)
        #expect(catalogue.lastEvent == 0)
        #expect(try catalogue.add(1).count == 1)
    }

    @Test(arguments: [0, 2, 5] as [Int64])
    func aGapInTheNumbersIsRefused(_ first: Int64) throws {
        let catalogue = try Catalogue.open(.inMemory)
        #expect(throws: DownloadError.self) {
            try catalogue.insert([NewRecord(spec: Samples.spec(1))], firstEvent: first, time: 1)
        }
        #expect(try catalogue.count(.all) == 0)
    }
}
