import Foundation
import HaulAria2
import HaulCLI
import HaulCore
import Synchronization

/// The program's output: log lines, and at the bottom the readout, which is overwritten repeatedly.
final class Aria2Console: Sendable {
    /// The importance of a line (aria2(1), `--console-log-level`).
    enum Level: String, CaseIterable, Comparable {
        case debug, info, notice, warn, error

        static func < (first: Level, second: Level) -> Bool {
            (allCases.firstIndex(of: first) ?? 0) < (allCases.firstIndex(of: second) ?? 0)
        }
    }

    private let output: OutputFile
    private let isQuiet: Bool
    private let level: Level
    private let showsReadout: Bool
    private let isTerminal: Bool
    private let isTruncated: Bool
    /// The file for lines of at least `logLevel`, independent of the console.
    private let logFile: LogFile?
    private let logLevel = Mutex(Level.debug)
    /// The width of the current readout.
    private let width = Mutex(0)

    /// Creates a console.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` if the log cannot be opened.
    init(_ options: Aria2Options, folder: String) throws(DownloadError) {
        output = options.isSet("stderr") ? .standardError : .standardOutput
        isQuiet = options.isSet("quiet")
        level = Level(rawValue: options.effective("console-log-level") ?? "") ?? .notice
        showsReadout = options.isSet("show-console-readout")
        isTerminal = output.isTerminal
        isTruncated = options.isSet("truncate-console-readout")
        logFile = try options["log"].map { path throws(DownloadError) in
            try LogFile(path: path == "-" ? "/dev/stdout" : path.hasPrefix("/") ? path : "\(folder)/\(path)")
        }
        setLogLevel(options)
    }

    /// Sets the log level from options, which clients may change.
    func setLogLevel(_ options: Aria2Options) {
        let level = options.effective("log-level").flatMap { Level(rawValue: $0) } ?? .debug
        logLevel.withLock { $0 = level }
    }

    /// Writes a line to the log and to the console.
    func log(_ level: Level, _ message: String) {
        let text = TerminalText.printable(URLRedaction.inText(message))
        if level >= logLevel.withLock({ $0 }) {
            logFile?.append("[\(level.rawValue.uppercased())] \(text)", at: Date())
        }
        guard !isQuiet, level >= self.level else { return }
        wipe()
        output.write("\n\(Self.time()) [\(level.rawValue.uppercased())] \(text)\n")
    }

    /// Writes a line to the log and to standard error, even if the console is quiet.
    func complain(_ message: String) {
        let text = TerminalText.printable(URLRedaction.inText(message))
        if .error >= logLevel.withLock({ $0 }) { logFile?.append("[ERROR] \(text)", at: Date()) }
        wipe()
        OutputFile.standardError.write(text + "\n")
    }

    /// Writes the readout; on a terminal, over the previous one.
    func show(_ readout: String) {
        guard !isQuiet, showsReadout, !readout.isEmpty else { return }
        guard isTerminal else {
            output.write(readout + "\n")
            return
        }
        // The end of a line that is too long would remain in the line above.
        let columns = (output.window?.columns ?? 80) - 1
        let text = isTruncated ? TerminalText.fitted(readout, width: columns) : readout
        wipe()
        output.write("\r" + text)
        width.withLock { $0 = TerminalText.width(text) }
    }

    /// Writes a text unchanged.
    func write(_ text: String) {
        guard !isQuiet else { return }
        wipe()
        output.write(text)
    }

    private func wipe() {
        let wide = width.withLock { wide in
            defer { wide = 0 }
            return wide
        }
        if wide > 0 { output.write("\r" + String(repeating: " ", count: wide) + "\r") }
    }

    /// Returns the current date and time.
    static func date() -> String { Date().formatted(.iso8601) }

    private static func time() -> String {
        let parts = Calendar.current.dateComponents([.month, .day, .hour, .minute, .second], from: Date())
        func two(_ number: Int?) -> String {
            let text = String(number ?? 0)
            return text.utf8.count < 2 ? "0" + text : text
        }
        return "\(two(parts.month))/\(two(parts.day)) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
    }
}
