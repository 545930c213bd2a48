/// Text for the two outputs.
package struct Output: Hashable, Sendable {
    /// What goes to standard output.
    package var standardOutput = ""
    /// What goes to standard error.
    package var standardError = ""
    /// Lines that go to the log file.
    package var log = ""

    /// Makes an empty value.
    package init() {}
}
