import Dispatch
package import Logging
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The only place that writes to the outputs: it takes reports from everywhere, and writes the reporters' text.
///
/// Reports are taken under a lock that is never held while writing. All writing happens on one queue, ten times a
/// second, so neither a stopped terminal nor a slow reader delays a download.
package final class Console: Sendable {
    private struct State: Sendable {
        var tally = Tally()
        var reporters: [any Reporter]
        var ended = false
        var broken = false
        /// The number of reports since the last write.
        var unwritten = 0
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "haul.console")
    private let log: LogFile?
    private let now: @Sendable () -> Duration
    private let onBrokenOutput: @Sendable () -> Void

    /// Makes a console; `now` is the time since the run began, and `onBrokenOutput` is called when standard output has
    /// no reader any more.
    ///
    /// If it can't be written for another reason, this is reported, and the run continues.
    package init(
        reporters: [any Reporter], log: LogFile? = nil, now: @escaping @Sendable () -> Duration,
        onBrokenOutput: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(reporters: reporters))
        self.log = log
        self.now = now
        self.onBrokenOutput = onBrokenOutput
    }

    /// The counts so far.
    package var tally: Tally { state.withLock { $0.tally } }

    /// Records a report.
    ///
    /// Never blocks for output.
    package func report(_ report: Report) {
        state.withLock { state in
            let now = now()
            state.tally.take(report)
            state.unwritten += 1
            for index in state.reporters.indices {
                state.reporters[index].take(report, tally: state.tally, at: now)
            }
        }
    }

    /// Starts to write, ten times a second.
    package func start() {
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
            guard !state.withLock({ $0.ended }) else { return }
            write()
            start()
        }
    }

    /// Leaves what was drawn before alone, because another program has used the terminal since.
    package func forgetFrame() {
        state.withLock { state in
            for index in state.reporters.indices { state.reporters[index].forgetFrame() }
        }
    }

    /// Returns the exit code of the process.
    package func exitCode(stop: StopReason?) -> ExitCode { tally.exitCode(stop: stop) }

    /// Waits until all reports so far are written, if many are waiting.
    ///
    /// A reader that has stopped must not fill the memory.
    package func settle() async {
        guard state.withLock({ $0.unwritten > 256 }) else { return }
        await flush()
    }

    private func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                write()
                continuation.resume()
            }
        }
    }

    /// Writes the remaining text and ends.
    package func end() async {
        state.withLock { $0.ended = true }
        await flush()
    }

    private func write() {
        let window = OutputFile.standardError.window ?? WindowSize(columns: 80, rows: 24)
        let isForeground = OutputFile.standardError.isForeground
        let (output, broken) = state.withLock { state in
            var all = Output()
            let now = now()
            state.unwritten = 0
            for index in state.reporters.indices {
                state.reporters[index].setForeground(isForeground)
                let output = state.reporters[index].output(at: now, window: window)
                all.standardOutput += output.standardOutput
                all.standardError += output.standardError
                all.log += output.log
            }
            return (all, state.broken)
        }
        if !output.standardError.isEmpty { OutputFile.standardError.write(output.standardError) }
        if !output.log.isEmpty { log?.append(output.log, at: Date()) }
        guard !output.standardOutput.isEmpty, !broken else { return }
        guard !OutputFile.standardOutput.write(output.standardOutput) else { return }
        state.withLock { $0.broken = true }
        guard let loss = OutputFile.loss else { return onBrokenOutput() }
        // A full disk under the events is not one under the files.
        OutputFile.standardError.write(
            "haul: can't write to standard output: \(loss); further events are not written\n")
    }
}

/// Sends log messages through the console, so that a line never breaks into the bars.
package struct ConsoleLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let write: @Sendable (String) -> Void

    /// Makes a handler that passes each line, without an end, to `write`.
    package init(level: Logger.Level, write: @escaping @Sendable (String) -> Void) {
        logLevel = level
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, newer in newer }
        let fields = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        write("haul: \(event.level): \(event.message)\(fields)")
    }
}
