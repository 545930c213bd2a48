import Synchronization

/// One segment of a running download: its progress, in memory and in the journal.
///
/// The thread of the segment records, a checkpoint reads now and then; the lock is never held during a sync.
package final class SegmentSlot: Sendable {
    /// The offset of the segment's first byte.
    package let start: Int64
    private let index: Int
    private let nonce: UInt64
    private let data: OpenFile
    private let journal: OpenFile?
    private let counters: Mutex<Counters>

    private struct Counters {
        var written: Int64
        var durable: Int64
        /// The offset up to which the kernel was asked to start writing to disk.
        var started: Int64
        /// True if a sync failed: `written` in the journal then stays at `durable`.
        var isSuspect: Bool
    }

    /// The number of bytes after which the kernel is asked to start writing to disk: a short backlog makes the next
    /// sync short.
    static let flushBytes: Int64 = 8 << 20

    init(_ slot: JournalSlot, index: Int, nonce: UInt64, data: OpenFile, journal: OpenFile?, isSuspect: Bool = false) {
        self.start = slot.start
        self.index = index
        self.nonce = nonce
        self.data = data
        self.journal = index < JournalSlot.limit ? journal : nil
        self.counters = Mutex(
            Counters(written: slot.written, durable: slot.durable, started: slot.written, isSuspect: isSuspect))
    }

    /// The offset up to which the segment is recorded as written.
    package var written: Int64 { counters.withLock { $0.written } }

    /// The offset up to which the segment is on disk.
    var durable: Int64 { counters.withLock { $0.durable } }

    /// Records that the segment's bytes up to `written` were passed to the kernel, which must be true.
    ///
    /// A smaller number has no effect.
    package func record(written: Int64) throws(FileError) {
        let range = try counters.withLock { counters throws(FileError) -> (from: Int64, count: Int64)? in
            guard written > counters.written else { return nil }
            counters.written = written
            try store(counters)
            guard written - counters.started >= Self.flushBytes else { return nil }
            defer { counters.started = written }
            return (counters.started, written - counters.started)
        }
        if let range { data.system.startWriting(data, at: range.from, count: range.count) }
    }

    /// Records that the bytes up to `position`, which were written before a successful sync, are on disk.
    func raiseDurable(to position: Int64, evenIfSame: Bool) throws(FileError) {
        try counters.withLock { counters throws(FileError) in
            guard !counters.isSuspect, position > counters.durable || evenIfSame else { return }
            counters.durable = max(counters.durable, position)
            try store(counters)
        }
    }

    /// The offset that a checkpoint must make durable; nil if there are no new bytes.
    var pending: Int64? {
        counters.withLock { $0.written > $0.durable ? $0.written : nil }
    }

    /// Reduces `written` in the journal to `durable` for good: a sync failed, and the content of the page cache is
    /// unknown.
    ///
    /// - Parameter end: The offset from which on nothing is durable any more.
    func distrust(from end: Int64 = .max) throws(FileError) {
        try counters.withLock { counters throws(FileError) in
            counters.isSuspect = true
            counters.durable = min(counters.durable, max(start, end))
            try store(counters)
        }
    }

    private func store(_ counters: Counters) throws(FileError) {
        guard let journal else { return }
        let written = counters.isSuspect ? counters.durable : counters.written
        let slot = JournalSlot(start: start, written: written, durable: counters.durable)
        let words = slot.words(index: index, nonce: nonce)
        try Self.write(words, to: journal, at: JournalSlot.offset(ofIndex: index))
    }

    /// Writes the slot in one call: other processes never see a mix of old and new within its 64 bytes.
    private static func write(_ words: JournalSlot.Words, to journal: OpenFile, at offset: Int64) throws(FileError) {
        // Safe: a tuple of eight words of the same type has no padding, and the span does not outlive the bytes.
        try unsafe withUnsafeBytes(of: words) { bytes throws(FileError) in
            try journal.system.write(journal, unsafe bytes.bytes, at: offset)
        }
    }
}
