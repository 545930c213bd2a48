import HaulCore
import Testing

@testable import HaulStore

@Suite struct ApplyTests {
    @Test(arguments: Samples.statuses, Samples.statuses)
    func everyStateFollowsEveryOther(_ first: StoredStatus, _ second: StoredStatus) throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add(1)[0]
        for (time, status) in [(10, first), (20, second)] as [(Int64, StoredStatus)] {
            try catalogue.apply([RecordChange(id, .state(status, time: time))], events: [])
            let record = try #require(try catalogue.record(id))
            #expect(record.status == status)
            #expect(record.changed == time && record.added == 1000)
            #expect(try catalogue.counts() == [status.state: 1])
            if case .finished(let facts) = status {
                #expect(record.targetPath == facts.path)
                #expect(record.totalBytes == facts.totalBytes && record.doneBytes == facts.totalBytes)
            }
        }
    }

    @Test(arguments: Samples.statuses)
    func whetherADownloadHasBegunIsKept(_ status: StoredStatus) throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(2)
        #expect(try catalogue.record(ids[0])?.hasBegun == false)
        try catalogue.apply([RecordChange(ids[0], .state(status, time: 10))], events: [])
        #expect(try catalogue.record(ids[0])?.hasBegun == (status == .active))
        for next in [.active, status] {
            try catalogue.apply([RecordChange(ids[0], .state(next, time: 20))], events: [])
        }
        let missing = DownloadID(rawValue: 99)
        #expect(
            try catalogue.standings([ids[1], missing, ids[0]]) == [
                StoredStanding(id: ids[1], state: .queued, hasBegun: false),
                StoredStanding(id: ids[0], state: status.state, hasBegun: true),
            ])
    }

    @Test func placeAndBytesComeBack() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add(1)[0]
        let file = FileIdentity(device: .max, inode: 1 << 63)
        try catalogue.apply(
            [
                RecordChange(id, .targetPath("/d/ä", totalBytes: .max, fileID: file)),
                RecordChange(id, .done(5, totalBytes: nil)),
                RecordChange(id, .replacedSources(["a", "b"])),
            ], events: [])
        let record = try #require(try catalogue.record(id))
        #expect(
            record.targetPath == "/d/ä" && record.totalBytes == .max && record.doneBytes == 5 && record.fileID == file)
        #expect(record.replacedSources == ["a", "b"])
        try catalogue.apply(
            [RecordChange(id, .targetPath(nil, totalBytes: nil, fileID: nil)), RecordChange(id, .replacedSources([]))],
            events: [])
        let after = try #require(try catalogue.record(id))
        #expect(after.targetPath == nil && after.totalBytes == nil && after.fileID == nil)
        #expect(after.replacedSources.isEmpty)
    }

    @Test func aNewSourceKeepsTheKey() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add(1)[0]
        let key = Samples.spec(0).canonicalKey
        try catalogue.apply([RecordChange(id, .spec(Samples.fullSpec))], events: [])
        let record = try #require(try catalogue.record(id))
        #expect(record.key == key)
        #expect(record.spec.url == Samples.fullSpec.url && record.spec.tags == ["x", "y"])
        #expect(try catalogue.record(key: key)?.id == id)
        #expect(try catalogue.add([Samples.spec(0)]) == [id])
        #expect(try catalogue.ids(StoredFilter(groups: ["series"], tags: ["y"])) == [id])
        try catalogue.apply([RecordChange(id, .spec(Samples.spec(0)))], events: [])
        #expect(try catalogue.record(id)?.spec == Samples.spec(0))
        #expect(try catalogue.ids(StoredFilter(tags: ["y"])) == [])
    }

    @Test func changesAndEventsAreOne() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add(1)[0]
        let pause = RecordChange(id, .state(.paused(.asked), time: 9))
        let event = Samples.event(2, id, .paused(.asked))
        let missing = RecordChange(DownloadID(rawValue: 99), .remove)
        #expect { try catalogue.apply([pause, missing], events: [event]) } throws: {
            ($0 as? DownloadError)?.code == .noSuchDownload
        }
        #expect(throws: DownloadError.self) { try catalogue.apply([pause], events: [Samples.event(3, id, .changed)]) }
        #expect(throws: DownloadError.self) { try catalogue.apply([pause], events: [event, event]) }
        #expect(throws: DownloadError.self) {
            try catalogue.apply([pause], events: [Samples.event(2, id, .progress(TransferProgress()))])
        }
        #expect(try catalogue.record(id)?.status == .queued)
        #expect(catalogue.lastEvent == 1)
        try catalogue.apply([pause], events: [event])
        #expect(try catalogue.record(id)?.status == .paused(.asked))
        #expect(try catalogue.events(after: 1, limit: 9) == [event])
    }

    @Test func aFailureForgetsWhatWasInternedInIt() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add(1)[0]
        var spec = Samples.spec(5)
        spec.url = "http://other.example/"
        spec.group = "new"
        spec.retries = 77
        #expect(throws: DownloadError.self) {
            try catalogue.apply(
                [RecordChange(id, .spec(spec)), RecordChange(DownloadID(rawValue: 9), .remove)], events: [])
        }
        let added = try catalogue.add([spec])[0]
        #expect(try catalogue.record(added)?.spec == spec)
        let host = try #require(try catalogue.record(added)).host
        #expect(catalogue.hostName(host) == "other.example")
    }

    @Test func removedIsGoneWithItsTags() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add([Samples.fullSpec])[0]
        try catalogue.apply([RecordChange(id, .remove)], events: [Samples.event(2, id, .removed(.all))])
        #expect(try catalogue.record(id) == nil)
        #expect(try catalogue.ids(StoredFilter(tags: ["x"])) == [])
        #expect(try catalogue.events(after: 0, limit: 5).map(\.kind) == [.added, .removed(.all)])
    }
}

@Suite("Options that are shared by records") struct SharedOptionsTests {
    /// The number of the options is given to others after the transaction was undone.
    @Test("are not those of a transaction that failed")
    func undone() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(2)
        var first = Samples.spec(0)
        first.retries = 77
        // The record is read again for the second change, which decodes the new options.
        let changes = [
            RecordChange(ids[0], .spec(first)), RecordChange(ids[0], .spec(first)),
            RecordChange(DownloadID(rawValue: 99), .remove),
        ]
        #expect(throws: DownloadError.self) { try catalogue.apply(changes, events: []) }
        var second = Samples.spec(1)
        second.retries = 88
        try catalogue.apply([RecordChange(ids[1], .spec(second))], events: [])
        #expect(try catalogue.record(ids[0])?.spec.retries == Samples.spec(0).retries)
        #expect(try catalogue.record(ids[1])?.spec.retries == 88)
    }

    @Test("are read again after they have changed")
    func changed() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(2)
        for retries in [1, 2, 1] {
            var spec = Samples.spec(0)
            spec.retries = retries
            try catalogue.apply([RecordChange(ids[0], .spec(spec))], events: [])
            #expect(try catalogue.record(ids[0])?.spec.retries == retries)
            #expect(try catalogue.record(ids[1])?.spec.retries == Samples.spec(1).retries)
        }
    }
}
