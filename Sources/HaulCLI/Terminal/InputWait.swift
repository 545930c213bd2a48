package import Dispatch
package import HaulCore
import Synchronization

/// The input that a run waits for; it is reported if it takes long.
///
/// Opening a pipe blocks until something writes to it, and can't be cancelled.
package final class InputWait: Sendable {
    private struct State: Sendable {
        /// The number of waits so far.
        var count = 0
        var isWaiting = false
        var isBlocked = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "haul.input")
    private let delay: DispatchTimeInterval
    private let report: @Sendable (String) -> Void

    /// Makes a value for the waits of one task, one after another.
    ///
    /// - Parameters:
    ///   - delay: The duration of a wait that is not worth a report.
    ///   - report: Takes a sentence about a longer one, on a queue of its own.
    package init(
        after delay: DispatchTimeInterval = .seconds(1), report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.delay, self.report) = (delay, report)
    }

    /// Makes a value that reports on standard error.
    package convenience init(quiet: Bool) {
        self.init { text in
            if !quiet { OutputFile.standardError.write("haul: \(TerminalText.printable(text))\n") }
        }
    }

    /// True while a system call may block that can't be cancelled.
    package var isBlocked: Bool { state.withLock { $0.isBlocked } }

    /// Reads files; if some of them are pipes or standard input, that is a wait.
    package func reading<Value>(
        _ paths: [String?], _ read: () throws(DownloadError) -> Value
    ) throws(DownloadError) -> Value {
        begin(reading: paths)
        defer { end() }
        return try read()
    }

    /// Begins a wait for the data of files if some of them are pipes or standard input, which is `-`.
    package func begin(reading paths: [String?]) {
        let slow = paths.compactMap(\.self).filter { $0 == "-" || OutputFile.isPipe($0) }
        if let text = Self.text(slow) { begin(text, blocks: true) }
    }

    /// Begins a wait for something else.
    ///
    /// - Parameters:
    ///   - name: The name of what is waited for.
    ///   - blocks: True if it can't be cancelled.
    package func begin(for name: String, blocks: Bool = false) { begin("waiting for \(name)", blocks: blocks) }

    /// Ends the wait, if there is one.
    package func end() {
        state.withLock { ($0.isWaiting, $0.isBlocked) = (false, false) }
    }

    private func begin(_ text: String, blocks: Bool) {
        let number = state.withLock { state in
            state.count += 1
            (state.isWaiting, state.isBlocked) = (true, blocks)
            return state.count
        }
        queue.asyncAfter(deadline: .now() + delay) { [self] in
            let isSame = state.withLock { $0.isWaiting && $0.count == number }
            if isSame { report(text) }
        }
    }

    /// Returns the sentence about pipes and standard input; nil if there are none.
    package static func text(_ paths: [String]) -> String? {
        let names = paths.map { $0 == "-" ? "standard input" : "\($0), which is a pipe" }
        return names.isEmpty ? nil : "waiting for data from \(names.joined(separator: ", or from "))"
    }
}
