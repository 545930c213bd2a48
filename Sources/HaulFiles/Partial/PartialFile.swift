package import HaulCore
import Synchronization

/// The bytes of an unfinished download, `NAME.part`, and the journal beside them, `NAME.part.haul`.
///
/// It provides these guarantees of Haul: *nothing lost* (`record`, `checkpoint`), *no false success* and *final name
/// last* (`publish`), *one writer* (`open`).
///
/// The order of calls: `open`, then `begin` or `resume`, then `write` and `record` for each segment with a `checkpoint`
/// now and then, finally `publish`, `discard` or `close`. `write`, `read`, `addSegment`, `record` and `checkpoint` may
/// be called from several threads at once; the others must not overlap with any call. All of them block.
package final class PartialFile: Sendable {
    /// The remains of an earlier session.
    package enum Found: Sendable, Hashable {
        /// Nothing worth keeping.
        case nothing
        /// Bytes that can be resumed.
        case resumable(PartialState)
        /// Bytes that can't be trusted, for this reason. The next `begin` replaces the journal.
        case unusable(reason: String)
    }

    /// The paths of the files.
    package let names: PartialNames
    /// The remains found when the file was opened.
    package let found: Found
    /// True if it has bytes that nothing identifies as Haul's, perhaps another program's: it must be left alone.
    package let isForeign: Bool
    /// The maximum size of a file without a journal or reserved space: it fits one response.
    package static let smallFileBytes = DownloadMachine.smallFileBytes

    let system: SystemCalls
    /// The identity of the source, computed only if a journal needs it.
    let sourceID: @Sendable () -> String
    let resumes: Bool
    let data: OpenFile
    let opened: FileStatus
    /// The file at the final path that may be replaced, as it was when the partial file was opened.
    let replaceable: ReplaceableFile?
    /// The part of the existing bytes that is on disk.
    let durable: [ResumedSegment]
    let state: Mutex<State>
    /// Held during a checkpoint, so that two never overlap.
    let checkpointing = Mutex<CheckpointState>(CheckpointState())

    struct State {
        var header: JournalHeader?
        var journal: OpenFile?
        /// The empty file in place of a journal that marks the partial file as Haul's, if there is to be no journal.
        var mark: OpenFile?
        var slots: [SegmentSlot] = []
        var totalBytes: Int64?
        var isInMemory = false
        var stage = Stage.asFound
        /// The file that was found under the journal's name; nil if none.
        var oldJournal: FileStatus?
        /// True if the unusable journal that was found has been set aside.
        var hasQuarantined = false
        /// Bytes that responses had beyond the end of their segments.
        var surplus = SurplusBytes()
        /// True if names in the folder are not on disk yet.
        var hasUnsyncedNames = false
        /// The sync that failed: nothing written since the previous one is trusted.
        var syncFailure: FileError?

        /// The control files of other programs that described the replaced file.
        var staleControls: [String: ReplaceableFile] = [:]

        /// True if a journal exists under its name, or may reappear there after a power failure.
        var hasOldJournal: Bool { oldJournal != nil || journal != nil }
    }

    /// The stage of the partial file in this process.
    enum Stage {
        /// Unchanged: the remains of the earlier session are still there, and still valid.
        case asFound
        /// Its bytes are this download's, as recorded in slots and journal.
        case begun
        /// All bytes are on disk: they are kept, with or without a journal.
        case complete
        /// It has been published, removed or closed.
        case over
    }

    struct CheckpointState {
        /// True if the last attempt may have left the journal behind the counters in memory.
        var mustRewrite = false
    }

    init(
        names: PartialNames, sourceID: @escaping @Sendable () -> String, resumes: Bool, data: OpenFile,
        opened: FileStatus, replaceable: ReplaceableFile?, found: Found, isForeign: Bool, durable: [ResumedSegment],
        oldJournal: FileStatus?
    ) {
        self.names = names
        self.sourceID = sourceID
        self.resumes = resumes
        self.data = data
        self.system = data.system
        self.opened = opened
        self.replaceable = replaceable
        self.found = found
        self.isForeign = isForeign
        self.durable = durable
        self.state = Mutex(State(oldJournal: oldJournal))
    }

    deinit { data.close() }

    /// True if its file system is in memory, where a sync costs nothing.
    package var isInMemory: Bool { state.withLock { $0.isInMemory } }

    /// The size in bytes when it was opened.
    package var openedBytes: Int64 { opened.size }

    /// The identity of the partial file, which the complete file keeps.
    package var identity: FileIdentity { opened.file }
}

/// Reading and writing.
extension PartialFile {
    /// Writes bytes at an offset.
    ///
    /// Does not record them: see `record`.
    package func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
        try system.write(data, bytes, at: offset)
    }

    /// Reads bytes until the buffer is full or the file ends, and returns their number.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        unsafe try system.read(data, into: buffer, at: offset)
    }

    /// True if the data begins like a web page.
    package var beginsLikePage: Bool {
        // Safe: `read` writes no more than the buffer holds, and returns the number of bytes that it wrote.
        let start = unsafe [UInt8](unsafeUninitializedCapacity: PageStart.size) { buffer, count in
            count = unsafe (try? read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)) ?? 0
        }
        return PageStart.isFound(in: start)
    }

    /// Records that the bytes of a segment up to `written` were written: one small write, no sync.
    ///
    /// Call it after the write has returned. From then on a killed process doesn't lose the bytes (guarantee: nothing
    /// lost).
    package func record(slot: SegmentSlot, written: Int64) throws(FileError) {
        try slot.record(written: written)
    }

    /// Adds a segment that starts at `start`, in the later part of another one, and returns its slot.
    ///
    /// The journal contains it from its first record on; before, the part belongs to the segment that it was split
    /// from.
    package func addSegment(start: Int64) -> SegmentSlot {
        state.withLock { state in
            let slot = SegmentSlot(
                JournalSlot(start: start, written: start, durable: start), index: state.slots.count,
                nonce: state.header?.nonce ?? 0, data: data, journal: state.journal,
                isSuspect: state.syncFailure != nil)
            state.slots.append(slot)
            return slot
        }
    }
}
