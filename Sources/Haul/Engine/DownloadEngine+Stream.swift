public import HaulCore

/// Files that are not kept but handed on as they come.
extension DownloadEngine {
    /// How far ahead of the receiver a stream is fetched unless told otherwise, in bytes.
    public static let streamWindow: Int64 = 64 << 20
    /// The windows that a stream may have, in bytes.
    public static let streamWindows: ClosedRange<Int64> = 1 << 20...4 << 30

    /// Fetches a file over several connections and hands its bytes to a receiver, in order, once each.
    ///
    /// It keeps the guarantee *one version*: where the file changes on the server after bytes were handed out, the stream fails with
    /// `sourceChanged`. A connection that breaks is replaced at its own offset. A checksum of the spec is verified when all bytes were
    /// handed out: `checksumMismatch` then says that they are wrong. Of the spec, destination, conflict policy, `resumes` and
    /// `partialFolder` mean nothing here; the path in the events is the name that the server gives.
    ///
    /// A receiver that takes its time slows the download down: at most `window` bytes, and one read per connection, are in memory.
    /// Cancelling the calling task ends it with the code `cancelled`.
    ///
    /// - Parameters:
    ///   - spec: What is fetched.
    ///   - window: How far ahead of the receiver, in bytes; clamped to `streamWindows`.
    ///   - onEvent: Hears the same events as that of `run`.
    ///   - receive: Gets the next bytes, at most 256 KiB; false ends the stream with the code `cancelled`.
    /// - Returns: what `run` returns; success only after `receive` has taken everything.
    public func stream(
        _ spec: DownloadSpec, window: Int64 = DownloadEngine.streamWindow,
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }, receive: ([UInt8]) async -> Bool
    ) async -> Result<FinishFacts, DownloadError> {
        let size = min(max(window, Self.streamWindows.lowerBound), Self.streamWindows.upperBound)
        return await stream(spec, over: StreamWindow(size: size, spec.checksum?.algorithm), onEvent, receive)
    }

    /// The same, over a window of any size.
    func stream(
        _ spec: DownloadSpec, over window: StreamWindow, _ onEvent: @escaping @Sendable (TransferEvent) -> Void,
        _ receive: ([UInt8]) async -> Bool
    ) async -> Result<FinishFacts, DownloadError> {
        let run: DownloadRun
        do throws(DownloadError) {
            var machine = try MachineConfiguration(spec, progressInterval: context.progressInterval)
            machine.retry.base = context.firstRetryDelay
            machine.streamWindow = window.size
            // What was handed out can't be taken back, so there is one source; a digest that is told later comes too late.
            machine.mirrors = []
            machine.usesLinkedMirrors = false
            machine.pieces = nil
            machine.usesHeaderChecksum = false
            let access = try await context.accessFiles.read(spec)
            var options = RunOptions()
            options.limiter = spec.rateLimit.map { RateLimiter(bytesPerSecond: $0) }
            run = DownloadRun(
                spec, options, access, configuration: machine, context, mayBlock: false, window: window)
        } catch {
            onEvent(.failed(error))
            return .failure(error)
        }
        return await withTaskGroup(of: Result<FinishFacts, DownloadError>.self) { group in
            group.addTask {
                let result = await run.run(onEvent: onEvent)
                window.end()
                return result
            }
            while let chunk = await window.next() {
                guard await !receive(chunk) else { continue }
                group.cancelAll()
                break
            }
            return await group.next() ?? .failure(DownloadError(.internal, "the stream ended without a result"))
        }
    }
}
