import HaulCore
import HaulFiles
import Synchronization

/// The files of a download: examines the destination; opens, verifies and publishes the file.
///
/// Its calls block, and run on a thread of their own, one at a time.
final class FileContent: ContentStore {
    struct State {
        var partial: PartialFile?
        /// The file of another program that is being proved.
        var adoption: Adoption?
        /// The number of running and queued effects on the thread for blocking calls.
        var queued = 0
        /// The journal's slot of each segment.
        var slots: [Int: SegmentSlot] = [:]
        var hasher: PrefixHasher?
        /// The algorithm of the digest that is computed during the download.
        var algorithm: Checksum.Algorithm?
        var checker: PieceChecker?
        /// The date of the version in the partial file.
        var modified: Int64?
        /// True if the disk was full, and the missing space is not reported yet.
        var lacksSpace = false
        /// The path before a number was added to it because its name was taken; nil if none was added.
        var unnumbered: String?
        /// The file that was published.
        var finished: FileStatus?
        /// The file at the path when the run began; nil: not examined yet.
        var before: (path: String, file: ReplaceableFile?)?
        /// The last result of `names(_:)`.
        var names: PartialNames?
        /// Digests of existing files.
        var digests: [DigestKey: String] = [:]
    }

    let spec: DownloadSpec
    let options: RunOptions
    let url: SourceURL
    private let base: SystemCalls
    private let current: Mutex<SystemCalls>
    let nameCache: DirectoryNameCache?
    let notify: @Sendable (Notice) -> Void
    let state = Mutex(State())
    /// True if the download is over, so that hashing can stop.
    let isStopped = Atomic<Bool>(false)
    let queue = BlockingQueue(label: "haul.files")

    init(
        _ spec: DownloadSpec, _ options: RunOptions, url: SourceURL, system: SystemCalls,
        nameCache: DirectoryNameCache? = nil,
        notify: @escaping @Sendable (Notice) -> Void
    ) {
        self.spec = spec
        self.options = options
        self.url = url
        base = system
        current = Mutex(system)
        self.nameCache = nameCache
        self.notify = notify
        state.withLock { $0.algorithm = spec.checksum?.algorithm }
    }

    /// The calls on files: in the folders of the file, once these were admitted.
    private(set) var system: SystemCalls {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Opens the folder of the file and that of its partial file, checks again whether files may be written in them, and
    /// from then on uses names in these folders, whatever their paths lead to.
    func requireAdmission(_ folder: String) throws(DownloadError) {
        let folders = [folder, spec.partialFolder].compactMap(\.self)
        system = try options.admitted(to: folders, base)
    }

    /// Throws an error if files may not be written in the folders of the file any more, or if they were moved or replaced
    /// since they were admitted.
    func requireSameFolders() throws(DownloadError) {
        guard let refusal = options.folderRefusal else { return }
        for folder in system.pathsOfFolders {
            if let error = refusal(folder) { throw error }
        }
        guard let folder = system.movedFolder else { return }
        throw DownloadError(
            .fileFailed,
            "\(folder) was moved or replaced during the download: move it back, then start the download again")
    }

    /// The open partial file.
    var partial: PartialFile? { state.withLock { $0.partial } }

    /// The file that a finished run has published, now or just before a crash.
    var finished: FileStatus? { state.withLock { $0.finished } }

    /// The identity of the partial file.
    var partialIdentity: FileIdentity? { partial?.identity }

    /// Returns the target for the bytes of a segment; a new segment gets a slot in the journal.
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

    /// Returns the target for the rest of a segment that a hedged request completed first: a slot of its own, which the
    /// map need not know.
    ///
    /// Does not block.
    func rest(from start: Int64) -> SegmentWriter.Target? { partial.map { .file($0, $0.addSegment(start: start)) } }

    func holds(_ bytes: RawSpan, at offset: Int64) throws(FileError) -> Bool {
        try partial?.holds(bytes, at: offset) ?? false
    }

    func keepSurplus(_ bytes: RawSpan, at offset: Int64) { partial?.keepSurplus(bytes, at: offset) }

    /// The target that compares bytes to prove a source.
    var comparison: SegmentWriter.Target? {
        state.withLock { state in
            if let adoption = state.adoption { return .comparison(adoption.file) }
            return state.partial.map { .comparison($0) }
        }
    }

    /// Updates the digests that are computed during the download.
    ///
    /// Does not block.
    func update(_ effect: DigestEffect) {
        switch effect {
        case .contiguousPrefix(let offset): advance(to: offset)
        case .algorithm(let algorithm): hash(algorithm)
        }
    }

    func advance(to offset: Int64) {
        let (hasher, checker) = state.withLock { ($0.hasher, $0.checker) }
        hasher?.advance(to: offset)
        checker?.advance(to: offset)
    }

    /// Ends long work before the run ends.
    ///
    /// Does not block.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        let (hasher, checker) = state.withLock { ($0.hasher, $0.checker) }
        hasher?.cancel()
        checker?.cancel()
    }

