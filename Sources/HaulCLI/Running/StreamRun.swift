import Haul
package import HaulCore

/// The destination of a stream.
package enum StreamTarget: Hashable, Sendable {
    /// Standard output.
    case standardOutput
    /// The pipe or the device at this path.
    case path(String)

    /// Its name in a message.
    var name: String {
        switch self {
        case .standardOutput: "standard output"
        case .path(let path): TerminalText.printable(path)
        }
    }
}

/// A download whose bytes go to standard output, a pipe or a device instead of a regular file.
struct StreamRun: Sendable {
    private let window: Int64
    private let output: ByteOutput

    /// Makes the run of a plan that streams; nil for one that does not.
    ///
    /// A named pipe is opened here, which blocks until it has a reader.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for a terminal, which raw bytes may upset; `fileFailed` if
    ///   the target cannot be opened.
    init?(_ plan: GetPlan) throws(DownloadError) {
        guard let target = plan.streamTarget else { return nil }
        let file: OutputFile
        switch target {
        case .standardOutput:
            file = .standardOutput
            guard !file.isTerminal else {
                throw DownloadError(
                    .invalidRequest,
                    "--output -: standard output is a terminal: use a pipe, or redirect it to a file")
            }
            output = ByteOutput(file)
        case .path(let path):
            file = try OutputFile(writingTo: path) {
                guard !plan.quiet else { return }
                OutputFile.standardError.write("haul: waiting for a reader of \(TerminalText.printable(path))\n")
            }
            guard !file.isTerminal else {
                throw DownloadError(
                    .invalidRequest, "--output: \(path) is a terminal: choose a file, a pipe or /dev/null")
            }
            output = ByteOutput(file, name: path)
        }
        window = plan.streamWindow
    }

    /// True if the reader of the output has gone.
    var isClosed: Bool { output.failure == .closed }

    /// Runs the download to its end; a failed write to the output is the download's failure.
    ///
    /// - Parameter waits: True to wait until the network is back, as long as nothing was written: the output can't
    ///   begin again.
    func run(
        _ spec: DownloadSpec, over engine: DownloadEngine, watch: TransferWatch, waitsForNetwork waits: Bool = false,
        _ probe: NetworkProbe = .system, onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        let hosts = engine.firstHosts(of: spec)
        return await probe.retrying(hosts) {
            guard waits, !output.hasBegun else { return false }
            onEvent(.waiting(.network, seconds: 0))
            return true
        } attempt: {
            let stop = OneShotEvent()
            let network = NetworkWatch(spec, to: hosts, probe) {
                if !output.hasBegun { stop.set() }
            }
            let receive: @Sendable (TransferEvent) -> Void = { event in
                if waits { network.receive(event) }
                onEvent(event)
            }
            let ended = await stop.ends {
                await engine.stream(spec, window: window, watch: watch, onEvent: receive) { await output.write($0) }
            }
            if case .failed(let error) = output.failure { return .failure(error) }
            return await network.result(ended)
        }
    }
}

/// The value of `--stream-window`: a number of bytes.
package struct WindowArgument: Hashable, Sendable {
    /// The window in bytes.
    package let bytes: Int64

    /// Reads the value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected range.
    package init(parsing text: String) throws(DownloadError) {
        let bytes = try ByteCount.parse(text)
        guard DownloadEngine.streamWindows.contains(bytes) else {
            throw DownloadError(
                .invalidRequest, "invalid value \"\(text)\": expected a size from 1M to 4G, such as 64M")
        }
        self.bytes = bytes
    }
}
