/// One line of the screen, before layout.
package struct Row: Hashable, Sendable {
    /// The content of the bar's column.
    package enum Gauge: Hashable, Sendable {
        /// The fraction received, 0 to 1.
        case filled(Double)
        /// The size is unknown; the step grows with time.
        case moving(step: Int)
        /// Words instead of the bar and the numbers after it.
        case words(String)
        /// Facts instead of the bar, the least important last: those that do not fit are left out.
        case facts([String])
    }

    /// The file's name, safe for a terminal.
    package var name: String
    /// True if certificates are not checked.
    package var insecure = false
    /// The bar.
    package var gauge: Gauge
    /// Bytes received.
    package var bytes: Int64 = 0
    /// The size in bytes, or nil if unknown.
    package var totalBytes: Int64?
    /// Bytes per second, or nil if unknown.
    package var speed: Double?
    /// Seconds left, or nil if unknown.
    package var secondsLeft: Double?
    /// Active connections.
    package var connections = 0

    /// Makes a row.
    package init(name: String, gauge: Gauge) {
        self.name = name
        self.gauge = gauge
    }
}