    /// Carries out an effect on the thread for blocking calls.
    func perform(_ effect: ContentEffect) async -> MachineEvent {
        state.withLock { $0.queued += 1 }
        return await queue.run { [self] in
            defer { state.withLock { $0.queued -= 1 } }
            return performNow(effect)
        }
    }

    /// Carries out an effect on this thread if that is quick.
    func performIfQuick(_ effect: ContentEffect) -> MachineEvent? { isQuick(effect) ? performNow(effect) : nil }

    private func performNow(_ effect: ContentEffect) -> MachineEvent {
        do throws(DownloadError) {
            return try performBlocking(effect)
        } catch {
            return .fileFailed(error)
        }
    }

    /// Returns true if an effect takes only a few small system calls: nothing is hashed, synced, preallocated or asked
    /// of others.
    ///
    /// False while another effect is in progress, so that the order is kept.
    private func isQuick(_ effect: ContentEffect) -> Bool {
        guard state.withLock({ $0.queued == 0 }) else { return false }
        return switch effect {
        case .locate: comparesNothing && options.published == nil && options.isOthers == nil
        case .prepare(let facts):
            comparesNothing && !spec.adoptsPartials && options.isOthers == nil && isSmall(facts.total)
        case .prepareAgain(let facts): isSmall(facts.total)
        case .verify: state.withLock { $0.hasher == nil }
        case .publish(let total, _): isSmall(total) && options.onNaming == nil && partial?.isInMemory == true
        case .save, .discard: partial == nil
        case .leave, .resume, .revert, .checkpoint, .distrust, .checkPieces: false
        }
    }

    private var comparesNothing: Bool { spec.onConflict != .keep && !spec.verifiesExisting }

    private func isSmall(_ total: Int64?) -> Bool { total.map { $0 <= PartialFile.smallFileBytes } ?? false }

    private func performBlocking(_ effect: ContentEffect) throws(DownloadError) -> MachineEvent {
        switch effect {
        case .locate: return .located(try locate())
        case .leave(let error): return .located(try leave(error))
        case .prepare(let facts): return .prepared(try prepare(facts))
        case .prepareAgain(let facts): return .prepared(try begin(facts))
        case .resume(let version, let map, let keepsRest):
            try takeAdopted(version, map)
            try resume(version, map, keepsRest: keepsRest)
            return .reopened
        case .checkpoint:
            try fileCall { () throws(FileError) in try partial?.checkpoint() }
            return .checkpointed
        case .distrust:
            try partial?.distrust()
            return .distrusted
        case .verify(let total):
            let agrees = try fileCall { () throws(FileError) in try partial?.agreesWithSurplus(total: total) }
            // Before anything else: a run that is killed now must not leave a file that seems to be complete.
            if agrees == false { try partial?.distrust() }
            return .verified(hex: try verify(total), joinsDiffer: agrees == false)
        case .checkPieces(let total): return .piecesChecked(bad: try checkPieces(total))
        case .revert(let map):
            try revert(map)
            return .reopened
        case .publish(let total, let modified): return .published(path: try publish(total, modified))
        case .save:
            save()
            return .closed
        case .discard:
            discard()
            return .closed
        }
    }
}
