package import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes the daemon's log, one line per event.
package struct ServiceLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let format: LogFormat
    private let write: @Sendable (String) -> Void

    /// Makes a handler that passes each line, without a line end, to `write`.
    package init(level: Logger.Level, format: LogFormat, write: @escaping @Sendable (String) -> Void) {
        (logLevel, self.format, self.write) = (level, format, write)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        write(format.line(event.level, "\(event.message)", fields, at: Date()))
    }
}
