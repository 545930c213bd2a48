import GRDB
package import HaulCore
import Synchronization

/// The downloads and events of one manager, in SQLite.
///
/// It is designed for one owner that calls it from a thread of its own: each call blocks until it is done. The changes
/// of a call are made in one transaction, so that after a crash at any instant it is either done or not begun
/// (guarantee: nothing is lost). After a power failure the transactions since the last `sync` may be missing, but none is
/// partial (write-ahead log, synchronous NORMAL).
///
/// Each call throws `DownloadError` with code `catalogueFailed`, or `catalogueBusy` if another process blocks it.
package final class Catalogue: Sendable {
    /// A message that must be shown to the caller: the path to which a corrupt catalogue was quarantined; nil if all is
    /// well.
    package let notice: String?
    /// The path, for messages.
    let name: String

    /// True if it is in a file.
    let isFile: Bool
    private let connection: Mutex<DatabaseQueue>
    // Safe: used only within accesses to the database, which its queue executes one after the other.
    nonisolated(unsafe) var interned = InternedValues()
    /// The number of the newest event that is committed.
    let newest = Atomic<Int64>(0)
    private let lock: Mutex<CatalogueLock?>
    private let refusesWrites = Atomic(false)
    /// True if something that was committed may not be on disk, whatever later syncs report: see `rewrite`.
    private let suspect = Atomic(false)
    /// True if the connection is closed, and the file is to be opened again.
    private let isDetached = Atomic(false)
    /// The number of pages of the log after which it is moved into the file.
    let checkpointPages = Atomic(CheckpointInterval.rare.rawValue)
    private let committed = Atomic(0)
    /// The number of transactions that were on disk after the last `sync`.
    let synced = Atomic(0)

    /// True if the next sync fails, for tests.
    let failsSync = Atomic(false)

    /// The number of transactions that were committed, for tests and measurements.
    package var transactions: Int { committed.load(ordering: .relaxed) }

    init(queue: DatabaseQueue, name: String, lock: CatalogueLock?, notice: String?) {
        connection = Mutex(queue)
        self.name = name
        self.notice = notice
        isFile = lock != nil
        self.lock = Mutex(lock)
        watchCheckpoints(of: queue)
    }

    /// The connection.
    var queue: DatabaseQueue { connection.withLock { $0 } }

    /// Moves the write-ahead log into the file; if that fails because of a sync, the catalogue is suspect.
    package func emptyLog() { queue.inDatabase { _ = empty($0) } }

    /// Closes the database and releases its lock; a second call has no effect.
    package func close() {
        if isSuspect {
            queue.stayOpen()
        } else {
            // This fails only while a statement is running, and no statement outlives its call.
            try? queue.close()
        }
        lock.withLock { $0 = nil }
    }

    /// Behaves from now on as if the process had been killed: nothing more is written, and another process may open the
    /// catalogue.
    ///
    /// For tests.
    package func abandon() {
        refusesWrites.store(true, ordering: .sequentiallyConsistent)
        // A running access completes first, as a system call does before its process dies. What is read afterwards comes
        // from a copy, because the lock of the file ends only with its connection.
        guard let copy = try? DatabaseQueue(configuration: Self.configuration),
            (try? queue.backup(to: copy)) != nil
        else { return close() }
        let old = connection.withLock { connection in
            defer { connection = copy }
            return connection
        }
        try? old.close()
        lock.withLock { $0 = nil }
    }

    /// Fails all writes, as on a full disk, or stops failing them.
    ///
    /// For tests.
    package func refuseWrites(_ refuses: Bool) { refusesWrites.store(refuses, ordering: .sequentiallyConsistent) }

    deinit { close() }

    /// The size of the files in bytes, and the part of the database that is free; nil if it is in memory.
    package func size() throws(DownloadError) -> (bytes: Int64, freeBytes: Int64, logBytes: Int64)? {
        guard isFile else { return nil }
        return try reading { database in
            func number(_ pragma: String) throws -> Int64 {
                try Int64.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0
            }
            let page = try number("page_size")
            return (
                try number("page_count") * page, try number("freelist_count") * page,
                CatalogueFile.size(of: name + "-wal")
            )
        }
    }

    /// Runs a read-only access.
    func reading<Value>(_ body: (Database) throws -> Value) throws(DownloadError) -> Value {
        do {
            return try queue.inDatabase(body)
        } catch {
            throw CatalogueFailure.error(error, at: name)
        }
    }

    /// Runs a transaction, which is atomic.
    func writing<Value>(_ body: (Database) throws -> Value) throws(DownloadError) -> Value {
        do {
            return try queue.inDatabase { database in
                guard !refusesWrites.load(ordering: .sequentiallyConsistent) else {
                    throw DownloadError(.catalogueFailed, "can't write the catalogue \(name): is the disk full?")
                }
                guard !isSuspect else {
                    throw DownloadError(
                        .catalogueFailed,
                        "can't write the catalogue \(name): an earlier write did not reach the disk; is it full?")
                }
                do {
                    return try attempt(database, body)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL && empty(database) {
                    // The space may have been used up by the log, which is moved into the file seldom.
                    return try attempt(database, body)
                }
            }
        } catch {
            throw CatalogueFailure.error(error, at: name)
        }
    }

    /// Makes a minimal write, to find out whether the database can be written.
    ///
    /// The log is emptied first: on a disk that was full, the next write must not use up the space that the file needs
    /// for that. After a failed sync, the whole catalogue is rewritten.
    package func checkWritable() throws(DownloadError) {
        if isSuspect { try rewrite() }
        emptyLog()
        try writing { database in
            let version = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// True if nothing more is written, because an earlier write may not have reached the disk.
    package var isSuspect: Bool { suspect.load(ordering: .sequentiallyConsistent) }

    /// Refuses writes until the catalogue is rewritten, also by the next process.
    func distrust() {
        suspect.store(true, ordering: .sequentiallyConsistent)
        CatalogueFile(path: name).markUnsynced()
    }

    /// Writes the whole catalogue into a new file, and continues with that.
    ///
    /// After a failed sync, the kernel still returns what it could not write for a while, and later syncs succeed, also if
    /// the same pages are written again (ext4 then believes that they are on disk). So no file of before is used again.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`; try again later.
    package func rewrite() throws(DownloadError) {
        let file = CatalogueFile(path: name)
        let count = transactions
        do {
            if !isDetached.load(ordering: .relaxed) {
                try file.makeRewritten(from: queue)
                // From here on the new file counts, also after a kill.
                isDetached.store(true, ordering: .relaxed)
                try? queue.close()
            }
            try file.takeRewritten()
            let fresh = try Self.connect(name)
            watchCheckpoints(of: fresh)
            connection.withLock { $0 = fresh }
        } catch {
            throw CatalogueFailure.error(error, at: name)
        }
        isDetached.store(false, ordering: .relaxed)
        file.unmarkUnsynced()
        synced.store(count, ordering: .relaxed)
        suspect.store(false, ordering: .sequentiallyConsistent)
    }

    /// Moves the write-ahead log into the file and returns its space to the disk.
    ///
    /// - Returns: False if that failed, for example if there is no space for the file to grow either.
    func empty(_ database: Database) -> Bool {
        do {
            // The row reports if another connection was in the way, which is impossible with a single connection.
            return try Int.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0
        } catch {
            distrust(after: error)
            return false
        }
    }

    private func attempt<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value {
        do {
            return try transaction(database, body)
        } catch {
            distrust(after: error)
            // The values interned in the transaction were rolled back with it.
            unsafe interned = InternedValues()
            throw error
        }
    }

    private func transaction<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value {
        var value: Value?
        try database.inTransaction(.immediate) {
            value = try body(database)
            return .commit
        }
        committed.add(1, ordering: .relaxed)
        guard let value else { throw DownloadError(.internal, "a transaction ended without its result") }
        return value
    }
}
