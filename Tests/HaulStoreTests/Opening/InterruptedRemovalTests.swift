import GRDB
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

    @Test func aBackupKeepsThePartialFilesOfCancelledDownloads() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let ids = try catalogue.add(2)
        // One is being removed; the partial file of the other one is being discarded.
        for id in ids { try catalogue.apply(Self.discard(id), events: []) }
        try catalogue.apply([RecordChange(ids[0], .removal(.partial))], events: [])
        let copy = try Catalogue.open(.file(path: catalogue.backUp("now")))
        #expect(try copy.emitPendingTerminalEvents(resumes: true, time: 9).isEmpty)
        for id in ids { #expect(try copy.record(id)?.keptPartial == true) }
        let ends = try copy.events(after: 2, limit: 10).map(\.kind)
        #expect(ends == [.cancelled(keptPartial: true), .cancelled(keptPartial: true)])
        // The original has not changed.
        let leftovers = try catalogue.emitPendingTerminalEvents(resumes: true, time: 9)
        #expect(leftovers.map(\.record.id) == ids)
        #expect(leftovers.map(\.removed) == [.partial, nil])
    }

    @Test func aBackupThatFailedDoesNotPreventTheNextOne() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.apply([RecordChange(catalogue.add(1)[0], .removal(.all))], events: [])
        try catalogue.queue.inDatabase {
            try $0.execute(
                sql: "CREATE TRIGGER fails BEFORE DELETE ON removal BEGIN SELECT RAISE(ABORT, 'no space'); END")
        }
        #expect(throws: DownloadError.self) { try catalogue.backUp("now") }
        try catalogue.queue.inDatabase { try $0.execute(sql: "DROP TRIGGER fails") }
        #expect(try catalogue.backUp("now") == shelf.path + ".backup-now")
    }

    @Test func aDiscardIsReportedAndHasNoEventUntilItIsDone() throws {
        let shelf = try Shelf()
        let old = try shelf.open()
        let id = try old.add(1)[0]
        try old.apply(Self.discard(id), events: [])
        old.close()
        for _ in 0..<2 {
            let new = try shelf.open()
            let leftovers = try new.emitPendingTerminalEvents(resumes: true, time: 9)
            #expect(leftovers.map(\.record.id) == [id])
            #expect(leftovers.map(\.removed) == [nil])
            #expect(new.lastEvent == 1)
            new.close()
        }
        let last = try shelf.open()
        try last.apply([RecordChange(id, .hasPendingTerminalEvent(false))], events: [])
        #expect(try last.emitPendingTerminalEvents(resumes: true, time: 9).isEmpty)
    }

    /// The changes of a cancellation whose partial file is still to be discarded.
    private static func discard(_ id: DownloadID) -> [RecordChange] {
        [
            RecordChange(id, .state(.cancelled(keptPartial: false), time: 5)),
            RecordChange(id, .hasPendingTerminalEvent(true)),
        ]
    }

    @Test func aDownloadThatDoesNotExistCannotBeMarked() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let error = #expect(throws: DownloadError.self) {
            try catalogue.apply([RecordChange(DownloadID(rawValue: 9), .removal(.all))], events: [])
        }
        #expect(error?.code == .noSuchDownload)
    }
}
