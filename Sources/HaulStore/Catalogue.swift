import GRDB
package import HaulCore
import Synchronization

/// The downloads and events of one manager, in SQLite.
///
/// Made for one owner that calls it from a thread of its own: each call blocks until it is done. What a call changes,
/// it changes in one transaction, so that a crash at any instant leaves it done or not begun (guarantee: nothing lost).
/// After a power cut the last transactions may be missing, but none is halved (write-ahead log, synchronous NORMAL).
///
/// Each call throws `DownloadError` with code `catalogueFailed`, or `catalogueBusy` where another process is in the
/// way.
package final class Catalogue: Sendable {
    /// What the caller must be told loudly: a garbled catalogue was set aside, and where; nil where all is well.
    package let notice: String?
    /// The path, for messages.
    let name: String

    let queue: DatabaseQueue
    // Safe: used only within accesses to the database, which its queue runs one after the other.
    nonisolated(unsafe) var interned = InternedValues()
    /// The number of the newest event that is recorded for good.
    let newest = Atomic<Int64>(0)
    private let lock: Mutex<CatalogueLock?>
    private let refusesWrites = Atomic(false)

    init(queue: DatabaseQueue, name: String, lock: CatalogueLock?, notice: String?) {
        self.queue = queue
        self.name = name
        self.notice = notice
        self.lock = Mutex(lock)
    }

    /// Closes the database and gives up the right to it; a second time does nothing.
    package func close() {
        // It fails only while a statement is running, and none outlives its call.
        try? queue.close()
        lock.withLock { $0 = nil }
    }

    /// Behaves from now on as if the process had been killed: nothing more is written, another may open it.
    ///
    /// For tests.
    package func abandon() {
        refusesWrites.store(true, ordering: .sequentiallyConsistent)
        // An access that is under way ends first, as a system call does before its process dies.
        queue.inDatabase { _ in }
        lock.withLock { $0 = nil }
    }

    /// Refuses to write, as on a full disk, or writes again.
    ///
    /// For tests.
    package func refuseWrites(_ refuses: Bool) { refusesWrites.store(refuses, ordering: .sequentiallyConsistent) }

    deinit { close() }

    /// Runs what only reads.
    func reading<Value>(_ body: (Database) throws -> Value) throws(DownloadError) -> Value {
        do {
            return try queue.inDatabase(body)
        } catch {
            throw CatalogueFailure.error(error, at: name)
        }
    }

    /// Runs a transaction: all of it happens, or nothing.
    func writing<Value>(_ body: (Database) throws -> Value) throws(DownloadError) -> Value {
        do {
            return try queue.inDatabase { database in
                guard !refusesWrites.load(ordering: .sequentiallyConsistent) else {
                    throw DownloadError(.catalogueFailed, "the catalogue \(name) can't be written: is the disk full?")
                }
                do {
                    return try attempt(database, body)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL && Self.empty(database) {
                    // The log, which is moved into the file seldom, took the room.
                    return try attempt(database, body)
                }
            }
        } catch {
            throw CatalogueFailure.error(error, at: name)
        }
    }

    /// Writes next to nothing, to find out whether anything can be written.
    ///
    /// The log is emptied first: on a disk that was full, what is written next must not use up the room that the file needs for that.
    package func checkWritable() throws(DownloadError) {
        queue.inDatabase { _ = Self.empty($0) }
        try writing { database in
            let version = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Moves the write-ahead log into the file and gives its room back to the disk.
    ///
    /// - Returns: false if that did not work, as when the file finds no room to grow either.
    private static func empty(_ database: Database) -> Bool {
        // The row says whether somebody was in the way, which on the only connection nobody is.
        (try? Int.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")) == 0
    }

    private func attempt<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value {
        do {
            return try transaction(database, body)
        } catch {
            // What was interned in it was rolled back with it.
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
        guard let value else { throw DownloadError(.internal, "a transaction ended without its result") }
        return value
    }
}
