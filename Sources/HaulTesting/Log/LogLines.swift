package import Logging
import Synchronization

/// Records log messages for tests.
package final class LogLines: Sendable {
    /// A line of the log.
    package struct Line: Hashable, Sendable {
        /// The level.
        package var level: Logger.Level
        /// The text.
        package var message: String
        /// The fields.
        package var metadata: [String: String]
    }

    private let kept = Mutex<[Line]>([])

    /// Makes an empty log.
    package init() {}

    /// The lines so far.
    package var lines: [Line] { kept.withLock { $0 } }

    /// Returns a logger that writes here, from a level on.
    package func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { [self] _ in Handler(log: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let log: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            log.kept.withLock { $0.append(Line(level: event.level, message: "\(event.message)", metadata: all)) }
        }
    }
}
