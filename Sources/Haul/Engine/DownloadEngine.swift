public import HaulCore
package import HaulFiles
package import HaulTransport
import HaulTransportHTTP
import Logging

/// Runs downloads: connections, threads and the rate limit are shared, everything else is a download's own.
///
/// It keeps the guarantees *one version*, *nothing lost*, *no false success*, *final name last*, *one writer* and *inside the folder*
/// (see the architecture document).
public final class DownloadEngine: Sendable {
    let context: RunContext

    /// Makes an engine.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the certificates can't be read.
    public convenience init(_ configuration: EngineConfiguration = EngineConfiguration()) throws(DownloadError) {
        var transport = HTTPTransportConfiguration()
        transport.caCertificatePath = configuration.caCertificatePath
        transport.logger = configuration.logger
        do throws(HTTPTransportError) {
            let router = TransportRouter(
                http: try HTTPTransport(transport), configuration,
                receiveBufferBytes: configuration.rateLimit.map { RateLimiter.largestRead(at: $0) })
            self.init(configuration, transport: router, system: .live)
        } catch {
            throw DownloadError(.invalidRequest, "\(error)")
        }
    }

    /// Makes an engine over a given transport and given system calls.
    package init(_ configuration: EngineConfiguration, transport: any Transport, system: SystemCalls) {
        context = RunContext(
            transport: transport, system: system,
            limiter: RateLimiter(bytesPerSecond: configuration.rateLimit),
            progressInterval: configuration.progressInterval,
            firstRetryDelay: configuration.firstRetryDelay, proxies: configuration.proxies,
            localAddress: configuration.localAddress, logger: configuration.logger,
            nameCache: DirectoryNameCache(system: system))
        if let schedule = configuration.rateSchedule { context.limiter.set(schedule) }
    }

    /// Runs one download to its end.
    ///
    /// Events come in order, from one task; the last one is `finished` or `failed`, and is returned as well. Cancelling the calling task
    /// saves what is there and ends with the code `cancelled`.
    ///
    /// - Parameter watch: Tells, while it runs and afterwards, what limits it.
    public func run(
        _ spec: DownloadSpec, watch: TransferWatch? = nil, onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        await run(spec, RunOptions(spec, watch: watch), onEvent: onEvent)
    }

    /// Runs one download to its end, with what earlier runs of it have left to know.
    package func run(
        _ spec: DownloadSpec, _ options: RunOptions, onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        do throws(DownloadError) {
            var (spec, access, machine) = try await prepare(spec, options.url)
            if options.retriesUnreachable { machine.retry.unreachableLimit = nil }
            let eventLoopExecutor = context.transport.eventLoopExecutor()
            // Made there, as it is large and would be copied on its way.
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

    /// Reads the files that a spec names, and looks for its checksum where it says so.
    func prepare(
        _ spec: consuming DownloadSpec, _ url: SourceURL? = nil
    ) async throws(DownloadError) -> (spec: DownloadSpec, access: SourceAccess, machine: MachineConfiguration) {
        var machine = try MachineConfiguration(spec, url: url, progressInterval: context.progressInterval)
        machine.retry.base = context.firstRetryDelay
        let access = try await context.accessFiles.read(spec)
        if spec.findsChecksum, spec.checksum == nil, spec.range == nil,
            let found = await ChecksumSearch(copy spec, access, url: machine.url, context).run()
        {
            spec.checksum = found.checksum
            machine.checksum = found.checksum
            machine.checksumOrigin = found.origin
        }
        return (spec, access, machine)
    }

    /// Where a task that only runs downloads is best at home: see `Transport.eventLoopExecutor()`.
    package func eventLoopExecutor() -> (any TaskExecutor)? { context.transport.eventLoopExecutor() }

    /// Changes the limit over all downloads, in bytes per second; nil: none.
    ///
    /// It holds within 100 ms, also for downloads that are held back just then.
    public func setRateLimit(_ bytesPerSecond: Int64?) { context.limiter.set(bytesPerSecond: bytesPerSecond) }

    /// Changes the limit over all downloads to one that goes by the time of day, here and now.
    ///
    /// It takes the place of the limit that was set before, and holds within a second of each change that it names.
    public func setRateSchedule(_ schedule: RateSchedule) { context.limiter.set(schedule) }

    /// Gives back connections and threads.
    ///
    /// No run may be under way.
    public func shutdown() async { await context.transport.shutdown() }
}
