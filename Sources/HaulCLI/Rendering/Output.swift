/// Text for the two outputs and the log.
package struct Output: Hashable, Sendable {
    /// Text for standard output.
    package var standardOutput = ""
    /// Text for standard error.
    package var standardError = ""
    /// Lines for the log file.
    package var log = ""

    /// Makes an empty value.
    package init() {}
}
