import Foundation
import HaulCore
import Testing

@testable import HaulStore

@Suite struct SyncTests {
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

    @Test("a list in memory has nothing to sync")
    func inMemory() throws {
        let catalogue = try Catalogue.open(.inMemory)
        try catalogue.add(3)
        #expect(!catalogue.hasUnsynced)
        try catalogue.sync()
    }
}
