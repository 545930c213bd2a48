import Foundation
import GRDB
import HaulCore
import Testing

@testable import HaulStore

@Suite struct SchemaVersionTests {
    /// A layout that is made up.
    private let next = CatalogueSchema(
        versions: CatalogueSchema.current.versions + ["ALTER TABLE download ADD COLUMN more TEXT"])
    private let backup = "haul.db.backup-v\(CatalogueSchema.current.newest)"

    @Test func theFirstLayoutIsBroughtUpToDate() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let ids = try catalogue.add(3)
        catalogue.close()
        try shelf.raw(
            """
            ALTER TABLE download ADD COLUMN source_replaced INTEGER NOT NULL DEFAULT 1 CHECK (source_replaced IN (0, 1));
            ALTER TABLE download DROP COLUMN replaced_sources;
            ALTER TABLE download DROP COLUMN born;
            ALTER TABLE download DROP COLUMN earlier_finish;
            ALTER TABLE download DROP COLUMN has_begun;
            DROP TABLE dependency;
            DROP TABLE removal;
            DELETE FROM grdb_migrations WHERE identifier IN ('v2', 'v3', 'v4', 'v6', 'v7', 'v8');
            PRAGMA user_version = 1;
            """)
        let new = try shelf.open()
        #expect(try new.list == ids && shelf.names.contains("haul.db.backup-v1"))
        #expect(try new.record(ids[0])?.replacedSources == [])
        // Whether they ran is unknown, so their files are looked for.
        #expect(try new.record(ids[0])?.hasBegun == true)
        try new.apply([RecordChange(ids[0], .replacedSources(["a"]))], events: [])
        #expect(try new.record(ids[0])?.replacedSources == ["a"])
        #expect(try new.add(1).count == 1)
    }

    /// The options are those that version 4 wrote.
    @Test func theOptionsOfTheFourthLayoutAreRead() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let ids = try catalogue.add(3)
        catalogue.close()
        let common = #""destination":{"file":{"path":""}},"idleTimeout":45,"retries":9,"url":"""#
        try shelf.raw(
            """
            INSERT INTO options (json) VALUES ('{"connections":{"fixed":{"_0":3}},\(common)}');
            UPDATE download SET options = last_insert_rowid() WHERE id = \(ids[0].rawValue);
            INSERT INTO options (json) VALUES ('{"connections":{"automatic":{"limit":9}},\(common)}');
            UPDATE download SET options = last_insert_rowid() WHERE id = \(ids[1].rawValue);
            INSERT INTO options (json) VALUES ('{"passwordPath":"/p","tokenPath":"","allowsDowngrade":true,\(common)}');
            UPDATE download SET options = last_insert_rowid() WHERE id = \(ids[2].rawValue);
            DELETE FROM grdb_migrations WHERE identifier = 'v5';
            PRAGMA user_version = 4;
            """)
        let new = try shelf.open()
        let specs = try ids.map { id in try #require(try new.record(id)?.spec) }
        #expect(specs.map(\.connections) == [.fixed(3), .automatic(limit: 9), .standard])
        #expect(specs.allSatisfy { $0.retries == 9 && $0.idleTimeout == .seconds(45) && !$0.url.isEmpty })
        #expect(specs[2].password == .file(path: "/p") && specs[2].bearerToken == .text("") && specs[2].allowsDowngrade)
    }

    @Test func aRemovalOfTheSeventhLayoutIsCompleted() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let ids = try catalogue.add(2)
        let finished = ids.map { RecordChange($0, .state(.finished(Samples.facts), time: 9)) }
        try catalogue.apply(finished + [RecordChange(ids[0], .hasPendingTerminalEvent(true))], events: [])
        catalogue.close()
        try shelf.raw(
            "DROP TABLE removal; DELETE FROM grdb_migrations WHERE identifier = 'v8'; PRAGMA user_version = 7")
        let leftovers = try shelf.open().emitPendingTerminalEvents(resumes: true, time: 9)
        #expect(leftovers.map(\.record.id) == [ids[0]])
        #expect(leftovers.map(\.removed) == [.all])
    }

    @Test func anOldOneIsBroughtUpToDateAfterACopyWasMade() throws {
        let shelf = try Shelf()
        let old = try shelf.open()
        let ids = try old.add(5)
        old.close()
        for _ in 0..<2 {
            let new = try shelf.open(schema: next)
            #expect(new.notice == nil)
            #expect(try new.list == ids && new.lastEvent == 5)
            new.close()
        }
        #expect(try shelf.names == ["haul.db", backup, "haul.db.lock"])
        let mode = try FileManager.default.attributesOfItem(atPath: shelf.folder + "/" + backup)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let copy = try Catalogue.open(.file(path: shelf.folder + "/" + backup))
        #expect(try copy.list == ids)
    }

    @Test func aCopyThatIsThereIsNotOverwritten() throws {
        let shelf = try Shelf()
        try shelf.open().close()
        try shelf.write(Data("precious".utf8), backup)
        try shelf.open(schema: next).close()
        #expect(try shelf.read(backup) == Data("precious".utf8))
        #expect(try shelf.names.contains(backup + "-2"))
    }

    @Test func aNewerOneIsNotTouched() throws {
        let shelf = try Shelf()
        let new = try shelf.open(schema: next)
        try new.add(5)
        new.close()
        let before = try shelf.read()
        #expect { try shelf.open() } throws: {
            ($0 as? DownloadError)?.code == .catalogueFailed && "\($0)".contains("newer version")
        }
        #expect(try shelf.read() == before)
        #expect(try shelf.open(schema: next).list.count == 5)
    }

    /// A newer version may have kept the number of the layout: its migrations alone tell.
    @Test func oneWithAnUnknownMigrationIsNotTouched() throws {
        let shelf = try Shelf()
        let new = try shelf.open()
        try new.add(5)
        new.close()
        try shelf.raw("INSERT INTO grdb_migrations VALUES ('v99-future'); ALTER TABLE download ADD COLUMN future TEXT")
        let (before, names) = (try shelf.read(), try shelf.names)
        #expect { try shelf.open() } throws: {
            ($0 as? DownloadError)?.code == .catalogueFailed && "\($0)".contains("newer version")
        }
        #expect(try shelf.read() == before)
        #expect(try shelf.names == names)
    }

    @Test func aMigrationThatFailsChangesNothing() throws {
        let shelf = try Shelf()
        let old = try shelf.open()
        let ids = try old.add(5)
        old.close()
        let broken = CatalogueSchema(versions: next.versions + ["DELETE FROM download; INSERT INTO nothing VALUES (1)"])
        #expect(throws: DownloadError.self) { try shelf.open(schema: broken) }
        #expect(try shelf.open(schema: next).list == ids)
    }

    @Test func aFileThatWasMadeButNotFilledIsFilled() throws {
        let shelf = try Shelf()
        try shelf.raw("PRAGMA journal_mode = WAL")
        let catalogue = try shelf.open()
        #expect(try catalogue.add(1).count == 1)
        #expect(catalogue.notice == nil)
    }
}
