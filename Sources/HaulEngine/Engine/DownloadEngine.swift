public import HaulCore
package import HaulFiles
import HaulLibC
public import HaulTransport
import HaulTransportHTTP
import Logging
import Synchronization

#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    import HaulTransportURLSession
#endif

/// Runs downloads, which share connections, threads and the rate limit, but nothing else.
///
/// It keeps the guarantees *one version*, *nothing lost*, *no false success*, *final name last*, *one writer* and
/// *inside the folder* (see the architecture document).
///
/// `shutdown()` closes its connections and ends its threads, and returns when that is done. An engine that is dropped
/// without it does the same in the background.
public final class DownloadEngine: Sendable {
    let context: RunContext
    /// Threads and connections for each disk; nil if all disks share them.
    let lanes: DiskLanes?
    private let ask: LanePulse.Ask?
    private let isShutDown = Atomic(false)

    /// Creates an engine.
    ///
    /// It sends requests over SwiftNIO, or on iOS, tvOS, watchOS and visionOS over `URLSession`, which uses the system's
    /// proxies and certificates.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the certificates can't be read or a rate limit is
    ///   negative, `tooManyFiles` if the process may not open the files that its event loops need.
    public convenience init(_ configuration: EngineConfiguration = EngineConfiguration()) throws(DownloadError) {
        try self.init(configuration) { $0 }
    }

    /// Creates an engine whose usual transports are wrapped by another one.
    package convenience init(
        _ configuration: EngineConfiguration, wrapping wrap: @escaping @Sendable (any Transport) -> any Transport
    ) throws(DownloadError) {
        try RateSchedule.check(configuration.rateLimit)
        try configuration.rateSchedule?.check()
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            guard configuration.caCertificatePath == nil else {
                throw DownloadError(.invalidRequest, "URLSession can't use certificates in a file")
            }
            let session = LoggedTransport.wrapping(URLSessionTransport(), TransferLog(configuration.logger))
            try self.init(configuration, transport: wrap(session))
        #else
            var transport = HTTPTransportConfiguration()
            transport.caCertificatePath = configuration.caCertificatePath
            transport.logger = configuration.logger
            transport.sharesLookups = configuration.sharesLookups
            transport.endsWithProcess = configuration.endsWithProcess
            let make = { @Sendable [transport] () throws(HTTPTransportError) in
                let http = try HTTPTransport(transport)
                let router = TransportRouter(
                    http: http, configuration,
                    receiveBufferBytes: configuration.rateLimit.flatMap {
                        $0 > 0 ? RateLimiter.largestRead(at: $0) : nil
                    })
                return (transport: wrap(router), ask: http.onceAllRespond)
            }
            do throws(HTTPTransportError) {
                let lanes = configuration.separatesDisks ? DiskLanes(system: .live) { try? make() } : nil
                let own = try make()
                self.init(configuration, transport: own.transport, system: .live, lanes: lanes, ask: own.ask)
            } catch {
                throw DownloadError(error.isOfFiles ? .tooManyFiles : .invalidRequest, "\(error)")
            }
        #endif
    }

    /// Creates an engine that sends all requests over a transport of your own, which `shutdown()` shuts down.
    ///
    /// Of the configuration, the certificates are not used, since a transport has its own; everything else is.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if a rate limit is negative.
    public convenience init(
        _ configuration: EngineConfiguration = EngineConfiguration(), transport: any Transport
    ) throws(DownloadError) {
        try RateSchedule.check(configuration.rateLimit)
        try configuration.rateSchedule?.check()
        let router = TransportRouter(
            http: transport, curl: SharedTransport(transport), repeats: false, log: TransferLog(configuration.logger))
        self.init(configuration, transport: router, system: .live)
    }

    /// Creates an engine with a given transport and given system calls.
    package convenience init(_ configuration: EngineConfiguration, transport: any Transport, system: SystemCalls) {
        self.init(configuration, transport: transport, system: system, lanes: nil)
    }

    /// Creates an engine with a given transport, given system calls, and the lanes of the disks.
    ///
    /// - Parameter ask: Calls a function once all threads of the transport have responded; nil if it can't be asked.
    init(
        _ configuration: EngineConfiguration, transport: any Transport, system: SystemCalls, lanes: DiskLanes?,
        ask: LanePulse.Ask? = nil
    ) {
        (self.lanes, self.ask) = (lanes, ask)
        context = RunContext(
            transport: transport, system: system,
            limiter: RateLimiter(bytesPerSecond: configuration.rateLimit, clock: configuration.clock),
            progressInterval: configuration.progressInterval,
            firstRetryDelay: configuration.firstRetryDelay, proxies: configuration.proxies,
            localAddress: configuration.localAddress,
            clock: configuration.clock, ticker: Ticker(configuration.clock),
            nameCache: DirectoryNameCache(system: system), hosts: HostTable(configuration.clock))
        if let schedule = configuration.rateSchedule { context.limiter.set(schedule) }
    }

    /// Runs a download to its end.
    ///
    /// Events come in order, from one task; the last one is `finished` or `failed`, and is returned as well. Cancelling
    /// the calling task saves the partial file and ends the run with the code `cancelled`.
    ///
    /// - Parameter watch: Records what limits the download, while it runs and afterwards.
    public func run(
        _ spec: DownloadSpec, watch: TransferWatch? = nil, onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        await run(spec, RunOptions(spec, watch: watch), onEvent: onEvent)
    }

