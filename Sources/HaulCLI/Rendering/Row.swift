/// One line of the screen before it is laid out.
package struct Row: Hashable, Sendable {
    /// What stands in the bar's place.
    package enum Gauge: Hashable, Sendable {
        /// The part that is there, 0 to 1.
        case filled(Double)
        /// The size is unknown; the step grows with time.
        case moving(step: Int)
        /// Words instead of a bar and of the numbers after it.
        case words(String)
        /// Facts instead of a bar, the least important last: what does not fit is left out.
        case facts([String])
    }

    /// The file's name, fit for a terminal.
    package var name: String
    /// Whether certificates are not checked.
    package var insecure = false
    /// The bar.
    package var gauge: Gauge
    /// Bytes that are there.
    package var bytes: Int64 = 0
    /// The size, or nil.
    package var totalBytes: Int64?
    /// Bytes per second, or nil where there are none.
    package var speed: Double?
    /// Seconds left, or nil.
    package var secondsLeft: Double?
    /// Connections at work.
    package var connections = 0

    /// Makes a row.
    package init(name: String, gauge: Gauge) {
        self.name = name
        self.gauge = gauge
    }
}
