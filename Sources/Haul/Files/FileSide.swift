import HaulCore
import HaulFiles
import Synchronization

/// The disk side of one download: looks at the destination, opens, verifies, publishes.
///
/// Its calls block and run on a thread of their own, one at a time.
final class FileSide: ContentSide {
    struct State {
        var partial: PartialFile?
        /// The journal's slot of each segment.
        var slots: [Int: SegmentSlot] = [:]
        var hasher: FrontHasher?
        /// The date of the version in the partial.
        var modified: Int64?
        /// Whether the disk was full, and nobody was told yet by how much.
        var lacksSpace = false
        /// Digests of files that stood there before, by path.
        var digests: [String: String] = [:]
    }

    let spec: DownloadSpec
    let options: RunOptions
    let url: SourceURL
    let system: SystemCalls
    let notify: @Sendable (Notice) -> Void
    let state = Mutex(State())
    /// Whether the download is over, so that nothing more needs to be hashed.
    let isStopped = Atomic<Bool>(false)
    let queue = BlockingQueue(label: "haul.files")

    init(
        _ spec: DownloadSpec, _ options: RunOptions, url: SourceURL, system: SystemCalls,
        notify: @escaping @Sendable (Notice) -> Void
    ) {
        self.spec = spec
        self.options = options
        self.url = url
        self.system = system
        self.notify = notify
    }

    /// The partial that is open.
    var partial: PartialFile? { state.withLock { $0.partial } }

    /// Which file a run that finishes has published, now or just before a crash.
    var finishedIdentity: FileIdentity? { partial?.identity ?? options.published }

    /// Which file the partial is.
    var partialIdentity: FileIdentity? { partial?.identity }

    /// Where the bytes of a segment go; a segment that is new gets its slot in the journal.
    ///
    /// Does not block.
    func target(segment: Int, start: Int64) -> SegmentWriter.Target? {
        state.withLock { state in
            guard let partial = state.partial else { return nil }
            let slot = state.slots[segment] ?? partial.addSegment(start: start)
            state.slots[segment] = slot
            return .file(partial, slot)
        }
    }

    /// What bytes are compared with that prove a source.
    var comparison: SegmentWriter.Target? { partial.map { .comparison($0) } }

    /// So many bytes stand without a gap from the start.
    func front(_ offset: Int64) { state.withLock { $0.hasher }?.advance(to: offset) }

    /// Ends long work: what follows is only the end.
    ///
    /// Does not block.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        state.withLock { $0.hasher }?.cancel()
    }

    /// Carries out one effect that concerns files.
    func perform(_ effect: MachineEffect) async -> MachineEvent {
        await queue.run { [self] in
            do throws(DownloadError) {
                return try performBlocking(effect)
            } catch {
                return .fileFailed(error)
            }
        }
    }

    private func performBlocking(_ effect: MachineEffect) throws(DownloadError) -> MachineEvent {
        switch effect {
        case .locate: return .located(try locate())
        case .prepare(let facts): return .prepared(try prepare(facts))
        case .prepareAnew(let facts): return .prepared(try begin(facts))
        case .resumeContent(let version, let map):
            try resume(version, map)
            return .reopened
        case .checkpoint:
            try fileCall { () throws(FileError) in try partial?.checkpoint() }
            return .checkpointed
        case .verify(let total): return .verified(hex: try verify(total))
        case .publish(let total, let modified): return .published(path: try publish(total, modified))
        case .save:
            save()
            return .closed
        case .discard:
            discard()
            return .closed
        case .fetch, .cancelFetch, .attach, .takeOver, .front, .emit: return .closed
        }
    }
}

/// Runs a call of the file layer and says its error in the words for users.
func fileCall<Value>(_ call: () throws(FileError) -> Value) throws(DownloadError) -> Value {
    do throws(FileError) {
        return try call()
    } catch {
        throw error.downloadError
    }
}
