import GRDB
import GRDBSQLite
import Synchronization

extension Catalogue {
    /// The number of pages in the write-ahead log after which they are moved into the file, within a transaction.
    package enum CheckpointInterval: Int, Sendable {
        /// The least work: a page that is changed by many transactions is moved once.
        case rare = 8000
        /// The shortest waits: 8 MiB are moved at a time.
        case frequent = 2000

        /// The number of bytes of a page.
        private static let pageBytes: Int64 = 4096
        /// The number of pages below which the log is never moved.
        private static let least = 16

        /// The ways in which the log is moved.
        enum Move {
            /// Its space is used again: it is long.
            case keepingSpace
            /// Its space is returned to the disk: it takes more than half of what is left there. The file needs to grow by
            /// up to its size, and others take space, too.
            case returningSpace

            /// The mode as SQLite wants it.
            var mode: Int32 {
                switch self {
                case .keepingSpace: SQLITE_CHECKPOINT_PASSIVE
                case .returningSpace: SQLITE_CHECKPOINT_TRUNCATE
                }
            }
        }

        /// Returns how the log is to be moved after a transaction; nil if it stays.
        ///
        /// - Parameters:
        ///   - pages: The number of pages in the log.
        ///   - limit: The number of pages after which it is long.
        ///   - available: Returns the free space of the disk in bytes; nil if it is unknown.
        static func move(pages: Int, limit: Int, available: () -> Int64?) -> Move? {
            guard pages >= least else { return nil }
            if let available = available(), Int64(pages) * pageBytes > available / 2 { return .returningSpace }
            return pages >= limit ? .keepingSpace : nil
        }
    }

    /// Changes how often the log is moved into the file.
    package func checkpoint(_ interval: CheckpointInterval) {
        checkpointPages.store(interval.rawValue, ordering: .relaxed)
    }

    /// Moves the log into the file after a transaction if it has become long, as `PRAGMA wal_autocheckpoint` does.
    ///
    /// SQLite's own function ignores a failed sync: see `rewrite`.
    func watchCheckpoints(of queue: DatabaseQueue) {
        queue.inDatabase { database in
            // Safe: the connection is closed before the catalogue goes, and calls the function on its own queue only.
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            _ = unsafe sqlite3_wal_hook(
                database.sqliteConnection,
                { context, connection, name, pages in
                    guard let context = unsafe context else { return SQLITE_OK }
                    let catalogue = unsafe Unmanaged<Catalogue>.fromOpaque(context).takeUnretainedValue()
                    let move = CheckpointInterval.move(
                        pages: Int(pages), limit: catalogue.checkpointPages.load(ordering: .relaxed)
                    ) { DiskSpace.available(at: catalogue.name) }
                    guard let move else { return SQLITE_OK }
                    _ = unsafe sqlite3_wal_checkpoint_v2(connection, name, move.mode, nil, nil)
                    let code = unsafe sqlite3_extended_errcode(connection)
                    if code == ResultCode.SQLITE_IOERR_FSYNC.rawValue { catalogue.distrust() }
                    // The transaction itself is committed.
                    return SQLITE_OK
                }, context)
        }
    }

    /// Refuses further writes if an error says that a sync failed.
    func distrust(after error: any Error) {
        if CatalogueFailure.isOfSync(error) { distrust() }
    }
}

extension DatabaseQueue {
    /// Keeps the connection until the process ends: closing it would move the log, which is on disk, into the file, whose
    /// blocks may be lost, and remove the log.
    func stayOpen() { _ = unsafe Unmanaged.passRetained(self) }
}
