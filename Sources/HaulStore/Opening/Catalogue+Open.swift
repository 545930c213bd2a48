import GRDB
package import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Catalogue {
    /// Opens a catalogue, or creates one if it does not exist.
    ///
    /// Its folder must exist.
    ///
    /// - A catalogue of an older Haul is migrated, after a backup was made beside it (`.backup-v1`).
    /// - A catalogue of a newer Haul, and a database of another program, is rejected and not modified.
    /// - A file that is not a database, or a damaged one, is quarantined as `.bad-1` (or the next free number), and
    ///   reported in `notice`.
    /// - Downloads that were waiting or active and whose secrets are lost are held for them, each with its event.
    ///
    /// - Throws: `catalogueBusy` if another process has it open; `catalogueFailed` if it cannot be read or written.
    package static func open(_ location: CatalogueLocation) throws(DownloadError) -> Catalogue {
        try open(location, schema: .current)
    }

    /// Opens a catalogue with another schema, for tests.
    static func open(_ location: CatalogueLocation, schema: CatalogueSchema) throws(DownloadError) -> Catalogue {
        let catalogue: Catalogue
        switch location {
        case .inMemory:
            let queue = try wrapped("") { try DatabaseQueue(configuration: configuration) }
            try wrapped("") { try schema.migrator.migrate(queue) }
            catalogue = Catalogue(queue: queue, name: "in memory", lock: nil, notice: nil)
        case .file(let path):
            catalogue = try openFile(CatalogueFile(path: path), schema)
        }
        catalogue.recorded(
            upTo: try catalogue.reading { try Int64.fetchOne($0, sql: "SELECT max(number) FROM event") })
        try catalogue.holdWithoutSecrets(time: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
        try catalogue.dropUnused()
        return catalogue
    }

    private static func openFile(_ file: CatalogueFile, _ schema: CatalogueSchema) throws(DownloadError) -> Catalogue {
        try CatalogueLock.checkNotHeldHere(file.path)
        // Before locking, which would leave a file beside something that is not a catalogue.
        var header = try file.header()
        let lock = try CatalogueLock(file.path)
        try file.takeRewritten()
        file.removeUnfinishedCopies()
        header = try file.header()
        var notice: String?
        if case .database(let version, let application) = header {
            try file.checkWritable()
            try refuse(version, application, schema, file.path)
            if let queue = try openSound(file, version, schema) {
                return Catalogue(queue: queue, name: file.path, lock: lock, notice: nil)
            }
        }
        if header != .missing {
            let quarantined = try file.quarantine()
            notice =
                "the catalogue \(file.path) was corrupt: it was moved to \(quarantined), and an empty one was created"
        }
        try file.create()
        let queue = try wrapped(file.path) { try connect(file.path) }
        try wrapped(file.path) { try schema.migrator.migrate(queue) }
        if notice != nil { try wrapped(file.path) { try queue.write(skipOldEvents) } }
        return Catalogue(queue: queue, name: file.path, lock: lock, notice: notice)
    }

    /// Begins with an event whose number is higher than those of the list before, so that clients of that list are told to
    /// read this one.
    private static func skipOldEvents(_ database: Database) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try database.execute(
            sql: "INSERT INTO event (number, download, time, kind) VALUES (?, 0, ?, 'changed')", arguments: [now, now])
    }

    /// Opens a file that has the header of a database; nil if it turns out to be corrupt.
    ///
    /// There is one connection from the beginning: whatever closes one moves the log into the file, and says nothing if
    /// a sync fails.
    private static func openSound(
        _ file: CatalogueFile, _ version: Int32, _ schema: CatalogueSchema
    ) throws(DownloadError) -> DatabaseQueue? {
        do {
            var queue = try DatabaseQueue(path: file.path, configuration: configuration)
            do {
                let logged = try queue.inDatabase { try look($0, file, schema) } ?? version
                if file.isMarkedUnsynced { queue = try rewritten(queue, file) }
                try queue.inDatabase(startLog)
                if logged > 0, logged < schema.newest {
                    try CatalogueBackup.make(of: queue, at: file.backupName("v\(logged)"))
                }
                try schema.migrator.migrate(queue)
                try queue.inDatabase(touchEnds)
                return queue
            } catch {
                // The system reports a failed sync once: the next start must not trust what it finds in the cache.
                if CatalogueFailure.isOfSync(error) { file.markUnsynced() }
                if file.isMarkedUnsynced { queue.stayOpen() }
                throw error
            }
        } catch  where CatalogueFailure.isGarbled(error) {
            return nil
        } catch {
            throw CatalogueFailure.error(error, at: file.path)
        }
    }

    /// Rejects a catalogue of another program or a newer version before anything is written.
    ///
    /// - Returns: The version of the schema. The log may be newer than the file's header.
    private static func look(_ database: Database, _ file: CatalogueFile, _ schema: CatalogueSchema) throws -> Int32? {
        let version = try Int32.fetchOne(database, sql: "PRAGMA user_version")
        let application = try Int32.fetchOne(database, sql: "PRAGMA application_id")
        try refuse(version ?? 0, application ?? 0, schema, file.path)
        guard try !schema.migrator.hasBeenSuperseded(database) else {
            throw newer(file.path, "it has an unknown migration")
        }
        return version
    }

    /// Rewrites a catalogue that the last process could not sync: see the method without arguments.
    private static func rewritten(_ queue: DatabaseQueue, _ file: CatalogueFile) throws -> DatabaseQueue {
        try file.makeRewritten(from: queue)
        try? queue.close()
        try file.takeRewritten()
        file.unmarkUnsynced()
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// Opens the file of a catalogue that has been looked at, or is new.
    static func connect(_ path: String) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase(startLog)
        return queue
    }

    /// Switches to write-ahead mode, which writes to the file.
    private static func startLog(_ database: Database) throws {
        // Takes effect for new files only: free pages can then be returned to the disk (`tidy`).
        try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    }

    private static func refuse(
        _ version: Int32, _ application: Int32, _ schema: CatalogueSchema, _ path: String
    ) throws(DownloadError) {
        // Version 0 without a mark: the file was created, but not filled, when the process died.
        guard application == CatalogueSchema.applicationID || (application == 0 && version == 0) else {
            throw DownloadError(
                .catalogueFailed, "\(path) is a database of another program: choose another path for the catalogue",
                cause: "application_id \(application)")
        }
        guard version <= schema.newest else {
            throw newer(path, "layout \(version); this version supports up to \(schema.newest)")
        }
    }

    private static func newer(_ path: String, _ cause: String) -> DownloadError {
        DownloadError(
            .catalogueFailed, "the catalogue \(path) was written by a newer version of Haul: update Haul",
            cause: cause)
    }

    /// Reads the first and the last row of each tree, which is cheap and detects a truncated file.
    ///
    /// A check of every page would take seconds with a million records. Damage further inside is detected when it is
    /// read.
    private static func touchEnds(_ database: Database) throws {
        for (table, column) in [
            ("download", "id"), ("download", "position"), ("download", "key"), ("event", "number"), ("host", "number"),
            ("options", "number"), ("label", "number"), ("tag", "download"),
            ("dependency", "download"), ("removal", "download"),
        ] {
            _ = try Row.fetchOne(database, sql: "SELECT * FROM \(table) ORDER BY \(column) LIMIT 1")
            _ = try Row.fetchOne(database, sql: "SELECT * FROM \(table) ORDER BY \(column) DESC LIMIT 1")
        }
    }

    private static func wrapped<Value>(_ path: String, _ body: () throws -> Value) throws(DownloadError) -> Value {
        do { return try body() } catch { throw CatalogueFailure.error(error, at: path) }
    }

    /// The configuration of the single connection, which no other process shares.
    ///
    /// SQLite then keeps the index of its log in memory. Otherwise it maps a file, and a write to a mapped file on a full
    /// disk ends the process (SIGBUS) on file systems that copy on write, such as Btrfs, or have blocks of less than 4 KiB.
    ///
    /// The index of a million keys should fit in the page cache (64 MiB), and the log is moved into the file seldom
    /// enough that a page which is changed by many batches is moved once.
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.label = "haul.catalogue"
        configuration.prepareDatabase { database in
            // Before anything is read: later, the file would be mapped all the same.
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try database.execute(sql: "PRAGMA cache_size = -65536")
            database.add(function: FilterSQL.containsFunction)
        }
        return configuration
    }
}

/// The location of a catalogue.
package enum CatalogueLocation: Sendable, Hashable {
    /// In memory: it is lost when it is closed.
    case inMemory
    /// In this file, with `-wal` and `.lock` beside it, in an existing folder.
    case file(path: String)
}
