package import Logging

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
