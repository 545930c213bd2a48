import Haul
import HaulCore

/// A download whose bytes go to standard output instead of a file.
struct StreamRun: Sendable {
    private let window: Int64
    private let output = ByteOutput(.standardOutput)

    /// Makes the run of a plan that streams; nil for one that does not.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where standard output is a terminal, which bytes may put out of order.
    init?(_ plan: GetPlan) throws(DownloadError) {
        guard plan.streams else { return nil }
        guard !OutputFile.standardOutput.isTerminal else {
            throw DownloadError(
                .invalidRequest,
                "--output -: standard output is a terminal: pipe it into a program, or redirect it to a file")
        }
        window = plan.streamWindow
    }

    /// Whether the reader of standard output went away.
    var isClosed: Bool { output.failure == .closed }

    /// Runs it to its end; what standard output refused is the download's failure.
    func run(
        _ spec: DownloadSpec, over engine: DownloadEngine, watch: TransferWatch,
        _ onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        let result = await engine.stream(spec, window: window, watch: watch, onEvent: onEvent) {
            await output.write($0)
        }
        switch output.failure {
        case .failed(let error): return .failure(error)
        case .closed, nil: return result
        }
    }
}
