public import HaulCore

/// Files that are not saved but passed to the caller as they arrive.
extension DownloadEngine {
    /// The default size of the window by which a stream is fetched ahead of the receiver, in bytes.
    public static let streamWindow: Int64 = 64 << 20
    /// The valid window sizes, in bytes.
    public static let streamWindows: ClosedRange<Int64> = 1 << 20...4 << 30

    /// Fetches a file over several connections and passes its bytes to a receiver, in order, each once.
    ///
    /// It keeps the guarantee *one version*: where the file changes on the server after bytes were handed out, the stream fails with
    /// `sourceChanged`. A connection that breaks is replaced at its own offset. A checksum of the spec is verified when all bytes were
    /// handed out: `checksumMismatch` then says that they are wrong. Of the spec, destination, conflict policy, `resumes` and
    /// the folder for partial files mean nothing here; the path in the events is the name that the server gives.
    ///
    /// A slow receiver slows the download down: at most `window` bytes, and one read per connection, are in memory.
    /// Cancelling the calling task ends the stream with the code `cancelled`.
    ///
    /// - Parameters:
    ///   - spec: The download.
    ///   - window: The number of bytes fetched ahead of the receiver; clamped to `streamWindows`.
    ///   - watch: Records what limits the stream, while it runs and afterwards.
    ///   - onEvent: Receives the same events as that of `run`.
    ///   - receive: Receives the next bytes, at most 256 KiB; returning false ends the stream with the code
    ///     `cancelled`.
    /// - Returns: The same as `run`; success only after `receive` has taken everything.
    public func stream(
        _ spec: DownloadSpec, window: Int64 = DownloadEngine.streamWindow, watch: TransferWatch? = nil,
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }, receive: ([UInt8]) async -> Bool
    ) async -> Result<FinishFacts, DownloadError> {
        let size = min(max(window, Self.streamWindows.lowerBound), Self.streamWindows.upperBound)
        return await stream(spec, exactly: size, watch, onEvent, receive)
    }

    /// Streams over a window of any size.
    func stream(
        _ spec: DownloadSpec, exactly size: Int64, _ watch: TransferWatch?,
        _ onEvent: @escaping @Sendable (TransferEvent) -> Void, _ receive: ([UInt8]) async -> Bool
    ) async -> Result<FinishFacts, DownloadError> {
        let (run, window): (DownloadRun, StreamWindow)
        do throws(DownloadError) {
            let (spec, access, machine) = try await prepare(spec)
            window = StreamWindow(size: size, machine.checksum?.algorithm)
            run = DownloadRun(
                spec, RunOptions(spec, watch: watch), access, configuration: machine.streaming(window: window.size),
                context, mayBlock: false, window: window)
        } catch {
            onEvent(.failed(error))
            return .failure(error)
        }
        return await streamed(run, window, onEvent, receive)
    }

    /// Runs a download whose bytes go to a window, and passes them to the receiver.
    func streamed(
        _ run: consuming DownloadRun, _ window: StreamWindow, _ onEvent: @escaping @Sendable (TransferEvent) -> Void,
        _ receive: ([UInt8]) async -> Bool
    ) async -> Result<FinishFacts, DownloadError> {
        let run = run
        // The run is a child task; the receiver takes its bytes here, in the caller's task.
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