    /// Runs a download to its end, with the results of its earlier runs.
    package func run(
        _ spec: DownloadSpec, _ options: RunOptions, onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        do throws(DownloadError) {
            var (spec, access, machine) = try await prepare(spec, options.url, saving: options)
            if options.retriesUnreachable { machine.retry.unreachableLimit = nil }
            let context = context(writingTo: spec)
            let eventLoopExecutor = context.transport.eventLoopExecutor()
            // Created in the closure, since it is large and would otherwise be copied.
            return await withTaskExecutorPreference(eventLoopExecutor) { [context, spec, access, machine] in
                var (first, options) = (EarlyRequest?.none, options)
                if options.expectsSmall, eventLoopExecutor != nil {
                    switch await SmallFileDownload(spec, options, access, machine, context).run(onEvent: onEvent) {
                    case .finished(let facts): return .success(facts)
                    case .continues(let request, let free): (first, options.freePath) = (request, free)
                    }
                }
                return await DownloadRun(
                    spec, options, access, configuration: machine, context, mayBlock: eventLoopExecutor != nil,
                    first: first
                ).run(onEvent: onEvent)
            }
        } catch {
            onEvent(.failed(error))
            return .failure(error)
        }
    }

    /// Waits until the rate limit allows a request, reads the files that a spec names, and looks for its checksum if
    /// `findsChecksum` is set.
    ///
    /// - Parameter saving: The options of a run that saves a file; nil: none is saved.
    /// - Throws: `DownloadError` if the spec is invalid, or if an existing file is in the way whatever its checksum is.
    func prepare(
        _ spec: consuming DownloadSpec, _ url: SourceURL? = nil, saving options: RunOptions? = nil
    ) async throws(DownloadError) -> (spec: DownloadSpec, access: SourceAccess, machine: MachineConfiguration) {
        guard !isShutDown.load(ordering: .relaxed) else {
            throw DownloadError(.notPossible, "the engine is shut down: create another one")
        }
        await context.limiter.settled()
        try spec.transfer.check()
        var machine = try MachineConfiguration(spec, url: url, progressInterval: context.progressInterval)
        machine.retry.base = context.firstRetryDelay
        if spec.source.body?.isMissing == true {
            throw DownloadError(.invalidRequest, "the body of the request was not stored: add the download again")
        }
        // A partial file of another method's response is never resumed.
        spec.resumes = machine.resumes
        let access = try await context.accessFiles.read(spec)
        guard spec.findsChecksum, spec.checksum == nil, spec.range == nil else { return (spec, access, machine) }
        if let options {
            let content = FileContent(copy spec, options, url: machine.url, system: context.system, notify: { _ in })
            try await content.requireRoomBeforeRequests()
        }
        if let found = await ChecksumSearch(copy spec, access, url: machine.url, context).run() {
            spec.checksum = found.checksum
            machine.checksum = found.checksum
            machine.checksumOrigin = found.origin
        }
        return (spec, access, machine)
    }

    /// The best executor for a task that only runs downloads: see `Transport.eventLoopExecutor()`.
    package func eventLoopExecutor() -> (any TaskExecutor)? { context.transport.eventLoopExecutor() }

    /// The best executor for a task that only runs one download.
    package func eventLoopExecutor(for spec: DownloadSpec) -> (any TaskExecutor)? {
        context(writingTo: spec).transport.eventLoopExecutor()
    }

    /// Returns the disks that do not respond, after waiting for at most a second; empty unless disks are separated.
    package func blockedDisks() async -> [BlockedDisk] {
        await lanes?.blockedDisks(within: .seconds(1), clock: context.clock) ?? []
    }

    /// Calls a function once all threads have responded that write files to disks without threads of their own; one that waits for a
    /// disk does not.
    package func onceThreadsRespond(_ answered: @escaping @Sendable () -> Void) {
        if let ask { ask(answered) } else { answered() }
    }

    /// The resources for a run: those of the disk that it writes to, if disks are separated.
    private func context(writingTo spec: DownloadSpec) -> RunContext {
        guard let lane = lanes?.lane(of: spec, at: context.clock.now) else { return context }
        var context = context
        (context.transport, context.nameCache) = (lane.transport, lane.nameCache)
        return context
    }

    /// Changes the rate limit of all downloads together, in bytes per second; nil or 0: none.
    ///
    /// It takes effect within 100 ms, also for downloads that are waiting because of the limit.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is negative.
    public func setRateLimit(_ bytesPerSecond: Int64?) throws(DownloadError) {
        try RateSchedule.check(bytesPerSecond)
        context.limiter.set(bytesPerSecond: bytesPerSecond)
    }

    /// Replaces the rate limit of all downloads together by one that depends on the local time of day.
    ///
    /// It takes effect within a second of each change in the schedule.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if one of its limits is negative.
    public func setRateSchedule(_ schedule: RateSchedule) throws(DownloadError) {
        try schedule.check()
        context.limiter.set(schedule)
    }

    /// Closes all connections and ends all threads.
    ///
    /// No run may be in progress. Later runs and streams fail with `notPossible`.
    public func shutdown() async {
        isShutDown.store(true, ordering: .relaxed)
        await Self.shutdown(context.transport, lanes)
    }

    private static func shutdown(_ transport: any Transport, _ lanes: DiskLanes?) async {
        async let others: Void? = lanes?.shutdown()
        await transport.shutdown()
        _ = await others
    }

    deinit {
        guard !isShutDown.load(ordering: .relaxed) else { return }
        // Runs hold the engine, so none is in progress. A deinitializer can't wait, and nobody else is left to do so.
        Task.detached { [transport = context.transport, lanes] in await Self.shutdown(transport, lanes) }
    }
}
