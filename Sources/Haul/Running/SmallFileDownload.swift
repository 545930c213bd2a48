import HaulCore
import HaulFiles
import HaulTransport

/// A download that may be over with one answer.
///
/// Where nothing stands at its place and the file comes whole, small and right, it is written and named, and no machine, no partial and no
/// task is ever made for it. Everything else is left to a run, with the answer as far as it has come: a brief run fails in nothing, it only
/// does not finish.
struct SmallFileDownload: Sendable {
    /// How it ended.
    enum End: Sendable {
        /// The file is there.
        case finished(FinishFacts)
        /// A run has to see to it; a request that it need not send again may be under way.
        /// At `free` there was nothing when it began.
        case continues(EarlyRequest?, free: String?)
    }

    /// An answer is waited for so long, or half as long as silence is borne; then the run's own rules say how long more.
    private static let patience: Duration = .seconds(2)

    private let spec: DownloadSpec
    private let options: RunOptions
    private let access: SourceAccess
    private let configuration: MachineConfiguration
    private let context: RunContext
    private let began = ContinuousClock.now

    /// Makes the run; it has to run on a thread that may block for an instant.
    init(
        _ spec: DownloadSpec, _ options: RunOptions, _ access: SourceAccess, _ configuration: MachineConfiguration,
        _ context: RunContext
    ) {
        self.spec = spec
        self.options = options
        self.access = access
        self.configuration = configuration
        self.context = context
    }

    /// Tries.
    ///
    /// Events are told only of what is finished.
    func run(onEvent: @Sendable (TransferEvent) -> Void) async -> End {
        let target = FileTarget(spec, options, configuration.url)
        let settled = PartialNames(final: target.path(naming: nil))
        guard mayBegin, context.nameCache.isFree(settled), isReallyFree(settled.final),
            let file = newFile(settled.folder)
        else {
            return .continues(nil, free: nil)
        }
        let host = configuration.url.origin
        let slot = context.hosts.enter(host) {}
        defer { context.hosts.leave(slot, host) }
        guard slot.limiter.quota(of: slot.user, now: context.hosts.now).connections > 0 else {
            return .continues(nil, free: nil)
        }
        let request = start(slot)
        await watched(request)
        let received = ContinuousClock.now
        guard !Task.isCancelled, let (response, bytes) = request.response.whole, response.accepts(bytes) else {
            return .continues(request, free: settled.final)
        }
        let path = response.contentDisposition.map { target.path(naming: $0) } ?? settled.final
        guard path == settled.final || context.nameCache.isFree(PartialNames(final: path)),
            !response.isWebPage || !BinaryName.isKnown(path),
            (try? file.write(bytes, modified: spec.tuning.ignoresServerDate == true ? nil : response.modified)) != nil,
            let status = await publish(file, path)
        else { return .continues(request, free: settled.final) }
        return .finished(report(path, response, status, received: received - began, onEvent))
    }

    /// Where a file may be replaced it counts whether it was there at the start: the folder may have been read some time before.
    private func isReallyFree(_ path: String) -> Bool {
        guard spec.onConflict != .fail, spec.onConflict != .rename else { return true }
        return (try? ExistingFile.at(path, system: context.system)) == ExistingFile.none
    }

    /// A file without a name; nil where the folder can't have one, or is not there.
    private func newFile(_ folder: String) -> WholeFile? {
        do throws(FileError) {
            return try WholeFile(inFolder: folder, system: context.system)
        } catch {
            context.nameCache.giveUp(folder)
            return nil
        }
    }

    /// Names the file, on a thread of its own where a disk has to be waited for: it takes many such files at a time for one.
    private func publish(_ file: WholeFile, _ path: String) async -> FileStatus? {
        if file.isInMemory { return try? file.publish(as: path) }
        return await BlockingQueue(label: "haul.files").run { try? file.publish(as: path) }
    }

    /// Whether nothing of spec and options needs a run.
    private var mayBegin: Bool {
        configuration.mayBeSmall && options.isPlain && spec.partialFolder == nil && !spec.verifiesExisting
            && !spec.adoptsPartials
            && context.limiter.isUnlimited
    }

    private func start(_ slot: ConnectionSlot) -> EarlyRequest {
        let hosts = context.hosts
        let report: @Sendable (Int) -> Void = { delivering in
            let use = HostUse(connections: 1, delivering: delivering, wanted: 1)
            slot.limiter.receive(.uses(use), of: slot.user, now: hosts.now)
        }
        report(0)
        let plan = EarlyRequest.plan(configuration)
        let response = ProbeResponseSink(plan, configuration) { report(1) }
        let requests = RequestBuilder(spec: spec, homes: [configuration.url], access: access, context: context)
        var request = requests.request(for: plan)
        request.staysOnEventLoop = true
        request.expectsSmall = true
        return EarlyRequest(plan: plan, response: response, handle: context.transport.start(request, sink: response))
    }

    /// Waits for the answer, but not for ever.
    private func watched(_ request: EarlyRequest) async {
        let end = began + min(Self.patience, configuration.idleTimeout / 2)
        let ticks = context.ticker.add { [response = request.response] in
            if ContinuousClock.now >= end { response.settled.set() }
        }
        await request.response.settled.wait()
        context.ticker.remove(ticks)
    }

    private func report(
        _ path: String, _ response: SmallFileResponse, _ file: FileStatus, received: Duration,
        _ onEvent: @Sendable (TransferEvent) -> Void
    ) -> FinishFacts {
        let seconds = (ContinuousClock.now - began).seconds
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
    /// Whether these are the bytes that were promised.
    fileprivate func accepts(_ bytes: [UInt8]) -> Bool {
        guard let checksum = wanted?.checksum else { return true }
        var digest = StreamingDigest(checksum.algorithm)
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        digest.update(unsafe bytes.span.bytes)
        return digest.finalize() == checksum.hex
    }
}
