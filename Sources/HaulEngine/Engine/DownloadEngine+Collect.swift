package import HaulCore
import HaulLibC

/// Small files that are not saved by the engine.
extension DownloadEngine {
    /// Fetches a file that is probably small, over one connection, and passes its bytes to a receiver in order.
    ///
    /// A file that one response contains completely is passed in one piece, without a run. For anything else, such as a
    /// redirect, an error or a large file, a run takes over with the response received so far, and it keeps the
    /// guarantees of `stream`.
    ///
    /// What hosts grant is learned for each call alone: the caller limits the number of calls for a host, and one URL
    /// that the server refuses (503) does not slow down thousands of others.
    ///
    /// Cancelling the calling task ends it with the code `cancelled`.
    ///
    /// - Parameters:
    ///   - spec: The download; destination, conflict policy and partial files mean nothing here.
    ///   - options: The observer of responses, and the URL if it has been parsed.
    ///   - window: The number of bytes that a run fetches ahead of the receiver.
    ///   - onEvent: Receives the events of the run, if there is one.
    ///   - receive: Receives the next bytes; returning false ends it with the code `cancelled`.
    /// - Returns: The size of the file.
    package func collect(
        _ spec: DownloadSpec, _ options: RunOptions, window size: Int64,
        onEvent: @escaping @Sendable (TransferEvent) -> Void, receive: @Sendable ([UInt8]) async -> Bool
    ) async -> Result<Int64, DownloadError> {
        do throws(DownloadError) {
            let (spec, access, prepared) = try await prepare(spec, options.url)
            var (context, machine) = (context, prepared)
            let began = context.clock.now
            context.hosts = HostTable(context.clock)
            let first: EarlyRequest?
            switch await small(spec, options, access, machine, context, receive) {
            case .finished(let total): return .success(total)
            case .continues(let request): first = request
            case .stopped: return .failure(DownloadError(.cancelled, "the receiver wants no more"))
            }
            // The run has what the small request has left of the time.
            machine.transfer.maxTime = machine.transfer.maxTime.map { max(.zero, $0 - (context.clock.now - began)) }
            let window = StreamWindow(size: size, machine.checksum?.algorithm)
            let run = DownloadRun(
                spec, options, access,
                configuration: machine.streaming(window: window.size, receiverStartsAgain: true), context,
                mayBlock: false, window: window, first: first)
            return await streamed(run, window, onEvent, receive).map(\.totalBytes)
        } catch {
            return .failure(error)
        }
    }

    private enum SmallEnd {
        case finished(Int64)
        case continues(EarlyRequest?)
        case stopped
    }

    private func small(
        _ spec: DownloadSpec, _ options: RunOptions, _ access: SourceAccess, _ machine: MachineConfiguration,
        _ context: RunContext, _ receive: @Sendable ([UInt8]) async -> Bool
    ) async -> SmallEnd {
        var configuration = machine
        // The time of a small response is limited by how long it is waited for.
        configuration.transfer.maxTime = nil
        guard configuration.mayBeSmall, context.limiter.isUnlimited, options.limiter == nil else {
            return .continues(nil)
        }
        let small = SmallRequest(spec, access, configuration, context)
        guard let slot = small.enter() else { return .continues(nil) }
        defer { small.leave(slot) }
        let request = small.start(slot)
        await small.watched(request, atMost: machine.transfer.maxTime)
        guard !Task.isCancelled, let (response, bytes) = request.response.whole, response.accepts(bytes),
            let head = request.response.head
        else { return .continues(request) }
        options.observer?.receive(head, configuration.url)
        return await receive(bytes) ? .finished(response.total) : .stopped
    }
}
