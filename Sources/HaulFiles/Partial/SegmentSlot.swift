import Synchronization

/// One segment of a running download: how far it is written, in memory and in the journal.
///
/// Its segment's own thread records, a checkpoint looks in now and then; the lock in it is never held during a sync.
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
        /// Up to where the kernel was asked to begin writing out.
        var started: Int64
        /// Whether a sync failed: `written` in the journal stays at `durable` then.
        var isSuspect: Bool
    }

    /// After so many bytes the kernel is asked to begin writing them out: a short backlog makes the next sync short.
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

    /// The offset up to which the segment is on the medium.
    var durable: Int64 { counters.withLock { $0.durable } }

    /// Records that the segment's bytes up to `written` were handed to the kernel, which must be so.
    ///
    /// A smaller number changes nothing.
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

    /// Records that the bytes up to `position`, which were written before a sync that succeeded, are on the medium.
    func raiseDurable(to position: Int64, evenIfSame: Bool) throws(FileError) {
        try counters.withLock { counters throws(FileError) in
            guard !counters.isSuspect, position > counters.durable || evenIfSame else { return }
            counters.durable = max(counters.durable, position)
            try store(counters)
        }
    }

    /// What a checkpoint has to make durable, nil where nothing is new.
    var pending: Int64? {
        counters.withLock { $0.written > $0.durable ? $0.written : nil }
    }

    /// Takes `written` in the journal back to `durable` for good: a sync failed, and nobody knows what is in the
    /// kernel's cache.
    func distrust() throws(FileError) {
        try counters.withLock { counters throws(FileError) in
            counters.isSuspect = true
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

    /// Writes the slot in one call: 64 bytes that are never half old and half new for another process.
    private static func write(_ words: JournalSlot.Words, to journal: OpenFile, at offset: Int64) throws(FileError) {
        // Safe: a tuple of eight words of the same type has no padding, and the span lives no longer than the bytes.
        try unsafe withUnsafeBytes(of: words) { bytes throws(FileError) in
            try journal.system.write(journal, unsafe bytes.bytes, at: offset)
        }
    }
}
