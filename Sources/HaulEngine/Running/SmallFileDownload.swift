import HaulCore
import HaulDigest
import HaulFiles
import HaulLibC
import HaulTransport

/// A download that may be complete after one response.
///
/// If its path is free, and the file is small, complete and correct, it is written and named without a machine, a
/// partial file or a task. In any other case, a run takes over, with the response received so far. Nothing fails here:
/// an unfinished attempt is always left to a run.
struct SmallFileDownload: Sendable {
    /// The outcome.
    enum End: Sendable {
        /// The file is complete.
        case finished(FinishFacts)
        /// A run must continue, with a request that may have been sent already. At `free` there was no file at the
        /// start.
        case continues(EarlyRequest?, free: String?)
    }

    private let spec: DownloadSpec
    private let options: RunOptions
    private let access: SourceAccess
    private let configuration: MachineConfiguration
    private let context: RunContext
    private let began: ContinuousClock.Instant

    /// Creates the download; it must run on a thread that may block briefly.
    init(
        _ spec: DownloadSpec, _ options: RunOptions, _ access: SourceAccess, _ configuration: MachineConfiguration,
        _ context: RunContext
    ) {
        self.spec = spec
        self.options = options
        self.access = access
        self.configuration = configuration
        self.context = context
        began = context.clock.now
    }

    /// Tries to download the file.
    ///
    /// Sends events only if the file is complete.
    func run(onEvent: @Sendable (TransferEvent) -> Void) async -> End {
        let target = FileTarget(spec, options, configuration.url)
        let settled = PartialNames(final: target.path(naming: nil))
        guard mayBegin, context.nameCache.isFree(settled), isReallyFree(settled.final),
            let file = newFile(settled.folder)
        else {
            return .continues(nil, free: nil)
        }
        let small = SmallRequest(spec, access, configuration, context)
        guard let slot = small.enter() else { return .continues(nil, free: nil) }
        defer { small.leave(slot) }
        let request = small.start(slot)
        await small.watched(request)
        let received = context.clock.now
        guard !Task.isCancelled, let (response, bytes) = request.response.whole, response.accepts(bytes) else {
            return .continues(request, free: settled.final)
        }
        let path = response.contentDisposition.map { target.path(naming: $0) } ?? settled.final
        guard path == settled.final || context.nameCache.isFree(PartialNames(final: path)),
            !response.isWebPage || !BinaryName.isNoPage(path), file.isFolderInPlace,
            options.folderRefusal?(settled.folder) == nil,
            (try? file.write(bytes, modified: spec.tuning.ignoresServerDate == true ? nil : response.modified)) != nil,
            let status = await publish(file, path, response.total)
        else { return .continues(request, free: settled.final) }
        return .finished(report(path, response, status, received: received - began, onEvent))
    }

    /// Checks again if a policy that may replace a file depends on its existence at the start: the cached listing may
    /// be older.
    private func isReallyFree(_ path: String) -> Bool {
        guard spec.onConflict != .fail, spec.onConflict != .rename else { return true }
        return (try? ExistingFile.at(path, system: context.system)) == ExistingFile.none
    }

    /// Creates a file without a name; nil if the folder does not support that, does not exist or is refused.
    private func newFile(_ folder: String) -> WholeFile? {
        guard let system = try? options.admitted(to: [folder], context.system) else { return nil }
        do throws(FileError) {
            return try WholeFile(inFolder: folder, system: system)
        } catch {
            context.nameCache.giveUp(folder)
            return nil
        }
    }

    /// Names the file, on a thread of its own if that must wait for a disk, which can handle many such files at once.
    private func publish(_ file: WholeFile, _ path: String, _ total: Int64) async -> FileStatus? {
        if let record = options.onNamingSmall {
            guard let identity = try? file.identity else { return nil }
            await record(path, total, identity)
        }
        if file.isInMemory { return try? file.publish(as: path) }
        return await BlockingQueue(label: "haul.files").run { try? file.publish(as: path) }
    }

    /// True if neither spec nor options require a run.
    private var mayBegin: Bool {
        configuration.mayBeSmall && options.isPlain && spec.usesOnlyItsFolder && !FileAttributes.applies(to: spec)
            && context.limiter.isUnlimited
    }

    private func report(
        _ path: String, _ response: SmallFileResponse, _ file: FileStatus, received: Duration,
        _ onEvent: @Sendable (TransferEvent) -> Void
    ) -> FinishFacts {
        let seconds = (context.clock.now - began).seconds
        options.watch?.took(configuration, response.total, received: received.seconds, seconds: seconds)
        var facts = FinishFacts(
            path: path, totalBytes: response.total, sessionBytes: response.total, seconds: seconds,
            verification: response.verification, kept: false)
        (facts.file, facts.fileModified) = (file.file, file.modified)
        onEvent(
            .started(
                StartFacts(
                    path: path, totalBytes: response.total, resumedBytes: 0, insecure: configuration.insecure,
                    partial: file.file)))
        onEvent(
            .progress(
                TransferProgress(
                    fileBytes: response.total, sessionBytes: response.total, totalBytes: response.total,
                    averageSpeed: seconds > 0 ? Double(response.total) / seconds : 0)))
        onEvent(.finished(facts))
        return facts
    }
}

extension SmallFileResponse {
    /// Returns true if the bytes match the expected checksum.
    func accepts(_ bytes: [UInt8]) -> Bool {
        guard let checksum = wanted?.checksum else { return true }
        var digest = StreamingDigest(checksum.algorithm)
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        digest.update(unsafe bytes.span.bytes)
        return digest.finalize() == checksum.hex
    }
}
