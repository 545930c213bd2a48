import HaulCore

/// A line of an input list that is not a URL.
package struct BadLine: Hashable, Sendable {
    /// The line's number among the downloads.
    package var id: Int
    /// The list as it was named on the command line; `-` is standard input.
    package var list: String
    /// The number of the line in its list, from 1.
    package var line: Int
    /// The error, and the expected form.
    package var message: String

    /// Makes the value.
    package init(id: Int, list: String, line: Int, message: String) {
        self.id = id
        self.list = list
        self.line = line
        self.message = URLRedaction.inText(message)
    }
}
