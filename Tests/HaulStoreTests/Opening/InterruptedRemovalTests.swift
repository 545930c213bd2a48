import HaulCore
import Testing

@testable import HaulStore

@Suite struct InterruptedRemovalTests {
    @Test func whatWasBeingRemovedDoesNotComeBack() throws {
        let shelf = try Shelf()
        let old = try shelf.open()
        let ids = try old.add(4)
        // Both had a run when the process was killed.
        let running = ids.prefix(2).map { RecordChange($0, .hasPendingTerminalEvent(true)) }
        let removals = [
            RecordChange(ids[0], .removal(.none)), RecordChange(ids[1], .removal(.partial)),
            RecordChange(ids[2], .removal(.none)), RecordChange(ids[2], .removal(.all)),
        ]
        try old.apply(running + removals, events: [])
        old.close()
        // The files of two are removed later: until then, each opening tells of them.
        for _ in 0..<2 {
            let new = try shelf.open()
            let leftovers = try new.emitPendingTerminalEvents(resumes: true, time: 9)
            #expect(leftovers.map(\.record.id) == [ids[1], ids[2]])
            #expect(leftovers.map(\.removed) == [.partial, .all])
            #expect(try new.list == Array(ids.dropFirst()))
            #expect(try new.events(after: 4, limit: 10).map(\.kind) == [.removed(.none)])
            new.close()
        }
        let last = try shelf.open()
        try last.apply([RecordChange(ids[1], .remove), RecordChange(ids[2], .remove)], events: [])
        #expect(try last.emitPendingTerminalEvents(resumes: true, time: 9).isEmpty)
        #expect(try last.list == [ids[3]])
    }

    @Test func aDownloadThatIsUsedAgainIsNotRemoved() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add(1)[0]
        try catalogue.apply([RecordChange(id, .removal(.all))], events: [])
        try catalogue.apply([RecordChange(id, .state(.queued, time: 5))], events: [])
        #expect(try catalogue.emitPendingTerminalEvents(resumes: true, time: 9).isEmpty)
        #expect(try catalogue.list == [id])
    }

    @Test func aBackupRemovesNothing() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let ids = try catalogue.add(2)
        try catalogue.apply([RecordChange(ids[0], .removal(.partial))], events: [])
        let copy = try Catalogue.open(.file(path: catalogue.backUp("now")))
        #expect(try copy.emitPendingTerminalEvents(resumes: true, time: 9).isEmpty)
        #expect(try copy.list == ids)
        // The original has not changed.
        #expect(try catalogue.emitPendingTerminalEvents(resumes: true, time: 9).map(\.record.id) == [ids[0]])
    }

    @Test func aDownloadThatDoesNotExistCannotBeMarked() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let error = #expect(throws: DownloadError.self) {
            try catalogue.apply([RecordChange(DownloadID(rawValue: 9), .removal(.all))], events: [])
        }
        #expect(error?.code == .noSuchDownload)
    }
}
