/// The amount of output on the screen.
package enum Verbosity: String, CaseIterable, Sendable {
    /// Only errors.
    case quiet
    /// One line for each download when it ends.
    case line
    /// Bars, or lines while downloads run.
    case normal
}
