package import HaulCore
import Synchronization

/// The bytes of an unfinished download, `NAME.part`, and the journal beside them, `NAME.part.haul`.
///
/// It keeps these guarantees of Haul: *nothing lost* (`record`, `checkpoint`), *no false success* and *final name last*
/// (`publish`), *one writer* (`open`).
///
/// The order of calls: `open`, then `begin` or `resume`, then `write` and `record` for each segment while `checkpoint`
/// runs now and then, at last `publish`, `discard` or `close`. `write`, `read`, `addSegment`, `record` and `checkpoint`
/// may be called from several threads at once; the others not at the same time as any. All of them block.
package final class PartialFile: Sendable {
    /// What was found of an earlier session.
    package enum Found: Sendable, Hashable {
        /// Nothing worth keeping.
        case nothing
        /// Bytes that can be gone on with.
        case resumable(PartialState)
        /// Bytes that can't be believed; the sentence says why. The next beginning replaces the journal.
        case unusable(reason: String)
    }

    /// Where the files stand.
    package let names: PartialNames
    /// What was found when it was opened.
    package let found: Found
    /// Whether it holds bytes of which nothing says that Haul wrote them, another program's perhaps: it must be left alone.
    package let isForeign: Bool
    /// Up to this size a file has neither a journal nor room set aside: it fits one response.
    package static let smallFileBytes = DownloadMachine.smallFileBytes

    let system: SystemCalls
    /// The identity of the source: made only where a journal asks for it.
    let sourceID: @Sendable () -> String
    let resumes: Bool
    let data: OpenFile
    let opened: FileStatus
    /// The file at the final path that may be replaced, as it was when the partial was opened.
    let replaceable: ReplaceableFile?
    /// What of the bytes found is on the medium.
    let durable: [ResumedSegment]
    let state: Mutex<State>
    /// Held during a checkpoint, so that two never interleave.
    let checkpointing = Mutex<CheckpointState>(CheckpointState())

    struct State {
        var header: JournalHeader?
        var journal: OpenFile?
        /// The empty file in the journal's place that says whose the partial is, where there is to be no journal.
        var mark: OpenFile?
        var slots: [SegmentSlot] = []
        var totalBytes: Int64?
        var isInMemory = false
        var stage = Stage.asFound
        /// The file under the journal's name that was found; nil: none.
        var oldJournal: FileStatus?
        /// Whether the unusable journal that was found has been set aside.
        var hasQuarantined = false
        /// Whether names in the folder are not on the medium yet.
        var hasUnsyncedNames = false
        /// The sync that failed: nothing that was written since the one before it is believed.
        var syncFailure: FileError?

        /// The control files of other programs that described the file that this one has replaced.
        var staleControls: [String: ReplaceableFile] = [:]

        /// Whether a journal stands under its name, or may stand there again after a power cut.
        var hasOldJournal: Bool { oldJournal != nil || journal != nil }
    }

    /// How far the partial has come in this process.
    enum Stage {
        /// Nothing in it was changed: what was found is still there, and still true.
        case asFound
        /// Its bytes are this download's, as far as slots and journal say.
        case begun
        /// All bytes are there and on the medium: they are kept, journal or not.
        case complete
        /// It has been published, removed or closed.
        case over
    }

    struct CheckpointState {
        /// Whether the last attempt may have left the journal behind the counters in memory.
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

    /// Whether the file system that it was begun on is memory, where a sync costs nothing.
    package var isInMemory: Bool { state.withLock { $0.isInMemory } }

    /// How many bytes it had when it was opened.
    package var openedBytes: Int64 { opened.size }

    /// Which file the partial is, and the finished file will be.
    package var identity: FileIdentity { opened.file }
}

/// The bytes.
extension PartialFile {
    /// Writes bytes at an offset.
    ///
    /// Nothing is recorded: see `record`.
    package func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
        try system.write(data, bytes, at: offset)
    }

    /// Reads bytes back until the buffer is full or the file ends, and says how many.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        unsafe try system.read(data, into: buffer, at: offset)
    }

    /// Records that the bytes of a segment up to `written` were written: one small write, no sync.
    ///
    /// Must come after the write that it speaks of has returned. From then on a killed process doesn't lose them
    /// (guarantee: nothing lost).
    package func record(slot: SegmentSlot, written: Int64) throws(FileError) {
        try slot.record(written: written)
    }

    /// Adds a segment that begins at `start`, in the later part of another one, and says which slot it has.
    ///
    /// The journal knows it from its first record on; before, the part counts for the segment that it was taken from.
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
