import Foundation
import GRDB
import HaulCore
import Synchronization
import Testing

@testable import HaulStore

@Suite struct SyncTests {
    private static func total(_ catalogue: Catalogue) throws -> Int { try catalogue.counts().values.reduce(0, +) }

    @Test("what was committed is unsynced until it is synced")
    func sync() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.sync()
        #expect(!catalogue.hasUnsynced)
        try catalogue.add(3)
        #expect(catalogue.hasUnsynced)
        try catalogue.sync()
        #expect(!catalogue.hasUnsynced)
        while try catalogue.tidy() {}
        try catalogue.sync()
        catalogue.close()
        // SQLite has removed the log, and synced the file.
        try catalogue.sync()
    }

    @Test("a list whose folder is gone can't be synced, and stays unsynced")
    func missing() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.add(3)
        try FileManager.default.removeItem(atPath: shelf.folder)
        let error = #expect(throws: DownloadError.self) { try catalogue.sync() }
        #expect(error?.code == .catalogueFailed)
        #expect(catalogue.hasUnsynced)
    }

    @Test("after a failed sync nothing is accepted until all is rewritten, into another file")
    func failed() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.add(3)
        let before = try FileManager.default.attributesOfItem(atPath: shelf.path)[.systemFileNumber] as? Int
        catalogue.failsSync.store(true, ordering: .sequentiallyConsistent)
        #expect(throws: DownloadError.self) { try catalogue.sync() }
        // A later sync would succeed, which proves nothing.
        try catalogue.sync()
        #expect(catalogue.isSuspect)
        let refusal = #expect(throws: DownloadError.self) { try catalogue.add(1) }
        #expect(refusal?.code == .catalogueFailed)
        #expect(try Self.total(catalogue) == 3)
        try catalogue.checkWritable()
        let after = try FileManager.default.attributesOfItem(atPath: shelf.path)[.systemFileNumber] as? Int
        #expect(before != after && !catalogue.isSuspect)
        try catalogue.add(5)
        try catalogue.sync()
        catalogue.close()
        let again = try shelf.open()
        #expect(try Self.total(again) == 5)
        #expect(try shelf.names.filter { $0.contains("unsynced") || $0.contains("rewritten") }.isEmpty)
    }

    @Test("the log is emptied before the catalogue is closed; one that is suspect keeps it")
    func closing() throws {
        for isSuspect in [false, true] {
            let shelf = try Shelf()
            let catalogue = try shelf.open()
            try catalogue.add(3)
            if isSuspect { catalogue.distrust() } else { catalogue.emptyLog() }
            #expect((CatalogueFile.size(of: shelf.path + "-wal") > 0) == isSuspect)
            catalogue.close()
            #expect((CatalogueFile.size(of: shelf.path + "-wal") > 0) == isSuspect)
        }
    }

    @Test("a process that was killed after a failed sync leaves a mark: the next one rewrites all")
    func marked() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.add(3)
        catalogue.failsSync.store(true, ordering: .sequentiallyConsistent)
        #expect(throws: DownloadError.self) { try catalogue.sync() }
        catalogue.abandon()
        let before = try FileManager.default.attributesOfItem(atPath: shelf.path)[.systemFileNumber] as? Int
        let again = try shelf.open()
        let after = try FileManager.default.attributesOfItem(atPath: shelf.path)[.systemFileNumber] as? Int
        #expect(try Self.total(again) == 3 && before != after && !again.isSuspect)
        again.close()
    }

    @Test("one with the mark that can't be rewritten is not opened, and keeps its log")
    func stillMarked() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.add(3)
        catalogue.distrust()
        // The copy can't have its name.
        try FileManager.default.createDirectory(
            atPath: shelf.path + ".rewritten.part", withIntermediateDirectories: false)
        catalogue.abandon()
        let log = CatalogueFile.size(of: shelf.path + "-wal")
        let error = #expect(throws: DownloadError.self) { try shelf.open() }
        #expect(error?.code == .catalogueFailed)
        #expect(Catalogue.isUnsynced(at: shelf.path))
        #expect(CatalogueFile.size(of: shelf.path + "-wal") == log)
    }

    @Test("what says that a sync failed")
    func syncFailures() {
        #expect(CatalogueFailure.isOfSync(DatabaseError(resultCode: .SQLITE_IOERR_FSYNC)))
        #expect(!CatalogueFailure.isOfSync(DatabaseError(resultCode: .SQLITE_FULL)))
        #expect(!CatalogueFailure.isOfSync(DownloadError(.catalogueFailed, "disk full")))
    }

    @Test("killed while the new file takes its place: the next process completes that")
    func killed() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.add(3)
        try CatalogueFile(path: shelf.path).makeRewritten(from: catalogue.queue)
        catalogue.abandon()
        let again = try shelf.open()
        #expect(try Self.total(again) == 3)
        #expect(try shelf.names.filter { $0.contains("rewritten") }.isEmpty)
    }

    @Test("a copy has what was committed, and a name of its own; no other program can open the list meanwhile")
    func copy() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.add(3)
        let copies = [try catalogue.backUp("now"), try catalogue.backUp("now")]
        #expect(copies == [shelf.path + ".backup-now", shelf.path + ".backup-now-2"])
        try catalogue.add((3..<5).map(Samples.spec))
        // No index of the log that would be mapped into memory.
        #expect(
            try shelf.names == [
                "haul.db", "haul.db-wal", "haul.db.backup-now", "haul.db.backup-now-2", "haul.db.lock",
            ])
        // Not even after this process has tried to open it a second time.
        #expect(throws: DownloadError.self) { try shelf.open() }
        #expect(throws: (any Error).self) { try shelf.raw("SELECT count(*) FROM download") }
        let attributes = try FileManager.default.attributesOfItem(atPath: copies[0])
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let copy = try Catalogue.open(.file(path: copies[1]))
        #expect(try copy.list == Array(catalogue.list.prefix(3)))
    }

    @Test("a list in memory has nothing to sync, and is not copied")
    func inMemory() throws {
        let catalogue = try Catalogue.open(.inMemory)
        try catalogue.add(3)
        #expect(!catalogue.hasUnsynced)
        try catalogue.sync()
        let error = #expect(throws: DownloadError.self) { try catalogue.backUp("now") }
        #expect(error?.code == .notPossible)
    }
}
